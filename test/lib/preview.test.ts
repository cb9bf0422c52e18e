import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { readHtmlHead } from "../../src/lib/http/html-head.ts";
import { oEmbedUrl, previewOf, withOEmbed, type Preview } from "../../src/lib/http/preview.ts";

const URL = "https://news.example/2026/article?from=feed";
const ENDPOINT = "https://embed.example/oembed";

async function preview(html: string, url = URL): Promise<Preview> {
  return previewOf(await readHtmlHead(html), url);
}

function data(...values: unknown[]): string {
  return values
    .map(
      (value) =>
        `<script type="application/ld+json">${typeof value === "string" ? value : JSON.stringify(value)}</script>`,
    )
    .join("");
}

const EMPTY = await preview("");

function embedded(fields: object, base: Preview = EMPTY): Preview {
  return withOEmbed(base, JSON.stringify({ version: "1.0", ...fields }), ENDPOINT);
}

describe("The preview of a page", () => {
  test("uses Open Graph metadata", async () => {
    const html = `
      <html lang="de-AT"><head><title>Of the tab</title>
      <meta property="og:title" content="The &quot;title&quot; &amp; more">
      <meta property="og:description" content="What it&#8217;s about">
      <meta property="og:image" content="/pictures/1.jpg">
      <meta property="og:image:alt" content="A linnet on a thistle">
      <meta property="og:site_name" content="The News">
      <meta property="og:site" content="news.example">
      <meta property="og:author" content="Ada Author">
      <meta property="og:locale" content="en_GB">
      <meta property="article:published_time" content="2026-11-20T10:00:00+01:00">
      <meta name="fediverse:creator" content="@ada@social.example"></head></html>`;
    expect(await preview(html)).toEqual({
      ...EMPTY,
      type: "link",
      title: 'The "title" & more',
      description: "What it’s about",
      imageUrl: "https://news.example/pictures/1.jpg",
      imageDescription: "A linnet on a thistle",
      providerName: "The News",
      providerUrl: "https://news.example/",
      authorName: "Ada Author",
      creator: "@ada@social.example",
      language: "en",
      publishedAt: Date.UTC(2026, 10, 20, 9),
    });
  });

  test("uses plain HTML if there is nothing else", async () => {
    const html = `<html lang="de-AT"><title> Ein\n  Titel </title><meta name="Description" content="Worum es geht">`;
    expect(await preview(html)).toMatchObject({ title: "Ein Titel", description: "Worum es geht", language: "de" });
  });

  test("uses Twitter's card if there is nothing else", async () => {
    const html = `<meta name="twitter:title" content="T"><meta name="twitter:description" content="D">
      <meta name="twitter:image" content="https://cdn.example/t.png"><meta name="twitter:image:alt" content="Alt">`;
    const wanted = { title: "T", description: "D", imageUrl: "https://cdn.example/t.png", imageDescription: "Alt" };
    expect(await preview(html)).toMatchObject(wanted);
  });

  test("prefers JSON-LD over everything else", async () => {
    const article = {
      "@context": "https://schema.org",
      "@type": "NewsArticle",
      headline: "Of the data",
      description: "Described &amp; dated",
      inLanguage: { "@type": "Language", alternateName: "fr" },
      author: [{ "@type": "Person", name: "Ada Author", url: "/people/ada" }, { name: "Someone else" }],
      publisher: { name: "The Publisher" },
      image: { url: "https://cdn.example/ld.png" },
      datePublished: "2026-11-20",
    };
    const html = `<meta property="og:title" content="Of Open Graph">${data("not json", { "@type": "WebSite" }, [article])}`;
    expect(await preview(html)).toMatchObject({
      title: "Of the data",
      description: "Described & dated",
      language: "fr",
      authorName: "Ada Author",
      authorUrl: "https://news.example/people/ada",
      providerName: "The Publisher",
      imageUrl: "https://cdn.example/ld.png",
      publishedAt: Date.UTC(2026, 10, 20),
    });
  });

  test("finds the article and its author in a graph, even in JSON inside of comments", async () => {
    const graph = [
      { "@type": "WebPage", "@id": "#page", headline: "The page" },
      {
        "@type": ["Thing", "BlogPosting"],
        headline: "The post",
        author: { "@id": "#ada" },
        image: ["https://a.example/i"],
      },
      { "@type": "Person", "@id": "#ada", name: "Ada" },
    ];
    const html = data(`//<![CDATA[\n${JSON.stringify({ "@graph": graph })}\n//]]>`);
    expect(await preview(html)).toMatchObject({
      title: "The post",
      authorName: "Ada",
      imageUrl: "https://a.example/i",
    });
  });

  test("plays the page's player in a sandboxed frame", async () => {
    const html = `<meta property="twitter:player" content="https://play.example/?a=1&amp;b=%22">
      <meta name="twitter:player:width" content="640"><meta name="twitter:player:height" content="360">
      <meta name="twitter:player:stream" content="https://play.example/1.mp4">`;
    expect(await preview(html)).toMatchObject({
      type: "video",
      width: 640,
      height: 360,
      embedUrl: "https://play.example/1.mp4",
      html:
        '<iframe src="https://play.example/?a=1&amp;b=%22" width="640" height="360" allowfullscreen="true" scrolling="no" ' +
        'frameborder="0" sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms">' +
        "</iframe>",
    });
  });

  test("plays nothing that isn't served over https", async () => {
    for (const player of ["http://play.example/", "javascript:alert(1)", "data:text/html,hello"]) {
      const html = `<title>T</title><meta name="twitter:player" content="${player}">`;
      expect(await preview(html)).toMatchObject({ type: "link", html: "" });
    }
  });

  test("uses the canonical URL only if it is on the same host", async () => {
    const link = (href: string) => preview(`<link rel="canonical" href="${href}">`).then((found) => found.url);
    expect(await link("/2026/article")).toBe("https://news.example/2026/article");
    expect(await link("https://bank.example/login")).toBe(URL);
    expect(await link("javascript:alert(1)")).toBe(URL);
    const { url } = await preview('<meta property="og:url" content="https://news.example/short">');
    expect(url).toBe("https://news.example/short");
  });

  test("links only to web pages", async () => {
    for (const image of ["javascript:alert(1)", "data:image/png;base64,aaaa", "null", "https://me:pw@cdn.example/"]) {
      expect((await preview(`<meta property="og:image" content="${image}">`)).imageUrl).toBeNull();
    }
    const article = { "@type": "Article", author: { name: "A", url: "javascript:alert(1)" } };
    expect(await preview(data(article))).toMatchObject({ authorName: "A", authorUrl: "" });
  });

  test("is plain text of bounded length, however long and odd the page is", async () => {
    const html = `<title>${"word ".repeat(1000)}</title>
      <meta name="description" content="${"\u{1f426}".repeat(5000)}">
      <meta property="og:site_name" content="a\u0000b\u202ec\nd">`;
    const found = await preview(html);
    expect([found.title.length <= 200, found.title.endsWith("word…")]).toEqual([true, true]);
    expect([found.description.length <= 500, found.description.isWellFormed()]).toEqual([true, true]);
    expect(found.providerName).toBe("a bc d");
  });

  test("parses valid dates, and no others", async () => {
    const at = async (time: string) =>
      (await preview(`<meta property="article:published_time" content="${time}">`)).publishedAt;
    expect(await at("2026-11-20T10:00:00")).toBe(Date.UTC(2026, 10, 20, 10));
    expect(await at("2026-11-20T10:00:00.5Z")).toBe(Date.UTC(2026, 10, 20, 10, 0, 0, 500));
    expect(await at("2026-13-20")).toBeNull();
    expect(await at("yesterday")).toBeNull();
  });

  test("exists for any page", async () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "<title>",
        "<meta property='og:image' content='",
        "<script type='application/ld+json'>",
        '{"@type":"Article","author":[',
        "</script>",
        "<link rel=canonical href=",
        "<svg>",
        "'>",
        "-->",
        "<!--",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const found = await preview(pieces.join(""));
        expect(found.title.length).toBeLessThanOrEqual(200);
        if (found.imageUrl !== null) expect(found.imageUrl).toMatch(/^https?:\/\//);
      }),
    );
  });

  test("ignores whatever a page nests absurdly deep", async () => {
    const html = `<title>T</title>${"<i>".repeat(50_000)}${"</b>".repeat(50_000)}<meta name="description" content="D">`;
    expect(await preview(html)).toMatchObject({ title: "T", description: "" });
  });
});

