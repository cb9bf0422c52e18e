import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import type { links } from "../../db/schema/index.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { anchorsIn } from "../../lib/http/html-head.ts";
import { isOwnHost } from "../addresses.ts";

export type LinkRow = typeof links.$inferSelect;

/** A page is fetched at most once within this time, even if it doesn't respond. */
const DAY = 24 * 3600_000;
/** Longer URLs have no card. */
const MAX_URL = 2048;

/**
 * Stores which link of a status its card is about. Call it whenever the content changes, after the mentions were saved,
 * in the same transaction. `links` are from `linksIn()`; none for a status that shows no card because it has
 * attachments. Returns the link if the status didn't have it before: the caller decides whether to request its card.
 */
export function linkStatus(ctx: Context, tx: Tx, statusId: number, links: readonly string[]): LinkRow | null {
  const url = firstLink(ctx, tx, statusId, links);
  const before = tx.get<{ url: string }>(
    "SELECT l.url FROM status_links s JOIN links l ON l.id = s.link_id WHERE s.status_id = +$statusId",
    { statusId },
  );
  if (before && before.url === url) return null;
  if (before) tx.run("DELETE FROM status_links WHERE status_id = +$statusId", { statusId });
  if (!url) return null;
  tx.run("INSERT INTO links (url) VALUES ($url) ON CONFLICT (url) DO NOTHING", { url });
  const link = tx.get<LinkRow>("SELECT * FROM links WHERE url = +$url", { url })!;
  tx.run("INSERT INTO status_links (status_id, link_id) VALUES ($statusId, $linkId)", { statusId, linkId: link.id });
  return link;
}

/** Enqueues fetching the linked page, unless it was fetched within a day. */
export function requestCard(ctx: Context, tx: Tx, link: LinkRow): void {
  if (isRecentlyFetched(ctx, link)) return;
  enqueue(ctx, tx, "card.fetch", { linkId: link.id }, jobOf(ctx, link, "now"));
}

/** How long to wait at most, in milliseconds, before fetching the page behind a link in a remote status. */
const MAX_WAIT = 60_000;
const MIN_WAIT = 1000;

/**
 * The same for a link in a remote status, after a random delay: all servers with followers of its author get the status
 * at the same time.
 */
export function requestCardLater(ctx: Context, tx: Tx, link: LinkRow): void {
  if (isRecentlyFetched(ctx, link)) return;
  const [random] = crypto.getRandomValues(new Uint32Array(1));
  const runAt = ctx.clock.now() + MIN_WAIT + (random! % (MAX_WAIT - MIN_WAIT + 1));
  enqueue(ctx, tx, "card.fetch", { linkId: link.id }, { ...jobOf(ctx, link, "later"), runAt });
}

/** The same for the link of a status, if it has one: it was reblogged, so it is shown now. */
export function requestCardOf(ctx: Context, tx: Tx, statusId: number): void {
  const link = tx.get<LinkRow>(
    "SELECT l.* FROM status_links s JOIN links l ON l.id = s.link_id WHERE s.status_id = +$statusId",
    { statusId },
  );
  if (link) requestCardLater(ctx, tx, link);
}

/** A delayed job doesn't delay that of a local status with the same link. */
function jobOf(ctx: Context, link: LinkRow, when: "now" | "later"): { key: string; host: string } {
  const key = `card.fetch ${link.id} ${Math.floor(ctx.clock.now() / DAY)} ${when}`;
  return { key, host: siteOf(link.url) };
}

export function isRecentlyFetched(ctx: Context, link: LinkRow): boolean {
  return link.fetched_at !== null && link.fetched_at > ctx.clock.now() - DAY;
}

/** A link that isn't marked as a mention or a hashtag. Most statuses have none and need no HTML parsing. */
const UNMARKED = /<a\s(?![^>]*(?:\srel="[^"]*\btag\b|\sclass="[^"]*(?:u-url|h-card|mention|hashtag)))/i;

/** The links to other sites that aren't marked as mentions or hashtags, as in Mastodon's FetchLinkCardService. */
export function linksIn(ctx: Context, html: string): string[] {
  if (!UNMARKED.test(html)) return [];
  return anchorsIn(html)
    .filter(({ rel, classes }) => !/(?:^|\s)tag(?:\s|$)/.test(rel) && !/u-url|h-card|mention|hashtag/.test(classes))
    .map(({ href }) => href)
    .filter((href) => pageUrl(ctx, href) !== null);
}

/** The first link that doesn't lead to a mentioned account. */
function firstLink(ctx: Context, tx: Tx, statusId: number, links: readonly string[]): string | null {
  if (links.length === 0) return null;
  const people = addressesOfMentioned(tx, statusId);
  const link = links.find((href) => !people.has(href));
  return link === undefined ? null : pageUrl(ctx, link);
}

/** Other servers don't always mark links to mentioned accounts. */
function addressesOfMentioned(tx: Tx, statusId: number): Set<string> {
  const rows = tx.all<{ url: string; uri: string }>(
    "SELECT a.url, a.uri FROM mentions m JOIN accounts a ON a.id = m.account_id WHERE m.status_id = +$statusId",
    { statusId },
  );
  return new Set(rows.flatMap(({ url, uri }) => [url, uri]));
}

/** Null if this is no web page, or a page of this server. */
function pageUrl(ctx: Context, href: string): string | null {
  const url = URL.canParse(href) ? new URL(href) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > MAX_URL) return null;
  return isOwnHost(ctx, url.host) ? null : url.href;
}

/**
 * Removes links that no status has any more. Links fetched within a day stay, so that a deleted and redrafted status
 * finds its card again. Returns the ids of their cards.
 */
export function removeUnusedLinks(ctx: Context, tx: Tx, limit: number): number[] {
  const removed = tx.all<{ card_id: number | null }>(
    `DELETE FROM links WHERE id IN (
       SELECT id FROM links WHERE statuses_count = 0 AND coalesce(fetched_at, 0) <= +$before LIMIT +$limit)
     RETURNING card_id`,
    { before: ctx.clock.now() - DAY, limit },
  );
  return removed.flatMap(({ card_id }) => card_id ?? []);
}
