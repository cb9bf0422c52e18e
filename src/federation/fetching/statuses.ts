import { holdFlood } from "../../core/moderation/floods.ts";
import type { Context } from "../../context.ts";
import { insertRemoteMedia, replaceRemoteMedia } from "../../core/remote-media/remote-attachments.ts";
import { saveRemoteEmojis } from "../../core/remote-media/remote-emojis.ts";
import { linksIn } from "../../core/discovery/links.ts";
import { type RemoteArrival, storeRemoteStatus } from "../../core/statuses/storing.ts";
import { storeRemoteVersion } from "../../core/statuses/versions.ts";
import { isPurged, type KnownAccount } from "../../core/people/remote-accounts.ts";
import { isTombstoned } from "../../core/tombstones.ts";
import { NO_QUOTERS, type Quoters } from "../../core/quotes/policy.ts";
import { isForEveryone, type StatusRow, type Visibility } from "../../core/visibility.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { TooManyFetches } from "./activity-fetches.ts";
import { accountAt } from "./actors.ts";
import { isSameOrigin } from "../documents.ts";
import { FetchError, fetchDocument } from "./fetch.ts";
import { statusIdOf } from "./known-statuses.ts";
import { findQuote, type FoundQuote } from "./quotes.ts";
import { isOwnAddress } from "../local.ts";
import { type Audience, PUBLIC, visibilityOf } from "../read/audience.ts";
import type { Json } from "../read/json.ts";
import { storedPolicyOf } from "../read/interaction-policies.ts";
import { quotersIn } from "../read/quotes/policy.ts";
import { readStatus, type RemoteStatus } from "../read/status.ts";

/** How far up a thread parents are fetched, and for how long, in ms: everything else from the sender waits. */
const MAX_PARENTS = 20;
const PATIENCE = 30_000;
/** How many unknown accounts that a status mentions are fetched. The others stay links. */
const MAX_FETCHED_MENTIONS = 10;

/**
 * The status with this URI. An unknown one is fetched with its parents and what it quotes, and stored silently: it
 * notifies nobody. Null if it was deleted, or if there is no status there.
 *
 * @throws FetchError if its server doesn't respond
 */
export async function statusAt(ctx: Context, uri: string): Promise<number | null> {
  return statusOf(ctx, `status ${uri}`, uri, (document) => storeFetched(ctx, document));
}

/** A quoted status, without the quote that it may contain. */
async function quotedAt(ctx: Context, uri: string): Promise<number | null> {
  // A flight of its own: two statuses that quote each other would wait for each other.
  return orNull(statusOf(ctx, `quoted ${uri}`, uri, (document) => storeFetched(ctx, document, null)));
}

async function statusOf(
  ctx: Context,
  flight: string,
  uri: string,
  store: (document: Json) => Promise<number | null>,
): Promise<number | null> {
  const known = statusIdOf(ctx.db, uri);
  if (known !== null || isOwnAddress(ctx, uri) || isTombstoned(ctx.db, uri)) return known;
  return ctx.flights.run(flight, async () => store(await fetchDocument(ctx, uri)));
}

/** Stores a status whose document was fetched from its own server, with its parents. Null if it is no status. */
export async function storeFetched(
  ctx: Context,
  document: Json,
  find: typeof quotedAt | null = quotedAt,
): Promise<number | null> {
  const status = readFetched(ctx, document);
  if (!status) return null;
  const authorId = await accountAt(ctx, status.attributedTo);
  const parents = await fetchParents(ctx, status);
  const ready = await prepare(ctx, authorId, status, find);
  return ctx.db.transaction((tx) => {
    for (const parent of parents) storeStatus(ctx, tx, parent, "fetched");
    return storeStatus(ctx, tx, ready, "fetched");
  });
}

/** A status, and everything that storing it needs from other servers. */
export interface ReadyStatus {
  authorId: number;
  status: RemoteStatus;
  quote: FoundQuote;
}

/** A status with its quote, whose authorization is checked. Returns a promise only if there is something to fetch. */
export function withQuote(
  ctx: Context,
  authorId: number,
  status: RemoteStatus,
  find: typeof quotedAt | null = quotedAt,
): ReadyStatus | Promise<ReadyStatus> {
  const quote = findQuote(ctx, authorId, status, find && ((uri) => find(ctx, uri)));
  if (!(quote instanceof Promise)) return { authorId, status, quote };
  return quote.then((found) => ({ authorId, status, quote: found }));
}

/**
 * Fetches the parents, the mentioned accounts and the quote of a delivered status, as far as they are unknown. Returns a
 * promise only if there is something to fetch.
 */
