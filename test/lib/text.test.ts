import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { htmlToText } from "../../src/lib/text/html.ts";
import {
  countCharacters,
  findHashtags,
  findMentions,
  renderFieldValue,
  renderText,
  type RenderOptions,
} from "../../src/lib/text/text.ts";

const noAccounts: RenderOptions = {
  mentionUrl: () => null,
  tagUrl: (name) => `https://home.example/tags/${encodeURIComponent(name)}`,
};
const everybody: RenderOptions = {
  ...noAccounts,
  mentionUrl: ({ username, domain }) => ({ url: `https://${domain ?? "home.example"}/@${username}`, username }),
};

function link(prefix: string, shown: string, hidden = "", rel = "nofollow noopener"): string {
  return (
    `<a href="${prefix}${shown}${hidden}" target="_blank" rel="${rel}" translate="no">` +
    `<span class="invisible">${prefix}</span><span class="${hidden === "" ? "" : "ellipsis"}">${shown}</span>` +
    `<span class="invisible">${hidden}</span></a>`
  );
}

function tag(name: string): string {
  return `<a href="https://home.example/tags/${encodeURIComponent(name)}" class="mention hashtag" rel="tag">#<span>${name}</span></a>`;
}

function mention(url: string, shown: string): string {
  return `<span class="h-card" translate="no"><a href="${url}" class="u-url mention">@<span>${shown}</span></a></span>`;
}

/** The URLs that a text links to, unescaped. */
function linksOf(text: string): string[] {
  const found = renderText(text, noAccounts).matchAll(/<a href="([^"]*)" target/g);
  return Array.from(found, ([, url]) => htmlToText(url!));
}

function handlesOf(text: string): string[] {
  return findMentions(text).map(({ username, domain }) => (domain === null ? username : `${username}@${domain}`));
}

describe("Paragraphs", () => {
  const cases: [claim: string, text: string, html: string][] = [
    ["a line is a paragraph", "text", "<p>text</p>"],
    ["a blank line separates paragraphs", "one\n\ntwo", "<p>one</p><p>two</p>"],
    ["several blank lines count as one", "one\n\n\n\n\ntwo", "<p>one</p><p>two</p>"],
    ["a line break becomes a <br />", "one\ntwo\nthree", "<p>one<br />two<br />three</p>"],
    ["line breaks of other systems work too", "a\r\nb\rc\r\n\r\nd", "<p>a<br />b<br />c</p><p>d</p>"],
    ["line breaks at the ends are dropped", "\n\none\n\n", "<p>one</p>"],
    ["spaces are kept", "  a  b", "<p>  a  b</p>"],
    ["empty text stays empty", "", ""],
    ["whitespace becomes empty text", " \n\t\u3000\n", ""],
  ];

  test.each(cases)("%s", (_claim, text, html) => {
    expect(renderText(text, noAccounts)).toBe(html);
  });
});

describe("Escaping", () => {
  test("a script tag is shown as text", () => {
    expect(renderText('<script>alert("Hi")</script>', noAccounts)).toBe(
      "<p>&lt;script&gt;alert(&quot;Hi&quot;)&lt;/script&gt;</p>",
    );
  });

  test("ampersands, quotes and entities are shown as written", () => {
    expect(renderText(`Tom & "Jerry" 'n' &lt;co&gt;`, noAccounts)).toBe(
      "<p>Tom &amp; &quot;Jerry&quot; &#39;n&#39; &amp;lt;co&amp;gt;</p>",
    );
  });

  test("a link cannot carry markup, in its visible or its hidden part", () => {
    expect(renderText("http://x.org/b<del>b</del>", noAccounts)).toBe(
      `<p>${link("http://", "x.org/b")}&lt;del&gt;b&lt;/del&gt;</p>`,
    );
    expect(renderText(`https://x.org/?a=1&b='2'c`, noAccounts)).toContain(
      'href="https://x.org/?a=1&amp;b=&#39;2&#39;c"',
    );
  });

  test("the caller's mention and tag texts are escaped", () => {
    const html = renderText("@a #b", {
      mentionUrl: () => ({ url: 'https://x/"><i>', username: "<a>" }),
      tagUrl: () => "https://x/?a&b",
    });
    expect(html).toContain('href="https://x/&quot;&gt;&lt;i&gt;"');
    expect(html).toContain("@<span>&lt;a&gt;</span>");
    expect(html).toContain('href="https://x/?a&amp;b"');
  });
});

