import { LinkifyIt, REBuilder } from "linkify-it";

/** Source of a regular expression for the beginning of an address: the schemes that Mastodon links, and no others. */
export const SCHEMES = String.raw`(?:https?|dat|dweb|ipfs|ipns|ssb|gopher|gemini):\/\/|xmpp:|magnet:\?`;

/**
 * Longer addresses stay text. This is half of Mastodon's limit: somewhat above it the regular expression outgrows the
 * engine's compiler, and one hostile address takes 50 ms instead of 1 ms.
 */
const MAX_LENGTH = 2048;

/** linkify-it's grammar, widened where Mastodon's is wider. */
class Grammar extends REBuilder {
  /** Some host names in use contain underscores. */
  override get_pseudo_letter(): RegExp {
    return (this.cache["src_pseudo_letter"] ??= new RegExp(`(?:_|${super.get_pseudo_letter().source})`));
  }

  /** Dashes, middle dots and apostrophes join words in the paths of wikis; other punctuation ends the sentence. */
  override get_path_extra(): RegExp {
    const letter = this.get_pseudo_letter().source;
    return (this.cache["src_path_extra"] ??= new RegExp(`[\u00b7\u2010-\u2015\u2019\u30fb](?=${letter})|`));
  }

  /** Invisible direction marks could make a link show another address than the one it opens. */
  override get_text_separators(): RegExp {
    return /[><\uff5c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
  }
}

const linkify = new LinkifyIt({ rebuilder: new Grammar(), maxLength: MAX_LENGTH });

const XMPP = new RegExp(
  String.raw`^xmpp:(?:\/\/[^\s<>"'/?#:]+\/)?(?:[^\s<>"'/?#:@]+@)?` +
    String.raw`(?:[\p{L}\p{M}\p{N}_-]+\.)+(?:xn--[a-z\d-]+|\p{L}[\p{L}\p{M}]+)(?:[/?][^\s<>"']*)?`,
  "iu",
);
const MAGNET = /^magnet:\?[^\s<>"']+/i;

/** The end of an address found in a text, and the URL to link; null if it must stay text. */
export interface Address {
  end: number;
  url: string | null;
}

/**
 * The address at `start`, which begins with `scheme` (one of `SCHEMES`, as written). Trailing punctuation and
 * unbalanced brackets are not part of it. Addresses that must not be linked (too long, or without a public name, such
 * as localhost) are recognised too, so that callers do not find mentions and hashtags inside them.
 */
export function addressAt(text: string, start: number, scheme: string): Address | null {
  const candidate = text.slice(start, start + MAX_LENGTH + 1);
  const matched = matchLength(candidate, scheme);
  if (matched > MAX_LENGTH) return { end: start + matched, url: null };
  const length = lengthWithoutTrailing(candidate, matched);
  if (length <= scheme.length) return null;

  const linked = scheme.endsWith("//") ? publicLength(candidate, length, scheme.length) : length;
  if (linked === 0) return { end: start + length, url: null };
  return { end: start + linked, url: candidate.slice(0, linked) };
}

function matchLength(candidate: string, scheme: string): number {
  if (!scheme.endsWith("//")) return (scheme.endsWith("?") ? MAGNET : XMPP).exec(candidate)?.[0].length ?? 0;
  // Every scheme with an authority has the grammar of http, whose rule begins after the colon.
  const colon = scheme.length - 2;
  const rest = linkify.testSchemaAt(candidate, "http:", colon);
  return rest === 0 ? 0 : colon + rest;
}

/** By Mastodon's rule no address ends with these, though some may occur inside one. */
const TRAILING = "!*\"':;,.$%~|@?";

function lengthWithoutTrailing(candidate: string, length: number): number {
  let end = length;
  while (end > 0 && TRAILING.includes(candidate[end - 1]!)) end--;
  return end;
}

/** The length to link: the whole address, or up to the end of its host if another script follows there, or 0. */
function publicLength(candidate: string, length: number, hostStart: number): number {
  const host = candidate.slice(hostStart, length).split(/[/?#:]/, 1)[0]!;
  const nameLength = publicNameLength(host);
  if (nameLength < host.length) return nameLength === 0 ? 0 : hostStart + nameLength;
  const isUserName = hostStart + host.length === length && candidate[length] === "@";
  return isUserName ? 0 : length;
}

const TOP_LEVEL_LABEL = /\.(?:xn--[a-z\d-]+|\p{Script=Latin}{2,}|\P{ASCII}{2,})/iuy;

/**
 * The length of the public name (with a top-level domain) at the beginning of `host`; 0 if there is none. Usually all
 * of it; but in a script without spaces a sentence continues immediately ("example.orgを見て"), and no top-level domain
 * mixes Latin letters with another script.
 */
export function publicNameLength(host: string): number {
  if (!/^[\w.\u0080-\uffff-]+$/.test(host)) return 0;
  TOP_LEVEL_LABEL.lastIndex = host.lastIndexOf(".");
  if (TOP_LEVEL_LABEL.lastIndex < 1 || !TOP_LEVEL_LABEL.test(host)) return 0;
  const end = TOP_LEVEL_LABEL.lastIndex;
  return end === host.length || host[end]! > "\x7f" ? end : 0;
}
