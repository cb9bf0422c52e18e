import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { pause } from "../../lib/pause.ts";
import { INCLUDED_BY_FOLLOW, includedByTag } from "./home-fanout.ts";
import { isNotReblogNearby, TIMELINE_LENGTH } from "./list-timelines.ts";

/** The number of newest statuses to consider of each followed account and hashtag. */
const FROM_EACH = 100;
/** Statuses per transaction; other work of the server can run in between. */
const SLICE = 100;

/** Accounts and hashtags whose statuses are added to a home timeline. */
export interface Sources {
  accountIds?: readonly number[];
  tagIds?: readonly number[];
}

/** Skips the job if there are no statuses to add. Only local users have a home timeline. */
const WORTHWHILE = `
  SELECT 1 FROM users WHERE account_id = +$accountId AND (
    EXISTS (SELECT 1 FROM json_each($accountIds) j JOIN statuses s ON s.account_id = j.value)
    OR EXISTS (SELECT 1 FROM json_each($tagIds) j JOIN status_tags st ON st.tag_id = j.value))`;

/**
 * Enqueues a job that adds recent statuses of these accounts and hashtags to a home timeline, in order. Call it in the
 * transaction that follows them; the job runs right after its commit.
 */
export function fillHomeLater(ctx: Context, tx: Tx, accountId: number, from: Sources): void {
  const { accountIds = [], tagIds = [] } = from;
  if (!tx.get(WORTHWHILE, { accountId, accountIds: idList(accountIds), tagIds: idList(tagIds) })) return;
  enqueue(ctx, tx, "home.fill", { accountId, accountIds, tagIds });
}

const FOLLOWERS_HERE = `
  SELECT u.account_id AS id FROM users u
  CROSS JOIN follows f ON f.account_id = u.account_id AND f.target_account_id = +$accountId`;

/** Enqueues jobs that add recent statuses of an account to the home timelines of its local followers. */
export function fillHomesLater(ctx: Context, tx: Tx, accountId: number): void {
  const followers = tx.all<{ id: number }>(FOLLOWERS_HERE, { accountId });
  for (const { id } of followers) fillHomeLater(ctx, tx, id, { accountIds: [accountId] });
}

/** Enqueues a job that rebuilds a home timeline. Further calls before it has run have no effect. */
export function rebuildHomeLater(ctx: Context, tx: Tx, accountId: number): void {
  enqueue(ctx, tx, "home.rebuild", { accountId }, { key: `home.rebuild ${accountId}` });
}

const FILLING = `
  SELECT 1 FROM jobs
  WHERE kind IN ('home.fill', 'home.rebuild') AND run_at IS NOT NULL AND payload ->> 'accountId' = +$accountId LIMIT 1`;

/** Whether a job will still add statuses to a home timeline. */
export function isHomeFilling(db: Reads, accountId: number): boolean {
  return db.get(FILLING, { accountId }) !== null;
}

/**
 * Whether a status `s` belongs in the home timeline of account `$accountId`: its own, or by a followed account or with a
 * followed hashtag.
 */
const BELONGS = `(
  s.account_id = +$accountId
  OR EXISTS (SELECT 1 FROM follows f WHERE f.account_id = +$accountId AND f.target_account_id = s.account_id AND ${INCLUDED_BY_FOLLOW})
  OR EXISTS (
    SELECT 1 FROM status_tags st JOIN tag_follows t ON t.tag_id = st.tag_id WHERE st.status_id = s.id AND t.account_id = +$accountId)
    AND ${includedByTag("+$accountId")})`;

/** Checks again whether the status belongs there, because much may have changed since it was found. */
const ADD = `
  INSERT OR IGNORE INTO home_timeline (account_id, status_id)
  SELECT $accountId, s.id FROM statuses s LEFT JOIN statuses o ON o.id = s.reblog_of_id
  WHERE s.id = +$id AND ${BELONGS}
    AND (s.account_id = +$accountId OR ${isNotReblogNearby("home_timeline", "account_id = +$accountId")})`;

const REMOVE_UNWANTED = `
  DELETE FROM home_timeline WHERE account_id = +$accountId AND status_id IN (
    SELECT s.id FROM json_each($ids) j JOIN statuses s ON s.id = j.value LEFT JOIN statuses o ON o.id = s.reblog_of_id
    WHERE NOT ${BELONGS})`;

