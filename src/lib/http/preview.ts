import { decodeHTMLStrict } from "entities";
import { escapeHtml } from "../text/html.ts";
import { frameIn, type HtmlHead } from "./html-head.ts";
import { readStructuredData } from "./structured-data.ts";

/** A description of a linked page, in plain text of bounded length. Unknown values are "", 0 or null. */
export interface Preview {
  /** The page's canonical URL if it is on the same host; otherwise the URL where it was found. */
  url: string;
  type: "link" | "photo" | "video";
  title: string;
  description: string;
  /** ISO 639 code. */
  language: string | null;
  authorName: string;
  authorUrl: string;
  /** The author's fediverse handle, as written in the page. */
  creator: string;
  providerName: string;
  providerUrl: string;
  /** A single sandboxed `iframe` if there is a player; otherwise "". */
  html: string;
  /** The size of the content of `html` or `embedUrl`, in pixels. */
  width: number;
  height: number;
  embedUrl: string;
  imageUrl: string | null;
  imageDescription: string;
  /** Milliseconds since 1970. */
  publishedAt: number | null;
}

const MAX_TITLE = 200;
const MAX_DESCRIPTION = 500;
const MAX_NAME = 100;
const MAX_IMAGE_DESCRIPTION = 1500;
const MAX_URL = 2048;
const MAX_SIDE = 10_000;

/**
 * A preview from JSON-LD, Open Graph, Twitter cards and plain HTML, in Mastodon's order of precedence
 * (LinkDetailsExtractor). `url` is where the page was found.
 */
export function previewOf(page: HtmlHead, url: string): Preview {
  const data = readStructuredData(page.data);
  const first = (...names: string[]) => names.map((name) => page.meta.get(name)).find(Boolean) ?? "";
  const player = webUrl(first("twitter:player"), url);
  const [width, height] = [side(first("twitter:player:width")), side(first("twitter:player:height"))];
  const html = player && frame(player, width, height);
  const image = first("og:image", "og:image:url", "twitter:image", "twitter:image:src") || data?.image;
  return {
    url: canonicalUrl(page, url),
    type: html ? "video" : "link",
    title: line(data?.headline || first("og:title", "twitter:title") || page.title, MAX_TITLE),
    description: line(
      data?.description || first("og:description", "twitter:description", "description"),
      MAX_DESCRIPTION,
    ),
    language: languageOf(data?.language || first("og:locale") || page.language),
    authorName: line(data?.authorName || first("og:author", "og:author:username", "author"), MAX_NAME),
    authorUrl: webUrl(data?.authorUrl, url) ?? "",
    creator: line(first("fediverse:creator"), MAX_NAME),
    providerName: line(data?.publisherName || first("og:site_name"), MAX_NAME),
    providerUrl: siteUrl(first("og:site")),
    html: html ?? "",
    width: html ? width : 0,
    height: html ? height : 0,
    embedUrl: webUrl(first("twitter:player:stream"), url) ?? "",
    imageUrl: webUrl(image, url),
    imageDescription: line(first("og:image:alt", "twitter:image:alt"), MAX_IMAGE_DESCRIPTION),
    publishedAt: publishedAt(data?.published || first("article:published_time")),
  };
}

/** The URL of the page's oEmbed as JSON; null if it has none. Always https if the page is. */
export function oEmbedUrl(page: HtmlHead, url: string): string | null {
  const link = page.links.find(({ type }) => type === "application/json+oembed");
  const found = webUrl(link?.href, url);
  return found && url.startsWith("https:") ? found.replace(/^http:/, "https:") : found;
}

/**
 * A page's preview, updated with the data of its oEmbed. `rich` embeds are ignored, as in Mastodon: nearly all are
 * scripts. A video without an `iframe` is ignored, too.
 */
