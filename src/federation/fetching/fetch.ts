import type { Context } from "../../context.ts";
import { isOwnHost } from "../../core/addresses.ts";
import { isRefusedHost } from "../../core/refused-hosts.ts";
import { OutboundError, type OutboundResponse } from "../../lib/http/outbound.ts";
import { collectDocumentsAfter } from "../../lib/process.ts";
import type { SignatureForm } from "../../lib/signatures.ts";
import { DOCUMENT_TYPES, hostOf, isDocumentType, withoutFragment } from "../documents.ts";
import { type Json, parseDocument } from "../read/json.ts";
import { formFor, otherForm, rememberForm, signFetch } from "../signing.ts";

/** Limits for one document. */
const MAX_BYTES = 1024 * 1024;
const TIMEOUT = 10_000;
const REDIRECTS = 3;

/**
 * Why a document can't be had: `gone` (its server says that it doesn't exist), `refused` (this server may not or does not
 * want to have it, or it is malformed), `unavailable` (a later attempt may succeed).
 */
export type FetchProblem = "gone" | "refused" | "unavailable";

export class FetchError extends Error {
  override readonly name = "FetchError";

  constructor(
    readonly problem: FetchProblem,
    message: string,
    /** The Retry-After header of the response, unparsed. */
    readonly retryAfter: string | null = null,
  ) {
    super(message);
  }
}

/**
 * Fetches an ActivityPub document. Its `id` is the address that it was fetched from in the end: only the server that
 * owns an address speaks for it. Redirects and links from pages lead to documents with another `id`, which is then
 * fetched once.
 *
 * @throws FetchError
 */
export async function fetchDocument(ctx: Context, uri: string): Promise<Json & { id: string }> {
  const first = await fetchOnce(ctx, uri);
  if (isAt(first)) return first.document;
  const second = await fetchOnce(ctx, first.document.id);
  if (isAt(second)) return second.document;
  throw new FetchError("refused", `${uri} has an id that leads elsewhere`);
}

/** As `fetchDocument()`, for callers that act on the reason of a failure. */
export async function documentOrProblem(ctx: Context, uri: string): Promise<(Json & { id: string }) | FetchProblem> {
  try {
    return await fetchDocument(ctx, uri);
  } catch (error) {
    if (error instanceof FetchError) return error.problem;
    throw error;
  }
}

interface Fetched {
  /** The final address, after redirects. */
  url: string;
  document: Json & { id: string };
}

/** A fragment names a part of the document, such as a key. */
function isAt({ url, document }: Fetched): boolean {
  return URL.parse(withoutFragment(document.id))?.href === withoutFragment(url);
}

async function fetchOnce(ctx: Context, uri: string): Promise<Fetched> {
  if (hostOf(uri) === null) throw new FetchError("refused", "An address is not http or https");
  const { url, headers, body } = await request(ctx, uri);
  if (!isDocumentType(headers.get("content-type")))
    throw new FetchError("refused", `${uri} is no ActivityPub document`);
  const document = parseDocument(new TextDecoder().decode(body));
  collectDocumentsAfter(body.length);
  const id = document?.id;
  if (!document || typeof id !== "string" || hostOf(id) === null) {
    throw new FetchError("refused", `${uri} is no object with an id`);
  }
  return { url, document: { ...document, id } };
}

/**
 * This server's own rows say more than its documents, and only documents of other servers may be stored.
 *
 * @throws FetchError
 */
export function checkHost(ctx: Context, url: URL): void {
  const host = hostOf(url.href)!;
  if (isRefusedHost(ctx, host)) throw new FetchError("refused", `${host} is blocked`);
  if (isOwnHost(ctx, host)) throw new FetchError("refused", `${host} is this server`);
}

async function request(ctx: Context, uri: string): Promise<OutboundResponse> {
  const host = hostOf(uri)!;
  const form = formFor(ctx, host);
  try {
    return await signedGet(ctx, uri, form);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.status === 401) return signedOtherwise(ctx, uri, otherForm(form));
    throw problemOf(error);
  }
}

/** A host that understands only one form of signatures refuses the other. It is remembered if that was the reason. */
async function signedOtherwise(ctx: Context, uri: string, form: SignatureForm): Promise<OutboundResponse> {
  try {
    const response = await signedGet(ctx, uri, form);
    ctx.db.transaction((tx) => rememberForm(ctx, tx, hostOf(uri)!, form));
    return response;
  } catch (error) {
    throw error instanceof OutboundError ? problemOf(error) : error;
  }
}

/** Fetches a document once, with one form of signature. @throws OutboundError */
export function signedGet(ctx: Context, uri: string, form: SignatureForm): Promise<OutboundResponse> {
  return ctx.fetchOutside(uri, {
    accept: DOCUMENT_TYPES,
    maxBytes: MAX_BYTES,
    timeout: TIMEOUT,
    redirects: REDIRECTS,
    check: (url) => checkHost(ctx, url),
    sign: (url) => signFetch(ctx, url, form),
  });
}

/** 401 and 403 are for this server, and may change; other answers in the 4xx range won't. */
export function problemOf({ kind, status, message, retryAfter }: OutboundError): FetchError {
  if (status === 404 || status === 410) return new FetchError("gone", message);
  const isFinal =
    kind === "refused" ||
    kind === "type" ||
    kind === "too_large" ||
    (status !== null && status >= 400 && status < 500 && ![401, 403, 408, 425, 429].includes(status));
  return new FetchError(isFinal ? "refused" : "unavailable", message, retryAfter);
}
