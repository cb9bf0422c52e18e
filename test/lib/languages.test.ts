import { describe, expect, test } from "bun:test";
import { detectLanguage } from "../../src/lib/text/languages.ts";

describe("The language of a text", () => {
  test.each([
    ["en", "What a beautiful sunset over the hills tonight"],
    ["de", "Guten Morgen zusammen! Heute regnet es wieder"],
    ["fr", "Je viens de publier un nouvel article sur mon blog"],
    ["es", "Acabo de terminar un libro increíble"],
    ["uk", "Щойно дочитав книгу, дуже сподобалась"],
    ["ja", "おはようございます。今日はいい天気ですね"],
    ["zh", "今天天气真好，我们去公园吧"],
    ["ar", "صباح الخير للجميع، كيف حالكم اليوم؟"],
  ])("is detected if it is clear: %s", async (code, text) => {
    expect(await detectLanguage(text)).toBe(code);
  });

  test.each(["", "tea?", "hello, world", "😀😀😀😀😀😀😀😀", "xqzt wvk prrt jjkl zzxq", "1234 5678 90123 4567890"])(
    "is unknown if it is unclear: %p",
    async (text) => {
      expect(await detectLanguage(text)).toBeNull();
    },
  );

  test("depends on its words, not on addresses, mentions and hashtags", async () => {
    expect(await detectLanguage("https://example.org/what/a/beautiful/sunset #WhatABeautifulSunset @over")).toBeNull();
    expect(await detectLanguage("Heute regnet es wieder https://example.org/what/a/beautiful/sunset/tonight")).toBe(
      "de",
    );
  });
});
