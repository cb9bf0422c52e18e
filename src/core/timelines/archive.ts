import type { Context } from "../../context.ts";
import type { Page } from "../../db/keyset.ts";
import { idAt } from "../../lib/ids.ts";
import { visibleTo } from "../visibility.ts";

export interface ArchivedMonth {
  /** `2026-11`, in UTC. */
  month: string;
  posts: number;
}

/** Like the first tab of a profile, but without boosts: own posts, and replies to them. */
function monthsOf(posts: string): string {
  return `
    SELECT strftime('%Y-%m', s.created_at / 1000, 'unixepoch') AS month, count(*) AS posts
    FROM statuses s ${posts} AND s.account_id = +$accountId AND s.reblog_of_id IS NULL AND ${visibleTo()}
      AND (s.in_reply_to_account_id IS NULL OR s.in_reply_to_account_id = s.account_id)
    GROUP BY month ORDER BY month DESC`;
}

/** A local account may have very many posts: the index has all that is asked. */
const MONTHS = monthsOf("INDEXED BY statuses_months WHERE s.local = 1");
const REMOTE_MONTHS = monthsOf("WHERE s.local = 0");

/** The months in which an account wrote posts that the viewer may see, latest first. */
export function archivedMonths(
  ctx: Context,
  viewerId: number,
  { id: accountId, isLocal }: { id: number; isLocal: boolean },
): ArchivedMonth[] {
  return ctx.db.all<ArchivedMonth>(isLocal ? MONTHS : REMOTE_MONTHS, { accountId, viewer: viewerId });
}

/** The first page of a month's posts: ids are in the order of time. Null if it is no month. */
export function pageOfMonth(month: string, limit: number): Page | null {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined) return null;
  const start = Date.UTC(Number(year), Number(number) - 1);
  const end = Date.UTC(Number(year), Number(number));
  return { limit, max_id: idAt(end), since_id: idAt(start) - 1, min_id: null };
}
