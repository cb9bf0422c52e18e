import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { parse, type DefaultTreeAdapterTypes as Tree } from "parse5";
import { sanitize } from "../../src/lib/sanitize.ts";
import { escapeHtml, htmlToText } from "../../src/lib/text/html.ts";
import { replaceShortcodes } from "../../src/lib/text/shortcodes.ts";

const LINK = `target="_blank" rel="nofollow noopener"`;

describe("HTML from another server", () => {
  const kept: [claim: string, html: string][] = [
    ["paragraphs and line breaks", "<p>one<br />two</p><p>three</p>"],
    ["emphasis", "<p><em>a</em><strong>b</strong><b>c</b><i>d</i><u>e</u><del>f</del></p>"],
    ["lists", `<ul><li>a</li><li>b<ol start="3" reversed=""><li value="-7">c</li></ol></li></ul>`],
    ["quotations and code", "<blockquote><p>a</p><pre><code>  b\n\n c</code></pre></blockquote>"],
    ["ruby annotations", "<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>"],
    ["microformats and Mastodon's classes", `<span class="h-card p-name u-url dt-start e-content ellipsis"></span>`],
    ["the fallback of a quote", `<p class="quote-inline">RE: <a href="https://a.example/1" ${LINK}>a</a></p>`],
    ["text not to be translated", `<span translate="no">:a:</span>`],
    [
      "a link in a list in a quotation",
      `<blockquote><ul><li><a href="https://a.example/" ${LINK}>a</a></li></ul></blockquote>`,
    ],
    ["paragraphs inside a link", `<a href="https://a.example/" ${LINK}><p>a</p><p>b</p></a>`],
    ["space between inline elements", "<b>a</b> <i>b </i><u> c</u> \u00a0d"],
    ["space in code", "<pre> a <b> b </b>\n <code> c\n </code> \n</pre>"],
    ["space in blocks in code", "<pre>a\n <blockquote> b \n</blockquote> </pre>"],
    ["indentation by hard spaces", "<p>\u00a0a</p>"],
    ["empty items, links and spans", `<ul><li></li></ul><a href="https://a.example/" ${LINK}></a><span></span>`],
    ["plain text", `Tom &amp; "Jerry" it's &lt;3 — Zoë 日本 👩‍🚀`],
    ["text between block elements", "a<p>b</p>c"],
    ["direction marks, and isolates in a text", "\u200f\u2068a\u2069"],
  ];
  test.each(kept)("keeps %s", (_, html) => {
    expect(sanitize(html)).toBe(html);
  });

  const converted: [claim: string, html: string, result: string][] = [
    [
      "headings to bold paragraphs",
      "<h1>a</h1><H6 id=x>b</H6>c",
      "<p><strong>a</strong></p><p><strong>b</strong></p>c",
    ],
    ["other blocks to paragraphs", "<div>a</div><div>b<section>c</section>d</div>", "<p>a</p><p>b</p><p>c</p><p>d</p>"],
    ["blocks around paragraphs to nothing", "<div><div><p>a</p></div></div>", "<p>a</p>"],
    [
      "blocks in list items to paragraphs",
      "<ul><li><div>a</div></li><li>b</li></ul>",
      "<ul><li><p>a</p></li><li>b</li></ul>",
    ],
    ["rules to the end of a paragraph", "<p>a<hr>b", "<p>a</p><p>b</p>"],
    ["rows of tables to paragraphs", "<table><tr><th>a<th>b<tr><td>c</table>", "<p>a b</p><p>c</p>"],
    ["struck text to deleted text", "<s>a</s><strike>b</strike>", "<del>a</del><del>b</del>"],
    [
      "formulas to LaTeX",
      `<math><mi>x</mi><annotation encoding="application/x-tex">x&lt;y</annotation></math>`,
      "$x&lt;y$",
    ],
    [
      "displayed formulas to displayed LaTeX",
      `<math display="block"><annotation encoding="text/plain">p</annotation><annotation encoding="application/x-tex"> x_1 </annotation></math>!`,
      "$$x_1$$!",
    ],
    [
      "only the first LaTeX of a formula",
      `<math><annotation encoding="application/x-tex">x</annotation>y<annotation encoding="application/x-tex">z</annotation></math>`,
      "$x$",
    ],
    ["line breaks between blocks to themselves", "<div>a</div><br><div>b<br></div>", "<p>a</p><br /><p>b<br /></p>"],
    [
      "formulas without LaTeX to text",
      `<math><annotation encoding="text/plain">x &amp; y</annotation></math>`,
      "x &amp; y",
    ],
    ["named and numeric entities", "&eacute;&#233;&#xe9;&hellip;&amp;lt;&nosuch;&", "ééé…&amp;lt;&amp;nosuch;&amp;"],
    ["line breaks of other systems", "a\r\nb\rc&#13;d\fe", "a\nb\ncd\ne"],
    [
      "upper case",
      `<P><A HREF="HTTPS://A.example/" CLASS="mention">a</A></P>`,
      `<p><a href="HTTPS://A.example/" class="mention" ${LINK}>a</a></p>`,
    ],
    [
      "attributes without quotes",
      "<a href=https://a.example/?a=1&b=2>a</a>",
      `<a href="https://a.example/?a=1&amp;b=2" ${LINK}>a</a>`,
    ],
  ];
  test.each(converted)("converts %s", (_, html, result) => {
    expect(sanitize(html)).toBe(result);
  });

  const dropped: [claim: string, html: string, result: string][] = [
    [
      "other elements, not their text",
      "<font>a</font><sup>b</sup><x-y>c</x-y><button>d</button><form>e</form>",
      "abcd<p>e</p>",
    ],
    ["images and media", `a<img src=x alt=y><audio src=x></audio><embed src=x><input value=x>b`, "ab"],
    [
      "scripts and styles with their content",
      "a<script>x()</script><style>p{}</style><SCRIPT src=//x></SCRIPT>b",
      "ab",
    ],
    ["frames and objects with their content", "a<iframe src=x>y</iframe><object data=x><p>y</p></object>b", "ab"],
    ["what browsers don't show as text", "a<template><p>x</p></template><noscript>x</noscript><title>x</title>b", "ab"],
    ["form fields with their content", "a<textarea><p>x</textarea><select><option>x</select>b", "ab"],
    ["drawings with their content", "a<svg><text>x</text><svg></svg>x</svg><svg/>b<svg/onload=x()>c", "ab"],
    ["formulas without a source", "a<math><mi>x</mi></math>b", "ab"],
    ["comments, declarations and CDATA", "<!doctype html>a<!-- <p>x -->b<![CDATA[x]]>c<?php x ?>d<!x>e", "abcde"],
    [
      "documents around a text",
      "<html><head><title>x</title><base href=//x></head><body onload=x()><p>a</body></html>",
      "<p>a</p>",
    ],
    [
      "handlers, styles, ids and data",
      `<p onclick="x()" style="color:red" id=a data-b=c dir=rtl lang=en>a</p>`,
      "<p>a</p>",
    ],
    [
      "other classes",
      `<span class="btn mention\nh-card admin u- q-x">a</span><a class="x" href="https://a.example">b</a>`,
      `<span class="mention h-card">a</span><a href="https://a.example" ${LINK}>b</a>`,
    ],
    [
      "relations but that of hashtags",
      `<a rel="me TAG opener" href="https://a.example">a</a>`,
      `<a href="https://a.example" target="_blank" rel="tag nofollow noopener">a</a>`,
    ],
    [
      "the second of two attributes",
      `<a href="https://a.example" href="https://b.example">a</a>`,
      `<a href="https://a.example" ${LINK}>a</a>`,
    ],
    [
      "other values of translate",
      `<span translate="yes">a</span><span translate=NO>b</span>`,
      `<span>a</span><span translate="no">b</span>`,
    ],
    [
      "numbers that are none",
      `<ol start="1e9" reversed=x><li value="9999999999">a</li></ol>`,
      `<ol reversed=""><li>a</li></ol>`,
    ],
    ["empty elements", "<p></p><blockquote><p><b><i></i></b></p></blockquote>a<h1></h1>", "a"],
    ["half surrogate pairs", "a\ud800b", "a\ufffdb"],
    ["control characters", "a\0b\u0008&#1;c\u009f&#0;d&#157;e\x7f&#27;", "abc\ufffdde"],
    [
      "control characters in tags",
      `<b\0>a</b><a hr\u0008ef="https://a.exa\0mple/">b</a>`,
      `<b>a</b><a href="https://a.example/" ${LINK}>b</a>`,
    ],
    ["ends of tags that don't exist", "</p>a</li></a></b></ul></rt>", "a"],
    ["annotations outside ruby", "<rt>a</rt><rp>b</rp>", "ab"],
    [
      "space around paragraphs and items",
      " <p> a </p> \n<ul> <li> b <ul><li>c</li> </ul> </li>\n</ul> d ",
      "<p>a</p><ul><li>b<ul><li>c</li></ul></li></ul>d",
    ],
    [
      "space around headings and blocks",
      "<h1>\n a\n</h1> b <div> c </div> d <hr> ",
      "<p><strong>a</strong></p>b<p>c</p><p>d</p>",
    ],
    ["space around empty elements", "a <b></b> <p>b", "a<p>b</p>"],
    ["space around code", "<p> \u00a0a</p> <pre>b</pre>\n c", "<p>\u00a0a</p><pre>b</pre>c"],
    ["space after line breaks", "a<br>\n b <br/> <p> <br> c", "a<br />b <br /><p><br />c</p>"],
    ["paragraphs of nothing but space", "a<p>&nbsp;</p><p> <b> </b></p>", "a<p><b> </b></p>"],
  ];
  test.each(dropped)("loses %s", (_, html, result) => {
    expect(sanitize(html)).toBe(result);
  });

  const nested: [claim: string, html: string, result: string][] = [
    ["open elements are closed", "<p>a<b>b<i>c", "<p>a<b>b<i>c</i></b></p>"],
    ["a paragraph ends the previous one", "<p>a<p>b", "<p>a</p><p>b</p>"],
    ["a list ends a paragraph", "<p>a<ul><li>b</ul></p>c", "<p>a</p><ul><li>b</li></ul>c"],
    [
      "a heading ends a paragraph, and a paragraph a heading",
      "<p>a<h1>b<p>c",
      "<p>a</p><p><strong>b</strong></p><p>c</p>",
    ],
    ["a list item ends the previous one", "<ul><li>a<p>b<li>c</ul>", "<ul><li>a<p>b</p></li><li>c</li></ul>"],
    ["an item of an inner list doesn't", "<ul><li>a<ul><li>b</li></li></ul>", "<ul><li>a<ul><li>b</li></ul></li></ul>"],
    [
      "nor does the end of an item outside it",
      "<ul><li>a<ul></li><li>b</ul></ul>",
      "<ul><li>a<ul><li>b</li></ul></li></ul>",
    ],
    ["elements that overlap are separated", "<b>a<i>b</b>c</i>", "<b>a<i>b</i></b>c"],
    [
      "a link ends the previous one",
      `<a href="https://a.example">a<b><a href="https://b.example">b`,
      `<a href="https://a.example" ${LINK}>a</a><a href="https://b.example" ${LINK}>b</a>`,
    ],
    [
      "so does a link to nowhere",
      `<a href="https://a.example">a<a href="x">b</a>c</a>`,
      `<a href="https://a.example" ${LINK}>a</a>bc`,
    ],
    ["the end of bold text doesn't end a list", "<b><ul><li>a</b><li>b</ul>", "<b><ul><li>a</li><li>b</li></ul></b>"],
    [
      "annotations follow each other",
      "<ruby>a<rt>b<rp>c<ruby>d<rt>e",
      "<ruby>a<rt>b</rt><rp>c<ruby>d<rt>e</rt></ruby></rp></ruby>",
    ],
    ["unfinished tags are dropped", `<p>a<a href="https://a.example`, "<p>a</p>"],
    ["a lone bracket is text", "a < b <3 <", "a &lt; b &lt;3 &lt;"],
    [
      "a line break that parsers drop is dropped",
      "<pre>\n\na</pre><pre><b></b>&#10;a</pre>",
      "<pre>a</pre><pre>a</pre>",
    ],
  ];
  test.each(nested)("is well-formed: %s", (_, html, result) => {
    expect(sanitize(html)).toBe(result);
  });
});

