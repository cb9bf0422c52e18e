import type { Page } from "../db/keyset.ts";
import { id, int, optional } from "../lib/input.ts";
import { parseId } from "../lib/ids.ts";
import { linkHeader } from "../lib/links.ts";
import type { Call } from "./router.ts";

/** The parameters that every list understands. A limit that is too high is lowered, never refused. */
export function paging(fallback: number, max: number) {
  return {
    max_id: optional(id()),
    since_id: optional(id()),
    min_id: optional(id()),
    limit: int({ min: 1, max, clamp: true, default: fallback }),
  };
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
    max_id: parseId(input.max_id),
    since_id: parseId(input.since_id),
    min_id: parseId(input.min_id),
  };
}

/** Answers with a page of a list. `rows` are what the page was made of: their cursors go into the Link header. */
export function paged(
  call: Pick<Call, "ctx" | "request">,
  page: Page,
  rows: readonly { cursor: number }[],
  items: readonly unknown[],
): Response {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return Response.json(items);
  const full = rows.length >= page.limit;
  const link = linkHeader(call.ctx.config.origin, call.request.url, {
    first: first.cursor,
    last: last.cursor,
    full,
  });
  return Response.json(items, { headers: { link } });
}
