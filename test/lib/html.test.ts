import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { escapeHtml, htmlToText } from "../../src/lib/text/html.ts";

describe("escapeHtml()", () => {
  test("leaves nothing that could open a tag, an entity or an attribute", () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
      "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;",
    );
  });

  test("keeps all other characters", () => {
    expect(escapeHtml("Grüße – 日本語 👨‍👩‍👧 / ` =")).toBe("Grüße – 日本語 👨‍👩‍👧 / ` =");
  });
});

describe("htmlToText()", () => {
  const cases: [claim: string, html: string, text: string][] = [
    ["separates paragraphs with a blank line", "<p>one</p><p>two</p>", "one\n\ntwo"],
    ["turns <br> into a line break in all its spellings", "<p>a<br>b<br/>c<br />d<BR>e</p>", "a\nb\nc\nd\ne"],
    ["puts each list item on its own line", "<p>x</p><ul><li>one</li><li>two</li></ul><p>y</p>", "x\n\none\ntwo\n\ny"],
    ["separates quotations with blank lines", "<blockquote><p>said</p></blockquote><p>I</p>", "said\n\nI"],
    ["drops other tags and keeps their text", '<p><a href="https://x.org/"><span>x</span>.org</a>!</p>', "x.org!"],
    [
      "keeps the parts of links that clients hide",
      '<span class="invisible">https://</span><span>x.org</span>',
      "https://x.org",
    ],
    ["decodes named entities", "&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos; e&nbsp;f", `<b> & "c" 'd' e\u00a0f`],
    ["decodes numeric entities", "&#39;&#x27;&#X1F600;&#128512;", "''😀😀"],
    ["decodes an entity only once", "&amp;lt;p&amp;gt; &amp;amp;", "&lt;p&gt; &amp;"],
    [
      "keeps entities that name no character",
      "&#0; &#xd800; &#x110000; &nosuch; &#; &",
      "&#0; &#xd800; &#x110000; &nosuch; &#; &",
    ],
    ["treats decoded tags as text", "<p>&lt;script&gt;</p>", "<script>"],
    ["tolerates unclosed tags", "<p>a</p><b", "a\n\n<b"],
    ["returns nothing for nothing", "", ""],
  ];

  test.each(cases)("%s", (_claim, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  test("restores every escaped text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(htmlToText(escapeHtml(text)).replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      }),
    );
  });

  test("restores the text of paragraphs and lines", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => `${text.replace(/\s/g, "")}.`);
    const paragraph = fc.array(line, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(paragraph, { minLength: 1, maxLength: 4 }), (paragraphs) => {
        const html = paragraphs.map((lines) => `<p>${lines.map(escapeHtml).join("<br />")}</p>`).join("");
        expect(htmlToText(html)).toBe(paragraphs.map((lines) => lines.join("\n")).join("\n\n"));
      }),
    );
  });
});
