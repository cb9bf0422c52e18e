import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { idAt } from "../../lib/ids.ts";

const WEEK = 7 * 24 * 3600_000;
/** The first Monday of 1970, because weeks begin on Monday. */
const MONDAY = 4 * 24 * 3600_000;

/** The number of weeks in Mastodon's statistics. */
const SHOWN_WEEKS = 12;
/** Weeks to keep: half a year, the longest period that NodeInfo needs. */
const STORED_WEEKS = 26;

export interface Week {
  /** Its start in milliseconds since 1970. */
  start: number;
  statuses: number;
  logins: number;
  registrations: number;
}

function weekOf(time: number): number {
  return Math.floor((time - MONDAY) / WEEK) * WEEK + MONDAY;
}

/** Records user activity. */
export function recordActivity(tx: Tx, userId: number, now: number): void {
  tx.run("INSERT INTO weekly_logins (week, user_id) VALUES ($week, $userId) ON CONFLICT DO NOTHING", {
    week: weekOf(now),
    userId,
  });
}

/** The number of users who were active in this week or the `weeks - 1` weeks before. */
export function countActiveUsers(ctx: Context, weeks: number): number {
  const first = weekOf(ctx.clock.now()) - (weeks - 1) * WEEK;
  return ctx.db.get<{ count: number }>(
    `SELECT count(*) AS count FROM users u
     WHERE EXISTS (SELECT 1 FROM weekly_logins WHERE user_id = u.id AND week >= +$first)`,
    { first },
  )!.count;
}

/** Deletes activity that is older than any statistics. */
export function deleteOldActivity(tx: Tx, now: number): void {
  tx.run("DELETE FROM weekly_logins WHERE week < +$week", { week: weekOf(now) - STORED_WEEKS * WEEK });
}

/** CROSS JOIN makes SQLite start from the few local users, not from all statuses. */
const STATUSES = `
  SELECT (s.created_at - ${MONDAY}) / ${WEEK} AS week, count(*) AS count
  FROM users u CROSS JOIN statuses s ON s.account_id = u.account_id
  WHERE s.id >= +$from AND s.reblog_of_id IS NULL GROUP BY 1`;
const LOGINS = `
  SELECT (week - ${MONDAY}) / ${WEEK} AS week, count(*) AS count FROM weekly_logins WHERE week >= +$from GROUP BY 1`;
const REGISTRATIONS = `
  SELECT (created_at - ${MONDAY}) / ${WEEK} AS week, count(*) AS count FROM users
  WHERE created_at >= +$from AND approved GROUP BY 1`;

/** The statistics of the last weeks, the current one first. */
export function weeklyActivity(ctx: Context): Week[] {
  const now = weekOf(ctx.clock.now());
  const first = now - (SHOWN_WEEKS - 1) * WEEK;
  const counts = (sql: string, from: number) =>
    new Map(ctx.db.all<{ week: number; count: number }>(sql, { from }).map(({ week, count }) => [week, count]));
  const statuses = counts(STATUSES, idAt(first));
  const logins = counts(LOGINS, first);
  const registrations = counts(REGISTRATIONS, first);
  return Array.from({ length: SHOWN_WEEKS }, (_, back) => {
    const start = now - back * WEEK;
    const week = (start - MONDAY) / WEEK;
    return {
      start,
      statuses: statuses.get(week) ?? 0,
      logins: logins.get(week) ?? 0,
      registrations: registrations.get(week) ?? 0,
    };
  });
}
