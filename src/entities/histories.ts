import type { Context } from "../context.ts";
import { HISTORY_DAYS, currentDay } from "../core/discovery/trend-counts.ts";
import { idList } from "../db/json.ts";

/** Mastodon's history of a Tag or a Trends::Link: all strings; `day` is its start in UTC, in seconds since 1970. */
export interface DayJson {
  day: string;
  uses: string;
  accounts: string;
}

interface Row {
  subject_id: number;
  day: number;
  uses: number;
  accounts: number;
}

const SECONDS_A_DAY = 86_400;

const OF_TAGS = `
  SELECT subject_id, day, uses, accounts FROM trend_days
  WHERE kind = 'tag' AND subject_id IN (SELECT value FROM json_each($ids)) AND day > +$after`;

const OF_CARDS = `
  SELECT l.card_id AS subject_id, d.day, sum(d.uses) AS uses, sum(d.accounts) AS accounts
  FROM links l JOIN trend_days d ON d.kind = 'link' AND d.subject_id = l.id
  WHERE l.card_id IN (SELECT value FROM json_each($ids)) AND d.day > +$after
  GROUP BY l.card_id, d.day`;

/** The last seven days of each of these hashtags, newest first; one query for any number of them. */
export function tagHistories(ctx: Context, tagIds: readonly number[]): Map<number, DayJson[]> {
  return histories(ctx, OF_TAGS, tagIds);
}

/** The same for preview cards, summed over all links to the page. */
export function cardHistories(ctx: Context, cardIds: readonly number[]): Map<number, DayJson[]> {
  return histories(ctx, OF_CARDS, cardIds);
}

function histories(ctx: Context, sql: string, ids: readonly number[]): Map<number, DayJson[]> {
  const newest = currentDay(ctx);
  const found = new Map(
    ctx.db
      .all<Row>(sql, { ids: idList(ids), after: newest - HISTORY_DAYS })
      .map((row) => [`${row.subject_id} ${row.day}`, row]),
  );
  const dayOf = (id: number, day: number) => {
    const { uses = 0, accounts = 0 } = found.get(`${id} ${day}`) ?? {};
    return { day: String(day * SECONDS_A_DAY), uses: String(uses), accounts: String(accounts) };
  };
  return new Map(ids.map((id) => [id, Array.from({ length: HISTORY_DAYS }, (_, age) => dayOf(id, newest - age))]));
}
