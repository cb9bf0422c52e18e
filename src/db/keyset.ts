import type { Params, Reads } from "./open.ts";

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
 * A list paged by the value of one column, newest first. The SELECT ends in a WHERE clause. `$lowest`, `$highest`
 * and `$limit` are the page's bounds and size. Qualify the column with its table (`f.id`): a bare name
 * would order by the result column of that name.
 */
export class Keyset<Row extends object> {
  private readonly newestFirst: string;
  private readonly oldestFirst: string;

  constructor(select: string, cursor: string) {
    const bounded = `${select} AND ${cursor} > +$lowest AND ${cursor} < +$highest ORDER BY ${cursor}`;
    this.newestFirst = `${bounded} DESC LIMIT +$limit`;
    this.oldestFirst = `${bounded} ASC LIMIT +$limit`;
  }

  page(db: Reads, page: Page, params: Params): Row[] {
    const lowest = Math.max(page.min_id ?? 0, page.since_id ?? 0);
    const highest = page.max_id ?? HIGHEST;
    const sql = page.min_id === null ? this.newestFirst : this.oldestFirst;
    const rows = db.all<Row>(sql, { ...params, lowest, highest, limit: page.limit });
    return page.min_id === null ? rows : rows.toReversed();
  }
}
