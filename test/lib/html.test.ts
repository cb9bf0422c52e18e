import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { escapeHtml, htmlToText } from "../../src/lib/text/html.ts";

describe("escapeHtml", () => {
  test("leaves nothing that could open a tag, an entity or an attribute", () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
      "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;",
    );
  });

  test("leaves all other characters as they are", () => {
    expect(escapeHtml("Grüße – 日本語 👨‍👩‍👧 / ` =")).toBe("Grüße – 日本語 👨‍👩‍👧 / ` =");
  });
});

describe("htmlToText", () => {
  const cases: [claim: string, html: string, text: string][] = [
    ["paragraphs stand apart by a blank line", "<p>one</p><p>two</p>", "one\n\ntwo"],
    ["a <br> is a line break, however it is written", "<p>a<br>b<br/>c<br />d<BR>e</p>", "a\nb\nc\nd\ne"],
    ["the items of a list stand on lines", "<p>x</p><ul><li>one</li><li>two</li></ul><p>y</p>", "x\n\none\ntwo\n\ny"],
    ["a quotation stands apart", "<blockquote><p>said</p></blockquote><p>I</p>", "said\n\nI"],
    ["other tags vanish, their text stays", '<p><a href="https://x.org/"><span>x</span>.org</a>!</p>', "x.org!"],
    [
      "a link keeps the parts that clients hide",
      '<span class="invisible">https://</span><span>x.org</span>',
      "https://x.org",
    ],
    ["named entities are decoded", "&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos; e&nbsp;f", `<b> & "c" 'd' e\u00a0f`],
    ["numeric entities are decoded", "&#39;&#x27;&#X1F600;&#128512;", "''😀😀"],
    ["an entity is decoded once", "&amp;lt;p&amp;gt; &amp;amp;", "&lt;p&gt; &amp;"],
    [
      "an entity that names no character stays",
      "&#0; &#xd800; &#x110000; &nosuch; &#; &",
      "&#0; &#xd800; &#x110000; &nosuch; &#; &",
    ],
    ["decoded tags are text", "<p>&lt;script&gt;</p>", "<script>"],
    ["an unclosed tag does no harm", "<p>a</p><b", "a\n\n<b"],
    ["nothing is nothing", "", ""],
  ];

  test.each(cases)("%s", (_claim, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  test("gives back every text that was escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(htmlToText(escapeHtml(text)).replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      }),
    );
  });

  test("gives back whatever stood in paragraphs and lines", () => {
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
