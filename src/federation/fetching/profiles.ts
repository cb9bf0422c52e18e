import type { Context } from "../../context.ts";
import { type Budget, contextWithin } from "../../core/fetches.ts";
import { MAX_REMOTE_PINS, setRemotePins } from "../../core/statuses/interactions.ts";
import { storeRemoteReblog } from "../../core/statuses/reblogs.ts";
import { isForEveryone, STATUS_COLUMNS, type StatusRow } from "../../core/visibility.ts";
import { fillHomesLater } from "../../core/timelines/home-backfill.ts";
import type { Tx } from "../../db/open.ts";
import { pause } from "../../lib/pause.ts";
import { collectAfter } from "../../lib/process.ts";
import { isSameOrigin } from "../documents.ts";
import { type Activity, readActivity } from "../read/activity.ts";
import { isJson, type Json, pastDateOf } from "../read/json.ts";
import { readStatus } from "../read/status.ts";
import { itemsOf } from "./collections.ts";
import { fetchDocument } from "./fetch.ts";
import { ownStatusAt } from "./known-statuses.ts";
import { audienceVisibility, orNull, statusAt, storeEdit, storeStatus, withQuote } from "./statuses.ts";

/** As many as a page of an app has. */
const MAX_POSTS = 40;
/** Two pages of posts, all of them boosts of unknown posts by unknown authors, whose handles are checked. */
const BUDGET: Budget = { requests: 180, bytes: 32 * 1024 * 1024 };

interface Profile {
  id: number;
  uri: string;
  outbox_url: string | null;
  featured_url: string | null;
}

const PROFILE = `
  SELECT a.id, a.uri, r.outbox_url, r.featured_url FROM accounts a JOIN remote_accounts r ON r.account_id = a.id
  WHERE a.id = +$accountId AND a.suspended_at IS NULL AND a.gone_at IS NULL`;

/** Fetches the newest posts and the pins of a remote account. Returns what to write when the job ends. */
export async function fetchProfile(ctx: Context, accountId: number): Promise<((tx: Tx) => void) | void> {
  const profile = ctx.db.get<Profile>(PROFILE, { accountId });
  if (!profile) return;
  const limited = contextWithin(ctx, { ...BUDGET });
  await fetchOutbox(limited, profile, { max: MAX_POSTS, arrival: "fetched" });
  await fetchPins(limited, profile);
  return (tx) => fillHomesLater(ctx, tx, accountId);
}

/** The posts of one account in a day, even of a busy one. */
const MAX_MISSED = 200;
/** Ten pages, and the originals of some boosts. */
const CATCH_UP_BUDGET: Budget = { requests: 100, bytes: 16 * 1024 * 1024 };

/** Fetches the posts and boosts of an account since a time, as if they had been delivered. */
export async function catchUp(ctx: Context, accountId: number, since: number): Promise<void> {
  const profile = ctx.db.get<Profile>(PROFILE, { accountId });
  if (!profile) return;
  const limited = contextWithin(ctx, { ...CATCH_UP_BUDGET });
  await fetchOutbox(limited, profile, { max: MAX_MISSED, since, arrival: "delivered" });
}

interface Wanted {
  max: number;
  /** Ends at the first older item: an outbox begins with the newest. */
  since?: number;
  arrival: "delivered" | "fetched";
}

/** Posts that share a commit, which costs as much as storing two: requests wait for some milliseconds at most. */
const BATCH = 10;

async function fetchOutbox(ctx: Context, profile: Profile, wanted: Wanted): Promise<void> {
  const ready: Store[] = [];
  for await (const document of outboxOf(ctx, profile, wanted)) {
    const store = await orNull(storeOf(ctx, profile, document, wanted.arrival));
    if (store) ready.push(store);
    if (ready.length === BATCH) await storeAll(ctx, ready.splice(0));
  }
  await storeAll(ctx, ready);
}

async function* outboxOf(ctx: Context, profile: Profile, { max, since = 0 }: Wanted): AsyncGenerator<Json> {
  if (profile.outbox_url === null) return;
  let count = 0;
  for await (const item of itemsOf(ctx, profile.outbox_url, profile.uri)) {
    if (count === max || ctx.isStopping) return;
    count += 1;
    const document = typeof item === "string" ? await orNull(fetchOwn(ctx, profile, item)) : item;
    if (document && (pastDateOf(document.published, ctx.clock.now()) ?? since) < since) return;
    if (document) yield document;
  }
}

