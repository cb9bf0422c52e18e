/** @jsxImportSource preact */
import type { ListItem, Page } from "../../db/keyset.ts";
import { parseId } from "../../lib/ids.ts";
import { requestAddress } from "../../lib/http/params.ts";
import type { PageRequest } from "../page/page-request.tsx";
import { publicTexts } from "./texts.ts";

const PAGE_SIZE = 20;

/** The part of a list that the page's address asks for. */
export function rangeOf(page: PageRequest): Page {
  return { limit: PAGE_SIZE, max_id: parseId(page.text("max_id")), since_id: null, min_id: null };
}

export function idsOf(rows: readonly ListItem[]): number[] {
  return rows.map(({ id }) => id);
}

interface PaginationProps {
  page: PageRequest;
  /** Where the list is, if not on the requested page. */
  path?: string;
  range: Page;
  rows: readonly { cursor: number }[];
  /** Parameters of the next page besides its beginning. */
  more?: Record<string, string>;
  isOfPosts?: boolean;
}

/** Links to older entries of a list, and back to the latest. */
export function Pagination({ page, path, range, rows, more = {}, isOfPosts = false }: PaginationProps) {
  const { messages, lang } = page;
  const texts = page.texts(publicTexts);
  const pathname = path ?? requestAddress(page.request.url).pathname;
  const query = page.text("q").slice(0, 200);
  const kept = { ...(query && { q: query }), ...(lang && { lang }) };
  const address = (asked: Record<string, string>) => {
    const text = new URLSearchParams({ ...asked, ...kept }).toString();
    return text ? `${pathname}?${text}` : pathname;
  };
  const isFirst = page.text("max_id") === "";
  const last = rows.length < range.limit ? null : rows.at(-1)!.cursor;
  if (last === null && isFirst) return null;
  return (
    <nav class="links pages" aria-label={messages.pages}>
      {!isFirst && <a href={address({})}>{isOfPosts ? messages.latestPosts : texts.latest}</a>}
      {last !== null && (
        <a href={address({ max_id: String(last), ...more })} rel="next">
          {isOfPosts ? messages.olderPosts : texts.older}
        </a>
      )}
    </nav>
  );
}