describe("Links", () => {
  test("a short URL is shown whole, without its scheme", () => {
    expect(renderText("See https://example.org/about.", noAccounts)).toBe(
      `<p>See ${link("https://", "example.org/about")}.</p>`,
    );
  });

  test("a long URL shows 30 characters", () => {
    const html = link("https://", "example.org/some/path/that/is/", "long?x=1");
    expect(renderText("https://example.org/some/path/that/is/long?x=1", noAccounts)).toBe(`<p>${html}</p>`);
  });

  test("www. is hidden along with the scheme", () => {
    expect(renderText("http://www.example.org/", noAccounts)).toBe(`<p>${link("http://www.", "example.org/")}</p>`);
  });

  test("a URL is not shortened by just one character", () => {
    const [exact, oneMore, twoMore] = ["123456789012345678", "1234567890123456789", "12345678901234567890"];
    expect(renderText(`https://example.org/${exact}`, noAccounts)).toBe(
      `<p>${link("https://", `example.org/${exact}`)}</p>`,
    );
    expect(renderText(`https://example.org/${oneMore}`, noAccounts)).toBe(
      `<p>${link("https://", `example.org/${oneMore}`)}</p>`,
    );
    expect(renderText(`https://example.org/${twoMore}`, noAccounts)).toBe(
      `<p>${link("https://", `example.org/${exact}`, "90")}</p>`,
    );
  });

  test("a URL is never cut inside a character", () => {
    const html = link("https://", `x.org/${"😀".repeat(24)}`, "😀😀");
    expect(renderText(`https://x.org/${"😀".repeat(26)}`, noAccounts)).toBe(`<p>${html}</p>`);
  });

  test("the schemes that Mastodon links are linked", () => {
    const urls = ["http", "https", "dat", "dweb", "ipfs", "ipns", "ssb", "gopher", "gemini"].map(
      (s) => `${s}://x.org/a`,
    );
    urls.push("xmpp:user@x.org", "xmpp:room@muc.x.org?join", "magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c");
    for (const url of urls) expect(linksOf(`see ${url}, please`)).toEqual([url]);
  });

  test("other schemes, and names without a scheme, stay text", () => {
    const text = "example.org www.example.org ftp://x.org //x.org mailto:a@x.org javascript:alert(1) data:text/html,x";
    expect(renderText(text, noAccounts)).toBe(`<p>${text}</p>`);
  });

  const punctuation: [text: string, url: string][] = [
    ["https://x.org/a.", "https://x.org/a"],
    ["https://x.org/a, b", "https://x.org/a"],
    ["https://x.org/a?!", "https://x.org/a"],
    ["https://x.org/a...", "https://x.org/a"],
    ["https://x.org/a…", "https://x.org/a"],
    ["https://x.org/a: b", "https://x.org/a"],
    ["https://x.org/a;", "https://x.org/a"],
    ["*https://x.org/a*", "https://x.org/a"],
    ["'https://x.org/a'", "https://x.org/a"],
    ['"https://x.org/a"', "https://x.org/a"],
    ["“https://x.org/a”, he said", "https://x.org/a"],
    ["「https://x.org/a」", "https://x.org/a"],
    ["<https://x.org/a>", "https://x.org/a"],
    ["(https://x.org/a)", "https://x.org/a"],
    ["(see https://x.org/a).", "https://x.org/a"],
    ["[a](https://x.org/a)", "https://x.org/a"],
    ["https://x.org!", "https://x.org"],
    ["https://x.org/a_(b)", "https://x.org/a_(b)"],
    ["(https://x.org/a_(b))", "https://x.org/a_(b)"],
    ["https://x.org/a_(b_(c))_d", "https://x.org/a_(b_(c))_d"],
    ["https://x.org/a(b", "https://x.org/a"],
    ["https://x.org/a,b;c:d!e'f*g~h|i$j@k", "https://x.org/a,b;c:d!e'f*g~h|i$j@k"],
    ["https://x.org/?q=a&b=#c.", "https://x.org/?q=a&b=#c"],
    ["https://x.org:8080/a", "https://x.org:8080/a"],
    ["https://sub_domain.x-y.org/", "https://sub_domain.x-y.org/"],
    ["HTTPS://X.ORG/A", "HTTPS://X.ORG/A"],
    [
      "https://en.wikipedia.org/wiki/Michelson–Morley_experiment",
      "https://en.wikipedia.org/wiki/Michelson–Morley_experiment",
    ],
    ["https://x.org/@alice/1#c", "https://x.org/@alice/1#c"],
  ];

  test.each(punctuation)("%s links %s", (text, url) => {
    expect(linksOf(text)).toEqual([url]);
  });

  const scripts: [text: string, urls: string[]][] = [
    ["https://nic.みんな/", ["https://nic.みんな/"]],
    ["https://пример.рф/путь?ключ=да", ["https://пример.рф/путь?ключ=да"]],
    ["https://bücher.example/ä", ["https://bücher.example/ä"]],
    ["https://xn--e1afmkfd.xn--p1ai/", ["https://xn--e1afmkfd.xn--p1ai/"]],
    ["https://ja.wikipedia.org/wiki/日本", ["https://ja.wikipedia.org/wiki/日本"]],
    ["https://x.org/a　次", ["https://x.org/a"]],
    ["詳しくはhttps://x.org/aを見て", ["https://x.org/aを見て"]],
    ["https://x.orgを見て", ["https://x.org"]],
    ["https://x.orgとhttps://y.orgと", ["https://x.org", "https://y.org"]],
    ["https://x.org/a、https://y.org/b。", ["https://x.org/a", "https://y.org/b"]],
    ["https://x.org/?q=✓&r=1", ["https://x.org/?q=✓&r=1"]],
    ["https://x.org/\u202egnp.exe", ["https://x.org/"]],
  ];

  test.each(scripts)("%s links %p", (text, urls) => {
    expect(linksOf(text)).toEqual(urls);
  });

  const unlinked = [
    "https://",
    "https://localhost/",
    "https://127.0.0.1:8080/",
    "https://[::1]/",
    "https://example/",
    "https://.org",
    "https://a..org",
    "https://user:secret@x.org/",
    "https://user.name@x.org/",
    "http://www\\.google\\.com",
    "xhttps://x.org",
    "@https://x.org",
    "xmpp:",
    "xmpp:user",
    "magnet:",
    "magnet:?!!",
    `https://x.org/${"a".repeat(2100)}`,
  ];

  test.each(unlinked)("%s is not linked", (text) => {
    expect(linksOf(text)).toEqual([]);
  });

  test("mentions and hashtags inside an unlinked URL stay text", () => {
    expect(renderText("https://localhost/,@alice,#tag", everybody)).toBe("<p>https://localhost/,@alice,#tag</p>");
  });
});

