import type { Context } from "../../context.ts";
import { statusUri } from "../../core/addresses.ts";
import { keyOf } from "../../core/people/account-keys.ts";
import { emojisOf } from "../../core/media/emojis.ts";
import { visibleToServer } from "../../core/visibility.ts";
import type { Interaction } from "../../db/delivery-events.ts";
import { etagOf, isNamedBy } from "../../lib/http/etag.ts";
import { parseId } from "../../lib/ids.ts";
import { parseQuery, requestAddress, searchOf } from "../../lib/http/params.ts";
import { isTombstoned } from "../../core/tombstones.ts";
import * as collections from "./collections.ts";
import { ANYONE, type Owner, type PageAsked, type Reader } from "./collections.ts";
import { ACTIVITY_TYPE, type JsonObject } from "../documents.ts";
import type { Keys } from "../inbox/signing-keys.ts";
import { prefersDocument } from "./negotiation.ts";
import { Rejection } from "../inbox/rejection.ts";
import { refuseBlocked, signerOf } from "../inbox/verify.ts";
import { actorDocument, keyDocument } from "../write/actor.ts";
import { reblogDocument } from "../write/activities.ts";
import { withContext } from "../write/context.ts";
import { emojiDocument } from "../write/emojis.ts";
import { interactionAuthorization } from "../write/interaction-answers.ts";
import { authorizationDocument } from "../write/quotes.ts";
import { createActivity, localStatus, mentionedIn, statusDocument } from "../write/status.ts";

/** An address below an account: its name, the id of one of its statuses, and a part of either. */
const ADDRESS =
  /^\/(?:@|users\/)([\w.-]{1,100})(?:\/(outbox|followers|followers_synchronization|following|collections\/featured|collections\/tags)|(?:\/statuses)?\/(\d{1,19})(?:\/(activity|context|replies|likes|shares))?)?\/?$/;

/** Addresses that are also pages. */
const NEGOTIATED = /^\/(?:@|users\/)[\w.-]{1,100}(?:(?:\/statuses)?\/\d{1,19}(?:\/activity)?)?\/?$/;

/** The parts of an account that depend on the reader. */
const PERSONAL = new Set<string | undefined>(["outbox", "followers_synchronization", "collections/featured"]);

/** The parts of a status that depend on the reader, even if the status doesn't. */
const LISTS = new Set<string | undefined>(["context", "replies"]);

type StatusPart = "activity" | "context" | "replies" | "likes" | "shares" | undefined;

interface StatusFound {
  id: number;
  uri: string;
  reblog_of_id: number | null;
  conversation_id: number;
  replies_count: number;
  favourites_count: number;
  reblogs_count: number;
}

/** Serves the documents of local accounts and statuses. Signed requests get what users of the signer's server may see. */
export class Documents {
  constructor(
    private readonly ctx: Context,
    private readonly keys: Keys,
  ) {}

  /** Whether the address of this request is both that of a document and of a page. */
  isNegotiated(request: Request): boolean {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    return NEGOTIATED.test(requestAddress(request.url).pathname);
  }

  isPreferred(request: Request): boolean {
    return prefersDocument(request.headers.get("accept"));
  }

  /** @throws Rejection */
  async at(request: Request): Promise<Response> {
    const [, name, part, id, statusPart] = ADDRESS.exec(requestAddress(request.url).pathname) ?? [];
    if (name === undefined) throw missing();
    const owner = this.owner(name);
    const asked = pageAsked(request);
    refuseBlocked(this.ctx, request);
    const isActor = id === undefined && part === undefined;
    if (isActor) await keyOf(this.ctx, owner.id);
    if (isActor && this.ctx.config.secureFetch && !this.ctx.config.limitedFederation && !isSigned(request)) {
      return documentResponse(withContext(keyDocument(this.ctx, owner.id)), request, true);
    }
    const isForAll =
      id === undefined
        ? !PERSONAL.has(part) && !this.needsSignatures
        : !LISTS.has(statusPart) && this.isForAll(owner, id);
    const reader = isForAll ? ANYONE : await this.readerOf(request);
    const document =
      id === undefined
        ? this.ofAccount(owner, part, reader, asked)
        : this.ofStatus(owner, parseId(id), statusPart as StatusPart, reader, asked);
    return documentResponse(withContext(document), request, reader !== ANYONE);
  }

  /** A local author's consent to a quote. @throws Rejection */
  async quoteAuthorization(request: Request, name: string, id: string): Promise<Response> {
    return this.authorization(request, name, (owner, reader) =>
      authorizationDocument(this.ctx, owner, parseId(id), reader),
    );
  }

  /** A local author's consent to a reply, favourite or boost. @throws Rejection */
  async interactionAuthorization(request: Request, kind: Interaction, name: string, id: string): Promise<Response> {
    return this.authorization(request, name, (owner, reader) =>
      interactionAuthorization(this.ctx, owner, kind, parseId(id), reader),
    );
  }

  private async authorization(
    request: Request,
    name: string,
    findFor: (owner: Owner, reader: Reader) => JsonObject | null,
  ): Promise<Response> {
    refuseBlocked(this.ctx, request);
    const owner = this.owner(name);
    const find = (reader: Reader) => findFor(owner, reader);
    const isForAll = !this.needsSignatures && find(ANYONE) !== null;
    const reader = isForAll ? ANYONE : await this.readerOf(request);
    const document = find(reader);
    if (!document) throw missing();
    return documentResponse(withContext(document), request, reader !== ANYONE);
  }

