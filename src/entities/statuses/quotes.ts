import type { Context } from "../../context.ts";
import { blocksOrMutes, blocks, blocksDomainOf, visibleTo } from "../../core/visibility.ts";
import { idList } from "../../db/json.ts";
import { quoteFallback, withoutQuoteFallback } from "../../lib/text/text.ts";
import type { QuoteText } from "../cache.ts";

/** Why a quoted status is hidden. Statuses of blocked or muted accounts are still sent, and apps hide them. */
type Hidden = "unauthorized" | "blocked_domain" | "blocked_account" | "muted_account";

/** Mastodon's ShallowQuote (entities/ShallowQuote), for quotes inside of quotes. */
export interface ShallowQuoteJson {
  state: string;
  quoted_status_id: string | null;
}

/** By id of an existing quoted status: why it is hidden, or null if the viewer may and wants to see it. */
export type QuoteView = ReadonlyMap<number, Hidden | null>;

const QUOTED = `
  SELECT s.id, CASE
    WHEN s.account_id = +$viewer THEN NULL
    WHEN s.reblog_of_id IS NOT NULL OR NOT ${visibleTo()} THEN 'unauthorized'
    WHEN ${blocksDomainOf("+$viewer", "s.account_id")} THEN 'blocked_domain'
    WHEN ${blocks("+$viewer", "s.account_id")} THEN 'blocked_account'
    WHEN ${blocksOrMutes("+$viewer", "s.account_id")} THEN 'muted_account' END AS hidden
  FROM json_each($list) j JOIN statuses s ON s.id = j.value`;

/** Decides for each quoted status whether it is hidden from the viewer; one query. */
export function quoteViews(ctx: Context, viewerId: number, ids: Iterable<number>): QuoteView {
  const list = idList(ids);
  if (list === "[]") return new Map();
  const rows = ctx.db.all<{ id: number; hidden: Hidden | null }>(QUOTED, {
    list,
    viewer: viewerId,
    now: ctx.clock.now(),
  });
  return new Map(rows.map((row) => [row.id, row.hidden]));
}

/** The quote's state for the viewer, and the id of the quoted status; null if it isn't shown. */
export function visibleQuote(quote: QuoteText, view: QuoteView): { state: string; id: number | null } {
  if (quote.state !== "accepted") return { state: quote.state, id: null };
  const hidden = quote.quotedId === null ? undefined : view.get(quote.quotedId);
  if (hidden === undefined) return { state: "deleted", id: null };
  return { state: hidden ?? "accepted", id: hidden === "unauthorized" ? null : quote.quotedId };
}

export function shallowQuoteText(quote: QuoteText | null, view: QuoteView): string {
  if (!quote) return "null";
  const { state, id } = visibleQuote(quote, view);
  return JSON.stringify({ state, quoted_status_id: id === null ? null : String(id) } satisfies ShallowQuoteJson);
}

interface QuotingContent {
  content: string;
  local: number;
  quote_state: string | null;
  quoted_url: string | null;
}

/** A status's HTML as it is sent: it has a link to the quoted status only while the quote itself isn't shown. */
export function contentWithQuote({ content, local, quote_state, quoted_url }: QuotingContent): string {
  if (quoted_url === null) return content;
  if (!local) return quote_state === "accepted" ? withoutQuoteFallback(content) : content;
  return quote_state === "pending" ? quoteFallback(content, quoted_url) + content : content;
}
