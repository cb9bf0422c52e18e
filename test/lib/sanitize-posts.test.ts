import { describe, expect, test } from "bun:test";
import { sanitize } from "../../src/lib/sanitize.ts";
import { htmlToText } from "../../src/lib/text/html.ts";
import { markdownToHtml } from "../../src/lib/text/markdown.ts";

/* Posts in the markup that each server's software generates, written for this test. */

const LINK = `target="_blank" rel="nofollow noopener"`;

interface Post {
  software: string;
  html: string;
  sanitized: string;
  text: string;
}

const POSTS: Post[] = [
  {
    software: "Mastodon",
    html:
      `<p class="quote-inline">RE: <a href="https://masto.example/@eve/1" rel="nofollow noopener" target="_blank">masto.example/@eve/1</a></p>` +
      `<p><span class="h-card" translate="no"><a href="https://masto.example/@bob" class="u-url mention">@<span>bob</span></a></span> Look, <a href="https://masto.example/tags/Birds" class="mention hashtag" rel="tag">#<span>Birds</span></a> &amp; bees!<br />` +
      `<a href="https://www.birds.example/linnets?a=1&amp;b=2" target="_blank" rel="nofollow noopener noreferrer" translate="no"><span class="invisible">https://www.</span><span class="ellipsis">birds.example/linn</span><span class="invisible">ets?a=1&amp;b=2</span></a></p>`,
    sanitized:
      `<p class="quote-inline">RE: <a href="https://masto.example/@eve/1" ${LINK}>masto.example/@eve/1</a></p>` +
      `<p><span class="h-card" translate="no"><a href="https://masto.example/@bob" class="u-url mention" ${LINK}>@<span>bob</span></a></span> Look, <a href="https://masto.example/tags/Birds" class="mention hashtag" target="_blank" rel="tag nofollow noopener">#<span>Birds</span></a> &amp; bees!<br />` +
      `<a href="https://www.birds.example/linnets?a=1&amp;b=2" translate="no" ${LINK}><span class="invisible">https://www.</span><span class="ellipsis">birds.example/linn</span><span class="invisible">ets?a=1&amp;b=2</span></a></p>`,
    text: "RE: masto.example/@eve/1\n\n@bob Look, #Birds & bees!\nhttps://www.birds.example/linnets?a=1&b=2",
  },
  {
    software: "Misskey",
    html:
      `<p><a href="https://mk.example/@kei" class="u-url mention">@kei@mk.example</a><span> おはよう<br>ございます </span><b><span>太字</span></b> ` +
      `<ruby><span>漢字</span><rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby> <small><span>小</span></small> <del>no</del> <a href="https://mk.example/tags/朝" rel="tag">#朝</a></p>` +
      `<blockquote><span>引用</span></blockquote><pre><code>let a = 1 &lt; 2;\nrun();</code></pre><div style="text-align:center"><span>center</span></div>`,
    sanitized:
      `<p><a href="https://mk.example/@kei" class="u-url mention" ${LINK}>@kei@mk.example</a><span> おはよう<br />ございます </span><b><span>太字</span></b> ` +
      `<ruby><span>漢字</span><rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby> <span>小</span> <del>no</del> <a href="https://mk.example/tags/朝" target="_blank" rel="tag nofollow noopener">#朝</a></p>` +
      `<blockquote><span>引用</span></blockquote><pre><code>let a = 1 &lt; 2;\nrun();</code></pre><p><span>center</span></p>`,
    text: "@kei@mk.example おはよう\nございます 太字 漢字(かんじ) 小 no #朝\n\n引用\n\nlet a = 1 < 2;\nrun();\n\ncenter",
  },
  {
    software: "Akkoma",
    html:
      `<span class="h-card"><a class="u-url mention" data-user="9x" href="https://akko.example/users/ann" rel="ugc">@<span>ann</span></a></span> it&#39;s <strong>late</strong><br/>` +
      `<a class="hashtag" data-tag="night" href="https://akko.example/tag/night" rel="tag ugc">#night</a> <img class="emoji" alt=":cat:" src="https://akko.example/cat.png">:cat: <a href="https://a.example/x">https://a.example/x</a>`,
    sanitized:
      `<span class="h-card"><a href="https://akko.example/users/ann" class="u-url mention" ${LINK}>@<span>ann</span></a></span> it's <strong>late</strong><br />` +
      `<a href="https://akko.example/tag/night" class="hashtag" target="_blank" rel="tag nofollow noopener">#night</a> :cat: <a href="https://a.example/x" ${LINK}>https://a.example/x</a>`,
    text: "@ann it's late\n#night :cat: https://a.example/x",
  },
  {
    software: "WordPress",
    html:
      `\n<h2 class="wp-block-heading" id="spring">Spring <em>walks</em></h2>\n\n\n\n` +
      `<p class="has-drop-cap">The <a href="https://blog.example/linnet" target="_blank" rel="noreferrer noopener">linnet</a> sings&#8230;&nbsp;again.</p>\n\n\n\n` +
      `<figure class="wp-block-image size-large"><img src="https://blog.example/a.jpg" alt="A bird" /><figcaption class="wp-element-caption">A bird</figcaption></figure>\n\n` +
      `<ul class="wp-block-list">\n<li>one</li>\n\n<li>two <a href="/relative">here</a></li>\n</ul>\n` +
      `<div class="wp-block-group is-layout-flow"><div class="wp-block-group__inner-container">Loose text<p></p></div></div>` +
      `<style>.wp-block{color:red}</style><script>track()</script><form action="https://blog.example/subscribe"><label>Mail <input name="m"></label></form>`,
    sanitized:
      `<p><strong>Spring <em>walks</em></strong></p>` +
      `<p>The <a href="https://blog.example/linnet" ${LINK}>linnet</a> sings…\u00a0again.</p>` +
      `<p>A bird</p><ul><li>one</li><li>two here</li></ul><p>Loose text</p><p>Mail</p>`,
    text: "Spring walks\n\nThe linnet sings…\u00a0again.\n\nA bird\n\none\ntwo here\n\nLoose text\n\nMail",
  },
  {
    software: "Lemmy",
    html:
      `<h1>Rules</h1>\n<ol start="2">\n<li>Be <s>rude</s> kind</li>\n</ol>\n<details><summary>More</summary><p>spoiler</p>\n</details>\n` +
      `<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n</table>\n<p>x<sup>2</sup></p>\n<hr />\n`,
    sanitized: `<p><strong>Rules</strong></p><ol start="2"><li>Be <del>rude</del> kind</li></ol><p>More</p><p>spoiler</p><p>a\n b</p><p>x2</p>`,
    text: "Rules\n\nBe rude kind\n\nMore\n\nspoiler\n\na\n b\n\nx2",
  },
  {
    software: "Friendica",
    html:
      `<div>Hello @<a href="https://fri.example/profile/max" class="userinfo mention" title="Max">max</a><div class="shared-wrapper"><blockquote class="shared_content" dir="auto">shared</blockquote></div>` +
      `<a href="https://fri.example/photo"><img src="https://fri.example/p.jpg" alt=""></a><span style="font-size:x-large">big</span></div>`,
    sanitized:
      `<p>Hello @<a href="https://fri.example/profile/max" class="mention" ${LINK}>max</a></p><blockquote>shared</blockquote>` +
      `<p><a href="https://fri.example/photo" ${LINK}></a><span>big</span></p>`,
    text: "Hello @max\n\nshared\n\nbig",
  },
];

describe.each(POSTS)("A post of $software", ({ html, sanitized, text }) => {
  test("keeps what Mastodon keeps", () => {
    expect(sanitize(html)).toBe(sanitized);
  });

  test("has its text for search and notifications", () => {
    expect(htmlToText(sanitize(html))).toBe(text);
  });
});

test("Markdown, which PeerTube sends, stays readable when it is rendered and sanitised", () => {
  const markdown =
    "## Chapters\n\n0:00 Start\n\n- [Site](https://tube.example/)\n- `code`\n\n> said\n\n![x](https://a.example/x.png)\n\n```\na <b>\n```";
  expect(sanitize(markdownToHtml(markdown))).toBe(
    `<p><strong>Chapters</strong></p><p>0:00 Start</p><ul><li><a href="https://tube.example/" ${LINK}>Site</a></li><li><code>code</code></li></ul>` +
      `<blockquote><p>said</p></blockquote><p>!<a href="https://a.example/x.png" ${LINK}>x</a></p><pre><code>a &lt;b&gt;\n</code></pre>`,
  );
});
