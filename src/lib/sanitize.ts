import { decodeHTML, decodeHTMLAttribute } from "entities/decode";
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { escapeHtml } from "./text/html.ts";

const words = (text: string) => new Set(text.split(" "));

/**
 * The elements that Mastodon keeps: docs.joinmastodon.org/spec/activitypub/#sanitization, and ruby since 4.3
 * (mastodon#30897).
 */
const KEPT = words("p span br a del pre code em strong b i u ul ol li blockquote ruby rt rp");

/** Without these, a text could mean the opposite. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["s", "del"],
  ["strike", "del"],
]);

/** The attributes to read, by element. Those of kept elements have a cleaner and are written. */
const ATTRIBUTES: ReadonlyMap<string, readonly string[]> = new Map([
  // For "quote-inline" (FEP-044f).
  ["p", ["class"]],
  ["span", ["class", "translate"]],
  ["a", ["href", "class", "rel", "translate"]],
  ["ol", ["start", "reversed"]],
  ["li", ["value"]],
  ["math", ["display"]],
  ["annotation", ["encoding"]],
]);

const NONE: readonly string[] = [];

/** Each returns the attribute's value as it may be written, or null to drop the attribute. */
const CLEANERS: Readonly<Record<string, (value: string) => string | null>> = {
  href: cleanAddress,
  class: cleanClasses,
  // `rel="me"` would let an author claim this server's pages as their own, since others verify links by it.
  rel: (value) => (/(?:^|\s)tag(?:\s|$)/i.test(value) ? "tag" : null),
  translate: (value) => (value.toLowerCase() === "no" ? "no" : null),
  start: cleanInteger,
  value: cleanInteger,
  reversed: () => "",
};

const HEADINGS = words("h1 h2 h3 h4 h5 h6");

/** Dropped with their content, which no browser shows as text. */
const HIDDEN = words(
  "script style template noscript noembed noframes iframe object svg math title textarea select xmp plaintext",
);
const FOREIGN = words("svg math");

/** Blocks that are dropped: their content gets paragraphs of its own. */
const CONTAINERS = words(
  "address article aside caption center dd details dialog dir div dl dt fieldset figcaption figure footer form header " +
    "hgroup hr legend main menu nav optgroup option search section summary table tbody tfoot thead tr",
);
const CELLS = words("td th");

/** Blocks that end a paragraph, and that neither list items nor end tags of inline elements cross. */
const BLOCKS = words("ul ol blockquote pre");
const LISTS = words("ul ol");
/** "heading" is a paragraph that was a heading. */
const PARAGRAPHS = words("p heading");
/** Elements that begin and end a line. */
const OWN_LINES = words("p heading li ul ol blockquote pre");
/** Other empty elements are dropped. Mastodon's links contain empty spans, and empty items count in a numbered list. */
const KEPT_EMPTY = words("span li a");

/** Far more than a person writes, and a limit to the work for each tag. */
const MAX_DEPTH = 64;

const DEFAULT_MAX_LENGTH = 100_000;

export interface SanitizeOptions {
  /** In UTF-16 units of `html`; the rest is dropped. 100,000 by default. */
  maxLength?: number;
  /** In characters of the text, without tags. An ellipsis replaces the rest. */
  maxTextLength?: number;
}

/**
 * Reduces HTML of other servers to the elements, attributes, classes and link schemes that Mastodon keeps, and closes
 * what was left open. HTML parsers read the result as it is written, so sanitising it again changes nothing. Headings
 * become bold paragraphs, other blocks paragraphs, and formulas LaTeX (FEP-dc88). Takes time and space in proportion to
 * the length.
 */
export function sanitize(
  html: string,
  { maxLength = DEFAULT_MAX_LENGTH, maxTextLength = Number.POSITIVE_INFINITY }: SanitizeOptions = {},
): string {
  const writer = new Writer(maxTextLength);
  const source = normalize(truncate(html, maxLength));
  // Decoding entities itself, the tokenizer takes twice the time.
  const tokenizer = new Tokenizer({ decodeEntities: false }, new Reader(source, writer));
  tokenizer.write(source);
  tokenizer.end();
  return writer.finish();
}