export function prepareStatus(
  ctx: Context,
  authorId: number,
  status: RemoteStatus,
): ReadyStatus | Promise<ReadyStatus> {
  const hasParent = status.inReplyTo === null || !isFetchable(ctx, status.inReplyTo);
  if (hasParent && unknownAccounts(ctx, status).length === 0) return withQuote(ctx, authorId, status);
  return fetchAround(ctx, authorId, status);
}

/** A parent that can't be fetched now may arrive later. */
async function fetchAround(ctx: Context, authorId: number, status: RemoteStatus): Promise<ReadyStatus> {
  const [ready, parents] = await Promise.all([prepare(ctx, authorId, status), fetchParents(ctx, status)]);
  if (parents.length > 0) {
    ctx.db.transaction((tx) => parents.forEach((parent) => storeStatus(ctx, tx, parent, "fetched")));
  }
  return ready;
}

async function prepare(
  ctx: Context,
  authorId: number,
  status: RemoteStatus,
  find: typeof quotedAt | null = quotedAt,
): Promise<ReadyStatus> {
  await Promise.all(unknownAccounts(ctx, status).map((uri) => orNull(accountAt(ctx, uri))));
  return withQuote(ctx, authorId, status, find);
}

function isFetchable(ctx: Context, uri: string): boolean {
  return statusIdOf(ctx.db, uri) === null && !isOwnAddress(ctx, uri) && !isTombstoned(ctx.db, uri);
}

/** The unknown parents of a status, the uppermost first. */
async function fetchParents(ctx: Context, status: RemoteStatus): Promise<ReadyStatus[]> {
  const parents: ReadyStatus[] = [];
  const seen = new Set([status.uri]);
  const end = ctx.clock.now() + PATIENCE;
  const mayContinue = () => parents.length < MAX_PARENTS && ctx.clock.now() < end;
  let next = status.inReplyTo;
  while (next !== null && mayContinue() && !seen.has(next) && isFetchable(ctx, next)) {
    seen.add(next);
    const parent: ReadyStatus | null = await orNull(fetchOne(ctx, next));
    if (!parent) break;
    parents.unshift(parent);
    next = parent.status.inReplyTo;
  }
  return parents;
}

async function fetchOne(ctx: Context, uri: string): Promise<ReadyStatus | null> {
  const status = readFetched(ctx, await fetchDocument(ctx, uri));
  // Neither accounts that it mentions are fetched nor what it quotes: one activity would cause hundreds of requests.
  return status && withQuote(ctx, await accountAt(ctx, status.attributedTo), status, null);
}

/** Null unless it is a status of another server: a redirect may have led to this one. */
export function readFetched(ctx: Context, document: Json): RemoteStatus | null {
  const status = readStatus(document, ctx.clock.now());
  if (!status || status.vote || isOwnAddress(ctx, status.uri)) return null;
  return isSameOrigin(status.uri, status.attributedTo) ? status : null;
}

/** The surroundings of a status, a thread or a profile can be missing without harm. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FetchError && !(error instanceof TooManyFetches)) return null;
    throw error;
  }
}

const KNOWN = `
  WITH known (address, id) AS (
    SELECT j.value, a.id FROM json_each($addresses) j JOIN accounts a ON a.uri = j.value
    UNION SELECT j.value, a.id FROM json_each($addresses) j JOIN accounts a ON a.url = j.value AND a.domain IS NOT NULL)
  SELECT known.address, a.id, a.domain, r.fetched_at
  FROM known JOIN accounts a ON a.id = known.id LEFT JOIN remote_accounts r ON r.account_id = known.id`;

type Found = Pick<KnownAccount, "id" | "domain" | "fetched_at">;

/** The accounts with these URIs or URLs, by address. */
function accountsAt(db: Reads, addresses: readonly string[]): Map<string, Found> {
  if (addresses.length === 0) return new Map();
  const rows = db.all<Found & { address: string }>(KNOWN, { addresses: JSON.stringify(addresses) });
  return new Map(rows.map((row) => [row.address, row]));
}

/** The accounts that a status mentions and, if it was posted to a group, that: replies have to reach it. */
function unknownAccounts(ctx: Context, { mentions, group, to }: RemoteStatus): string[] {
  const isToGroup = group !== null && to.includes(group) && to.includes(PUBLIC);
  const addresses = [...(isToGroup ? [group] : []), ...mentions.map(({ href }) => href)];
  const found = accountsAt(ctx.db, addresses);
  const isKnown = (address: string) => found.has(address) && !isPurged(found.get(address)!);
  return addresses.filter((href) => !isKnown(href) && !isOwnAddress(ctx, href)).slice(0, MAX_FETCHED_MENTIONS);
}

interface Author {
  id: number;
  uri: string;
  domain: string;
  followers_url: string | null;
  following_url: string | null;
}

