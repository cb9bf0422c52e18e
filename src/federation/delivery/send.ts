import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { Locked } from "../../db/lock.ts";
import { enqueue, Postpone } from "../../db/queue.ts";
import { isDiskFull, Refusal } from "../../errors.ts";
import { type AccountKey, keysToTry } from "../../core/people/account-keys.ts";
import { noteFollowDelivery } from "../../core/people/sent-follows.ts";
import { isRefusedHost } from "../../core/refused-hosts.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { OutboundError, type OutboundKind, StoppedError } from "../../lib/http/outbound.ts";
import { retryTime } from "../../lib/dates.ts";
import { stackOf } from "../../lib/log.ts";
import type { SignatureForm } from "../../lib/signatures.ts";
import { ACTIVITY_TYPE, hostOf } from "../documents.ts";
import { SYNC_HEADER } from "../followers-digest.ts";
import { formFor, otherForm, rememberForm, signPost } from "../signing.ts";
import { yieldToBacklog } from "./backlog.ts";
import { followersHeader } from "./followers.ts";
import { jobKeys, LONGEST_PAUSE, pausedUntil, reached, unreachable } from "./hosts.ts";
import { noteRefusal } from "./status-deliveries.ts";

const MINUTE = 60_000;
const DAY = 24 * 3600_000;
/** An activity that can't be delivered within this time is dropped. */
const LIFETIME = 7 * DAY;
/** One that the host refuses by its signature, or that this server can't send, keeps others waiting for this time. */
const PATIENCE = DAY;
/** An inbox that doesn't exist for this long is forgotten. */
const MISSING = 7 * DAY;
/** Activities that one job sends to its inbox, before the jobs of other inboxes have their turn. */
const MAX_AT_ONCE = 20;
/** Only the status of a response matters. */
const BOUNDS = { method: "POST", accept: [], maxBytes: 0, truncate: true, timeout: 10_000, redirects: 0 } as const;

interface DeliveryRow {
  id: number;
  activity_id: number;
  account_id: number | null;
  body: string;
  created_at: number;
  /** The follow that it asks for; null for all other activities. */
  follow_uri: string | null;
  /** The replaced key that signs it; null for the account's current one. */
  key_id: number | null;
  /** Whether the account's followers are sent along. */
  syncs_followers: number;
  /** Whether the status that it creates or changes was deleted meanwhile. */
  is_obsolete: number;
}

/** Why a delivery failed: an OutboundError, an unexpected error of this server, or because it stops. */
interface Failure {
  kind: OutboundKind | "unexpected" | "stopped";
  status: number | null;
  retryAfter: string | null;
  message: string;
}

type Sent = Pick<DeliveryRow, "id" | "activity_id">;

/** A delivery that is over. The host refused it if there is a message. */
interface Done extends Sent {
  refusal?: string;
}

const NEXT = `
  SELECT d.id, d.activity_id, o.account_id, o.body, o.created_at, o.follow_uri, o.key_id, o.syncs_followers,
    EXISTS (SELECT 1 FROM tombstones t WHERE t.uri = o.status_uri) AS is_obsolete
  FROM deliveries d JOIN outgoing_activities o ON o.id = d.activity_id
  WHERE d.inbox = +$inbox AND d.id > +$after ORDER BY d.id LIMIT 1`;

/**
 * Sends what waits for one inbox, one after the other in the order in which it was written. If one can't be delivered
 * now, the others wait behind it. Returns what to write when the job ends.
 *
 * @throws Postpone if the host is down, or asked to wait
 */
export async function sendWaiting(ctx: Context, inbox: string): Promise<(tx: Tx) => void> {
  const host = hostOf(inbox)!;
  if (isRefusedHost(ctx, host)) return (tx) => dropAll(ctx, tx, inbox, `this server sends nothing to ${host}`);
  removeExpired(ctx, inbox);
  const paused = pausedUntil(ctx, host);
  if (paused !== null && hasDeliveries(ctx.db, inbox)) throw new Postpone(paused);
  const done: Done[] = [];
  let isReached = false;
  let isMissing = false;
  while (done.length < MAX_AT_ONCE && !ctx.isStopping) {
    const row = ctx.db.get<DeliveryRow>(NEXT, { inbox, after: done.at(-1)?.id ?? 0 });
    if (!row) break;
    if (row.is_obsolete === 0) {
      await yieldToBacklog(ctx);
      await ctx.db.untilSynced();
      const begun = ctx.clock.now();
      const failure = await attempt(ctx, inbox, row);
      if (failure?.kind === "stopped") break;
      if (row.follow_uri !== null) noteFollowDelivery(ctx, row.follow_uri, failure?.message ?? null);
      const age = ctx.clock.now() - row.created_at;
      if (failure && isTemporary(failure, age)) throw postponed(ctx, host, done, row, failure, { begun, age });
      if (failure?.status === 410) return (tx) => forget(ctx, tx, inbox, done, failure.message);
      if (failure) ctx.log.debug("a delivery was dropped: {error}", { error: failure.message });
      isReached = failure === null || failure.status !== null;
      isMissing = failure?.status === 404;
      done.push({ ...row, ...(failure && { refusal: failure.message }) });
    } else done.push(row);
  }
  return (tx) => {
    if (isReached) reached(ctx, tx, host);
    if (isReached) noteMissing(ctx, tx, inbox, isMissing);
    remove(ctx, tx, host, done);
    if (hasDeliveries(tx, inbox)) sendLater(ctx, tx, inbox);
  };
}