/** Never cuts a character, an entity or the beginning of a tag in two. The tokenizer drops the other unfinished tags. */
function truncate(html: string, maxLength: number): string {
  if (html.length <= maxLength) return html;
  return html.slice(0, maxLength).replace(/(?:[\ud800-\udbff]|&[#\w]{0,32}|<\/?)$/, "");
}

/** Control characters except tabs and line breaks. */
const CONTROLS = /[^\t\n -~\u00a0-\uffff]/;

/** Without the characters that parsers drop or convert, some of them even inside tags. */
function normalize(html: string): string {
  const text = html.toWellFormed();
  return CONTROLS.test(text) ? withoutControls(text.replace(/\r\n?|\f/g, "\n")) : text;
}

function withoutControls(text: string): string {
  return CONTROLS.test(text) ? text.replace(new RegExp(CONTROLS, "g"), "") : text;
}

/** Passes on the tags and texts of the source, without hidden content. */
class Reader implements TokenizerCallbacks {
  private name = "";
  private readonly attributes = new Map<string, string>();
  private readable: readonly string[] = NONE;
  /** Null while reading an attribute that is dropped. */
  private attribute: string | null = null;
  private value = "";
  /** The element whose content is dropped, and how many of the same name are open. */
  private hidden: { name: string; depth: number } | null = null;
  private formula = new Formula(false);

  constructor(
    private readonly source: string,
    private readonly writer: Writer,
  ) {}

  onopentagname(start: number, end: number): void {
    this.name = this.source.slice(start, end).toLowerCase();
    this.readable = ATTRIBUTES.get(this.name) ?? NONE;
    if (this.attributes.size > 0) this.attributes.clear();
  }

  onattribname(start: number, end: number): void {
    this.attribute = null;
    if (this.readable.length === 0) return;
    const name = this.source.slice(start, end).toLowerCase();
    if (this.readable.includes(name) && !this.attributes.has(name)) this.attribute = name;
    this.value = "";
  }

  onattribdata(start: number, end: number): void {
    if (this.attribute !== null) this.value += this.source.slice(start, end);
  }

  onattribend(): void {
    if (this.attribute === null) return;
    this.attributes.set(this.attribute, this.value.includes("&") ? decodeHTMLAttribute(this.value) : this.value);
  }

  onopentagend(): void {
    const { name } = this;
    if (this.hidden !== null) {
      if (name === this.hidden.name) this.hidden.depth++;
      if (name === "annotation") this.formula.begin(this.attributes.get("encoding"));
    } else if (HIDDEN.has(name)) {
      this.hidden = { name, depth: 1 };
      this.formula = new Formula(this.attributes.get("display") === "block");
    } else {
      this.writer.open(name, this.attributes);
    }
  }

  onselfclosingtag(): void {
    if (!FOREIGN.has(this.name)) this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    const name = this.source.slice(start, end).toLowerCase();
    if (this.hidden === null) {
      this.writer.close(name);
    } else if (name === "annotation") {
      this.formula.end();
    } else if (name === this.hidden.name && --this.hidden.depth === 0) {
      this.hidden = null;
      if (name === "math") this.writer.text(this.formula.latex());
    }
  }

  ontext(start: number, end: number): void {
    const written = this.source.slice(start, end);
    const text = written.includes("&") ? withoutControls(decodeHTML(written)) : written;
    if (this.hidden === null) this.writer.text(text);
    else this.formula.text(text);
  }

  // Never called, since the tokenizer decodes no entities.
  ontextentity(): void {}
  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}

/** The source of a formula, which authors add to MathML as an annotation (FEP-dc88). */
class Formula {
  private readonly annotations = new Map<string, string>();
  private encoding: string | null = null;

  constructor(private readonly isBlock: boolean) {}

  begin(encoding = ""): void {
    this.encoding = this.annotations.has(encoding) ? null : encoding;
  }

  text(text: string): void {
    if (this.encoding === null) return;
    this.annotations.set(this.encoding, (this.annotations.get(this.encoding) ?? "") + text);
  }

  end(): void {
    this.encoding = null;
  }

  latex(): string {
    const latex = this.annotations.get("application/x-tex")?.trim();
    if (!latex) return this.annotations.get("text/plain")?.trim() ?? "";
    return this.isBlock ? `$$${latex}$$` : `$${latex}$`;
  }
}

/** Writes well-formed HTML whose elements are nested as HTML allows, whatever it is given. */
class Writer {
  private readonly parts: string[] = [];
  /** The open elements, and where their start tags are in `parts`. */
  private readonly stack: { name: string; start: number }[] = [];
  /** How many kept elements were not written because they are nested too deeply. */
  private tooDeep = 0;
  /** The number of elements around dropped blocks, whose text needs paragraphs; -1 if there are none. */
  private bareDepth = -1;

  /** `room` is how many more characters of text are written; -1 after the ellipsis. */
  constructor(private room: number) {}

  open(tag: string, given: ReadonlyMap<string, string>): void {
    if (this.room < 0) return;
    const name = RENAMED.get(tag) ?? tag;
    if (CONTAINERS.has(name)) this.separate();
    else if (CELLS.has(name)) this.text(" ");
    else if (HEADINGS.has(name)) this.heading();
    else if (name === "br") this.parts.push("<br />");
    else if (KEPT.has(name)) this.element(name, given);
  }

  close(tag: string): void {
    if (this.room < 0) return;
    const name = RENAMED.get(tag) ?? tag;
    if (CONTAINERS.has(name)) this.separate();
    else if (HEADINGS.has(name)) this.end("heading", null);
    else if (name === "br") this.parts.push("<br />");
    else if (name === "li") this.end(name, LISTS);
    else if (KEPT.has(name)) this.end(name, BLOCKS.has(name) ? null : BLOCKS);
  }

  text(text: string): void {
    const shown = this.isInPre() ? this.preformatted(text) : this.flowing(text);
    if (shown === "" || this.room < 0) return;
    this.wrap();
    this.parts.push(escapeText(this.fitting(shown)));
  }

  private fitting(text: string): string {
    // A text has at least as many UTF-16 units as characters.
    if (text.length <= this.room) {
      this.room -= text.length;
      return text;
    }
    const characters = Array.from(text);
    const shown = characters.length <= this.room ? text : `${characters.slice(0, this.room).join("").trimEnd()}…`;
    this.room = characters.length <= this.room ? this.room - characters.length : -1;
    return shown;
  }

  finish(): string {
    this.closeFrom(0);
    return this.parts.join("").trim();
  }

  private element(name: string, given: ReadonlyMap<string, string>): void {
    const attributes = attributesOf(name, given);
    // A link ends the one around it, even if it is dropped itself.
    if (name === "a") this.closeNearest("a", null);
    if (attributes === null) return;

    if (name === "rt" || name === "rp") {
      const ruby = this.find("ruby", BLOCKS);
      if (ruby === -1) return;
      this.closeFrom(ruby + 1);
    } else if (name === "p" || name === "li" || BLOCKS.has(name)) {
      if (name === "li") this.closeNearest("li", BLOCKS);
      this.closeParagraph();
    } else {
      this.wrap();
    }
    if (this.stack.length >= MAX_DEPTH) this.tooDeep++;
    else this.push(name, `<${name}${attributes}>`);
  }

  private heading(): void {
    this.closeParagraph();
    if (this.stack.length + 1 >= MAX_DEPTH) {
      this.tooDeep++;
    } else {
      this.push("heading", "<p>");
      this.push("strong", "<strong>");
    }
  }

  /** The boundary of a dropped block. */
  private separate(): void {
    this.closeParagraph();
    this.bareDepth = this.stack.length;
  }

  /** Begins a paragraph before inline content of a dropped block. */
  private wrap(): void {
    if (this.stack.length === this.bareDepth && this.bareDepth < MAX_DEPTH) this.push("p", "<p>");
  }

  private push(name: string, startTag: string): void {
    if (OWN_LINES.has(name)) this.trimEnd();
    this.stack.push({ name, start: this.parts.push(startTag) - 1 });
  }

  private isInPre(): boolean {
    return this.stack.some(({ name }) => name === "pre");
  }

  private preformatted(text: string): string {
    // HTML parsers drop a line break directly after this tag.
    return this.parts.at(-1) === "<pre>" ? text.replace(/^\n+/, "") : text;
  }

  /** HTML ignores space at the edges of a line, but apps show it (`white-space: pre-wrap`). */
  private flowing(text: string): string {
    if (!/^[ \t\n]/.test(text)) return text;
    const isAtStart = this.stack.length === this.bareDepth || LINE_START.test(this.parts.slice(-2).join(""));
    return isAtStart ? text.replace(/^[ \t\n]+/, "") : text;
  }

  private trimEnd(): void {
    for (let last = this.parts.at(-1); last !== undefined && /\s$/.test(last); last = this.parts.at(-1)) {
      if (this.isInPre()) return;
      const trimmed = last.trimEnd();
      this.parts.pop();
      if (trimmed === "") continue;
      this.parts.push(trimmed);
      return;
    }
  }

  private closeParagraph(): void {
    const index = this.stack.findLastIndex(({ name }) => PARAGRAPHS.has(name));
    if (index !== -1) this.closeFrom(index);
  }

  private end(name: string, barriers: ReadonlySet<string> | null): void {
    if (this.tooDeep > 0) this.tooDeep--;
    else this.closeNearest(name, barriers);
  }

  private closeNearest(name: string, barriers: ReadonlySet<string> | null): void {
    const index = this.find(name, barriers);
    if (index !== -1) this.closeFrom(index);
  }

  /** The index of the innermost open element of that name; -1 if there is none, or a barrier inside it. */
  private find(name: string, barriers: ReadonlySet<string> | null): number {
    const index = this.stack.findLastIndex((open) => open.name === name || barriers?.has(open.name) === true);
    return index !== -1 && this.stack[index]!.name === name ? index : -1;
  }

  private closeFrom(index: number): void {
    while (this.stack.length > index) {
      const { name, start } = this.stack.pop()!;
      if (name !== "pre" && (OWN_LINES.has(name) || this.stack.at(-1)?.name === "heading")) this.trimEnd();
      const isEmpty = this.parts.length === start + 1;
      if (isEmpty && !KEPT_EMPTY.has(name)) this.parts.pop();
      else this.parts.push(`</${name === "heading" ? "p" : name}>`);
    }
    this.tooDeep = 0;
    if (this.stack.length < this.bareDepth) this.bareDepth = -1;
  }
}

const LINE_START = /(?:^|<p><strong>|<\/?(?:p|li|ul|ol|blockquote|pre|br)\b[^<>]*>)$/;

/** The attributes as written in the start tag; null if the element means nothing without the missing ones. */
function attributesOf(name: string, given: ReadonlyMap<string, string>): string | null {
  let written = "";
  let rel = "nofollow noopener";
  for (const attribute of ATTRIBUTES.get(name) ?? []) {
    const value = given.get(attribute);
    const cleaned = value === undefined ? null : CLEANERS[attribute]!(value);
    if (attribute === "href" && cleaned === null) return null;
    if (cleaned === null) continue;
    if (attribute === "rel") rel = `${cleaned} ${rel}`;
    else written += ` ${attribute}="${escapeHtml(cleaned)}"`;
  }
  return name === "a" ? `${written} target="_blank" rel="${rel}"` : written;
}

const SCHEME = /^(?:https?|dat|dweb|ipfs|ipns|ssb|gopher|xmpp|magnet|gemini):/i;

function cleanAddress(value: string): string | null {
  // Browsers ignore line breaks and tabs anywhere in an address.
  const address = value.replace(/[\t\n\r]/g, "").trim();
  if (!SCHEME.test(address) || CONTROLS.test(address)) return null;
  return /^https?:/i.test(address) && !URL.canParse(address) ? null : address;
}

const CLASS = /^(?:(?:[hpue]|dt)-[\w-]+|mention|hashtag|ellipsis|invisible|quote-inline)$/;

function cleanClasses(value: string): string | null {
  const kept = value.split(/\s+/).filter((name) => CLASS.test(name));
  return kept.length === 0 ? null : kept.join(" ");
}

function cleanInteger(value: string): string | null {
  return /^-?\d{1,9}$/.test(value) ? value : null;
}

/** Text between tags. Quotes are kept: they mean nothing there and would take six times the space. */
function escapeText(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, escapeHtml) : text;
}
