import { expect, test } from "bun:test";
import { decodeHtml } from "../../src/lib/http/charset.ts";

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

/** "ページ" in Shift_JIS. */
const PAGE = [0x83, 0x79, 0x81, 0x5b, 0x83, 0x57];

test("a page is decoded with the charset of its Content-Type header", () => {
  expect(decodeHtml(bytes([0xcd, 0xc9, 0xd2]), "text/html; charset=koi8-r")).toBe("мир");
  expect(decodeHtml(bytes(PAGE), 'text/html; charset="Shift_JIS"')).toBe("ページ");
});

test("a page without a charset in its header is decoded with that of its meta tag", () => {
  const pages = ['<meta charset="shift_jis">', "<META http-equiv=content-type content='text/html; charset=Shift_JIS'>"];
  for (const page of pages) expect(decodeHtml(bytes(page, PAGE), "text/html")).toBe(`${page}ページ`);
});

test("the meta tag decides if the charset of the header is unknown or doesn't fit", () => {
  expect(decodeHtml(bytes("<meta charset=shift_jis>", PAGE), "text/html; charset=utf-8")).toEndWith("ページ");
  expect(decodeHtml(bytes("<meta charset=shift_jis>", PAGE), "text/html; charset=nonsense")).toEndWith("ページ");
});

test("a page without a charset is decoded as UTF-8, or as Windows-1252 if it isn't valid UTF-8", () => {
  expect(decodeHtml(bytes("grüße"), "text/html")).toBe("grüße");
  expect(decodeHtml(bytes("gr", [0xfc], "n ", [0x96]), "")).toBe("grün –");
});

test("a byte order mark overrides the header", () => {
  expect(decodeHtml(bytes([0xff, 0xfe], [0x61, 0, 0x62, 0]), "text/html; charset=utf-8")).toBe("ab");
  expect(decodeHtml(bytes([0xfe, 0xff], [0, 0x61]), "")).toBe("a");
  expect(decodeHtml(bytes([0xef, 0xbb, 0xbf], "ä"), "text/html; charset=koi8-r")).toBe("ä");
});

test("a page truncated within a character keeps its charset", () => {
  expect(decodeHtml(bytes("grü").subarray(0, 3), "text/html")).toBe("gr");
});

test("an ASCII meta tag that says UTF-16 means UTF-8", () => {
  expect(decodeHtml(bytes("<meta charset=utf-16>ä"), "")).toBe("<meta charset=utf-16>ä");
});
