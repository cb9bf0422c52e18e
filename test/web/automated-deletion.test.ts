import { beforeEach, describe, expect, test } from "bun:test";
import { schedule } from "../../src/jobs/recurring.ts";
import type { Json } from "../support/client.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const PATH = "/settings/automated-deletion";
const DAY = 24 * 3600_000;
const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
let visitor: Visitor;

beforeEach(async () => {
  visitor = new Visitor(server);
  await visitor.signIn("alice");
});

const remaining = async (): Promise<string[]> => {
  const { json } = await alice.get(`/api/v1/accounts/${alice.id}/statuses?limit=40`);
  return json
    .map(({ content, reblog }: Json) => (reblog ?? { content }).content.replaceAll(/<[^>]*>/g, ""))
    .toReversed();
};
const act = (action: string, { id }: Json, who = alice) => who.post(`/api/v1/statuses/${id}/${action}`);

/** Lets time pass, begins the hourly job, and then lets some minutes pass. */
async function pass(time: number, minutes = 5): Promise<void> {
  const { ctx, clock } = server;
  clock.advance(time);
  ctx.db.transaction((tx) => schedule(ctx, tx, "posts.delete_old", clock.now()));
  for (let minute = 0; minute < minutes; minute++) {
    await server.drain();
    server.clock.advance(60_000);
  }
}

/** Everything that an exception can keep. */
async function oneOfEach(): Promise<void> {
  const post = (status: string, more: object = {}) => alice.publish({ status, ...more });
  await act("pin", await post("pinned"));
  await act("favourite", await post("liked"));
  await act("bookmark", await post("saved"));
  await post("direct", { visibility: "direct" });
  await post("poll", { poll: { options: ["a", "b"], expires_in: 300 } });
  const { id } = await post("picture");
  server.ctx.db.transaction((tx) => tx.run("UPDATE statuses SET has_media = 1 WHERE id = $id", { id: Number(id) }));
  for (const action of ["favourite", "reblog"]) await act(action, await post(`${action}d by Bob`), bob);
  await act("reblog", await bob.publish("boost"));
  await post("plain");
}

const NOTHING = {
  keep_pinned: undefined,
  keep_favourited: undefined,
  keep_bookmarked: undefined,
  keep_direct: undefined,
  keep_polls: undefined,
  keep_media: undefined,
};
const ON = { enabled: "1", age: "14" };

