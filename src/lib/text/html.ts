const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes text for use between tags or in a quoted attribute, with the same five references as Mastodon. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

const PARAGRAPHS = new Set(["p", "pre", "blockquote", "ul", "ol"]);

/**
 * The plain text of stored HTML, for previews, push messages and search. It has a blank line between paragraphs and a
 * line break for `<br>` and between list items. Other tags are dropped, their content is kept, and entities are
 * decoded.
 */
export function htmlToText(html: string): string {
  // Stored HTML was generated or sanitised here, so no tag contains a bare "<" or ">".
  const text = html.replace(/<[^<>]*>/g, lineBreaks);
  return decodeEntities(text.replace(/\n{3,}/g, "\n\n").trim());
}

function lineBreaks(tag: string): string {
  const [, slash, name = ""] = /^<(\/?)([a-z]+)/i.exec(tag) ?? [];
  const element = name.toLowerCase();
  if (element === "br") return "\n";
  if (slash !== "/") return "";
  if (element === "li") return "\n";
  return PARAGRAPHS.has(element) ? "\n\n" : "";
}

/** Outside of these elements, addresses, mentions and hashtags become links. */
const VERBATIM = /^<(\/?)(?:a|code|pre)\b/;

/** Replaces the texts in sanitised HTML that are neither in a link nor in code. They are given without entities. */
export function replaceTexts(html: string, replacement: (text: string) => string): string {
  let depth = 0;
  return html.replace(/<[^<>]*>|[^<]+/g, (part) => {
    if (!part.startsWith("<")) return depth === 0 ? replacement(decodeEntities(part)) : part;
    const [, slash] = VERBATIM.exec(part) ?? [];
    if (slash !== undefined) depth += slash === "" ? 1 : -1;
    return part;
  });
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

// One pass, so that "&amp;lt;" becomes "&lt;" and is not decoded again. No valid reference is longer than these bounds.
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (reference, hex, decimal, name) => {
      if (name !== undefined) return NAMED[name.toLowerCase()]!;
      const code = hex === undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : reference;
    },
  );
}