describe("oEmbed", () => {
  test("is discovered as a JSON link, over https if the page uses https", async () => {
    const page = await readHtmlHead(`
      <link rel="alternate" type="text/xml+oembed" href="/oembed.xml">
      <link rel="alternate" type="application/json+oembed" href="http://news.example/oembed?url=x&amp;format=json">`);
    expect(oEmbedUrl(page, URL)).toBe("https://news.example/oembed?url=x&format=json");
    expect(oEmbedUrl(page, "http://news.example/")).toBe("http://news.example/oembed?url=x&format=json");
    expect(oEmbedUrl(await readHtmlHead("<title>T</title>"), URL)).toBeNull();
  });

  test("overrides the page, which fills the gaps", () => {
    const page: Preview = { ...EMPTY, title: "Of the page", description: "D", authorName: "A", language: "en" };
    const fields = {
      type: "link",
      title: "Of &lt;oEmbed&gt;",
      author_url: "/ada",
      thumbnail_url: "https://cdn.example/t",
    };
    expect(embedded({ ...fields, provider_name: "P", provider_url: "https://p.example" }, page)).toEqual({
      ...page,
      title: "Of <oEmbed>",
      authorUrl: "https://embed.example/ada",
      providerName: "P",
      providerUrl: "https://p.example/",
      imageUrl: "https://cdn.example/t",
    });
  });

  test("shows a photo", () => {
    const fields = { type: "photo", title: "T", url: "https://cdn.example/p.jpg", width: "1024", height: 768 };
    expect(embedded(fields)).toMatchObject({
      type: "photo",
      embedUrl: "https://cdn.example/p.jpg",
      imageUrl: "https://cdn.example/p.jpg",
      width: 1024,
      height: 768,
    });
  });

  test("plays a video in its frame, and drops the rest of the HTML", () => {
    const html = `<script>alert(1)</script><div onclick="alert(1)"><iframe onload="alert(1)" srcdoc="<script>alert(1)</script>"
      src="https://play.example/1?a=1&amp;b=2"></iframe>`;
    const { type, html: kept } = embedded({ type: "video", html, width: 200, height: 100 });
    expect(type).toBe("video");
    expect(kept).toStartWith('<iframe src="https://play.example/1?a=1&amp;b=2" width="200" height="100" ');
    expect(kept).not.toContain("alert");
  });

  test("ignores scripts, other schemes and other versions", () => {
    const frame = '<iframe src="https://play.example/1"></iframe>';
    expect(embedded({ type: "rich", title: "T", html: frame })).toEqual(EMPTY);
    expect(embedded({ type: "video", html: "<script src='https://play.example/1.js'></script>" })).toEqual(EMPTY);
    expect(embedded({ type: "video", html: '<iframe src="http://play.example/1"></iframe>' })).toEqual(EMPTY);
    expect(embedded({ type: "photo", url: "javascript:alert(1)" })).toEqual(EMPTY);
    expect(embedded({ type: "video", version: "2.0", html: frame })).toEqual(EMPTY);
    for (const json of [
      "",
      "null",
      "[]",
      '"1.0"',
      '{"version":"1.0"}',
      '{"__proto__":{"type":"link"},"version":"1.0"}',
    ]) {
      expect(withOEmbed(EMPTY, json, ENDPOINT)).toEqual(EMPTY);
    }
  });
});
