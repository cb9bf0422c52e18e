import { hashtagAt, normaliseHashtag } from "./hashtags.ts";
import { escapeHtml } from "./html.ts";
import { mentionAt, type Handle } from "./mentions.ts";
import { addressAt, SCHEMES } from "./urls.ts";

/** How a text's mentions and hashtags become links. */
export interface RenderOptions {
  /** The URL of a mention and the text after its `@` (a full handle if the bare name is ambiguous); null if unknown. */
  mentionUrl(handle: Handle): { url: string; username: string } | null;
  /** The URL of a hashtag, by its name as written. */
  tagUrl(name: string): string;
}

type Entity = { start: number; end: number } & (
  | { kind: "link"; url: string }
  | { kind: "mention"; handle: Handle }
  | { kind: "hashtag"; name: string }
);

/** Far more than a post needs; each costs a lookup or a row. */
const MAX_MENTIONS = 50;
const MAX_HASHTAGS = 100;

/** The accounts that a text mentions, each once, in order of appearance; at most 50. */
export function findMentions(text: string): Handle[] {
  const found = new Map<string, Handle>();
  for (const entity of findEntities(text)) {
    if (entity.kind !== "mention") continue;
    const { username, domain } = entity.handle;
    const key = `${username.toLowerCase()}@${domain ?? ""}`;
    if (!found.has(key)) found.set(key, entity.handle);
    if (found.size === MAX_MENTIONS) break;
  }
  return [...found.values()];
}

/** Writes other handles, without their `@`, for some mentions of a text: those for which `handleFor` isn't null. */
export function replaceMentions(text: string, handleFor: (handle: Handle) => string | null): string {
  const keep = (plain: string) => plain;
  return rewrite(text, keep, (entity, written) => {
    const other = entity.kind === "mention" ? handleFor(entity.handle) : null;
    return other === null ? written : `@${other}`;
  });
}

/** The hashtags of a text as written, without `#`, each once by its normalised name, in order; at most 100. */
export function findHashtags(text: string): string[] {
  const found = new Map<string, string>();
  for (const entity of findEntities(text)) {
    if (entity.kind !== "hashtag") continue;
    const key = normaliseHashtag(entity.name);
    if (key !== "" && !found.has(key)) found.set(key, entity.name);
    if (found.size === MAX_HASHTAGS) break;
  }
  return [...found.values()];
}

/** The addresses to which a text links, in order. */
export function findLinks(text: string): string[] {
  return findEntities(text).flatMap((entity) => (entity.kind === "link" ? entity.url : []));
}

/**
 * Renders a status or a profile's note as HTML, in exactly the markup of Mastodon 4.5, which clients parse: paragraphs
 * at blank lines, `<br />` at line breaks, links, mentions and hashtags. A mention unknown to `mentionUrl` stays text.
 */
export function renderText(text: string, options: RenderOptions): string {
  const html = renderInline(text, options, "nofollow noopener");
  let rendered = "";
  let paragraph = "";
  for (const line of html.split(/\r\n?|\n/)) {
    if (line !== "") {
      paragraph += paragraph === "" ? line : `<br />${line}`;
    } else if (paragraph !== "") {
      rendered += `<p>${paragraph}</p>`;
      paragraph = "";
    }
  }
  return paragraph === "" ? rendered : `${rendered}<p>${paragraph}</p>`;
}

/** Renders the links, mentions and hashtags of a text without paragraphs, which is a part of an HTML document. */
export function renderPart(text: string, options: RenderOptions): string {
  return renderEntities(text, options, "nofollow noopener");
}

/** Renders a profile field's value as one line of HTML. Its links have `rel="me"`, for verification by other sites. */
export function renderFieldValue(value: string, options: RenderOptions): string {
  return renderInline(value, options, "nofollow noopener me");
}

function renderInline(text: string, options: RenderOptions, rel: string): string {
  return text.trim() === "" ? "" : renderEntities(text, options, rel);
}

function renderEntities(text: string, options: RenderOptions, rel: string): string {
  return rewrite(text, escapeHtml, (entity, written) => {
    if (entity.kind === "link") return linkHtml(entity.url, rel);
    if (entity.kind === "hashtag") return hashtagHtml(entity.name, options.tagUrl(entity.name));
    const account = options.mentionUrl(entity.handle);
    return account === null ? escapeHtml(written) : mentionHtml(account.url, account.username);
  });
}

/** Rewrites a text: `replace` converts its entities, and `between` the plain text between them. */
function rewrite(
  text: string,
  between: (plain: string) => string,
  replace: (entity: Entity, written: string) => string,
): string {
  let result = "";
  let end = 0;
  for (const entity of findEntities(text)) {
    result += between(text.slice(end, entity.start)) + replace(entity, text.slice(entity.start, entity.end));
    end = entity.end;
  }
  return result + between(text.slice(end));
}

/**
 * The HTML to put before a quoting status, for clients that can't show quotes; other clients hide it by its class.
 * Empty if the text already links to the quoted status. In the markup of Mastodon 4.5.
 */
export function quoteFallback(html: string, quotedUrl: string): string {
  if (html.includes(escapeHtml(quotedUrl))) return "";
  return `<p class="quote-inline">RE: ${linkHtml(quotedUrl, "nofollow noopener")}</p>`;
}

