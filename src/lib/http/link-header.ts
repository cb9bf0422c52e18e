import { requestAddress } from "./params.ts";

/**
 * The Link header of a page of a list: absolute URLs, `next` before `prev` (old clients read only the first), with the
 * other parameters unchanged. A page that is not full has no `next`, or some clients would page forever; `prev` is
 * always present, for polling. `first` and `last` are the cursors of the page's first and last row.
 */
export function linkHeader(
  origin: string,
  requestUrl: string,
  page: { first: number; last: number; full: boolean },
): string {
  const link = linksFrom(origin, requestUrl);
  const prev = link("prev", "min_id", page.first);
  return page.full ? `${link("next", "max_id", page.last)}, ${prev}` : prev;
}

/** The same for a ranking, which is paged by offset; null if there is neither `next` nor `prev`. */
export function offsetLinkHeader(
  origin: string,
  requestUrl: string,
  page: { offset: number; limit: number; full: boolean },
): string | null {
  const link = linksFrom(origin, requestUrl);
  const next = page.full ? [link("next", "offset", page.offset + page.limit)] : [];
  const prev = page.offset > 0 ? [link("prev", "offset", Math.max(0, page.offset - page.limit))] : [];
  return [...next, ...prev].join(", ") || null;
}

function linksFrom(origin: string, requestUrl: string) {
  const { pathname, searchParams } = requestAddress(requestUrl);
  return (rel: "next" | "prev", cursor: "max_id" | "min_id" | "offset", value: number) => {
    const query = new URLSearchParams(searchParams);
    for (const name of ["max_id", "since_id", "min_id"]) query.delete(name);
    query.set(cursor, String(value));
    return `<${origin}${pathname}?${query}>; rel="${rel}"`;
  };
}