describe("Mentions", () => {
  const cases: [text: string, handles: string[]][] = [
    ["@alice", ["alice"]],
    ["hello @alice", ["alice"]],
    ["@alice@example.org hello", ["alice@example.org"]],
    ["hello @alice@example.org.", ["alice@example.org"]],
    ['@alice, @bob-b. (@c_d) "@e.f"', ["alice", "bob-b", "c_d", "e.f"]],
    [".@alice", ["alice"]],
    ["@alice's", ["alice"]],
    ["🎉@alice🎉 ❤️@bob", ["alice", "bob"]],
    ["@aliceさん @bob@example.orgさん", ["alice", "bob@example.org"]],
    ["@alice@MÜNCHEN.example", ["alice@xn--mnchen-3ya.example"]],
    ["@alice@例え.テスト", ["alice@xn--r8jz45g.xn--zckzah"]],
    ["@alice@Example.ORG @ALICE@example.org @Alice @alice", ["alice@example.org", "Alice"]],
    ["@alice@localhost", ["alice@localhost"]],
    ["@alice@localhost:3000, @bob", ["alice@localhost:3000", "bob"]],
    ["@alice@127.0.0.1:30000: hello", ["alice@127.0.0.1:30000"]],
    [
      "@alice@example.org:3000! @bob@example.org:30 @carol:3000",
      ["alice@example.org:3000", "bob@example.org", "carol"],
    ],
    ["@alice@example.org:300000 @bob@example.org:1234x", ["alice@example.org", "bob@example.org"]],
    ["@", []],
    ["@ alice", []],
    ["alice@example.org", []],
    ["naïve@example.org", []],
    ["mailto:alice+x@example.org", []],
    ["https://example.org/@alice", []],
    ["example.org/@alice", []],
    ["?q=@alice", []],
    ["@alicé", []],
    ["@alice@b@c", []],
    ["@alice@", []],
    ["@alice://x", []],
    ["@-alice", []],
    [`@${"a".repeat(300)}`, []],
    [`@a@${"a.".repeat(150)}org`, []],
  ];

  test.each(cases)("%s mentions %p", (text, handles) => {
    expect(handlesOf(text)).toEqual(handles);
  });

  test("a text mentions at most 50 accounts", () => {
    const text = Array.from({ length: 60 }, (_, index) => `@user${index}`).join(" ");
    expect(handlesOf(text)).toEqual(Array.from({ length: 50 }, (_, index) => `user${index}`));
  });

  test("a mention links to the account and shows its given name", () => {
    expect(renderText("hi @Alice@example.org!", everybody)).toBe(
      `<p>hi ${mention("https://example.org/@Alice", "Alice")}!</p>`,
    );
  });

  test("a mention of an unknown account stays text", () => {
    expect(renderText("hi @Alice@Example.org!", noAccounts)).toBe("<p>hi @Alice@Example.org!</p>");
  });
});

