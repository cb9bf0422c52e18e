import { describe, expect, test } from "bun:test";
import { type ContentType, parseText } from "../../src/lib/text/formats.ts";
import { findHashtags, findMentions } from "../../src/lib/text/text.ts";

const REL = 'target="_blank" rel="nofollow noopener"';

/** Rendered HTML with `[@name]`, `[#tag]` and `[link]` for what became a link by itself. */
function rendered(text: string, type: ContentType): string {
  const html = parseText(text, type).render({
    mentionUrl: ({ username }) => ({ url: "https://a.example/", username }),
    tagUrl: () => "https://a.example/",
  });
  return html
    .replaceAll(/<span class="h-card".*?@<span>(.*?)<\/span><\/a><\/span>/g, "[@$1]")
    .replaceAll(/<a [^>]*rel="tag">#<span>(.*?)<\/span><\/a>/g, "[#$1]")
    .replaceAll(/<a href="([^"]*)"[^>]*><span class="invisible">.*?<\/a>/g, "[$1]");
}

const markdown = (text: string) => rendered(text, "text/markdown");
const html = (text: string) => rendered(text, "text/html");

describe("Markdown", () => {
  test.each([
    [
      "**bold** _it_ ~~gone~~ `x < y`",
      "<p><strong>bold</strong> <em>it</em> <del>gone</del> <code>x &lt; y</code></p>",
    ],
    ["# Title\n\none\ntwo", "<p><strong>Title</strong></p><p>one<br />two</p>"],
    ["- a\n  - b\n\n3. c", '<ul><li>a<ul><li>b</li></ul></li></ul><ol start="3"><li>c</li></ol>'],
    ["> said\n\n```js\na\n\n  b\n```", "<blockquote><p>said</p></blockquote><pre><code>a\n\n  b</code></pre>"],
    ["[site](https://b.example/?a&b)", `<p><a href="https://b.example/?a&amp;b" ${REL}>site</a></p>`],
    ["![alt](https://b.example/i.png)", `<p>!<a href="https://b.example/i.png" ${REL}>alt</a></p>`],
    // Markup that other servers wouldn't show stays as it was written.
    ["<b>x</b> List<String>", "<p>&lt;b&gt;x&lt;/b&gt; List&lt;String&gt;</p>"],
    ["a\n\n---\n\nb", "<p>a</p><p>---</p><p>b</p>"],
    ["| a |\n|---|\n| b |", "<p>| a |<br />|---|<br />| b |</p>"],
    ["[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"],
  ])("%j", (text, expected) => {
    expect(markdown(text)).toBe(expected);
  });

  test.each([
    ["@bob and **@bob@b.example**, #tag", "<p>[@bob] and <strong>[@bob]</strong>, [#tag]</p>"],
    ["#tag\n# Not a tag", "<p>[#tag]</p><p><strong>Not a tag</strong></p>"],
    // Names and addresses keep their underscores and asterisks, unless these close an emphasis.
    ["@_bob_ #_a_b_ :_x_:", "<p>[@_bob_] [#_a_b_] :_x_:</p>"],
    ["_hi @bob_ _see https://b.example/a_b_", "<p><em>hi [@bob]</em> <em>see [https://b.example/a_b]</em></p>"],
    ["https://b.example/_a_/*b*~~c~~", "<p>[https://b.example/_a_/*b*~~c]~~</p>"],
    [
      "<https://b.example/a_b> **https://b.example/**",
      "<p>[https://b.example/a_b] <strong>[https://b.example/]</strong></p>",
    ],
    // Neither in code nor in other links.
    ["`@bob #tag https://b.example`", "<p><code>@bob #tag https://b.example</code></p>"],
    ["[@bob #tag](https://b.example/)", `<p><a href="https://b.example/" ${REL}>@bob #tag</a></p>`],
    ["a@b.example mailto:a@b.example", "<p>a@b.example mailto:a@b.example</p>"],
  ])("has the mentions, hashtags and addresses of a plain text: %j", (text, expected) => {
    expect(markdown(text)).toBe(expected);
  });

  test("takes time in proportion to its length, however hostile", () => {
    const parts = [
      "[",
      "![",
      "> ",
      "*a",
      "_@a_",
      "`",
      "<",
      "[a](",
      "- ",
      "https://",
      "&",
      "\\",
      "~~",
      "(".repeat(9),
      "#a_",
    ];
    for (const part of parts) {
      const text = part.repeat(Math.ceil(20_000 / part.length));
      const started = performance.now();
      parseText(text, "text/markdown");
      expect([part, performance.now() - started < 1000]).toEqual([part, true]);
    }
  });
});

describe("HTML", () => {
  test.each([
    ["one <b>two</b>", "<p>one <b>two</b></p>"],
    ["<p>one</p>two<h2>three</h2>", "<p>one</p><p>two</p><p><strong>three</strong></p>"],
    ["one\n  two<br>three<pre>a\n  b</pre>", "<p>one two<br />three</p><pre>a\n  b</pre>"],
    ["<ul>\n <li>a</li>\n</ul>", "<ul><li>a</li></ul>"],
    ["&lt;b&gt; &amp;amp;", "<p>&lt;b&gt; &amp;amp;</p>"],
    [
      '<a href="https://b.example/" onclick="x" style="y" rel="me">x</a>',
      `<p><a href="https://b.example/" ${REL}>x</a></p>`,
    ],
    ['<script>x</script><style>y</style><img src="x" onerror="y">', ""],
    ['<a href="javascript:x">y</a><svg onload="x"><p>', "<p>y</p>"],
    ["</div></p>a<iframe>b", "<p>a</p>"],
  ])("%j", (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  test("has the mentions, hashtags and addresses of a plain text", () => {
    expect(html("<b>@bob</b> #tag https://b.example/?a=1&amp;b=2")).toBe(
      "<p><b>[@bob]</b> [#tag] [https://b.example/?a=1&amp;b=2]</p>",
    );
    expect(html("<code>@bob</code> <a href='https://b.example/'>#tag <b>@bob</b></a> @bob")).toBe(
      `<p><code>@bob</code> <a href="https://b.example/" ${REL}>#tag <b>@bob</b></a> [@bob]</p>`,
    );
  });
});

test("Only what becomes a mention or a hashtag counts as one", () => {
  const { words } = parseText("@a **@b** `@c #c` #_d_ [@e #e](https://b.example/)", "text/markdown");
  expect(findMentions(words).map(({ username }) => username)).toEqual(["a", "b"]);
  expect(findHashtags(words)).toEqual(["_d_"]);
});
