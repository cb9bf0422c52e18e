/** @jsxImportSource preact */
import type { EmojiJson } from "../../entities/emojis.ts";
import { escapeHtml } from "../../lib/text/html.ts";
import { replaceShortcodes } from "../../lib/text/shortcodes.ts";

interface HtmlProps {
  html: string;
  emojis?: readonly EmojiJson[];
  as?: "div" | "span" | "bdi" | "strong" | "summary" | "dt" | "dd";
  class?: string;
  title?: string;
  lang?: string | null;
}

/**
 * The only place where a page takes HTML. This is safe because it gets only stored HTML, which Linnet made from plain
 * text or Markdown, or sanitised when it arrived: the same that apps get. The markup of emoji is escaped, and the
 * Content-Security-Policy of every page blocks scripts.
 */
export function Html({ html, emojis = [], as: Element = "div", lang, ...props }: HtmlProps) {
  const attributes = {
    ...props,
    lang: lang ?? undefined,
    // Texts have any direction; a bdi detects it by default.
    dir: Element === "bdi" ? undefined : ("auto" as const),
  };
  return <Element {...attributes} dangerouslySetInnerHTML={{ __html: withEmoji(html, emojis) }} />;
}

/** Plain text with its emoji as images: a name, a warning, a choice. */
export function Text({ text, ...props }: Omit<HtmlProps, "html"> & { text: string }) {
  return <Html as="span" {...props} html={escapeHtml(text)} />;
}

function withEmoji(html: string, emojis: readonly EmojiJson[]): string {
  if (emojis.length === 0) return html;
  const pictures = new Map(emojis.map(({ shortcode, url }) => [shortcode, url]));
  return replaceShortcodes(html, (shortcode) => {
    const url = pictures.get(shortcode);
    return url === undefined ? null : emojiImage(`:${shortcode}:`, new URL(url).pathname);
  });
}

function emojiImage(name: string, path: string): string {
  const label = escapeHtml(name);
  return `<img class="emoji" src="${escapeHtml(path)}" alt="${label}" title="${label}" loading="lazy">`;
}
