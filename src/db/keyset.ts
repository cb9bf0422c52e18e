import type { Reads, Value } from "./open.ts";

/** The requested page, by Mastodon's guidelines: cursors are exclusive, and `min_id` means the page just above it. */
export interface Page {
  limit: number;
  max_id: number | null;
  since_id: number | null;
  min_id: number | null;
}

/** A list item's id, and its position in the list as a cursor. */
export interface ListItem {
  id: number;
  cursor: number;
}

const HIGHEST = Number.MAX_SAFE_INTEGER;

/**
 * A list paged by the value of one column, newest first. The SELECT ends in a WHERE clause. `?1` to `?3` are the page's
 * bounds and size; the list's own parameters start at `?4`. Qualify the column with its table (`f.id`): a bare name
 * would order by the result column of that name.
 */
export class Keyset<Row extends object> {
  private readonly newestFirst: string;
  private readonly oldestFirst: string;

  constructor(select: string, cursor: string) {
    const bounded = `${select} AND ${cursor} > ?1 AND ${cursor} < ?2 ORDER BY ${cursor}`;
    this.newestFirst = `${bounded} DESC LIMIT ?3`;
    this.oldestFirst = `${bounded} ASC LIMIT ?3`;
  }

  page(db: Reads, page: Page, ...values: Value[]): Row[] {
    const lowest = Math.max(page.min_id ?? 0, page.since_id ?? 0);
    const highest = page.max_id ?? HIGHEST;
    const sql = page.min_id === null ? this.newestFirst : this.oldestFirst;
    const rows = db.all<Row>(sql, lowest, highest, page.limit, ...values);
    return page.min_id === null ? rows : rows.toReversed();
  }
}