function hasDeliveries(db: Reads, inbox: string): boolean {
  return db.get("SELECT 1 FROM deliveries WHERE inbox = +$inbox", { inbox }) !== null;
}

/**
 * Enqueues the job that sends what waits for an inbox. The hosts of a site share its turns and places: a wildcard domain
 * has any number of hosts.
 */
export function sendLater(ctx: Context, tx: Tx, inbox: string): void {
  enqueue(ctx, tx, "delivery.send", { inbox }, { key: jobKeys(hostOf(inbox)!).from + inbox, host: siteOf(inbox) });
}

/** Null if the inbox accepted the activity. */
async function attempt(ctx: Context, inbox: string, row: DeliveryRow): Promise<Failure | null> {
  try {
    return await post(ctx, inbox, row);
  } catch (error) {
    if (error instanceof StoppedError)
      return { kind: "stopped", status: null, retryAfter: null, message: error.message };
    // These are over some time, and have nothing to do with the activity.
    if (error instanceof Locked || error instanceof Refusal || isDiskFull(error)) throw error;
    ctx.log.error("a delivery to {inbox} failed: {error}", { inbox, error: stackOf(error) });
    return { kind: "unexpected", status: null, retryAfter: null, message: String(error) };
  }
}

/** A host that refuses the signature may know only the account's other key. */
async function post(ctx: Context, inbox: string, row: DeliveryRow): Promise<OutboundError | null> {
  const [key, other] = await keysToTry(ctx, row.account_id, row.key_id);
  if (!key) throw new Error(`Account ${row.account_id} has no key`);
  const content = { body: row.body, headers: headersOf(ctx, inbox, row) };
  const failure = await postInForms(ctx, inbox, content, key);
  return failure?.status === 401 && other ? postInForms(ctx, inbox, content, other) : failure;
}

interface Content {
  body: string;
  headers: Record<string, string>;
}

async function postInForms(
  ctx: Context,
  inbox: string,
  content: Content,
  key: AccountKey,
): Promise<OutboundError | null> {
  const host = hostOf(inbox)!;
  const form = formFor(ctx, host);
  const failure = await postWith(ctx, inbox, content, key, form);
  if (failure?.status !== 401) return failure;
  // A host that understands only the other form refuses this one. It is remembered if that is the reason.
  const other = otherForm(form);
  const second = await postWith(ctx, inbox, content, key, other);
  if (second === null) ctx.db.transaction((tx) => rememberForm(ctx, tx, host, other));
  return second;
}

/** The signature covers all of these headers. */
function headersOf(ctx: Context, inbox: string, row: DeliveryRow): Record<string, string> {
  const headers = { "content-type": ACTIVITY_TYPE };
  if (row.syncs_followers === 0 || row.account_id === null) return headers;
  return { ...headers, [SYNC_HEADER]: followersHeader(ctx, row.activity_id, row.account_id, inbox) };
}

/** Posts an activity with one form of signature. Null if the inbox accepted it. */
export async function postWith(
  ctx: Context,
  inbox: string,
  { body, headers }: Content,
  key: AccountKey,
  form: SignatureForm,
): Promise<OutboundError | null> {
  try {
    const sign = (url: URL) => signPost(ctx, key, { url: url.href, headers, body }, form);
    await ctx.fetchOutside(inbox, { ...BOUNDS, headers, body, sign });
    return null;
  } catch (error) {
    if (error instanceof OutboundError) return error;
    throw error;
  }
}

/**
 * Other statuses in the 4xx range mean that this activity will never be accepted. A redirect is not followed, since only
 * the account's document says where its inbox is. As in Mastodon, the delivery is tried again: the host may correct it.
 */
function isTemporary({ kind, status }: Failure, age: number): boolean {
  // The host may not have the account's key yet. Neither must keep other accounts' activities waiting for days.
  if (kind === "unexpected" || status === 401) return age < PATIENCE;
  if (status === null) return kind !== "refused";
  return status < 400 || status >= 500 || status === 408 || status === 429;
}

/** Whether a temporary failure says nothing about other deliveries to the host. */
function isOfDelivery({ kind, status }: Failure): boolean {
  return kind === "unexpected" || (status !== null && (status < 400 || status === 401));
}

