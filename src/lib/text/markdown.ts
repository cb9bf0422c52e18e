import type { MarkdownIt, MarkdownItOptions, StateInline } from "markdown-it";
import { entityEnd } from "./text.ts";

/** The library is loaded on first use, since most servers never need it: it takes a few megabytes of memory. */
function newParser(options: MarkdownItOptions): MarkdownIt {
  const Parser = require("markdown-it") as typeof import("markdown-it").default;
  // Images become links, so that a page loads nothing from other sites.
  return new Parser(options).disable("image");
}

let pageParser: MarkdownIt | null = null;

/** The owner has few pages, which are requested often. */
const MAX_KEPT = 10;
const kept = new Map<string, string>();

/**
 * Converts the Markdown of a page (CommonMark, tables, and addresses as links) to HTML. HTML in it is escaped, and links
 * only lead to web and mail addresses. The latest results are cached, since rendering is slow.
 */
export function markdownToHtml(markdown: string): string {
  const known = kept.get(markdown);
  if (known !== undefined) return known;
  pageParser ??= newParser({ html: false, linkify: true });
  const html = pageParser.render(markdown);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(markdown, html);
  return html;
}

let postParser: MarkdownIt | null = null;

/**
 * Converts the Markdown of a post to HTML, to be sanitised. Line breaks stay, and so does HTML, as text. Addresses,
 * mentions, hashtags and shortcodes stay as they are, whatever characters they contain. Tables would lose their columns on
 * most servers, so they stay text.
 */
export function postMarkdownToHtml(markdown: string): string {
  postParser ??= newPostParser();
  return postParser.render(markdown).replaceAll("\n</code></pre>", "</code></pre>");
}

function newPostParser(): MarkdownIt {
  const parser = newParser({ html: false, breaks: true }).disable("table");
  parser.inline.ruler.after("text", "verbatim", verbatim);
  const { rules } = parser.renderer;
  // No other server shows a rule, so it stays as it was written.
  rules.hr = (tokens, at) => `<p>${tokens[at]!.markup}</p>`;
  // `<https://example.com>` becomes a link like any other address.
  parser.normalizeLinkText = (url) => url;
  rules.link_open = (tokens, at, options, _, renderer) =>
    tokens[at]!.markup === "autolink" ? "" : renderer.renderToken(tokens, at, options);
  rules.link_close = (tokens, at, options, _, renderer) =>
    tokens[at]!.markup === "autolink" ? "" : renderer.renderToken(tokens, at, options);
  return parser;
}

const SCHEME_NAME = /(?:https?|dat|dweb|ipfs|ipns|ssb|gopher|gemini|xmpp|magnet)$/i;
const LONGEST_SCHEME_NAME = 6;
const SHORTCODE = /:\w{2,}:/y;

/** An inline rule for what begins with `@`, `#` or a scheme, which the parser has passed already when it stops at `:`. */
function verbatim(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const end = Math.min(verbatimEnd(src, pos), posMax);
  if (end <= pos) return false;
  if (!silent) state.pending += src.slice(pos, end);
  state.pos = end;
  return true;
}

/** Underscores at the end may close an emphasis; the others are part of a name. 0 if nothing begins here. */
function verbatimEnd(src: string, pos: number): number {
  const sign = src[pos];
  if (sign === "@" || sign === "#") return withoutUnderscores(src, entityEnd(src, pos) ?? 0);
  if (sign !== ":") return 0;
  SHORTCODE.lastIndex = pos;
  const shortcode = SHORTCODE.exec(src)?.[0];
  if (shortcode !== undefined) return pos + shortcode.length;
  const name = SCHEME_NAME.exec(src.slice(Math.max(0, pos - LONGEST_SCHEME_NAME), pos))?.[0];
  return name === undefined ? 0 : withoutUnderscores(src, entityEnd(src, pos - name.length) ?? 0);
}

function withoutUnderscores(src: string, end: number): number {
  let kept = end;
  while (src[kept - 1] === "_") kept--;
  return kept;
}
