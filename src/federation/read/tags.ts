import type { TagName } from "../../core/discovery/tags.ts";
import { isHashtagName, normaliseHashtag } from "../../lib/text/hashtags.ts";
import { isShortcode } from "../../lib/text/shortcodes.ts";
import { dateOf, hasType, idOf, objectsOf, stringOf, type Json } from "./json.ts";
import { pictureOf } from "./links.ts";
import { nameOf } from "./text.ts";

export interface RemoteMention {
  /** The URI of the account; some servers send its URL. */
  href: string;
  /** `@alice@example.org`; some servers leave out the domain. "" if it is missing. */
  name: string;
}

export interface RemoteEmoji {
  shortcode: string;
  imageUrl: string;
  uri: string | null;
  updatedAt: number | null;
}

export interface RemoteTags {
  mentions: RemoteMention[];
  hashtags: TagName[];
  emojis: RemoteEmoji[];
}

/** Of each kind. */
const MAX_TAGS = 500;
/** Entries of `tag` that are looked at. */
const MAX_ENTRIES = 2000;

/** The mentions, hashtags and custom emoji of a document, each once. Invalid ones are left out. */
export function tagsOf(json: Json): RemoteTags {
  return {
    mentions: distinct(json, "Mention", mentionOf, ({ href }) => href),
    hashtags: distinct(json, "Hashtag", hashtagOf, ({ name }) => name),
    emojis: emojisOf(json),
  };
}

/** The custom emoji of a document, each once. */
export function emojisOf(json: Json): RemoteEmoji[] {
  return distinct(json, "Emoji", emojiOf, ({ shortcode }) => shortcode);
}

function distinct<T>(json: Json, type: string, read: (tag: Json) => T | null, key: (read: T) => string): T[] {
  const found = new Map<string, T>();
  for (const tag of objectsOf(json.tag).slice(0, MAX_ENTRIES)) {
    const value = hasType(tag, type) ? read(tag) : null;
    if (value !== null && !found.has(key(value))) found.set(key(value), value);
    if (found.size === MAX_TAGS) break;
  }
  return [...found.values()];
}

function mentionOf(tag: Json): RemoteMention | null {
  const href = idOf(tag.href);
  return href === null ? null : { href, name: nameOf(tag.name) };
}

function hashtagOf(tag: Json): TagName | null {
  const written = stringOf(tag.name, 250)
    .trim()
    .replace(/^[#＃]/, "")
    .normalize("NFC");
  const name = normaliseHashtag(written);
  if (!isHashtagName(name)) return null;
  return { name, written: isHashtagName(written) ? written : name };
}

function emojiOf(tag: Json): RemoteEmoji | null {
  const shortcode = stringOf(tag.name, 250).replaceAll(":", "");
  const imageUrl = pictureOf(tag.icon)?.href;
  if (!isShortcode(shortcode) || imageUrl === undefined) return null;
  return { shortcode, imageUrl, uri: idOf(tag), updatedAt: dateOf(tag.updated) };
}