/** Leaves out direct statuses: following an account doesn't bring up earlier ones. */
const BY_ACCOUNT = `
  SELECT s.id
  FROM (SELECT id FROM statuses WHERE account_id = +$sourceId AND id > +$above ORDER BY id DESC LIMIT ${FROM_EACH}) newest
  JOIN statuses s USING (id)
  LEFT JOIN follows f ON f.account_id = +$accountId AND f.target_account_id = s.account_id
  LEFT JOIN statuses o ON o.id = s.reblog_of_id
  WHERE s.account_id = +$accountId OR f.id IS NOT NULL AND s.visibility <> 'direct' AND ${INCLUDED_BY_FOLLOW}`;

const BY_TAG = `
  SELECT s.id
  FROM (SELECT status_id FROM status_tags WHERE tag_id = +$sourceId AND status_id > +$above ORDER BY status_id DESC LIMIT ${FROM_EACH}) newest
  JOIN statuses s ON s.id = newest.status_id
  WHERE ${includedByTag("+$accountId")}`;

/** Adds recent statuses of these accounts and hashtags to a home timeline. */
export async function fillHome(ctx: Context, accountId: number, from: Sources): Promise<void> {
  const found = await newestOf(ctx, accountId, from);
  // Oldest first, so that the check for recent reblogs sees the same statuses as at the time of publication.
  const ids = [...found].sort((a, b) => a - b);
  for (let at = 0; at < ids.length; at += SLICE) {
    if (at > 0) await pause();
    ctx.db.transaction((tx) => {
      for (const id of ids.slice(at, at + SLICE)) tx.run(ADD, { accountId, now: ctx.clock.now(), id });
    });
  }
}

/**
 * Rebuilds a home timeline: removes statuses that don't belong there any more, and adds those of everything the account
 * follows now.
 */
export async function rebuildHome(ctx: Context, accountId: number): Promise<void> {
  await removeUnwanted(ctx, accountId);
  const idsFrom = (sql: string) => ctx.db.all<{ id: number }>(sql, { accountId }).map(({ id }) => id);
  const accountIds = idsFrom("SELECT target_account_id AS id FROM follows WHERE account_id = +$accountId");
  const tagIds = idsFrom("SELECT tag_id AS id FROM tag_follows WHERE account_id = +$accountId");
  await fillHome(ctx, accountId, { accountIds: [accountId, ...accountIds], tagIds });
}

/** The newest statuses of all these sources together, at most as many as a timeline holds. */
async function newestOf(
  ctx: Context,
  accountId: number,
  { accountIds = [], tagIds = [] }: Sources,
): Promise<Set<number>> {
  const sources = [...accountIds.map((id) => ({ sql: BY_ACCOUNT, id })), ...tagIds.map((id) => ({ sql: BY_TAG, id }))];
  let found = new Set<number>();
  let above = oldestKeptId(ctx.db, accountId);
  for (const [at, { sql, id }] of sources.entries()) {
    if (at > 0) await pause();
    for (const status of ctx.db.all<{ id: number }>(sql, { accountId, now: ctx.clock.now(), sourceId: id, above }))
      found.add(status.id);
    if (found.size < 2 * TIMELINE_LENGTH) continue;
    found = newestIds(found);
    above = Math.min(...found);
  }
  return newestIds(found);
}

function newestIds(ids: ReadonlySet<number>): Set<number> {
  return new Set([...ids].sort((a, b) => b - a).slice(0, TIMELINE_LENGTH));
}

/** The id of the last status of a full timeline; 0 if it isn't full. */
function oldestKeptId(db: Reads, accountId: number): number {
  const end = db.get<{ status_id: number }>(
    "SELECT status_id FROM home_timeline WHERE account_id = +$accountId ORDER BY status_id DESC LIMIT 1 OFFSET +$offset",
    { accountId, offset: TIMELINE_LENGTH - 1 },
  );
  return end?.status_id ?? 0;
}

async function removeUnwanted(ctx: Context, accountId: number): Promise<void> {
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const slice = ctx.db.all<{ status_id: number }>(
      `SELECT status_id FROM home_timeline WHERE account_id = +$accountId AND status_id < +$below ORDER BY status_id DESC LIMIT ${SLICE}`,
      { accountId, below },
    );
    const ids = slice.map(({ status_id }) => status_id);
    if (ids.length === 0) return;
    ctx.db.transaction((tx) => tx.run(REMOVE_UNWANTED, { accountId, now: ctx.clock.now(), ids: idList(ids) }));
    below = ids.at(-1)!;
    await pause();
  }
}