/** Keeps what has been sent, and postpones the rest. */
function postponed(
  ctx: Context,
  host: string,
  done: readonly Done[],
  { id }: Sent,
  failure: Failure,
  { begun, age }: { begun: number; age: number },
): Postpone {
  const now = ctx.clock.now();
  const { message: problem } = failure;
  ctx.log.debug("a delivery to {host} failed: {error}", { host, error: problem });
  return ctx.db.transaction((tx) => {
    remove(ctx, tx, host, done);
    const notBefore = retryTime(failure.retryAfter, now);
    if (!isOfDelivery(failure)) return new Postpone(unreachable(ctx, tx, host, { begun, notBefore, problem }));
    tx.run("UPDATE deliveries SET problem = $problem WHERE id = +$id", { id, problem });
    if (failure.status !== null) reached(ctx, tx, host);
    // The pauses double, as the activity gets twice as old.
    return new Postpone(now + Math.min(Math.max(age, MINUTE), LONGEST_PAUSE));
  });
}

function remove(ctx: Context, tx: Tx, host: string, done: readonly Done[]): void {
  if (done.length === 0) return;
  tx.run("DELETE FROM deliveries WHERE id IN (SELECT value FROM json_each($ids))", {
    ids: idList(done.map(({ id }) => id)),
  });
  for (const { activity_id, refusal } of done) {
    if (refusal !== undefined) noteRefusal(ctx, tx, activity_id, host, refusal);
  }
  removeUnused(
    tx,
    done.map(({ activity_id }) => activity_id),
  );
}

/** Removes those of the activities that need no further delivery. */
export function removeUnused(tx: Tx, activityIds: readonly number[]): void {
  tx.run(
    `DELETE FROM outgoing_activities WHERE id IN (SELECT value FROM json_each($ids))
       AND NOT EXISTS (SELECT 1 FROM deliveries WHERE activity_id = outgoing_activities.id)
       AND NOT EXISTS (SELECT 1 FROM delivery_slices WHERE activity_id = outgoing_activities.id)`,
    { ids: idList(activityIds) },
  );
}

/** Removes what waits for an inbox. For the authors of the statuses, its server has refused them. */
export function dropAll(ctx: Context, tx: Tx, inbox: string, refusal: string): void {
  const dropped = tx.all<Sent>("SELECT id, activity_id FROM deliveries WHERE inbox = +$inbox", { inbox });
  remove(
    ctx,
    tx,
    hostOf(inbox)!,
    dropped.map((row) => ({ ...row, refusal })),
  );
}

const EXPIRED = `
  SELECT d.id, d.activity_id, coalesce(d.problem, h.problem) AS problem
  FROM deliveries d JOIN outgoing_activities o ON o.id = d.activity_id LEFT JOIN hosts h ON h.domain = +$host
  WHERE d.inbox = +$inbox AND o.created_at < +$before`;

/** While a host is down, only one of its inboxes is tried, but the deliveries to all of them expire. */
function removeExpired(ctx: Context, inbox: string): void {
  const host = hostOf(inbox)!;
  const before = ctx.clock.now() - LIFETIME;
  const oldest = ctx.db.get<DeliveryRow>(NEXT, { inbox, after: 0 });
  if (!oldest || oldest.created_at >= before) return;
  ctx.db.transaction((tx) => {
    const expired = tx.all<Sent & { problem: string | null }>(EXPIRED, { inbox, host, before });
    const over = expired.map(({ problem, ...row }) => ({
      ...row,
      refusal: problem ?? "not delivered within seven days",
    }));
    remove(ctx, tx, host, over);
  });
}

/** The inbox says that it is gone: nothing is delivered to it any more. */
function forget(ctx: Context, tx: Tx, inbox: string, done: readonly Done[], refusal: string): void {
  const host = hostOf(inbox)!;
  reached(ctx, tx, host);
  remove(ctx, tx, host, done);
  dropAll(ctx, tx, inbox, refusal);
  tx.run(
    "INSERT INTO missing_inboxes (url, since) VALUES ($inbox, $since) ON CONFLICT (url) DO UPDATE SET since = $since",
    {
      since: forgottenBefore(ctx),
      inbox,
    },
  );
}

function noteMissing(ctx: Context, tx: Tx, inbox: string, isMissing: boolean): void {
  if (!isMissing) return void tx.run("DELETE FROM missing_inboxes WHERE url = +$inbox", { inbox });
  const since = ctx.clock.now();
  tx.run("INSERT INTO missing_inboxes (url, since) VALUES ($inbox, $since) ON CONFLICT DO NOTHING", { inbox, since });
}

/** Inboxes that were missing before this time are forgotten. */
export function forgottenBefore(ctx: Context): number {
  return ctx.clock.now() - MISSING;
}
