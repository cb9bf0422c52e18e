import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { cleanName, cleanText } from "../../src/lib/text/invisible.ts";

const FAMILY = "👨‍👩‍👧";

describe("A name from another server", () => {
  test.each<[claim: string, name: string, cleaned: string]>([
    ["keeps letters of every script and emoji", "Zoë ليلى 日本 👩🏽‍🚀 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "Zoë ليلى 日本 👩🏽‍🚀 🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["keeps direction marks", "\u200fمريم\u200e", "\u200fمريم\u200e"],
    ["loses overrides", "user\u202etxt.exe\u202c", "usertxt.exe"],
    ["loses embeddings", "\u202aa\u202b b", "a b"],
    ["loses isolates", "\u2066a\u2067b\u2068c\u2069", "abc"],
    ["loses control characters", "a\0b\u0007c\u001b[31md\u009be\x7f", "abc[31mde"],
    ["is one line", " a\r\nb\nc\rd\te\u2028f\u2029g\u0085h ", "a b c d e f g h"],
    ["has no half surrogate pair", "a\ud83d", "a\ufffd"],
    ["is empty if it shows nothing", " \u200b\u2060\u3164\u2800\ufe0f\u00ad", ""],
    ["is not parsed as HTML", "<b>&amp;", "<b>&amp;"],
  ])("%s", (_, name, cleaned) => {
    expect(cleanName(name, 100)).toBe(cleaned);
  });

  test.each<[claim: string, name: string, max: number, cleaned: string]>([
    ["is cut at the limit", "abcdef", 3, "abc"],
    ["is not cut inside an emoji", `a${FAMILY}b`, FAMILY.length, "a"],
    ["is not cut inside a surrogate pair", "😀😀", 3, "😀"],
    ["is not cut before an accent", "abe\u0301", 3, "ab"],
    ["is cut in a single endless grapheme", `e${"\u0301".repeat(1000)}`, 4, "e\u0301\u0301\u0301"],
    ["is empty if not even an emoji fits", "😀", 1, ""],
    ["has no space at the cut", "ab cd", 3, "ab"],
  ])("%s", (_, name, max, cleaned) => {
    expect(cleanName(name, max)).toBe(cleaned);
  });

  test("never exceeds the limit, contains nothing harmful, and doesn't change when cleaned again", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\u202e", "\u2066", "\u2069", "\n", "\0", FAMILY, "\u0301", "\ud83d", "\u200b", " "),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.nat({ max: 30 }), (pieces, max) => {
        const cleaned = cleanName(pieces.join(""), max);
        expect(cleaned.length).toBeLessThanOrEqual(max);
        expect(cleaned).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
        expect(cleaned.isWellFormed()).toBe(true);
        expect(cleanName(cleaned, max)).toBe(cleaned);
      }),
    );
  });
});

test("A description from another server keeps its lines, and is cleaned like a name otherwise", () => {
  expect(cleanText(" a\r\nb\u2028c\rd\u202ee\0\tf ", 100)).toBe("a\nb\nc\nde\tf");
  expect(cleanText("ab\ncd", 3)).toBe("ab");
  expect(cleanText("\n\u200b\n", 3)).toBe("");
});
