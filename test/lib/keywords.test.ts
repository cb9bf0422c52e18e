import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { fold, matchesPattern, patternOf } from "../../src/lib/text/keywords.ts";

const found = (text: string, keyword: string, wholeWord = true) =>
  matchesPattern(fold(text), patternOf(keyword, wholeWord));

describe("A keyword", () => {
  test("matches in any case and any Unicode composition", () => {
    expect(found("An APPLE a day", "apple")).toBe(true);
    expect(found("ÉTÉ", "été")).toBe(true);
    expect(found("e\u0301te\u0301", "été")).toBe(true);
    expect(found("ΟΔΟΣ", "οδος")).toBe(true);
    expect(found("КАТАСТРОФА", "катастрофа")).toBe(true);
    expect(found("a pear", "apple")).toBe(false);
  });

  test("matches inside of words only if it need not be a whole word", () => {
    expect(found("pineapples", "apple", false)).toBe(true);
    for (const text of ["pineapple", "apples", "apple2", "apple_tree", "éapple", "appleé"]) {
      expect(found(text, "apple")).toBe(false);
    }
  });

  test("is a whole word between spaces, punctuation and the ends of the text", () => {
    for (const text of ["apple", "(apple)", "an apple.", "apple\npie", "#apple", "apple-pie", "🍎apple🍎"]) {
      expect(found(text, "apple")).toBe(true);
    }
  });

  test("matches further on if its first occurrence is inside a word", () => {
    expect(found("pineapple and apple", "apple")).toBe(true);
  });

  test("respects word boundaries in every script", () => {
    expect(found("это кот", "кот")).toBe(true);
    expect(found("это который", "кот")).toBe(false);
    expect(found("ฉันรักแมว", "รัก")).toBe(false);
    expect(found("雪が降る", "雪")).toBe(false);
    expect(found("雪が降る", "雪", false)).toBe(true);
    expect(found("หิมะ 雪 snow", "雪")).toBe(true);
    // Letters outside the Basic Multilingual Plane take two code units each.
    expect(found("𐐀𐐁", "𐐁")).toBe(false);
    expect(found("𐐁𐐀", "𐐁")).toBe(false);
  });

  test("needs no boundary at an end without a letter or digit", () => {
    expect(found("x#cats", "#cats")).toBe(true);
    expect(found("#catsup", "#cats")).toBe(false);
    expect(found("C++17", "C++")).toBe(true);
    expect(found("100%sure", "%")).toBe(true);
    expect(found("word…", "…")).toBe(true);
  });

  test("may have several words", () => {
    expect(found("we were out of office today", "out of office")).toBe(true);
    expect(found("without office", "out of")).toBe(false);
  });

  test("is not a pattern", () => {
    expect(found("a.c", "a.c")).toBe(true);
    expect(found("abc", "a.c")).toBe(false);
    expect(found("(", "(")).toBe(true);
  });

  test("always matches texts that contain it, and never texts without its letters", () => {
    const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => /\S/.test(text));
    fc.assert(
      fc.property(word, fc.boolean(), (keyword, wholeWord) => found(`before ${keyword} after`, keyword, wholeWord)),
    );
    fc.assert(
      fc.property(fc.string(), word, (text, keyword) => !found(text, keyword) || fold(text).includes(fold(keyword))),
    );
  });
});
