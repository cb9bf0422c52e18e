import type { Context } from "../../context.ts";
import type { OutboundResponse } from "../../lib/http/outbound.ts";
import { parseDomain } from "../../lib/text/domains.ts";
import { ACTIVITY_TYPE, hostOf, isDocumentType } from "../documents.ts";
import { FetchError } from "./fetch.ts";
import { isUsername } from "../read/actor.ts";
import { idOf, type Json, objectsOf, parseDocument } from "../read/json.ts";
import { fetchAtDomain, fetchSmall } from "./well-known.ts";

const JSON_TYPES = ["application/jrd+json", "application/json"];
const XML_TYPES = ["application/xrd+xml", "application/xml", "text/xml"];

/** An account by its name and domain, without an `@`. The domain is in lower case. */
export interface RemoteHandle {
  username: string;
  domain: string;
}

/** The account that a domain assigns to a handle: its URI, and the handle that it prefers. */
export interface Assigned extends RemoteHandle {
  uri: string;
}

/**
 * Asks a domain for the account with a handle (RFC 7033). If it prefers a handle of another domain, that domain has to
 * assign the same account to it: otherwise anyone could claim any handle.
 *
 * @throws FetchError
 */
export async function finger(ctx: Context, handle: RemoteHandle): Promise<Assigned> {
  const first = await ask(ctx, handle);
  if (isSame(first, handle)) return first;
  const second = await ask(ctx, first);
  if (isSame(second, first) && second.uri === first.uri) return second;
  throw new FetchError("refused", `${first.domain} doesn't assign @${first.username} to the account that claims it`);
}

function isSame(one: RemoteHandle, other: RemoteHandle): boolean {
  return one.domain === other.domain && one.username.toLowerCase() === other.username.toLowerCase();
}

async function ask(ctx: Context, { username, domain }: RemoteHandle): Promise<Assigned> {
  const resource = `acct:${username}@${domain}`;
  const document = await jrd(ctx, domain, resource);
  const link = objectsOf(document.links).find(
    ({ rel, type }) => rel === "self" && typeof type === "string" && isDocumentType(type),
  );
  const uri = idOf(link?.href);
  if (uri === null) {
    throw new FetchError("refused", `${domain} names no ${ACTIVITY_TYPE} document for ${resource}`);
  }
  const subject = typeof document.subject === "string" ? parseSubject(document.subject) : null;
  return { ...(subject ?? { username, domain }), uri };
}

/** Null for anything but `acct:name@domain`. */
export function parseSubject(subject: string): RemoteHandle | null {
  const [, username = "", host = ""] = /^acct:@?([^@]+)@([^@]+)$/i.exec(subject) ?? [];
  const domain = parseDomain(host);
  return domain !== null && isUsername(username) ? { username, domain } : null;
}

async function jrd(ctx: Context, domain: string, resource: string): Promise<Json> {
  const query = `resource=${encodeURIComponent(resource)}`;
  try {
    return parse(await fetchAtDomain(ctx, domain, `/.well-known/webfinger?${query}`, JSON_TYPES), resource);
  } catch (error) {
    if (!(error instanceof FetchError && error.problem === "gone")) throw error;
    // RFC 6415: the domain may have its WebFinger elsewhere.
    const template = templateIn(await fetchAtDomain(ctx, domain, "/.well-known/host-meta", XML_TYPES));
    if (template === null) throw error;
    return parse(
      await fetchSmall(ctx, template.replaceAll("{uri}", encodeURIComponent(resource)), JSON_TYPES),
      resource,
    );
  }
}

function parse({ body }: OutboundResponse, resource: string): Json {
  const document = parseDocument(new TextDecoder().decode(body));
  if (!document) throw new FetchError("refused", `The WebFinger response for ${resource} is no JSON object`);
  return document;
}

function templateIn({ body }: OutboundResponse): string | null {
  for (const [link] of new TextDecoder().decode(body).matchAll(/<Link\s[^>]*>/gi)) {
    if (!/\srel=["']lrdd["']/i.test(link)) continue;
    const template = /\stemplate=["']([^"']*\{uri\}[^"']*)["']/i.exec(link)?.[1];
    if (template && hostOf(template) !== null) return template.replaceAll("&amp;", "&");
  }
  return null;
}
