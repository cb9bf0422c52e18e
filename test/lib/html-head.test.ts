import { expect, test } from "bun:test";
import { anchorsIn } from "../../src/lib/http/html-head.ts";

const addresses = (html: string) => anchorsIn(html).map(({ href }) => href);

test("anchorsIn() finds each link with its rel and classes", () => {
  const html =
    '<p><a href="https://a.example/?b=1&amp;c=2" class="u-url mention" rel="tag nofollow">a</a> <A HREF=x>b</A>';
  expect(anchorsIn(html)).toEqual([
    { href: "https://a.example/?b=1&c=2", rel: "tag nofollow", classes: "u-url mention" },
    { href: "x", rel: "", classes: "" },
  ]);
});

test("anchorsIn() ignores the link to the quoted post that older software shows", () => {
  const quoted = '<p class="quote-inline">RE: <span><a href="https://a.example/1">1</a></span></p>';
  expect(addresses(`${quoted}<p>See <a href="https://b.example">b</a></p>`)).toEqual(["https://b.example"]);
  expect(addresses(`<span class="x quote-inline"><br><a href="a"></a></span><a href="b"></a>`)).toEqual(["b"]);
});

test("anchorsIn() finds no links in plain text, and at most 200 elsewhere", () => {
  expect(addresses("<p>words &lt;a href=x&gt;</p>")).toEqual([]);
  expect(addresses('<a name="b">no address</a>')).toEqual([]);
  expect(addresses('<a href="x"></a>'.repeat(1000))).toHaveLength(200);
});
