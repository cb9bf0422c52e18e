/** A page that names its own encoding does so in its first kilobytes, which are ASCII up to there. */
const PROLOGUE_BYTES = 4096;
const DECLARED = /<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;

/**
 * Decodes an HTML page, which may be truncated. A byte order mark decides. Otherwise the first encoding that fits the
 * bytes is used: that of the Content-Type header, that of the page itself, UTF-8, or Windows-1252, which always fits.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  const marked = markOf(bytes);
  if (marked) return new TextDecoder(marked).decode(bytes);
  const prologue = new TextDecoder("latin1").decode(bytes.subarray(0, PROLOGUE_BYTES));
  const sent = /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  const declared = DECLARED.exec(prologue)?.[1];
  for (const label of [sent, declared, "utf-8"]) {
    const text = label && decodeWhole(bytes, label);
    if (text) return text;
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

function markOf(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : null;
}

/** Null if the label is unknown or the bytes are invalid in that encoding. */
function decodeWhole(bytes: Uint8Array, label: string): string | null {
  // A page in which an ASCII search found the encoding can't be UTF-16, whatever it declares.
  const name = /^utf-?16/i.test(label) ? "utf-8" : label;
  try {
    // With `stream`, a character that is cut off at the end is no error.
    return new TextDecoder(name, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}
