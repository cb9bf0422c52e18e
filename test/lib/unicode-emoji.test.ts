import { expect, test } from "bun:test";
import { unicodeEmoji } from "../../src/lib/text/unicode-emoji.ts";

test.each(["👍", "❤️", "#️⃣", "1️⃣", "©️", "🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🕵🏽‍♂️", "👩‍❤️‍👨", "👁️‍🗨️", "🏳️‍🌈", "🏃🏽‍♀️‍➡️", "☝🏽"])(
  "%s is an emoji as it is",
  (text) => {
    expect(unicodeEmoji(text)).toBe(text);
  },
);

test.each([
  ["❤", "❤️"],
  ["#⃣", "#️⃣"],
  ["©", "©️"],
  ["🕵🏽‍♂", "🕵🏽‍♂️"],
  ["👁‍🗨", "👁️‍🗨️"],
  ["🏳‍🌈", "🏳️‍🌈"],
  ["👍️", "👍"],
])("%j is the same emoji as %j", (written, full) => {
  expect(unicodeEmoji(written)).toBe(full);
});

test.each([
  "",
  "a",
  "1",
  "#",
  "👍👍",
  "👍 ",
  " 👍",
  ":blob:",
  "blob",
  "🇩",
  "❤︎",
  "\uFE0F",
  "\u200D",
  "👍\n",
  "x".repeat(10_000),
])("%j is not an emoji", (text) => {
  expect(unicodeEmoji(text)).toBeNull();
});

test("every character that can be an emoji by itself is one, with or without a variation selector", () => {
  const singles = Array.from({ length: 0x1fb00 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => /\p{Emoji}/u.test(character) && !/[\d#*]|\p{Regional_Indicator}/u.test(character));
  expect(singles.length).toBeGreaterThan(1300);
  expect(singles.filter((character) => unicodeEmoji(character) === null)).toEqual([]);
  expect(singles.filter((character) => unicodeEmoji(character) !== unicodeEmoji(`${character}\uFE0F`))).toEqual([]);
});
