import type { Item } from "feed";
import type { MediaJson } from "../../entities/statuses/media.ts";
import type { OriginalJson, QuotedJson, StatusJson } from "../../entities/statuses/statuses.ts";
import { etagOf, isNamedBy } from "../../lib/http/etag.ts";
import { escapeHtml, htmlToText } from "../../lib/text/html.ts";
import type { PageRequest } from "../page/page-request.tsx";
import { feedTexts } from "./texts.ts";

/** The formats of feeds, by the ending of their addresses: RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1. */
export const FEED_TYPES = {
  rss: "application/rss+xml",
  atom: "application/atom+xml",
  json: "application/feed+json",
} as const;

export type FeedFormat = keyof typeof FEED_TYPES;

export interface FeedContent {
  title: string;
  description: string;
  /** The page that the feed is about. */
  page: string;
  /** The feed's address without its ending; none if it is secret. */
  address?: string;
  image?: string;
  statuses: readonly StatusJson[];
  /** In ms; the date of a feed without posts. */
  createdAt: number;
}

/** A name with the ending of a feed: the name without it, and the format. Null for any other name. */
export function feedName(name: string): { name: string; format: FeedFormat } | null {
  const [, before, ending] = /^(.+)\.(rss|atom|json)$/.exec(name) ?? [];
  return before === undefined ? null : { name: before, format: ending as FeedFormat };
}

/** A feed as a response. Readers ask for it again and again, so they get its content only if it has changed. */
export async function feedResponse(page: PageRequest, format: FeedFormat, content: FeedContent): Promise<Response> {
  const body = await renderFeed(page, format, content);
  const etag = etagOf(body);
  const headers = {
    "content-type": `${FEED_TYPES[format]}; charset=utf-8`,
    "cache-control": "no-cache",
    // A browser that shows the feed must not run anything in it.
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    vary: "Accept-Language",
    etag,
  };
  return isNamedBy(page.request.headers.get("if-none-match"), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers });
}

async function renderFeed(page: PageRequest, format: FeedFormat, content: FeedContent): Promise<string> {
  const { Feed } = await import("feed");
  const { statuses, address } = content;
  const feed = new Feed({
    title: clean(content.title),
    description: clean(content.description),
    id: content.page,
    link: content.page,
    image: content.image,
    favicon: `${page.ctx.config.origin}/icons/192.png`,
    generator: "Linnet",
    updated: new Date(Math.max(content.createdAt, ...statuses.map(changedAt))),
    feedLinks: address ? { rss: `${address}.rss`, atom: `${address}.atom`, json: `${address}.json` } : {},
  });
  for (const status of statuses) feed.addItem(itemOf(page, status, format));
  if (format === "rss") return feed.rss2();
  return format === "atom" ? feed.atom1() : feed.json1();
}

function changedAt(status: OriginalJson): number {
  return Date.parse(status.edited_at ?? status.created_at);
}

function itemOf(page: PageRequest, status: StatusJson, format: FeedFormat): Item {
  const texts = page.texts(feedTexts);
  const shown: OriginalJson = status.reblog ?? status;
  const url = shown.url ?? shown.uri;
  const author = nameOf(shown.account);
  const title = shown.spoiler_text || summaryOf(htmlToText(shown.content)) || texts.postBy(author);
  const heading = status.reblog ? texts.boosted(nameOf(status.account), title) : title;
  return {
    id: shown.uri,
    guid: shown.uri,
    link: url,
    title: format === "json" ? clean(heading) : escapeHtml(clean(heading)),
    content: clean(contentOf(page, shown)),
    // RSS has e-mail addresses only, so readers take names from Dublin Core.
    ...(format === "rss"
      ? { extensions: [{ name: "dc:creator", objects: { _cdata: clean(author) } }] }
      : { author: [{ name: clean(author), link: shown.account.url }] }),
    published: new Date(status.created_at),
    date: new Date(changedAt(status.reblog ? status : shown)),
    category: shown.tags.map(({ name }) => ({ name })),
  };
}

function nameOf({ display_name, username }: OriginalJson["account"]): string {
  return display_name || username;
}

const MAX_TITLE = 80;

/** The first line of a text, shortened at a space. */
function summaryOf(text: string): string {
  const line = text.trim().split("\n", 1)[0]!;
  if (line.length <= MAX_TITLE) return line;
  const cut = line.slice(0, MAX_TITLE);
  const space = cut.lastIndexOf(" ");
  // Never half of a surrogate pair.
  return `${(space > MAX_TITLE / 2 ? cut.slice(0, space) : cut).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** The post as HTML with whole addresses: its warning, text, poll, media and quote. */
function contentOf(page: PageRequest, status: OriginalJson): string {
  const { spoiler_text, content, poll, media_attachments, quote } = status;
  const warning = page.texts(feedTexts).warning(spoiler_text);
  return [
    spoiler_text && `<p><strong>${escapeHtml(warning)}</strong></p>`,
    content,
    poll && `<ul>${poll.options.map(({ title }) => `<li>${escapeHtml(title)}</li>`).join("")}</ul>`,
    ...media_attachments.map(attachmentOf),
    quote?.quoted_status && quotationOf(quote.quoted_status),
  ]
    .filter(Boolean)
    .join("\n");
}

function attachmentOf({ type, url, preview_url, description }: MediaJson): string {
  const file = escapeHtml(url ?? preview_url ?? "");
  const text = escapeHtml(description ?? "");
  if (!file) return "";
  return type === "image" ? `<p><img src="${file}" alt="${text}"></p>` : `<p><a href="${file}">${text || file}</a></p>`;
}

function quotationOf({ url, uri, account, content }: QuotedJson): string {
  const author = escapeHtml(account.display_name || account.username);
  return `<blockquote><p><a href="${escapeHtml(url ?? uri)}">${author}</a></p>${content}</blockquote>`;
}

/** Without the characters that XML 1.0 doesn't allow (section 2.2). */
function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "").toWellFormed();
}
