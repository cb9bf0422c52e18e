import { sanitize } from "../sanitize.ts";
import { replaceTexts } from "./html.ts";
import { postMarkdownToHtml } from "./markdown.ts";
import { renderPart, type RenderOptions, renderText } from "./text.ts";

/** The formats in which users write, the default first. */
export const CONTENT_TYPES = ["text/plain", "text/markdown", "text/html"] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** A text that was parsed once, to find its mentions before it is rendered. */
export interface ParsedText {
  /** The parts in which addresses, mentions and hashtags count, one a line: neither links nor code. */
  words: string;
  render(options: RenderOptions): string;
}

/** The words of a text without its markup, of at most this many UTF-16 units, for detecting its language. */
export function wordsOf(text: string, type: ContentType): string {
  return parseText(text.slice(0, MAX_WORDS), type).words;
}

const MAX_WORDS = 2000;

/** HTML is sanitised like that of other servers, so that all of them show what this server shows. */
export function parseText(text: string, type: ContentType): ParsedText {
  if (type === "text/plain") return { words: text, render: (options) => renderText(text, options) };
  const html = type === "text/markdown" ? inParagraphs(postMarkdownToHtml(text)) : onOneLine(inParagraphs(text));
  const words: string[] = [];
  replaceTexts(html, (part) => {
    words.push(part);
    return part;
  });
  return { words: words.join("\n"), render: (options) => replaceTexts(html, (part) => renderPart(part, options)) };
}

/** Text outside of any block gets a paragraph, as the content of a `div` does. The caller has checked the length. */
function inParagraphs(html: string): string {
  return sanitize(`<div>${html}`, { maxLength: Number.POSITIVE_INFINITY });
}

/** Apps show line breaks between words, which HTML doesn't mean. */
function onOneLine(html: string): string {
  return html.replace(/<pre>.*?<\/pre>|<[^<>]*>|\s+/gs, (part) => (part.startsWith("<") ? part : " "));
}