describe("Hashtags", () => {
  test("a tag links to its page and is shown as written", () => {
    expect(renderText("a #Café.", noAccounts)).toBe(`<p>a ${tag("Café")}.</p>`);
    expect(renderText("＃日本", noAccounts)).toBe(`<p>${tag("日本")}</p>`);
  });
});

describe("Links, mentions and hashtags together", () => {
  test("are all linked in one status", () => {
    expect(renderText("@bob@b.example look:\nhttps://x.org/#frag #tag\n\n@carol <3", everybody)).toBe(
      `<p>${mention("https://b.example/@bob", "bob")} look:<br />${link("https://", "x.org/#frag")} ${tag("tag")}</p>` +
        `<p>${mention("https://home.example/@carol", "carol")} &lt;3</p>`,
    );
  });

  test("a field's value is one line, and its links say rel=me", () => {
    const html = link("https://", "x.org", "", "nofollow noopener me");
    expect(renderFieldValue("me at https://x.org & @bob@b.example, #tag", everybody)).toBe(
      `me at ${html} &amp; ${mention("https://b.example/@bob", "bob")}, ${tag("tag")}`,
    );
    expect(renderFieldValue("  ", everybody)).toBe("");
  });
});

describe("countCharacters()", () => {
  const cases: [claim: string, text: string, count: number][] = [
    ["counts 0 for nothing", "", 0],
    ["counts each ASCII character", "Hello, <world> & all\n", 21],
    ["counts a line break as 1, on every system", "a\r\nb\nc", 5],
    ["counts each letter of other scripts", "日本語 привет", 10],
    ["counts a letter with its combining marks as 1", "cafe\u0301", 4],
    ["counts an emoji with several parts as 1", "👨‍👩‍👧👍🏽🇪🇺", 3],
    ["counts a long URL as 23", `https://example.org/${"a".repeat(500)}`, 23],
    ["counts a short URL as 23, too", "a http://x.org b", 27],
    ["counts a URL beside other scripts as 23", "日本https://x.org", 25],
    ["counts unlinked addresses in full", "https://localhost/ x.org magnet:?xt=1 xmpp:a@x.org", 50],
    ["counts a mention without its domain", "@alice@very-long.example.org hi", 9],
    ["counts a hashtag in full", "#tag", 4],
  ];

  test.each(cases)("%s", (_claim, text, count) => {
    expect(countCharacters(text)).toBe(count);
  });

  test("counts the content warning too, with its URLs in full", () => {
    expect(countCharacters("abc", "https://x.org/ é")).toBe(19);
  });
});

