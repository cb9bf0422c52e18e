/**
 * The Link header of a page of a list: absolute addresses, `next` before `prev` (old clients read the first), the other
 * parameters kept. `next` is left out on a page that is not full, or some clients would page for ever; `prev` is always
 * there, for polling. `first` and `last` are the cursors of the page's first and last row.
 */
export function linkHeader(
  origin: string,
  requestUrl: string,
  page: { first: number | string; last: number | string; full: boolean },
): string {
  const { pathname, searchParams } = new URL(requestUrl);
  const link = (rel: "next" | "prev", cursor: "max_id" | "min_id", id: number | string) => {
    const query = new URLSearchParams(searchParams);
    for (const name of ["max_id", "since_id", "min_id"]) query.delete(name);
    query.set(cursor, String(id));
    return `<${origin}${pathname}?${query}>; rel="${rel}"`;
  };
  const prev = link("prev", "min_id", page.first);
  return page.full ? `${link("next", "max_id", page.last)}, ${prev}` : prev;
}