describe("A link from another server", () => {
  const ALLOWED = [
    "http://a.example",
    "https://a.example/%20?x=y#z",
    "https://bücher.example/日本",
    "dat://a",
    "dweb:/ipfs/a",
    "ipfs://a",
    "ipns://a",
    "ssb:a",
    "gopher://a.example",
    "xmpp:a@b.example",
    "magnet:?xt=urn:btih:a",
    "gemini://a.example",
  ];
  test.each(ALLOWED)("may lead to %s", (address) => {
    expect(sanitize(`<a href="${address}">a</a>`)).toBe(`<a href="${address}" ${LINK}>a</a>`);
  });

  const FORBIDDEN = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " \u0001javascript:alert(1)",
    "java\nscript:alert(1)",
    "java&Tab;script:alert(1)",
    "&#106;avascript&colon;alert(1)",
    "&#0000106avascript:alert(1)",
    "java\0script:alert(1)",
    "javascript&#x3A;https://a.example",
    "data:text/html,<script>x()</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://a.example/x",
    "mailto:a@b.example",
    "tel:1",
    "//a.example",
    "/settings",
    "?x",
    "#x",
    "",
    "https",
    "https://",
    "https://a.example:port/",
    "https://a.example/&#1;",
    "https://a.exa&#157;mple/",
    "x:https://a.example",
  ];
  test.each(FORBIDDEN)("becomes text if it leads to %j", (address) => {
    expect(sanitize(`<a href="${address}" class="mention">a</a>`)).toBe("a");
    expect(sanitize(`<a href='${address}'>a</a>`)).toBe("a");
  });

  test("loses the spaces and line breaks that browsers ignore", () => {
    const html = `<a href=" ht\ntps://a.exa\tmple/x\r\n ">a</a>`;
    expect(sanitize(html)).toBe(`<a href="https://a.example/x" ${LINK}>a</a>`);
  });

  test("can't end its attribute", () => {
    const html = `<a href='https://a.example/"onclick="x()"><script>&#39;&quot;'>a</a>`;
    const address = "https://a.example/&quot;onclick=&quot;x()&quot;&gt;&lt;script&gt;&#39;&quot;";
    expect(sanitize(html)).toBe(`<a href="${address}" ${LINK}>a</a>`);
  });
});