export function withOEmbed(preview: Preview, json: string, endpoint: string): Preview {
  const embed = parseOEmbed(json);
  const type = embed?.("type");
  if (!embed || !["link", "photo", "video"].includes(type!)) return preview;
  const thumbnail = webUrl(embed("thumbnail_url"), endpoint);
  const known: Preview = {
    ...preview,
    title: line(embed("title"), MAX_TITLE) || preview.title,
    authorName: line(embed("author_name"), MAX_NAME) || preview.authorName,
    authorUrl: webUrl(embed("author_url"), endpoint) ?? preview.authorUrl,
    providerName: line(embed("provider_name"), MAX_NAME) || preview.providerName,
    providerUrl: webUrl(embed("provider_url"), endpoint) ?? preview.providerUrl,
    ...(thumbnail && { imageUrl: thumbnail }),
  };
  const [width, height] = [side(embed("width")), side(embed("height"))];
  const photo = type === "photo" ? webUrl(embed("url"), endpoint) : null;
  if (photo) return { ...known, type: "photo", embedUrl: photo, imageUrl: photo, html: "", width, height };
  const source = type === "video" ? webUrl(frameIn(embed("html")) ?? "", endpoint) : null;
  const html = source && frame(source, width, height);
  return html ? { ...known, type: "video", html, width, height } : known;
}

/** Returns a function that reads a field as text, also a number; null if the JSON is not oEmbed 1.0. */
function parseOEmbed(json: string): ((name: string) => string) | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const fields = new Map<string, unknown>(Object.entries(value));
  const field = (name: string) => {
    const found = fields.get(name);
    return typeof found === "string" || typeof found === "number" ? String(found) : "";
  };
  return /^1(?:\.0)?$/.test(field("version")) ? field : null;
}

/** One line of plain text, without marks that could change the direction of the text around it. */
function line(text: string | undefined, max: number): string {
  const plain = decodeHTMLStrict((text ?? "").slice(0, max * 10))
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .toWellFormed()
    .trim();
  return plain.length <= max
    ? plain
    : `${plain
        .slice(0, max - 1)
        .replace(/[\ud800-\udbff]$/, "")
        .trimEnd()}…`;
}

/** An absolute http or https URL; null for anything else. */
function webUrl(text: string | undefined, base?: string): string | null {
  const written = text?.trim();
  // Some publishing systems write "null" for no URL.
  if (!written || written === "null" || written.length > MAX_URL || !URL.canParse(written, base)) return null;
  const url = new URL(written, base);
  const isWeb = (url.protocol === "https:" || url.protocol === "http:") && !url.username && !url.password;
  return isWeb && url.href.length <= MAX_URL ? url.href : null;
}

/** The URL of a site that is given as a URL or as a host. */
function siteUrl(text: string): string {
  return (text && webUrl(/^https?:/i.test(text) ? text : `https://${text}`)) || "";
}

/** The page's canonical URL. A URL on another host is not trusted. */
function canonicalUrl(page: HtmlHead, url: string): string {
  const link = page.links.find(({ rel }) => rel.includes("canonical"))?.href;
  const canonical = webUrl(link ?? page.meta.get("og:url"), url);
  return canonical && new URL(canonical).host === new URL(url).host ? canonical : url;
}

/** An `iframe` with Mastodon's restrictions for players (Sanitize::Config::MASTODON_OEMBED); null unless https. */
function frame(source: string, width: number, height: number): string | null {
  if (!source.startsWith("https:")) return null;
  const sandbox = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms";
  const size = width && height ? ` width="${width}" height="${height}"` : "";
  return (
    `<iframe src="${escapeHtml(source)}"${size} allowfullscreen="true" scrolling="no" frameborder="0" ` +
    `sandbox="${sandbox}"></iframe>`
  );
}

/** In pixels; "100%" and the like are 0. */
function side(text: string): number {
  return /^\d{1,5}(?:\.\d+)?(?:px)?$/.test(text) ? Math.min(Number.parseInt(text, 10), MAX_SIDE) : 0;
}

/** The language of a locale: `en` for `en_US`. */
function languageOf(text: string): string | null {
  const code = /^[a-z]{2,3}(?![a-z])/i.exec(text.trim())?.[0].toLowerCase();
  return code ?? null;
}

/** Parses an ISO 8601 date to milliseconds since 1970, as UTC if it has no time zone. */
function publishedAt(text: string): number | null {
  const found = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?/.exec(text.trim());
  if (!found) return null;
  const [written] = found;
  const time = Date.parse(written.length > 10 && !found.groups?.["zone"] ? `${written}Z` : written);
  return Number.isNaN(time) ? null : time;
}
