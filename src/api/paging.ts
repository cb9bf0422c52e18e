import type { Page, ListItem } from "../db/keyset.ts";
import { showAccounts } from "../entities/accounts.ts";
import { statusTexts } from "../entities/statuses/statuses.ts";
import { id, int, optional } from "../lib/http/input.ts";
import { linkHeader } from "../lib/http/link-header.ts";
import type { Call } from "./route.ts";

/** The parameters of lists that page by cursor. */
export function paging(fallback: number, max: number) {
  return {
    max_id: optional(id()),
    since_id: optional(id()),
    min_id: optional(id()),
    limit: limit(fallback, max),
  };
}

/** The parameters of rankings and search results, which have no cursors and page by offset. */
export function offsetPaging(fallback: number, max: number) {
  return { limit: limit(fallback, max), offset: int({ min: 0, max: 10_000, clamp: true, default: 0 }) };
}

/** A limit above `max` is lowered, never refused. */
export function limit(fallback: number, max: number) {
  return int({ min: 1, max, clamp: true, default: fallback });
}

interface PageInput {
  max_id?: string;
  since_id?: string;
  min_id?: string;
  limit: number;
}

export function pageOf(input: PageInput): Page {
  return {
    limit: input.limit,
    max_id: cursorOf(input.max_id),
    since_id: cursorOf(input.since_id),
    min_id: cursorOf(input.min_id),
  };
}

/** Apps may send ids they kept from another server: one that is too large for a number counts as above all ids. */
function cursorOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : null;
}

/** Responds with a page of a list. `items` were made from `rows`, whose cursors go into the Link header. */
export function paged(
  call: Pick<Call, "ctx" | "request">,
  page: Page,
  rows: readonly { cursor: number }[],
  items: readonly unknown[],
): Response {
  return pagedTexts(
    call,
    page,
    rows,
    items.map((item) => JSON.stringify(item)),
  );
}

/** Like `paged`, for items that are already JSON text. */
export function pagedTexts(
  call: Pick<Call, "ctx" | "request">,
  page: Page,
  rows: readonly { cursor: number }[],
  items: readonly string[],
  unusual: { status?: number; headers?: Record<string, string> } = {},
): Response {
  const headers = { ...unusual.headers, ...pageHeaders(call, page, rows) };
  return new Response(`[${items.join(",")}]`, { status: unusual.status ?? 200, headers });
}

/** Responds with a page of accounts. */
export function accountPage(call: Pick<Call, "ctx" | "request">, page: Page, rows: readonly ListItem[]): Response {
  return paged(call, page, rows, showAccounts(call.ctx, idsOf(rows)));
}

/** Responds with a page of statuses. */
export function statusPage(
  call: Pick<Call, "ctx" | "viewerId" | "request">,
  page: Page,
  rows: readonly ListItem[],
  unusual: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return pagedTexts(call, page, rows, statusTexts(call.ctx, call.viewerId, idsOf(rows)), unusual);
}

export function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map((row) => row.id);
}

/** The headers of a page, for a response that isn't a list itself but contains one. */
export function pageHeaders(
  call: Pick<Call, "ctx" | "request">,
  page: Page,
  rows: readonly { cursor: number }[],
): Record<string, string> {
  const [first, last] = [rows[0], rows.at(-1)];
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (first && last) {
    const cursors = { first: first.cursor, last: last.cursor, full: rows.length >= page.limit };
    headers.link = linkHeader(call.ctx.config.origin, call.request.url, cursors);
  }
  return headers;
}

/** Responds with text that is already JSON. */
export function jsonText(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}