  /** @throws Rejection */
  async emoji(request: Request, shortcode: string): Promise<Response> {
    refuseBlocked(this.ctx, request);
    const reader = this.needsSignatures ? await this.readerOf(request) : ANYONE;
    const emoji = emojisOf(this.ctx, null).get(shortcode);
    if (!emoji) throw missing();
    return documentResponse(withContext(emojiDocument(this.ctx, emoji)), request, reader !== ANYONE);
  }

  private get needsSignatures(): boolean {
    return this.ctx.config.secureFetch || this.ctx.config.limitedFederation;
  }

  /** @throws Rejection if there is a signature, but not a valid one */
  private async readerOf(request: Request): Promise<Reader> {
    if (!isSigned(request)) {
      if (this.needsSignatures) throw new Rejection(401, "This server requires signed requests");
      return ANYONE;
    }
    const { id } = await signerOf(this.ctx, this.keys, request);
    const sql = "SELECT coalesce(domain, '') AS domain FROM accounts WHERE id = +$id";
    return { signer: id, domain: this.ctx.db.get<{ domain: string }>(sql, { id })!.domain };
  }

  /** Then no key needs to be fetched for the signature. */
  private isForAll(owner: Owner, id: string): boolean {
    if (this.needsSignatures) return false;
    return this.ctx.db.get(STATUS, { id: parseId(id), ownerId: owner.id, ...ANYONE }) !== null;
  }

  private owner(name: string): Owner {
    const row = this.ctx.db.get<Owner>(OWNER, { name });
    if (!row) throw missing();
    if (row.suspended_at !== null) throw new Rejection(410, "This account is gone");
    return row;
  }

  private ofAccount(owner: Owner, part: string | undefined, reader: Reader, asked: PageAsked): JsonObject {
    const { ctx } = this;
    switch (part) {
      case undefined:
        return actorDocument(ctx, owner.id);
      case "outbox":
        return collections.outbox(ctx, owner, reader, asked);
      case "followers":
      case "following":
        return collections.followCollection(ctx, owner, part, asked);
      case "followers_synchronization":
        if (reader === ANYONE)
          throw new Rejection(401, "This list is only for servers with followers, so sign the request");
        return collections.followersOnServer(ctx, owner, reader);
      case "collections/featured":
        return collections.featured(ctx, owner, reader);
      default:
        return collections.featuredTags(ctx, owner);
    }
  }

  private ofStatus(owner: Owner, id: number | null, part: StatusPart, reader: Reader, asked: PageAsked): JsonObject {
    const { ctx } = this;
    const status = ctx.db.get<StatusFound>(STATUS, { id, ownerId: owner.id, ...reader });
    if (!status) {
      const isGone = isTombstoned(ctx.db, statusUri(ctx, owner.username, id ?? 0));
      throw isGone ? new Rejection(410, "This post was deleted") : missing();
    }
    if (status.reblog_of_id !== null) return reblogDocument(ctx, status.id)!;
    switch (part) {
      case undefined:
        return statusDocument(ctx, localStatus(ctx, status.id)!, mentionedIn(ctx, status.id));
      case "activity":
        return createActivity(ctx, status.id)!;
      case "context":
        if (status.conversation_id !== status.id) throw missing();
        return collections.thread(ctx, owner, status, reader, asked);
      case "replies":
        return collections.replies(ctx, status, reader, asked);
      case "likes":
        return collections.counted(status.uri, part, status.favourites_count);
      case "shares":
        return collections.counted(status.uri, part, status.reblogs_count);
    }
  }
}

const OWNER = `
  SELECT a.id, a.username, a.hide_collections, a.followers_count, a.following_count, a.statuses_count, a.suspended_at
  FROM accounts a
  WHERE lower(a.username) = lower($name) AND a.domain IS NULL
    AND NOT EXISTS (SELECT 1 FROM users u WHERE u.account_id = a.id AND NOT u.approved)`;

const STATUS = `
  SELECT s.id, s.uri, s.reblog_of_id, s.conversation_id, s.replies_count, s.favourites_count, s.reblogs_count FROM statuses s
  WHERE s.id = +$id AND s.account_id = +$ownerId AND ${visibleToServer()}
    AND (s.reblog_of_id IS NULL OR EXISTS (
      SELECT 1 FROM statuses o WHERE o.id = s.reblog_of_id AND ${visibleToServer("o")}))`;

function isSigned(request: Request): boolean {
  return request.headers.has("signature");
}

function missing(): Rejection {
  return new Rejection(404, "There is no such document on this server");
}

function pageAsked(request: Request): PageAsked {
  const { page, max_id } = parseQuery(searchOf(request.url));
  return page === undefined ? null : { before: typeof max_id === "string" ? parseId(max_id) : null };
}

/** `isPersonal` says that the response depends on the signature: caches must not store it. */
export function documentResponse(document: JsonObject, request?: Request, isPersonal = false): Response {
  const body = JSON.stringify(document);
  const etag = etagOf(body);
  const headers = {
    "content-type": `${ACTIVITY_TYPE}; charset=utf-8`,
    "cache-control": isPersonal ? "private, no-store" : "max-age=180",
    vary: "Accept, Signature",
    etag,
  };
  const isCurrent = isNamedBy(request?.headers.get("if-none-match") ?? null, etag);
  return isCurrent ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
}
