import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { isHashtagName, normaliseHashtag } from "../../src/lib/text/hashtags.ts";
import { findHashtags } from "../../src/lib/text/text.ts";

describe("findHashtags()", () => {
  const cases: [text: string, names: string[]][] = [
    ["#tag", ["tag"]],
    ["a #tag, another #Tag2.", ["tag", "Tag2"]],
    ["#one #ONE #oné #two", ["one", "two"]],
    ["#日本語 と #ぼっち・ざ・ろっく！", ["日本語", "ぼっち・ざ・ろっく"]],
    ["#مرحبا #نرم\u200Cافزار", ["مرحبا", "نرم\u200Cافزار"]],
    ["#привет, мир", ["привет"]],
    ["#हिन्दी में", ["हिन्दी"]],
    ["#ภาษาไทย็", ["ภาษาไทย็"]],
    ["#한국어", ["한국어"]],
    ["#cafe\u0301!", ["cafe\u0301"]],
    ["＃ｆｏｏ", ["ｆｏｏ"]],
    ["🎉#party🎉 ❤️#love", ["party", "love"]],
    ['(#a) [#b] "#c" ¿#d? -#e _#f ##g', ["a", "b", "c", "d", "e", "f", "g"]],
    ["#3d #l33t #w2016 #_x #x_ #a_b #1_2", ["3d", "l33t", "w2016", "_x", "x_", "a_b", "1_2"]],
    ["#one·two·", ["one·two"]],
    ["#a-b #c.d #e's #f+ #g/h", ["a", "c", "e", "f", "g"]],
    ["#タグhttps://x.org/#b", ["タグ"]],
    ["#taghttps://x.org", ["tag"]],
    ["#", []],
    ["# a", []],
    ["#123 #1 #٣", []],
    ["#·a", []],
    ["#️⃣ #️⃣a", []],
    ["#🎉", []],
    ["a#b 1#b /#b )#b =#b é#b は#b", []],
    ["https://x.org/#a https://x.org/b#c https://x.org#d https://x.org/?e=#f", []],
    ["https://en.wikipedia.org/wiki/Google_LLC_v._Oracle_America,_Inc.#Decision", []],
    [`#${"a".repeat(201)}`, []],
  ];

  test.each(cases)("finds in %s the tags %p", (text, names) => {
    expect(findHashtags(text)).toEqual(names);
  });

  test("finds at most 100 tags", () => {
    const text = Array.from({ length: 120 }, (_, index) => `#tag${index}`).join(" ");
    expect(findHashtags(text)).toEqual(Array.from({ length: 100 }, (_, index) => `tag${index}`));
  });
});

describe("normaliseHashtag()", () => {
  const keys: [name: string, key: string][] = [
    ["tag", "tag"],
    ["TagName", "tagname"],
    ["ＡＢＣ１", "abc1"],
    ["ｶﾀｶﾅ", "カタカナ"],
    ["Café", "cafe"],
    ["cafe\u0301", "cafe"],
    ["Ærøskøbing", "æroskobing"],
    ["Łódź", "lodz"],
    ["Straße", "straße"],
    ["İstanbul", "istanbul"],
    ["ПРИВЕТ", "привет"],
    ["ёлка", "ёлка"],
    ["Việt", "việt"],
    ["हिन्दी", "हिन्दी"],
    ["ไทย็", "ไทย็"],
    ["نرم\u200Cافزار", "نرم\u200Cافزار"],
    ["one·two_three", "one·two_three"],
    ["#hello world!", "helloworld"],
    ["Hello❤️World", "helloworld"],
    ["🎉", ""],
    ["", ""],
  ];

  test.each(keys)("turns #%s into %p", (name, key) => {
    expect(normaliseHashtag(name)).toBe(key);
  });

  test("changes nothing when applied twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (name) => {
        const key = normaliseHashtag(name);
        expect(normaliseHashtag(key)).toBe(key);
      }),
    );
  });
});

describe("isHashtagName()", () => {
  test("accepts only whole hashtags", () => {
    expect(["tag", "日本", "1_2", "a·b"].filter(isHashtagName)).toEqual(["tag", "日本", "1_2", "a·b"]);
    expect(["", "#tag", "12", "a b", "a·", "a-b", "a".repeat(201)].filter(isHashtagName)).toEqual([]);
  });
});
