import { beforeAll, expect, test } from "bun:test";
import { parseDocument } from "htmlparser2";
import { serverForAllTests } from "../support/setup.ts";
import { uploaded } from "../support/uploads.ts";
import { Visitor } from "./visitor.ts";

const { server, alice } = serverForAllTests(["alice"]);
let visitor: Visitor;

beforeAll(async () => {
  visitor = new Visitor(server);
  await alice.patch("/api/v1/accounts/update_credentials", { display_name: "Alice & <b>", note: "Birds" });
  const picture = await uploaded(alice, { description: 'a "bird" & a <hedge>' });
  await alice.publish("First line & #birds\nsecond line");
  await alice.post("/api/v1/statuses", {
    status: "behind it",
    spoiler_text: "Spoilers ]]> & <i>",
    media_ids: [picture.id],
  });
  await alice.post("/api/v1/statuses", { status: "for followers", visibility: "private" });
  await alice.post("/api/v1/statuses", { status: "quiet", visibility: "unlisted" });
  await alice.post("/api/v1/statuses", { status: "to @alice only", visibility: "direct" });
  await alice.post("/api/v1/statuses", { status: "only here", local_only: true });
  await alice.publish("control \u0001\u000B characters \uFFFE");
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, server.origin), { headers, redirect: "manual" });

/** Fails unless the XML is well-formed: the browser's parser is strict, and so is this one about tags. */
function wellFormed(xml: string): string {
  const open: string[] = [];
  for (const [, slash, name, , empty] of xml
    .replaceAll(/<!\[CDATA\[.*?\]\]>/gs, "")
    .matchAll(/<(\/?)([\w:]+)([^<>]*?)(\/?)>/g)) {
    if (slash) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name!);
  }
  expect(open).toEqual([]);
  // oxlint-disable-next-line no-control-regex -- these are the ones that XML forbids
  expect(xml).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE]/);
  return xml;
}

test("a profile has its public posts as RSS, Atom and JSON Feed, with warnings and pictures", async () => {
  for (const [format, type] of [
    ["rss", "application/rss+xml; charset=utf-8"],
    ["atom", "application/atom+xml; charset=utf-8"],
  ] as const) {
    const response = await get(`/@alice.${format}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    const xml = wellFormed(await response.text());
    const text = parseDocument(xml, { xmlMode: true });
    expect(text.children.length).toBeGreaterThan(0);
    expect(xml).toContain("Spoilers ]]&gt; &amp; &lt;i&gt;");
    for (const expected of ["First line &", "second line", "behind it", "/media/", "control  characters"])
      expect(xml).toContain(expected);
    for (const secret of ["for followers", "quiet", "@alice only", "only here"]) expect(xml).not.toContain(secret);
  }
  const json = await (await get("/@alice.json")).json();
  expect(json).toMatchObject({ title: "Alice & <b> (@alice@localhost:3000)", description: "Birds" });
  expect(json.items.map(({ title }: { title: string }) => title)).toEqual([
    "control  characters ",
    "Spoilers ]]> & <i>",
    "First line & #birds",
  ]);
  expect(json.items[1].content_html).toContain('alt="a &quot;bird&quot; &amp; a &lt;hedge&gt;"');
});

test("a feed that hasn't changed is not sent again", async () => {
  const etag = (await get("/@alice.rss")).headers.get("etag")!;
  expect((await get("/@alice.rss", { "if-none-match": etag })).status).toBe(304);
  await alice.publish("another one");
  expect((await get("/@alice.rss", { "if-none-match": etag })).status).toBe(200);
});

test("a hashtag has a feed, and pages name their feeds", async () => {
  expect((await (await get("/tags/birds.json")).json()).items).toHaveLength(1);
  expect(await (await get("/tags/unused.atom")).text()).toContain("#unused");
  for (const path of ["/@alice", "/tags/birds"])
    for (const format of ["rss", "atom", "json"])
      expect((await visitor.get(path)).html).toContain(`href="${path}.${format}"`);
});

test("names without an account, other endings and bad hashtags have no feed", async () => {
  for (const path of ["/@nobody.rss", "/@alice.xml", "/@.rss", "/tags/a b.rss"])
    expect([path, (await get(path, { accept: "text/html" })).status]).toEqual([path, 404]);
});

test("the feed of the home timeline has a secret address, which its owner replaces and removes", async () => {
  const owner = new Visitor(server);
  await owner.signIn("alice");
  await owner.get("/settings/feed");
  const address = async (label: string): Promise<string> =>
    /key=[\w-]+/.exec((await owner.press(label)).text)![0].replace(/^/, "/feeds/home.json?");
  const first = await address("Create an address");
  const feed = JSON.stringify(await (await get(first)).json());
  expect([feed.includes("for followers"), feed.includes("only here")]).toEqual([true, false]);
  await owner.get("/settings/feed");
  const second = await address("Replace the address");
  expect([(await get(first)).status, (await get(second)).status]).toEqual([404, 200]);
  await owner.get("/settings/feed");
  await owner.press("Remove the feed");
  for (const path of [second, "/feeds/home.json", "/feeds/home.rss?key="]) expect((await get(path)).status).toBe(404);
});
