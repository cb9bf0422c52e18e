import { hashtagAt, normaliseHashtag } from "./hashtags.ts";
import { escapeHtml } from "./html.ts";
import { mentionAt, type Handle } from "./mentions.ts";
import { addressAt, SCHEMES } from "./urls.ts";

/** How a text's mentions and hashtags become links. */
export interface RenderOptions {
  /** Where a mention leads and what stands after its `@` (a full handle where the bare name would be ambiguous). */
  mentionUrl(handle: Handle): { url: string; username: string } | null;
  /** Where a hashtag leads, by its name as written. */
  tagUrl(name: string): string;
}

type Entity = { start: number; end: number } & (
  | { kind: "link"; url: string }
  | { kind: "mention"; handle: Handle }
  | { kind: "hashtag"; name: string }
);

/** Nobody means more accounts or more tags than this; each costs a lookup or a row. */
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
 * The HTML of a status or of a profile's note, in the very markup of Mastodon 4.5, which clients look for: paragraphs at
 * blank lines, `<br />` at line breaks, links, mentions and hashtags. A mention unknown to `mentionUrl` stays text.
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

/** The HTML of a profile field's value: one line, whose links say `rel="me"` so that other sites can verify them. */
export function renderFieldValue(value: string, options: RenderOptions): string {
  return renderInline(value, options, "nofollow noopener me");
}

function renderInline(text: string, options: RenderOptions, rel: string): string {
  if (text.trim() === "") return "";
  return rewrite(text, escapeHtml, (entity, written) => {
    if (entity.kind === "link") return linkHtml(entity.url, rel);
    if (entity.kind === "hashtag") return hashtagHtml(entity.name, options.tagUrl(entity.name));
    const account = options.mentionUrl(entity.handle);
    return account === null ? escapeHtml(written) : mentionHtml(account.url, account.username);
  });
}

/** Builds a text anew out of its entities and of what lies between them. */
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
 * What is set before a status that quotes another, for readers who can't show quotes (others hide it by its class);
 * nothing where the text leads there already. In the markup of Mastodon 4.5.
 */
export function quoteFallback(html: string, quotedUrl: string): string {
  if (html.includes(escapeHtml(quotedUrl))) return "";
  return `<p class="quote-inline">RE: ${linkHtml(quotedUrl, "nofollow noopener")}</p>`;
}

const SHOWN_CHARACTERS = 30;

/** A link shows the beginning of its address; clients hide the spans marked invisible and draw the ellipsis. */
function linkHtml(url: string, rel: string): string {
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

/** Where to cut an address; not before its last character, since an ellipsis takes as much room. */
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

/** What a text says in words: without its addresses, mentions and hashtags. */
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
 * How long a status is for its author: what a reader perceives as one character counts one, a web address 23 whatever
 * its length, a mention without its domain. The warning before it counts as plain text. By Mastodon's
 * StatusLengthValidator, which gives no discount for `xmpp:` and `magnet:`.
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

/** What a reader perceives as one character counts one. */
export function countGraphemes(text: string): number {
  const lines = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
  if (/^[\0-\x7f]*$/.test(lines)) return lines.length;
  let count = 0;
  for (const _ of GRAPHEMES.segment(lines)) count++;
  return count;
}

const TRIGGER = new RegExp(`${SCHEMES}|[@#＃]`, "gi");
/** Before an address may stand the text of a script that needs no spaces, but no ASCII letter or digit. */
const NO_ADDRESS_AFTER = /[a-z0-9@＠$#＃\uFEFF\uFFFE\uFFFF]/i;

/**
 * Links, mentions and hashtags in order, never overlapping: whatever begins first keeps its characters, so an anchor in
 * an address is no hashtag. One pass, each rule looking at a bounded stretch or at characters that no later one takes.
 */
function findEntities(text: string): Entity[] {
  const entities: Entity[] = [];
  TRIGGER.lastIndex = 0;
  for (let found = TRIGGER.exec(text); found !== null; found = TRIGGER.exec(text)) {
    const start = found.index;
    const [sign] = found;
    if (sign === "@") {
      const mention = mentionAt(text, start);
      if (mention === null) continue;
      entities.push({ kind: "mention", start, ...mention });
      TRIGGER.lastIndex = mention.end;
    } else if (sign === "#" || sign === "＃") {
      const hashtag = hashtagAt(text, start);
      if (hashtag === null) continue;
      entities.push({ kind: "hashtag", start, ...hashtag });
      TRIGGER.lastIndex = hashtag.end;
    } else if (start === 0 || !NO_ADDRESS_AFTER.test(text[start - 1]!)) {
      const address = addressAt(text, start, sign);
      if (address === null) continue;
      const { url, end } = address;
      if (url !== null) entities.push({ kind: "link", start, end, url });
      TRIGGER.lastIndex = end;
    }
  }
  return entities;
}