/** Stores something, and returns the id of its status; null if it is refused. */
type Store = (tx: Tx) => number | null;

/** After a power failure, the job runs again. */
const UNSYNCED = { isSynced: false };

async function storeAll(ctx: Context, stores: readonly Store[]): Promise<void> {
  ctx.db.transaction((tx) => void stores.map((store) => store(tx)), UNSYNCED);
  collectAfter(stores.length);
  // Lets the server answer requests between batches.
  await pause();
}

/** Prepares an item of an outbox: an activity or, on some servers, a post. Items of other accounts are ignored. */
async function storeOf(
  ctx: Context,
  profile: Profile,
  document: Json,
  arrival: Wanted["arrival"],
): Promise<Store | null> {
  const activity = readActivity(document, ctx.clock.now());
  if (!activity) return storeOfPost(ctx, profile, document, null, arrival);
  if (activity.actor !== profile.uri || activity.objectId === null) return null;
  if (activity.type === "Announce") return storeOfBoost(ctx, profile, activity, arrival);
  if (activity.type !== "Create") return null;
  const object = activity.object ?? (await fetchOwn(ctx, profile, activity.objectId));
  return object && storeOfPost(ctx, profile, object, activity, arrival);
}

async function fetchOwn(ctx: Context, profile: Profile, uri: string): Promise<Json | null> {
  return isSameOrigin(uri, profile.uri) ? fetchDocument(ctx, uri) : null;
}

/** Stores a post of the account. Its server sent the document, so it speaks for the account. */
async function storeOfPost(
  ctx: Context,
  profile: Profile,
  document: Json,
  activity: Activity | null,
  arrival: Wanted["arrival"],
): Promise<Store | null> {
  const status = readStatus(document, ctx.clock.now(), activity);
  const isOwn = status?.attributedTo === profile.uri && isSameOrigin(status.uri, profile.uri);
  if (!isOwn || status.vote) return null;
  const ready = await withQuote(ctx, profile.id, status);
  return (tx) => {
    const before = ownStatusAt(tx, profile.id, status.uri);
    if (!before) return storeStatus(ctx, tx, ready, arrival);
    storeEdit(ctx, tx, before, ready);
    return before.id;
  };
}

const ORIGINAL = `SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.id = +$id`;

async function storeOfBoost(
  ctx: Context,
  profile: Profile,
  activity: Activity,
  arrival: Wanted["arrival"],
): Promise<Store | null> {
  const id = await statusAt(ctx, activity.objectId!);
  if (id === null || !isSameOrigin(activity.id, profile.uri)) return null;
  const createdAt = activity.published ?? ctx.clock.now();
  return (tx) => {
    const original = tx.get<StatusRow>(ORIGINAL, { id });
    const visibility = audienceVisibility(tx, profile.id, activity);
    if (!original || !isForEveryone(original.visibility) || visibility === "direct") return null;
    const boost = { accountId: profile.id, original, visibility, uri: activity.id, createdAt };
    return storeRemoteReblog(ctx, tx, boost, arrival);
  };
}

/** Pins that can't be read now stay as they are. */
async function fetchPins(ctx: Context, profile: Profile): Promise<void> {
  if (profile.featured_url === null || !isSameOrigin(profile.featured_url, profile.uri)) return;
  const collection = await orNull(fetchDocument(ctx, profile.featured_url));
  if (!collection) return;
  const pins: number[] = [];
  for await (const item of itemsOf(ctx, collection, profile.uri)) {
    if (ctx.isStopping) return;
    if (pins.length === MAX_REMOTE_PINS) break;
    const id = await orNull(pinAt(ctx, profile, item));
    if (id !== null) pins.push(id);
  }
  ctx.db.transaction((tx) => setRemotePins(ctx, tx, profile.id, pins), UNSYNCED);
}

async function pinAt(ctx: Context, profile: Profile, item: string | Json): Promise<number | null> {
  if (isJson(item)) {
    const store = await storeOfPost(ctx, profile, item, null, "fetched");
    return store && ctx.db.transaction(store, UNSYNCED);
  }
  return isSameOrigin(item, profile.uri) ? statusAt(ctx, item) : null;
}
