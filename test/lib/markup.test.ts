import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { withTagsOf } from "../../src/lib/text/markup.ts";

const MODEL = '<p>Hello <a href="https://a.example/?x=1&amp;y=2" class="u-url">you</a><br />there</p>';

describe("HTML from elsewhere", () => {
  test("keeps the allowed tags in a normalised form", () => {
    const html = `<p>Hallo<br/>dort <A HREF='https://a.example/?x=1&y=2' class="u-url">du</A></p>`;
    const kept = '<p>Hallo<br />dort <a href="https://a.example/?x=1&amp;y=2" class="u-url">du</a></p>';
    expect(withTagsOf(MODEL, html)).toBe(kept);
  });

  test.each([
    ["addresses of other schemes", '<a href="https://evil.example/">du</a>', "du"],
    ["extra attributes", '<p onclick="x()">du</p>', "du"],
    ["other tags", "<p><b>du</b><img src=x onerror=x()></p>", "<p>du</p>"],
    ["scripts and styles", "<p>a<script>x()</script><style>p{}</style>b</p>", "<p>ab</p>"],
    ["comments", "<p>a<!-- <script> -->b</p>", "<p>ab</p>"],
    ["tags written as text", "<p>&lt;script&gt;x()&lt;/script&gt;</p>", "<p>&lt;script&gt;x()&lt;/script&gt;</p>"],
  ])("loses %s", (_, html, left) => {
    expect(withTagsOf(MODEL, html)).toBe(left);
  });

  test("gets its open tags closed", () => {
    expect(withTagsOf(MODEL, '<p>a <a href="https://a.example/?x=1&y=2" class="u-url">b')).toEndWith("b</a></p>");
  });

  test("never keeps other tags, whatever the input", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "<p>",
        "</p>",
        "<br>",
        "<script>",
        "</script>",
        "<a href=",
        "'",
        '"',
        ">",
        "<",
        "<!--",
        "-->",
        "&lt;",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const left = withTagsOf(MODEL, pieces.join(""));
        const tags = left.match(/<[^>]*>/g) ?? [];
        expect(tags.filter((tag) => !["<p>", "</p>", "<br />"].includes(tag))).toEqual([]);
      }),
    );
  });
});
