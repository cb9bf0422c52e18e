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

/** The end at which a page begins, between its bounds. */
export type Side = "newest" | "oldest";

export function sideOf(page: Page): Side {
  return page.min_id === null ? "newest" : "oldest";
}

/** The parameters of a list and of its page: the bounds, both exclusive, and the size. */
export function withPage({ limit, max_id, since_id, min_id }: Page, params: Params): Params {
  return { ...params, lowest: Math.max(min_id ?? 0, since_id ?? 0), highest: max_id ?? HIGHEST, limit };
}

/** The rows of a page in the order of its list; the oldest side is read upwards. */
export function newestFirst<Row>(side: Side, rows: Row[]): Row[] {
  return side === "newest" ? rows : rows.toReversed();
}

/**
 * A list paged by the value of one column, newest first. The SELECT ends in a WHERE clause. `$lowest`, `$highest`
 * and `$limit` are the page's bounds and size. Qualify the column with its table (`f.id`): a bare name
 * would order by the result column of that name.
 */
export class Keyset<Row extends object> {
  private readonly texts: Record<Side, string>;

  constructor(select: string, cursor: string) {
    const bounded = `${select} AND ${cursor} > +$lowest AND ${cursor} < +$highest ORDER BY ${cursor}`;
    this.texts = { newest: `${bounded} DESC LIMIT +$limit`, oldest: `${bounded} ASC LIMIT +$limit` };
  }

  page(db: Reads, page: Page, params: Params): Row[] {
    const side = sideOf(page);
    return newestFirst(side, db.all<Row>(this.texts[side], withPage(page, params)));
  }
}