describe("Old posts", () => {
  test("stay unless their author wants them to be deleted", async () => {
    await alice.publish("plain");
    await pass(800 * DAY);
    expect(await remaining()).toEqual(["plain"]);
  });

  test("are deleted after their time, with the boosts, but not those that Mastodon keeps, and nobody else's", async () => {
    await oneOfEach();
    await visitor.get(PATH);
    expect((await visitor.press("Save", ON)).location).toBe(`${PATH}?saved`);
    const before = await remaining();
    await pass(14 * DAY - 10 * 60_000, 1);
    expect(await remaining()).toEqual(before);
    await pass(3600_000);
    expect(await remaining()).toEqual(["pinned", "liked", "saved", "direct"]);
    expect((await bob.get(`/api/v1/accounts/${bob.id}/statuses`)).json).toHaveLength(1);
  });

  test.each([
    ["keep_pinned", "1", "pinned"],
    ["keep_favourited", "1", "liked"],
    ["keep_bookmarked", "1", "saved"],
    ["keep_direct", "1", "direct"],
    ["keep_polls", "1", "poll"],
    ["keep_media", "1", "picture"],
    ["boosts", "1", "reblogd by Bob"],
    ["boosts", "2", undefined],
  ])("are kept by the exception %s: %s", async (name, value, kept) => {
    await oneOfEach();
    await visitor.get(PATH);
    await visitor.press("Save", { ...ON, ...NOTHING, [name]: value });
    await pass(15 * DAY);
    expect(await remaining()).toEqual(kept === undefined ? [] : [kept]);
  });

  test("are kept by enough favourites of anyone", async () => {
    await oneOfEach();
    await visitor.get(PATH);
    await visitor.press("Save", { ...ON, ...NOTHING, favourites: "1" });
    await pass(15 * DAY);
    expect(await remaining()).toEqual(["liked", "favourited by Bob"]);
  });

  test("go five a minute, oldest first, and no more once their author stops it", async () => {
    for (let at = 1; at <= 12; at++) await alice.publish(`post ${at}`);
    await visitor.get(PATH);
    await visitor.press("Save", ON);
    await pass(15 * DAY, 0);
    await server.drain();
    server.clock.advance(59_000);
    await server.drain();
    expect((await remaining())[0]).toBe("post 6");
    server.clock.advance(1000);
    await server.drain();
    expect((await remaining())[0]).toBe("post 11");
    await visitor.get(PATH);
    await visitor.press("Save", { enabled: undefined });
    await pass(2 * 3600_000);
    expect(await remaining()).toEqual(["post 11", "post 12"]);
  });

  test("of a suspended account stay", async () => {
    await alice.publish("plain");
    await visitor.get(PATH);
    await visitor.press("Save", ON);
    const suspend = (at: number | null) =>
      server.ctx.db.transaction((tx) =>
        tx.run("UPDATE accounts SET suspended_at = $at WHERE id = $id", { at, id: Number(alice.id) }),
      );
    suspend(1);
    await pass(15 * DAY);
    suspend(null);
    expect(await remaining()).toEqual(["plain"]);
  });

  test("behind many that are kept are found", async () => {
    server.ctx.db.transaction((tx) => {
      const { ids } = server.ctx;
      for (let at = 0; at < 450; at++) {
        tx.run(
          `INSERT INTO statuses (id, account_id, uri, url, local, visibility, conversation_id, created_at)
           VALUES ($id, $accountId, $uri, $uri, 1, 'direct', $id, 0)`,
          { id: ids.next(), accountId: Number(alice.id), uri: `${server.origin}/direct/${at}` },
        );
      }
    });
    await alice.publish("plain");
    await visitor.get(PATH);
    await visitor.press("Save", ON);
    await pass(15 * DAY);
    expect(await remaining()).not.toContain("plain");
    expect(server.ctx.db.get("SELECT count(*) AS count FROM statuses")).toEqual({ count: 450 });
  });
});

describe("The page", () => {
  test("shows what would be deleted, with the oldest, before anything is saved", async () => {
    await oneOfEach();
    server.clock.advance(15 * DAY);
    await visitor.get(PATH);
    const { text, html, forms } = await visitor.press("Show what it would delete", { ...ON, keep_media: "1" });
    expect(text).toContain("5 posts and boosts would be deleted now.");
    const listed = text.match(/(?<=The oldest ).*(?= Delete old posts)/)![0];
    const day = "\\d+ \\w+ \\d{4}";
    const lines = [`poll ${day}`, `favourited by Bob ${day}`, `reblogd by Bob ${day}`, `boost ${day} · Boost of bob`];
    expect(listed).toMatch(new RegExp(`^${lines.join(" ")} plain ${day}$`));
    expect(html).toContain('href="/@alice/');
    expect(forms[0]!.fields).toMatchObject({ enabled: "1", keep_media: "1" });
    expect((await visitor.get(PATH)).forms[0]!.fields).not.toHaveProperty("enabled");
    await pass(3600_000);
    expect(await remaining()).toHaveLength(10);
  });

  test("links no post that its page doesn't show, and escapes texts", async () => {
    await alice.publish({ status: "<b>secret</b>", visibility: "private" });
    server.clock.advance(15 * DAY);
    await visitor.get(PATH);
    const { html } = await visitor.press("Show what it would delete", ON);
    expect(html).toContain("&lt;b>secret&lt;/b>");
    expect(html).not.toContain('href="/@alice/');
  });

  test("explains wrong numbers beside their fields, keeps them, and saves nothing", async () => {
    for (const button of ["Speichern", "Zeigen, was gelöscht würde"]) {
      await visitor.get(`${PATH}?lang=de`);
      const typed = { enabled: "1", favourites: "0", boosts: "many", age: "365" };
      const { status, html, forms } = await visitor.press(button, typed);
      expect([status, html.match(/Gib eine Zahl ein, die mindestens 1 ist/g)?.length]).toEqual([422, 2]);
      expect(forms[0]!.fields).toMatchObject({ favourites: "0", boosts: "many", age: "365" });
      expect((await visitor.get(PATH)).forms[0]!.fields.favourites).toBe("");
    }
  });
});
