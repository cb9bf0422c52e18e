import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { firstWords, indexWords } from "../../src/lib/text/search-words.ts";

test.each([
  ["one two three", 2, "one two"],
  ["one, (two) three", 2, "one, (two"],
  ["one", 2, "one"],
  ["東京タワー", 3, "東京タ"],
  ["no東京", 2, "no東"],
  ["***", 2, "***"],
  ["one", 0, ""],
])("of %p the first %d words are %p", (text, max, first) => {
  expect(firstWords(text, max).text).toBe(first);
});

test("the index contains exactly the words that firstWords() counted", () => {
  const piece = fc.constantFrom("a", "bc", " ", "-", "東", "ー", "ก", "é", "ﬁ", "1", "🐦", "。");
  fc.assert(
    fc.property(fc.array(piece), fc.nat(5), (pieces, max) => {
      const { text, words } = firstWords(pieces.join(""), max);
      const indexed = indexWords(text).match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
      expect(indexed.length).toBe(words);
      expect(words).toBeLessThanOrEqual(max);
    }),
  );
});