describe("Arbitrary text", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "<",
      ">",
      "&",
      '"',
      "'",
      "\n",
      "\r\n",
      " ",
      "<b>",
      "<script>",
      "</p>",
      "&lt;",
      "javascript:alert(1)",
    ),
    fc.constantFrom(
      "@",
      "#",
      "＃",
      "://",
      "https://",
      "xmpp:",
      "magnet:?",
      "x.org",
      "/",
      "(",
      ")",
      ".",
      "?",
      "_",
      "·",
      "é",
    ),
    fc.constantFrom("@bob", "@bob@x.org", "#tag", "https://x.org/a", "日本", "👨‍👩‍👧", "\u202e", "\ud800", "\0"),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  const visible = (shown: string) => shown.replaceAll("＃", "#").replace(/\s/g, "");

  test("produces only the tags of a status, and nothing unescaped", () => {
    const tags = [
      /<\/?p>|<br \/>|<\/?span>|<\/a>/,
      /<span class="(?:invisible|ellipsis|)">|<span class="h-card" translate="no">/,
      /<a href="https:\/\/[^"<>]+" class="(?:u-url mention|mention hashtag" rel="tag)">/,
      /<a href="(?:\w+:\/\/|xmpp:|magnet:)[^"<>]+" target="_blank" rel="nofollow noopener" translate="no">/i,
    ];
    const allowed = new RegExp(tags.map((expression) => expression.source).join("|"), "gi");
    fc.assert(
      fc.property(text, (written) => {
        expect(renderText(written, everybody).replace(allowed, "")).not.toMatch(
          /[<>"'\n\r]|&(?!amp;|lt;|gt;|quot;|#39;)/,
        );
      }),
    );
  });

  test("closes every tag that it opens, in order", () => {
    fc.assert(
      fc.property(text, (written) => {
        const open: string[] = [];
        for (const [, slash, name] of renderText(written, everybody).matchAll(/<(\/?)(p|a|span)\b/g)) {
          if (slash === "") open.push(name!);
          else expect(open.pop()).toBe(name!);
        }
        expect(open).toEqual([]);
      }),
    );
  });

  test("shows the reader every character as written", () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(visible(htmlToText(renderText(written, noAccounts)))).toBe(visible(written));
      }),
    );
  });

  test("is never longer when counted or searched than as written", () => {
    fc.assert(
      fc.property(text, (written) => {
        const addresses = linksOf(written).length;
        expect(countCharacters(written)).toBeLessThanOrEqual(written.length + addresses * 23);
        for (const name of findHashtags(written)) expect(written).toContain(name);
        for (const { username } of findMentions(written)) expect(written).toContain(`@${username}`);
      }),
    );
  });

  test("of 100,000 hostile characters is processed", () => {
    const patterns = [
      "<",
      "\n",
      "@a",
      "@a@b ",
      "#a·",
      "https://",
      "https://a.bc/(",
      "https://a.bc/!",
      "xmpp:a@",
      "magnet:?",
    ];
    for (const pattern of patterns) {
      const hostile = pattern.repeat(100_000 / pattern.length);
      expect(visible(htmlToText(renderText(hostile, noAccounts)))).toBe(visible(hostile));
    }
  });
});