const AUTHOR = `
  SELECT a.id, a.uri, coalesce(a.domain, '') AS domain, r.followers_url, r.following_url FROM accounts a JOIN remote_accounts r ON r.account_id = a.id
  WHERE a.id = +$authorId`;

/** The visibility that an account gives to a status or reblog. */
export function audienceVisibility(db: Reads, accountId: number, audience: Audience): Visibility {
  return visibilityOf(audience, db.get<Author>(AUTHOR, { authorId: accountId })!.followers_url);
}

/** Stores a status, however it came here. Returns its id; null if it was deleted. */
export function storeStatus(
  ctx: Context,
  tx: Tx,
  { authorId, status, quote = null }: ReadyStatus,
  how: RemoteArrival,
): number | null {
  const author = tx.get<Author>(AUTHOR, { authorId })!;
  const { uri, url, poll, attachments } = status;
  saveRemoteEmojis(ctx, tx, author.domain, status.emojis);
  const content = contentOf(ctx, tx, status);
  if (how === "delivered") holdFlood(ctx, tx, author.id, content.mentions);
  return storeRemoteStatus(
    ctx,
    tx,
    {
      accountId: author.id,
      uri,
      url,
      visibility: visibilityOf(status, author.followers_url),
      ...content,
      inReplyToUri: status.inReplyTo,
      createdAt: status.published ?? ctx.clock.now(),
      editedAt: status.updated,
      poll: poll && pollToStore(poll),
      quoters: quotersOf(status, author),
      policy: storedPolicyOf(status.policy, author),
      quote,
      originCounts: countsOf(status),
      attachMedia:
        attachments.length === 0
          ? null
          : (statusId) => insertRemoteMedia(ctx, tx, statusId, author.id, mediaOf(status)),
    },
    how,
  );
}

/** Stores the present state of a known status: its text, or only the results of its poll and its counts. */
export function storeEdit(ctx: Context, tx: Tx, before: StatusRow, { authorId, status, quote }: ReadyStatus): void {
  const author = tx.get<Author>(AUTHOR, { authorId })!;
  saveRemoteEmojis(ctx, tx, author.domain, status.emojis);
  const content = contentOf(ctx, tx, status);
  holdFlood(ctx, tx, authorId, content.mentions);
  storeRemoteVersion(ctx, tx, before, {
    ...content,
    editedAt: status.updated,
    hasMedia: status.attachments.length > 0,
    poll: status.poll && pollToStore(status.poll),
    originCounts: countsOf(status),
    quoters: quotersOf(status, author),
    policy: storedPolicyOf(status.policy, author),
    quote,
    replaceMedia: () => replaceRemoteMedia(ctx, tx, before.id, authorId, mediaOf(status)),
  });
}

/** Others can't quote what isn't for everyone. */
function quotersOf(status: RemoteStatus, author: Author): Quoters {
  if (!isForEveryone(visibilityOf(status, author.followers_url))) return NO_QUOTERS;
  return quotersIn(status.quotePolicy, author);
}

function countsOf({ likes, shares, repliesCount }: RemoteStatus) {
  return { favourites: likes, reblogs: shares, replies: repliesCount };
}

/** The parts of a status that an edit replaces. */
function contentOf(ctx: Context, db: Reads, status: RemoteStatus) {
  const addresses = status.mentions.map(({ href }) => href);
  const own = [...status.to, ...status.cc].filter((uri) => isOwnAddress(ctx, uri));
  const recipients = status.group === null ? own : [...own, status.group];
  const known = accountsAt(db, [...addresses, ...recipients]);
  const idsOf = (uris: readonly string[]) => [...new Set(uris.flatMap((uri) => known.get(uri)?.id ?? []))];
  const mentions = idsOf(addresses);
  return {
    content: status.contentHtml,
    spoilerText: status.spoilerText,
    sensitive: status.sensitive || status.spoilerText !== "",
    language: status.language,
    mentions,
    addressees: idsOf(recipients).filter((id) => !mentions.includes(id)),
    tags: status.hashtags,
    links: linksIn(ctx, status.contentHtml),
  };
}

/** The type of the bytes is detected when they are fetched. */
function mediaOf({ attachments }: RemoteStatus) {
  return attachments.map((each) => ({ ...each, contentType: each.contentType ?? "application/octet-stream" }));
}

function pollToStore({ options, multiple, votersCount, expiresAt }: NonNullable<RemoteStatus["poll"]>) {
  return {
    options: options.map(({ title }) => title),
    multiple,
    hideTotals: false,
    expiresAt,
    tallies: { votes: options.map(({ votes }) => votes), voters: votersCount },
  };
}
