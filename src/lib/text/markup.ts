import { Parser } from "htmlparser2";
import { escapeHtml } from "./html.ts";

/** Elements without text for readers. */
const UNREAD = new Set(["script", "style", "template", "noscript", "iframe", "object", "textarea", "title"]);

/**
 * Sanitises HTML from another service: keeps only tags that occur in `model` with exactly the same attributes. So the
 * text may change, but no new link or markup can appear. Closes tags that are left open.
 */
export function withTagsOf(model: string, html: string): string {
  const allowed = new Set<string>();
  parse(model, { open: (tag) => void allowed.add(tag), text: () => {}, close: () => {} });
  let result = "";
  const open: (string | null)[] = [];
  parse(html, {
    open: (tag, name, isVoid) => {
      const isAllowed = allowed.has(tag);
      if (isAllowed) result += tag;
      if (!isVoid) open.push(isAllowed ? name : null);
    },
    text: (text) => void (result += escapeHtml(text)),
    close: () => {
      const name = open.pop();
      if (name) result += `</${name}>`;
    },
  });
  return result;
}

interface Reader {
  /** `tag` is the normalised source of the tag. */
  open(tag: string, name: string, isVoid: boolean): void;
  text(text: string): void;
  close(): void;
}

function parse(html: string, reader: Reader): void {
  let unread = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (UNREAD.has(name)) unread++;
      else if (unread === 0) reader.open(written(name, attributes), name, name === "br");
    },
    ontext: (text) => {
      if (unread === 0) reader.text(text);
    },
    onclosetag: (name) => {
      if (UNREAD.has(name)) unread--;
      else if (unread === 0 && name !== "br") reader.close();
    },
  });
  parser.end(html);
}

function written(name: string, attributes: Record<string, string>): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
  return name === "br" ? "<br />" : `<${name}${pairs.join("")}>`;
}
