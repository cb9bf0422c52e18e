import { expect, test } from "bun:test";
import { anchorsIn } from "../../src/lib/http/html-head.ts";

const addresses = (html: string) => anchorsIn(html).map(({ href }) => href);

test("the links of a post are found with what they say of themselves", () => {
  const html =
    '<p><a href="https://a.example/?b=1&amp;c=2" class="u-url mention" rel="tag nofollow">a</a> <A HREF=x>b</A>';
  expect(anchorsIn(html)).toEqual([
    { href: "https://a.example/?b=1&c=2", rel: "tag nofollow", classes: "u-url mention" },
    { href: "x", rel: "", classes: "" },
  ]);
});

test("what says to older software which post is quoted is no link of the post", () => {
  const quoted = '<p class="quote-inline">RE: <span><a href="https://a.example/1">1</a></span></p>';
  expect(addresses(`${quoted}<p>See <a href="https://b.example">b</a></p>`)).toEqual(["https://b.example"]);
  expect(addresses(`<span class="x quote-inline"><br><a href="a"></a></span><a href="b"></a>`)).toEqual(["b"]);
});

test("a text without links has none, and one with endless links a bounded number", () => {
  expect(addresses("<p>words &lt;a href=x&gt;</p>")).toEqual([]);
  expect(addresses('<a name="b">no address</a>')).toEqual([]);
  expect(addresses('<a href="x"></a>'.repeat(1000))).toHaveLength(200);
});
