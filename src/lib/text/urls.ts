import { LinkifyIt, REBuilder } from "linkify-it";

/** Source of a regular expression for what opens an address: the schemes that Mastodon links, and no others. */
export const SCHEMES = String.raw`(?:https?|dat|dweb|ipfs|ipns|ssb|gopher|gemini):\/\/|xmpp:|magnet:\?`;

/**
 * A longer address stays text. Half of Mastodon's bound: somewhat above it the expression outgrows the engine's compiler
 * and one hostile address costs 50 ms instead of one.
 */
const MAX_LENGTH = 2048;

/** linkify-it's grammar, widened where Mastodon's is wider. */
class Grammar extends REBuilder {
  /** Host names in use hold underscores. */
  override get_pseudo_letter(): RegExp {
    return (this.cache["src_pseudo_letter"] ??= new RegExp(`(?:_|${super.get_pseudo_letter().source})`));
  }

  /** Dashes, middle dots and apostrophes join words in the paths of wikis; other punctuation ends the sentence. */
  override get_path_extra(): RegExp {
    const letter = this.get_pseudo_letter().source;
    return (this.cache["src_path_extra"] ??= new RegExp(`[\u00b7\u2010-\u2015\u2019\u30fb](?=${letter})|`));
  }

  /** Invisible marks of direction would let a link show another address than the one it opens. */
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

/** Where an address found in a text ends, and the URL to link, null when it must stay text. */
export interface Address {
  end: number;
  url: string | null;
}

/**
 * The address at `start`, where `scheme` (one of `SCHEMES`, as written) stands. Trailing punctuation and unbalanced
 * brackets are not part of it. What looks like an address but is not linked (too long, or without a public name, such
 * as localhost) is recognised too, so that nobody looks for mentions and hashtags inside.
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

/** With these no address ends, by Mastodon's rule, though some may stand inside one. */
const TRAILING = "!*\"':;,.$%~|@?";

function lengthWithoutTrailing(candidate: string, length: number): number {
  let end = length;
  while (end > 0 && TRAILING.includes(candidate[end - 1]!)) end--;
  return end;
}

/** How much of an address is linked: all, or up to the end of its host where another script goes on, or nothing. */
function publicLength(candidate: string, length: number, hostStart: number): number {
  const host = candidate.slice(hostStart, length).split(/[/?#:]/, 1)[0]!;
  const nameLength = publicNameLength(host);
  if (nameLength < host.length) return nameLength === 0 ? 0 : hostStart + nameLength;
  const isUserName = hostStart + host.length === length && candidate[length] === "@";
  return isUserName ? 0 : length;
}

const TOP_LEVEL_LABEL = /\.(?:xn--[a-z\d-]+|\p{Script=Latin}{2,}|\P{ASCII}{2,})/iuy;

/**
 * How much of `host` is a name with a top-level domain, 0 when it has none. Usually all; but in a script without spaces
 * a sentence goes on at once ("example.orgを見て"), and no top-level domain mixes Latin letters with another script.
 */
export function publicNameLength(host: string): number {
  if (!/^[\w.\u0080-\uffff-]+$/.test(host)) return 0;
  TOP_LEVEL_LABEL.lastIndex = host.lastIndexOf(".");
  if (TOP_LEVEL_LABEL.lastIndex < 1 || !TOP_LEVEL_LABEL.test(host)) return 0;
  const end = TOP_LEVEL_LABEL.lastIndex;
  return end === host.length || host[end]! > "\x7f" ? end : 0;
}