const FALLBACK = /<(p|span) class="(?:[^"]* )?quote-inline(?: [^"]*)?"[^>]*>/;

/** Sanitised HTML without the link to a quoted status that its server adds for clients that can't show quotes. */
export function withoutQuoteFallback(html: string): string {
  const found = FALLBACK.exec(html);
  if (!found) return html;
  const tag = new RegExp(`<(/?)${found[1]}\\b[^>]*>`, "g");
  tag.lastIndex = found.index;
  let depth = 0;
  for (let next = tag.exec(html); next !== null; next = tag.exec(html)) {
    depth += next[1] === "" ? 1 : -1;
    if (depth === 0) return html.slice(0, found.index) + html.slice(tag.lastIndex);
  }
  return html;
}

const SHOWN_CHARACTERS = 30;

/** A link that shows the beginning of its address. Clients hide the invisible spans and draw the ellipsis. */
export function linkHtml(url: string, rel: string): string {
  const prefix = /^(?:https?:\/\/(?:www\.)?|xmpp:)/.exec(url)?.[0] ?? "";
  const address = url.slice(prefix.length);
  const cut = cutIndex(address);
  return (
    `<a href="${escapeHtml(url)}" target="_blank" rel="${rel}" translate="no">` +
    `<span class="invisible">${escapeHtml(prefix)}</span>` +
    `<span class="${cut < address.length ? "ellipsis" : ""}">${escapeHtml(address.slice(0, cut))}</span>` +
    `<span class="invisible">${escapeHtml(address.slice(cut))}</span></a>`
  );
}

/** Where to cut an address; never directly before its last character, since an ellipsis is as wide. */
function cutIndex(address: string): number {
  let index = 0;
  for (let shown = 0; shown < SHOWN_CHARACTERS && index < address.length; shown++) {
    index += characterLength(address, index);
  }
  return index + characterLength(address, index) >= address.length ? address.length : index;
}

function characterLength(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

function mentionHtml(url: string, username: string): string {
  const link = `<a href="${escapeHtml(url)}" class="u-url mention">@<span>${escapeHtml(username)}</span></a>`;
  return `<span class="h-card" translate="no">${link}</span>`;
}

function hashtagHtml(name: string, url: string): string {
  return `<a href="${escapeHtml(url)}" class="mention hashtag" rel="tag">#<span>${escapeHtml(name)}</span></a>`;
}

/** The text without its addresses, mentions and hashtags. */
export function plainWords(text: string): string {
  return rewrite(
    text,
    (plain) => plain,
    () => " ",
  );
}

export const CHARACTERS_PER_URL = 23;
const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The length of a status for the character limit. A grapheme counts as one, a web address as 23, and a mention counts
 * without its domain. The content warning counts as plain text. Follows Mastodon's StatusLengthValidator, which counts
 * `xmpp:` and `magnet:` addresses in full.
 */
export function countCharacters(text: string, spoilerText = ""): number {
  const counted = rewrite(
    text,
    (plain) => plain,
    (entity, written) => {
      if (entity.kind === "mention") return `@${entity.handle.username}`;
      return entity.kind === "link" && !/^(?:xmpp|magnet):/i.test(entity.url)
        ? "x".repeat(CHARACTERS_PER_URL)
        : written;
    },
  );
  return countGraphemes(spoilerText + counted);
}

/** The number of graphemes: characters as a reader perceives them. */
export function countGraphemes(text: string): number {
  const lines = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
  if (/^[\0-\x7f]*$/.test(lines)) return lines.length;
  let count = 0;
  for (const _ of GRAPHEMES.segment(lines)) count++;
  return count;
}

const TRIGGER = new RegExp(`${SCHEMES}|[@#＃]`, "gi");
/** An address may directly follow a script without spaces, but not an ASCII letter or digit. */
const NO_ADDRESS_AFTER = /[a-z0-9@＠$#＃\uFEFF\uFFFE\uFFFF]/i;

/**
 * The links, mentions and hashtags of a text in order, without overlaps: the one that begins first keeps its
 * characters, so the fragment of an address is no hashtag. Linear time: each rule reads a bounded number of characters,
 * or characters that no later rule reads.
 */
function findEntities(text: string): Entity[] {
  const entities: Entity[] = [];
  TRIGGER.lastIndex = 0;
  for (let found = TRIGGER.exec(text); found !== null; found = TRIGGER.exec(text)) {
    const scanned = scanAt(text, found.index, found[0]);
    if (scanned === null) continue;
    if (scanned.entity) entities.push(scanned.entity);
    TRIGGER.lastIndex = scanned.end;
  }
  return entities;
}

/** The entity that begins at a sign, and its end; null if it is nothing special. An address that isn't linked is no entity. */
function scanAt(text: string, start: number, sign: string): { entity: Entity | null; end: number } | null {
  if (sign === "@") {
    const mention = mentionAt(text, start);
    return mention && { entity: { kind: "mention", start, ...mention }, end: mention.end };
  }
  if (sign === "#" || sign === "＃") {
    const hashtag = hashtagAt(text, start);
    return hashtag && { entity: { kind: "hashtag", start, ...hashtag }, end: hashtag.end };
  }
  if (start > 0 && NO_ADDRESS_AFTER.test(text[start - 1]!)) return null;
  const address = addressAt(text, start, sign);
  if (address === null) return null;
  const { url, end } = address;
  return { entity: url === null ? null : { kind: "link", start, end, url }, end };
}

const TRIGGER_HERE = new RegExp(TRIGGER.source, "iy");

/** The end of the address, mention or hashtag that begins here; null if there is none. */
export function entityEnd(text: string, start: number): number | null {
  TRIGGER_HERE.lastIndex = start;
  const sign = TRIGGER_HERE.exec(text)?.[0];
  return sign === undefined ? null : (scanAt(text, start, sign)?.end ?? null);
}