describe("A text that is too long", () => {
  test.each([
    ["<p>one <b>two</b> three</p><p>four</p>", 7, "<p>one <b>two</b>…</p>"],
    ["<p>one <b>two</b> three</p><p>four</p>", 9, "<p>one <b>two</b> t…</p>"],
    ["<p>one</p>", 3, "<p>one</p>"],
    ["<p>one</p><p>two</p>", 3, "<p>one</p><p>…</p>"],
    ["<ul><li>one<li>two</ul><p>three", 5, "<ul><li>one</li><li>tw…</li></ul>"],
    ["🐦🐦🐦", 3, "🐦🐦🐦"],
    ["🐦🐦🐦", 2, "🐦🐦…"],
    ["a &amp;&amp; b", 3, "a &amp;…"],
  ])("is ended by an ellipsis: %s after %p characters", (html, maxTextLength, result) => {
    expect(sanitize(html, { maxTextLength })).toBe(result);
  });
});

describe("Markup that changes its meaning when it is parsed again", () => {
  const ATTACKS = [
    `<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
    `<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
    `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
    `<template><p title="</template><img src=x onerror=alert(1)>">`,
    `<title><a title="</title><img src=x onerror=alert(1)>">`,
    `<textarea><img title="</textarea><img src=x onerror=alert(1)>">`,
    `<select><style></select><img src=x onerror=alert(1)></style>`,
    `<xmp><p title="</xmp><img src=x onerror=alert(1)>">`,
    `<noembed><p title="</noembed><img src=x onerror=alert(1)>">`,
    `<iframe><p title="</iframe><img src=x onerror=alert(1)>">`,
    `<plaintext><img src=x onerror=alert(1)>`,
    `<!--><img src=x onerror=alert(1)>-->`,
    `<!--<img src="--><img src=x onerror=alert(1)//">`,
    `<![CDATA[<img src=x onerror=alert(1)>]]>`,
    `<svg><![CDATA[</svg><img src=x onerror=alert(1)>]]>`,
    `<svg><desc><noscript></desc></svg><img src=x onerror=alert(1)>`,
    `<svg><foreignObject><p><style><!--</style><a href="https://a.example/--><img src=x onerror=alert(1)>">a`,
    `<scr<script>ipt>alert(1)</scr</script>ipt>`,
    `<<script>script>alert(1)<</script>/script>`,
    `<img """><script>alert(1)</script>">`,
    `<p/onclick=alert(1)/>a`,
    `<p\u000conclick=alert(1)>a`,
    `<p title='>' onclick='alert(1)'>a</p>`,
    `<a href="https://a.example"onclick=alert(1) style=x>a</a>`,
    `<a href=\`https://a.example\` onclick=alert(1)>a</a>`,
    `<a href='https://a.example/\`"><img src=x onerror=alert(1)>'>a</a>`,
    `<p>&lt;img src=x onerror=alert(1)&gt;&amp;lt;script&amp;gt;</p>`,
    `<span class="mention&quot; onclick=&quot;alert(1)">a</span>`,
    `<li value='1" onclick="alert(1)'>a`,
    `<table><a href="https://a.example"><tr><a href="https://b.example"><td><p><table></table><p>`,
    `<b><p><a href="https://a.example"><ul></b><li></a></p><li><p></ul>`,
    `<a href="https://a.example"><p><b></a><a href="https://b.example"></b></p>`,
    `<\0script>alert(1)</\0script>`,
    `<K\u212A><\u017fcript>alert(1)</\u017fcript>`,
  ];
  test.each(ATTACKS)("is harmless: %s", (html) => {
    expectSafe(html);
  });
});

describe("HTML of any kind", () => {
  const NAMES =
    "p br a span del s pre code em strong b i u ul ol li blockquote ruby rt rp h1 h6 div table tr td hr img font form " +
    "script style svg math annotation template noscript title textarea select iframe";
  const name = fc.constantFrom(...NAMES.split(" "));
  const address = fc.oneof(
    fc.constantFrom(
      "https://a.example/",
      "javascript:alert(1)",
      "java&#10;script:x",
      "/x",
      "data:x",
      "magnet:?x",
      "http:",
    ),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string({ unit: "binary", maxLength: 12 }),
  );
  const value = fc.oneof(address, fc.constantFrom("mention", "h-card x", "no", "tag", "5", "alert(1)", "text/plain"));
  const key = fc.constantFrom(
    "href",
    "class",
    "rel",
    "translate",
    "start",
    "value",
    "reversed",
    "onclick",
    "style",
    "id",
  );
  const attribute = fc
    .tuple(key, value, fc.constantFrom('"', "'", "", "`"))
    .map(([key, value, quote]) => ` ${key}=${quote}${value}${quote}`);
  const tag = fc
    .tuple(name, fc.array(attribute, { maxLength: 3 }), fc.constantFrom(">", ">", ">", "/>", ""))
    .map(([name, attributes, end]) => `<${name}${attributes.join("")}${end}`);
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.constantFrom("\n", " ", "text", ":smile:", "&lt;p&gt;", "&amp", "&#x41;", "&nbsp;", "\0", "\r\n", "\u202e"),
  );
  const debris = fc.constantFrom(
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!",
    "<?",
    '"',
    "'",
    "=",
    "/>",
    "&",
  );
  const piece = fc.oneof(
    { weight: 4, arbitrary: tag },
    { weight: 3, arbitrary: name.map((each) => `</${each}>`) },
    { weight: 3, arbitrary: text },
    { weight: 1, arbitrary: debris },
  );
  const soup = fc.array(piece, { maxLength: 60, size: "max" }).map((pieces) => pieces.join(""));

  test("has only allowed elements, attributes and addresses left, nested as parsers read them", () => {
    fc.assert(
      fc.property(soup, (html) => expectSafe(html)),
      { numRuns: 1000 },
    );
  });

  test("is safe wherever it is truncated", () => {
    fc.assert(
      fc.property(soup, fc.nat({ max: 200 }), (html, maxLength) => {
        const result = sanitize(html, { maxLength });
        expect(result).toBe(written(contentOf(result)));
        expect(result.length).toBeLessThanOrEqual(MAX_GROWTH * maxLength);
      }),
    );
  });

  test("is safe wherever its text ends, which is as long as it may be", () => {
    fc.assert(
      fc.property(soup, fc.nat({ max: 60 }), (html, maxTextLength) => {
        const result = sanitize(html, { maxTextLength });
        expect(result).toBe(written(contentOf(result)));
        const characters = Array.from(textOf(contentOf(result)));
        expect(characters.length).toBeLessThanOrEqual(maxTextLength + 1);
        if (result !== sanitize(html)) expect(characters.at(-1)).toBe("…");
      }),
    );
  });

  test("is converted to the text that a parser finds in it", () => {
    fc.assert(
      fc.property(soup, (html) => {
        const result = sanitize(html);
        const visible = (text: string) => text.replace(/\s/g, "");
        expect(visible(htmlToText(result))).toBe(visible(textOf(contentOf(result))));
      }),
    );
  });

  test("gets emoji only in its text", () => {
    fc.assert(
      fc.property(soup, (html) => {
        const clean = sanitize(html);
        const withImages = contentOf(replaceShortcodes(clean, () => "<img>"));
        expect(written(withImages, "img")).toBe(replaceShortcodes(clean, () => ""));
      }),
    );
  });
});

describe("Hostile length and depth", () => {
  const LENGTH = 30_000;
  const fill = (text: string) => text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH);
  const HOSTILE: [name: string, html: string][] = [
    ["open elements", fill("<b>")],
    ["open elements and ends of others", fill("<b>").slice(LENGTH / 2) + fill("</i>").slice(LENGTH / 2)],
    ["open elements and their ends", fill("<b>").slice(LENGTH / 2) + fill("</b>").slice(LENGTH / 2)],
    ["open quotations", fill("<blockquote>x")],
    ["open lists", fill("<ul><li>")],
    ["open headings", fill("<h1>x")],
    ["open links", fill("<a href=ssb:>x")],
    ["paragraphs in bold text", fill("<b>").slice(LENGTH / 2) + fill("<p>x").slice(LENGTH / 2)],
    ["open blocks", fill("<div>x")],
    ["open formulas", fill("<math><annotation encoding=text/plain>x")],
    ["attributes", `<a ${fill("href=x ")}`],
    ["quotes in an address", `<a href='https://a.example/${fill('"')}'>x`],
    ["classes", `<p class="${fill("mention ")}">x`],
    ["ampersands", fill("&")],
    ["unfinished entities", fill("&notin")],
    ["brackets", fill("<")],
    ["ends without names", fill("</")],
    ["unfinished comments", fill("<!--")],
    ["unfinished CDATA", fill("<![CDATA[")],
    ["unfinished scripts", fill("<script></scrip")],
    ["unfinished titles", fill("<title>&</titl")],
    ["line breaks", `<pre>${fill("\n")}x`],
    ["control characters", fill("\0\r")],
  ];

  test.each(HOSTILE)("%s: the result is well-formed, shallow and at most six times as long", (_, html) => {
    const result = sanitize(html, { maxLength: 2 * LENGTH });
    const content = contentOf(result);
    expect(result).toBe(written(content));
    expect(depthOf(content)).toBeLessThanOrEqual(64);
    expect(result.length).toBeLessThanOrEqual(MAX_GROWTH * html.length);
  });

  test.each(HOSTILE)("%s: each character is read a bounded number of times", (_, html) => {
    expect(charactersRead(() => sanitize(html, { maxLength: 2 * LENGTH }))).toBeLessThan(8 * html.length);
  });

  test("elements nested 100,000 deep keep their text", () => {
    const deep = `${"<b>".repeat(100_000)}text${"</b>".repeat(100_000)} after`;
    const result = sanitize(deep, { maxLength: Infinity });
    expect(result).toBe(`${"<b>".repeat(64)}text${"</b>".repeat(64)} after`);
  });

  test("a deep element ends where its parser ends it", () => {
    const deep = `${"<i>".repeat(63)}<b>a<b>b</b>c</b>d`;
    expect(sanitize(deep)).toBe(`${"<i>".repeat(63)}<b>abc</b>d${"</i>".repeat(63)}`);
    expect(sanitize(`<p>${"<i>".repeat(70)}a<p>b</p>c`)).toBe(
      `<p>${"<i>".repeat(63)}a${"</i>".repeat(63)}</p><p>b</p>c`,
    );
  });

  test.each(["<h1>a</h1>", "<div>a</div>", "<div><i>a</i></div>", "<ul><li>a</li></ul>"])(
    "%s in a deep element is text",
    (html) => {
      for (const depth of [62, 63, 64]) {
        const result = sanitize("<i>".repeat(depth) + html);
        expect(depthOf(contentOf(result))).toBeLessThanOrEqual(64);
        expect(result).toContain("a");
      }
    },
  );

  test("1 MB of tags leaves what the first 100,000 characters contain", () => {
    expect(sanitize("<b>".repeat(333_333))).toBe("");
    expect(sanitize("<b>x".repeat(250_000))).toBe(sanitize("<b>x".repeat(25_000)));
  });

  test.each<[claim: string, html: string, maxLength: number, result: string]>([
    ["closes elements", "<p>abc<b>def</b></p>", 10, "<p>abc<b>d</b></p>"],
    ["drops half a tag", "ab<b>c</b>", 4, "ab"],
    ["drops the beginning of a tag", "ab</b>c", 4, "ab"],
    ["drops half an entity", "ab&hellip;c", 6, "ab"],
    ["drops half a character", "ab😀c", 3, "ab"],
    ["drops half a comment", "ab<!-- c -->d", 8, "ab"],
    ["keeps a text of just that length", "ab<c", 4, "ab"],
  ])("truncating %s", (_, html, maxLength, result) => {
    expect(sanitize(html, { maxLength })).toBe(result);
  });
});

/** Quotes in an address become six characters. */
const MAX_GROWTH = 6;

const ATTRIBUTES: Record<string, Record<string, RegExp>> = {
  ...Object.fromEntries(
    "br del pre code em strong b i u ul blockquote ruby rt rp".split(" ").map((element) => [element, {}]),
  ),
  p: { class: /^[\w -]+$/ },
  span: { class: /^[\w -]+$/, translate: /^no$/ },
  a: {
    href: /^(?:https?|dat|dweb|ipfs|ipns|ssb|gopher|xmpp|magnet|gemini):/i,
    class: /^[\w -]+$/,
    translate: /^no$/,
    target: /^_blank$/,
    rel: /^(?:tag )?nofollow noopener$/,
  },
  ol: { start: /^-?\d+$/, reversed: /^$/ },
  li: { value: /^-?\d+$/ },
};

/** Checks that an HTML parser finds only what is allowed in the sanitised HTML, and finds it as it is written. */
function expectSafe(html: string): void {
  const result = sanitize(html);
  const content = contentOf(result);
  expect(written(content)).toBe(result);
  for (const { tagName, attrs } of elementsIn(content)) {
    const allowed = ATTRIBUTES[tagName] ?? {};
    expect(Object.keys(ATTRIBUTES)).toContain(tagName);
    for (const { name, value } of attrs)
      expect([name, value]).toEqual([name, expect.stringMatching(allowed[name] ?? /$^/)]);
    const href = attrs.find(({ name }) => name === "href")?.value;
    if (href !== undefined && /^https?:/i.test(href)) expect(new URL(href).hostname).not.toBe("");
  }
  expect(result).not.toMatch(/[^\P{Cc}\t\n]/u);
  expect(sanitize(result)).toBe(result);
}

/** The nodes that a browser finds between the tags of an element that contains this HTML and is followed by another. */
function contentOf(html: string): Tree.ChildNode[] {
  const document = parse(`<!doctype html><body><main>${html}</main><hr></body>`);
  const [, page] = document.childNodes as [Tree.DocumentType, Tree.Element];
  const body = page.childNodes[1] as Tree.Element;
  const [main, ...rest] = body.childNodes as Tree.Element[];
  expect(rest.map(({ nodeName }) => nodeName)).toEqual(["hr"]);
  return main!.childNodes;
}

const isElement = (node: Tree.ChildNode): node is Tree.Element => "tagName" in node;

function elementsIn(nodes: Tree.ChildNode[]): Tree.Element[] {
  return nodes.filter(isElement).flatMap((node) => [node, ...elementsIn(node.childNodes)]);
}

/** The tree in the sanitiser's spelling, without elements named `left`. */
function written(nodes: Tree.ChildNode[], left = ""): string {
  return nodes
    .map((node) => {
      if (node.nodeName === "#text") return escapeText((node as Tree.TextNode).value);
      const { tagName, attrs, childNodes } = node as Tree.Element;
      if (tagName === left) return "";
      if (tagName === "br") return "<br />";
      const attributes = attrs.map(({ name, value }) => ` ${name}="${escapeHtml(value)}"`).join("");
      return `<${tagName}${attributes}>${written(childNodes, left)}</${tagName}>`;
    })
    .join("");
}

function escapeText(text: string): string {
  return text.replace(/[&<>]/g, escapeHtml);
}

function textOf(nodes: Tree.ChildNode[]): string {
  return nodes.map((node) => (isElement(node) ? textOf(node.childNodes) : (node as Tree.TextNode).value)).join("");
}

function depthOf(nodes: Tree.ChildNode[]): number {
  return Math.max(0, ...nodes.map((node) => (isElement(node) ? 1 + depthOf(node.childNodes) : 0)));
}

/** How often a function reads a character of a text: parsers do little else. */
function charactersRead(run: () => void): number {
  let count = 0;
  const { charCodeAt } = String.prototype;
  Reflect.set(String.prototype, "charCodeAt", function (this: string, index: number) {
    count++;
    return charCodeAt.call(this, index);
  });
  try {
    run();
  } finally {
    Reflect.set(String.prototype, "charCodeAt", charCodeAt);
  }
  return count;
}
