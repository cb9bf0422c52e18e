import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import type { trendUses } from "../../db/schema/index.ts";

type Use = Omit<typeof trendUses.$inferSelect, "uses">;

const DAY = 24 * 3600_000;
/** The number of days in a history, including today. */
export const HISTORY_DAYS = 7;

/** The day in UTC, in days since 1970. */
export function currentDay(ctx: Context): number {
  return Math.floor(ctx.clock.now() / DAY);
}

/**
 * The hashtags and links of a status, one row each. Like in Mastodon, only public statuses that aren't sensitive count. A
 * relay's don't: it could bring more of them than all followed accounts. Nor do local-only ones, since everyone sees trends.
 */
const USED = `
  SELECT 'tag' AS kind, t.tag_id AS subject_id, s.created_at / ${DAY} AS day, s.account_id
  FROM statuses s JOIN status_tags t ON t.status_id = s.id
  WHERE s.id = +$statusId AND s.visibility = 'public' AND s.sensitive = 0 AND NOT s.relayed AND NOT s.local_only
  UNION ALL
  SELECT 'link', l.link_id, s.created_at / ${DAY}, s.account_id
  FROM statuses s JOIN status_links l ON l.status_id = s.id
  WHERE s.id = +$statusId AND s.visibility = 'public' AND s.sensitive = 0 AND NOT s.relayed AND NOT s.local_only`;

const COUNT = `
  INSERT INTO trend_uses (kind, subject_id, day, account_id, uses)
  SELECT kind, subject_id, day, account_id, 1 FROM (${USED}) WHERE true
  ON CONFLICT (kind, subject_id, day, account_id) DO UPDATE SET uses = uses + 1`;

/** Statements address one row by its full key: for a list of keys, SQLite would scan a whole day. */
const ROW = "kind = +$kind AND subject_id = +$subjectId AND day = +$day AND account_id = +$accountId";

/** Counts the uses of a status. Call it after its hashtags and links were stored, in the same transaction. */
export function countUses(tx: Tx, statusId: number): void {
  tx.run(COUNT, { statusId });
}

/** Undoes `countUses()`. Call it before the status is changed or deleted. */
export function uncountUses(tx: Tx, statusId: number): void {
  for (const { kind, subject_id, day, account_id } of tx.all<Use>(USED, { statusId })) {
    const key = { kind, subjectId: subject_id, day, accountId: account_id };
    tx.run(`UPDATE trend_uses SET uses = uses - 1 WHERE ${ROW}`, key);
    tx.run(`DELETE FROM trend_uses WHERE ${ROW} AND uses < 1`, key);
  }
}

/** Deletes uses that are older than any history shows. */
export function deleteOldUses(ctx: Context, tx: Tx): void {
  const oldest = currentDay(ctx) - HISTORY_DAYS + 1;
  tx.run("DELETE FROM trend_uses WHERE day < +$oldest", { oldest });
  tx.run("DELETE FROM trend_days WHERE day < +$oldest", { oldest });
}
