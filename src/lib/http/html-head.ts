import { setImmediate as turn } from "node:timers/promises";
import { Parser } from "htmlparser2";

/** A page's metadata, verbatim. */
export interface HtmlHead {
  title: string;
  /** The `lang` attribute of the `html` element. */
  language: string;
  /** The contents of `meta` elements, by `property` or `name` in lower case; the first non-empty one counts. */
  meta: ReadonlyMap<string, string>;
  /** `link` elements with `rel` and `href`. */
  links: readonly PageLink[];
  /** The addresses of all links with `rel="me"`, in the head and in the text. */
  meLinks: readonly string[];
  /** JSON-LD, not parsed. */
  data: readonly string[];
}

export interface PageLink {
  /** Relations in lower case. */
  rel: readonly string[];
  type: string;
  href: string;
}

const MAX_META = 500;
const MAX_LINKS = 500;
const MAX_DATA = 20;
/** Enough for any title, and for JSON-LD with the whole text of an article. */
const MAX_TEXT = 300_000;
/** How much is parsed before other work gets its turn: about a millisecond. In UTF-16 units. */
const SLICE = 16_384;
/** Browsers nest elements this deeply. A deeper page is hostile. */
const MAX_DEPTH = 512;

/** Parses a page, however long or malformed, without blocking the event loop. */
export async function readHtmlHead(html: string): Promise<HtmlHead> {
  const reader = new Reader();
  const parser = new Parser(reader);
  for (let at = 0; at < html.length && reader.depth <= MAX_DEPTH; at += SLICE) {
    if (at > 0) await turn();
    parser.write(html.slice(at, at + SLICE));
  }
  parser.end();
  return reader;
}

class Reader implements HtmlHead {
  title = "";
  language = "";
  readonly meta = new Map<string, string>();
  readonly links: PageLink[] = [];
  readonly meLinks: string[] = [];
  readonly data: string[] = [];
  depth = 0;
  /** The text so far of a title or a block of JSON-LD; null outside of these. */
  private text: string | null = null;

  onopentag(name: string, attributes: Record<string, string>): void {
    this.depth += 1;
    if (name === "link" || name === "a") this.keepMeLink(attributes);
    if (name === "meta") this.keepMeta(attributes);
    else if (name === "link") this.keepLink(attributes);
    else if (name === "html") this.language ||= attributes["lang"] ?? "";
    else if (name === "title" && this.title === "") this.text = "";
    else if (name === "script" && isData(attributes["type"])) this.text = "";
  }

  ontext(text: string): void {
    if (this.text !== null && this.text.length + text.length <= MAX_TEXT) this.text += text;
  }

  onclosetag(name: string): void {
    this.depth -= 1;
    if (this.text === null || (name !== "title" && name !== "script")) return;
    if (name === "title") this.title = this.text;
    else if (this.data.length < MAX_DATA) this.data.push(this.text);
    this.text = null;
  }

  private keepMeta({ property, name, content }: Record<string, string>): void {
    if (!content?.trim() || this.meta.size >= MAX_META) return;
    // One attribute may contain several properties.
    for (const key of `${property ?? ""} ${name ?? ""}`.toLowerCase().split(/\s+/)) {
      if (key && !this.meta.has(key)) this.meta.set(key, content);
    }
  }

  private keepMeLink({ rel, href }: Record<string, string>): void {
    if (href && isMe(rel) && this.meLinks.length < MAX_LINKS) this.meLinks.push(href);
  }

  private keepLink({ rel, type, href }: Record<string, string>): void {
    if (!rel || !href || this.links.length >= MAX_LINKS) return;
    this.links.push({ rel: rel.toLowerCase().trim().split(/\s+/), type: type?.trim().toLowerCase() ?? "", href });
  }
}

function isMe(rel: string | undefined): boolean {
  return rel !== undefined && rel.toLowerCase().split(/\s+/).includes("me");
}

function isData(type: string | undefined): boolean {
  return type?.split(";", 1)[0]!.trim().toLowerCase() === "application/ld+json";
}

/** A link in a piece of HTML. */
export interface Anchor {
  href: string;
  /** The `rel` and `class` attributes, unparsed. */
  rel: string;
  classes: string;
}

const MAX_ANCHORS = 200;

/** The links of a status, without those in the quote fallback for older software (FEP-044f). */
export function anchorsIn(html: string): Anchor[] {
  const found: Anchor[] = [];
  if (!html.includes("<a")) return found;
  let depth = 0;
  let quotedFrom = Infinity;
  const parser = new Parser({
    onopentag(name, { href, rel = "", class: classes = "" }) {
      depth += 1;
      if (quotedFrom === Infinity && /(?:^|\s)quote-inline(?:\s|$)/.test(classes)) quotedFrom = depth;
      if (name === "a" && href && depth < quotedFrom && found.length < MAX_ANCHORS) found.push({ href, rel, classes });
    },
    onclosetag() {
      depth -= 1;
      if (depth < quotedFrom) quotedFrom = Infinity;
    },
  });
  parser.end(html);
  return found;
}

/** The address of the first `iframe` in a piece of HTML. */
export function frameIn(html: string): string | null {
  let found: string | null = null;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "iframe") found ??= attributes["src"] ?? null;
    },
  });
  parser.end(html);
  return found;
}
