import { describe, expect, test } from "bun:test";
import { isShortcode, protectShortcodes, shortcodesIn, wordsWithShortcodes } from "../../src/lib/text/shortcodes.ts";

describe("A shortcode", () => {
  test.each([
    [":blob:", ["blob"]],
    ["hello :blob:, (:Cat_2:)!", ["blob", "Cat_2"]],
    [":blob: :cat: :blob:", ["blob", "cat"]],
    ["a line\n:blob:\nand more", ["blob"]],
    ["„:blob:“ –:cat:— _:dog:_", ["blob", "cat", "dog"]],
    ["\u200b:blob:\u200b", ["blob"]],
    ["❤️:blob:", ["blob"]],
    [":blob:@alice #tag:cat", ["blob"]],
  ])("is found if it is on its own: %j", (text, found) => {
    expect(shortcodesIn([text])).toEqual(found);
  });

  test.each([
    "12:30:45",
    "at 12:30: or 13:45:",
    "a:blob:",
    ":blob:b",
    "日本:blob:",
    ":blob:語",
    "é:blob:",
    "٣:blob:",
    "::blob::",
    ":blob::cat:",
    ":b:",
    ":no spaces:",
    ":blöb:",
    ":no-dash:",
    ": blob :",
    "blob",
    "",
  ])("is not found within words, times, or between other colons: %j", (text) => {
    expect(shortcodesIn([text])).toEqual([]);
  });

  test("is found once in several texts, in order of appearance", () => {
    expect(shortcodesIn([":b2:", "", "x :a1: :b2:"])).toEqual(["b2", "a1"]);
  });

  test("is found quickly in a hostile text", () => {
    for (const text of [":a".repeat(50_000), `:${"a".repeat(100_000)}`, ":".repeat(100_000), ":aa:a".repeat(20_000)]) {
      const before = performance.now();
      expect(shortcodesIn([text])).toEqual([]);
      expect(performance.now() - before).toBeLessThan(100);
    }
  });

  test("has 2 to 128 letters, digits and underscores", () => {
    for (const name of ["ab", "A_1", "__", "1a", "x".repeat(128)]) expect(isShortcode(name)).toBe(true);
    for (const name of ["", "a", "a-b", "a b", "é2", ":ab:", "ab\n", "x".repeat(129)]) {
      expect(isShortcode(name)).toBe(false);
    }
  });
});

describe("A shortcode in HTML", () => {
  test("is found only in the text", () => {
    const html = '<p>&lt;:blob:&gt;<br />:cat:</p><p title=":no:">a<b>b</b>:dog:</p>';
    expect(shortcodesIn([wordsWithShortcodes(html)])).toEqual(["blob", "cat"]);
  });

  test("is protected from translation if it is known, and everything else stays", () => {
    const html = '<p>:blob: <a href="https://x.example/:blob:">:cat:</a> 12:30:45 &amp;:blob:</p>';
    expect(protectShortcodes(html, (name) => name === "blob")).toBe(
      '<p><span translate="no">:blob:</span> <a href="https://x.example/:blob:">:cat:</a> 12:30:45 ' +
        '&amp;<span translate="no">:blob:</span></p>',
    );
  });
});
