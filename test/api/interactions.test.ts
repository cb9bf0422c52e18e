import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { idsOf, notificationTypesOf, wordsOf } from "../support/reading.ts";
import { block } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { uploaded } from "../support/uploads.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
let status: Json;

beforeEach(async () => {
  status = await alice.publish("hello");
});

const act = (verb: string, who: Client = bob, id: string = status.id): Promise<Answer> =>
  who.post(`/api/v1/statuses/${id}/${verb}`);
const read = async (who: Client, id: string = status.id): Promise<Json> =>
  (await who.get(`/api/v1/statuses/${id}`)).json;

describe.each([
  ["favourite", "unfavourite", "favourited", "favourites_count"],
  ["bookmark", "unbookmark", "bookmarked", null],
  ["mute", "unmute", "muted", null],
] as const)("POST /api/v1/statuses/:id/%s", (verb, undo, flag, counter) => {
  test("sets the flag for this user only", async () => {
    const { status: code, json } = await act(verb);
    expect(code).toBe(200);
    expectShape(json, "Status");
    expect([json.id, json[flag]]).toEqual([status.id, true]);
    expect([(await read(bob))[flag], (await read(alice))[flag]]).toEqual([true, false]);
  });

  test("counts once, and can be undone once", async () => {
    const counted = async () => (counter ? (await read(alice))[counter] : 0);
    const one = counter ? 1 : 0;
    await act(verb);
    await act(verb);
    expect(await counted()).toBe(one);
    const { json } = await act(undo);
    expect(json[flag]).toBe(false);
    expect((await act(undo)).status).toBe(200);
    expect(await counted()).toBe(0);
  });

  test("of a boost applies to the original", async () => {
    const boost = (await act("reblog", alice)).json;
    expect((await act(verb, bob, boost.id)).json.id).toBe(status.id);
    const wrapper = await read(bob, boost.id);
    expect([wrapper[flag], wrapper.reblog[flag]]).toEqual([true, true]);
    expect((await act(undo, bob, boost.id)).json[flag]).toBe(false);
  });
});

describe("Favourites", () => {
  test("notify the author until they are undone, unless the author is the user", async () => {
    await act("favourite");
    await act("favourite", alice);
    const [notification, ...others] = (await alice.get("/api/v1/notifications")).json;
    expectShape(notification, "Notification");
    expect(notification).toMatchObject({ type: "favourite", account: { id: bob.id }, status: { id: status.id } });
    expect(others).toEqual([]);
    await act("unfavourite");
    expect(await notificationTypesOf(alice)).toEqual([]);
  });

  test("and bookmarks are listed in the order of their creation", async () => {
    const later = await alice.publish("later");
    for (const [verb, list] of [
      ["favourite", "favourites"],
      ["bookmark", "bookmarks"],
    ]) {
      await act(verb!, bob, later.id);
      await act(verb!);
      const answer = await bob.get(`/api/v1/${list}`);
      expectShape(answer.json, ["Status"]);
      expect(idsOf(answer)).toEqual([status.id, later.id]);
      expect((await alice.get(`/api/v1/${list}`)).json).toEqual([]);
    }
  });

  test("are listed with their accounts, and so are boosts", async () => {
    const carol = await server.person("carol");
    await act("favourite", carol);
    await act("favourite", bob);
    await act("reblog", carol);
    const favourited = await server.stranger().get(`/api/v1/statuses/${status.id}/favourited_by`);
    expectShape(favourited.json, ["Account"]);
    expect(idsOf(favourited)).toEqual([bob.id, carol.id]);
    expect(idsOf(await alice.get(`/api/v1/statuses/${status.id}/reblogged_by`))).toEqual([carol.id]);
  });
});

describe("A boost", () => {
  test("is a status of its own that contains the original", async () => {
    server.clock.advance(1000);
    const { status: code, json } = await act("reblog");
    expect(code).toBe(200);
    expectShape(json, "Status");
    expect(json).toMatchObject({
      account: { id: bob.id },
      created_at: "2026-11-21T12:00:01.000Z",
      content: "<p>hello</p>",
      media_attachments: [],
      mentions: [],
      tags: [],
      reblogged: true,
      reblog: { id: status.id, account: { id: alice.id }, reblogged: true, reblogs_count: 1, reblog: null },
    });
    expect(json.id).not.toBe(status.id);
  });

  test("exists once, notifies the author, and can be undone", async () => {
    const first = await act("reblog");
    const second = await act("reblog");
    expect(second.json.id).toBe(first.json.id);
    expect((await read(alice)).reblogs_count).toBe(1);
    expect(await notificationTypesOf(alice)).toEqual(["reblog"]);
    const { json } = await act("unreblog");
    expect(json).toMatchObject({ id: status.id, reblogged: false, reblogs_count: 0 });
    expect(await notificationTypesOf(alice)).toEqual([]);
    expect((await bob.get(`/api/v1/statuses/${first.json.id}`)).status).toBe(404);
    expect((await act("unreblog")).json.reblogs_count).toBe(0);
  });

  test("of a boost boosts the original", async () => {
    const boost = (await act("reblog")).json;
    const { json } = await act("reblog", alice, boost.id);
    expect(json.reblog.id).toBe(status.id);
    expect(json.reblog.reblogs_count).toBe(2);
  });

  test("can be deleted like any other status", async () => {
    const boost = (await act("reblog")).json;
    expect((await bob.delete(`/api/v1/statuses/${boost.id}`)).status).toBe(200);
    expect(await read(bob)).toMatchObject({ reblogs_count: 0, reblogged: false });
    expect(await notificationTypesOf(alice)).toEqual([]);
  });

  test("can have a narrower visibility, and uses the user's default", async () => {
    const { json } = await bob.post(`/api/v1/statuses/${status.id}/reblog`, { visibility: "private" });
    expect(json.visibility).toBe("private");
    await bob.patch("/api/v1/accounts/update_credentials", { source: { privacy: "unlisted" } });
    const other = await alice.publish("other");
    expect((await act("reblog", bob, other.id)).json.visibility).toBe("unlisted");
  });

  test.each(["private", "direct"])("of another user's %s status is refused", async (visibility) => {
    await bob.follow(alice);
    const { id } = await alice.publish({ status: "psst @bob", visibility });
    const { status: code, json } = await act("reblog", bob, id);
    expect([code, json]).toEqual([403, { error: "This action is not allowed" }]);
  });

  test("of the user's own private status is private", async () => {
    const { id } = await alice.publish({ status: "psst", visibility: "private" });
    const { json } = await alice.post(`/api/v1/statuses/${id}/reblog`, { visibility: "public" });
    expect(json.visibility).toBe("private");
    expect((await server.stranger().get(`/api/v1/statuses/${json.id}`)).status).toBe(404);
    const own = await alice.publish({ status: "note", visibility: "direct" });
    expect((await act("reblog", alice, own.id)).status).toBe(403);
  });

  test.each([
    ["everyone", { visibility: "everyone" }],
    ["a list", { visibility: ["public"] }],
  ])("with the invalid visibility %s is refused", async (_, body) => {
    expect((await bob.post(`/api/v1/statuses/${status.id}/reblog`, body)).status).toBe(422);
  });
});

describe("A pin", () => {
  const pinned = async (): Promise<string[]> =>
    wordsOf(await bob.get(`/api/v1/accounts/${alice.id}/statuses?pinned=true`));

  test("adds the author's status to the pinned ones, until it is unpinned", async () => {
    const { json } = await act("pin", alice);
    expectShape(json, "Status");
    expect(json.pinned).toBe(true);
    await act("pin", alice);
    expect(await pinned()).toEqual(["hello"]);
    expect((await act("unpin", alice)).json.pinned).toBe(false);
    expect(await pinned()).toEqual([]);
  });

  test("is only possible for the user's own statuses that others may read", async () => {
    const others = await act("pin");
    expect([others.status, others.json]).toEqual([
      422,
      { error: "Validation failed: Someone else's post cannot be pinned" },
    ]);
    const boost = (await act("reblog")).json;
    expect((await act("pin", bob, boost.id)).status).toBe(422);
    const direct = await alice.publish({ status: "psst", visibility: "direct" });
    expect((await act("pin", alice, direct.id)).status).toBe(422);
  });

  test("is listed above the earlier ones", async () => {
    const [one, two] = [await alice.publish("one"), await alice.publish("two")];
    for (const { id } of [two, status, one]) await act("pin", alice, id);
    expect(await pinned()).toEqual(["one", "hello", "two"]);
    await act("unpin", alice, two.id);
    await act("pin", alice, two.id);
    expect(await pinned()).toEqual(["two", "one", "hello"]);
  });

  test("of a boost is refused", async () => {
    const boost = (await act("reblog", alice)).json;
    const { status: code, json } = await act("pin", alice, boost.id);
    expect([code, json.error]).toEqual([422, "Validation failed: A boost cannot be pinned"]);
  });

  test("is limited to five statuses", async () => {
    for (let at = 0; at < 5; at++) await act("pin", alice, (await alice.publish(`${at}`)).id);
    const { status: code, json } = await act("pin", alice);
    expect([code, json.error]).toEqual([422, "Validation failed: You have already pinned the maximum number of posts"]);
    expect((await pinned()).length).toBe(5);
  });

  test("of a private status is visible to followers only", async () => {
    const { id } = await alice.publish({ status: "psst", visibility: "private" });
    await act("pin", alice, id);
    expect(await pinned()).toEqual([]);
    await bob.follow(alice);
    expect(await pinned()).toEqual(["psst"]);
  });
});

describe("A muted thread", () => {
  test("causes no more notifications, whichever of its statuses was muted", async () => {
    const reply = await bob.publish({ status: "@alice one", in_reply_to_id: status.id });
    await act("mute", alice, reply.id);
    expect((await read(alice)).muted).toBe(true);
    await bob.publish({ status: "@alice two", in_reply_to_id: reply.id });
    await act("favourite");
    await act("reblog");
    expect(await notificationTypesOf(alice)).toEqual(["mention"]);
    await act("unmute", alice);
    await bob.publish({ status: "@alice three", in_reply_to_id: status.id });
    expect(await notificationTypesOf(alice)).toEqual(["mention", "mention"]);
  });
});

test("A status that the user may not see cannot be acted upon", async () => {
  const { id } = await alice.publish({ status: "psst", visibility: "private" });
  for (const verb of ["favourite", "unfavourite", "bookmark", "unbookmark", "reblog", "unreblog", "mute", "unmute"]) {
    const { status: code, json } = await act(verb, bob, id);
    expect([verb, code, json]).toEqual([verb, 404, { error: "Record not found" }]);
  }
  expect(await notificationTypesOf(alice)).toEqual([]);
});

describe("After a status became invisible to the user,", () => {
  const HIDDEN: [string, () => Promise<void>][] = [
    ["its author blocked the user", async () => block(server, alice, bob)],
    ["the user unfollowed its author", async () => void (await bob.post(`/api/v1/accounts/${alice.id}/unfollow`))],
  ];
  const UNDONE = [
    ["favourite", "unfavourite", "favourited", "favourites_count"],
    ["bookmark", "unbookmark", "bookmarked", null],
    ["mute", "unmute", "muted", null],
  ] as const;

  beforeEach(async () => {
    await bob.follow(alice);
    const media_ids = [(await uploaded(alice, { description: "secret" })).id];
    status = await alice.publish({
      status: "secret #secret @carol",
      spoiler_text: "secret",
      visibility: "private",
      language: "de",
      media_ids,
    });
  });

  const expectBare = (answer: Answer, flag: string): void => {
    expect(answer.status).toBe(200);
    expectShape(answer.json, "Status");
    expect(answer.json).toMatchObject({ id: status.id, account: { id: alice.id }, content: "", [flag]: false });
    expect(JSON.stringify(answer.json)).not.toContain("secret");
    const { replies_count, reblogs_count, favourites_count, quotes_count } = answer.json;
    expect([replies_count, reblogs_count, favourites_count, quotes_count]).toEqual([0, 0, 0, 0]);
  };

  for (const [reason, hide] of HIDDEN) {
    test.each(UNDONE)(
      `%s can be undone because ${reason}, without revealing the status`,
      async (verb, undo, flag, counter) => {
        await act(verb);
        await hide();
        expectBare(await act(undo), flag);
        if (counter) expect((await read(alice))[counter]).toBe(0);
        expect(await notificationTypesOf(alice)).not.toContain(verb);
        // The user has no more relation to the status.
        expect((await act(undo)).status).toBe(404);
      },
    );
  }

  test("a boost can be undone by either of its ids, or deleted", async () => {
    for (const undo of [
      () => act("unreblog"),
      (boost: Json) => act("unreblog", bob, boost.id),
      (boost: Json) => bob.delete(`/api/v1/statuses/${boost.id}`),
    ]) {
      status = await alice.publish("secret");
      const boost = (await act("reblog")).json;
      block(server, alice, bob);
      const { status: code, json } = await undo(boost);
      expect([code, JSON.stringify(json).includes("secret")]).toEqual([200, false]);
      // A deleted status comes with its source, which a boost doesn't have.
      const { text = "", ...shown } = json;
      expect(text).toBe("");
      expectShape(shown, "Status");
      expect(await read(alice)).toMatchObject({ reblogs_count: 0 });
      expect((await act("unreblog")).status).toBe(404);
      server.ctx.db.transaction((tx) => tx.run("DELETE FROM blocks"));
    }
  });

  test("no new interaction is possible", async () => {
    await bob.post(`/api/v1/accounts/${alice.id}/unfollow`);
    for (const verb of ["favourite", "bookmark", "mute", "reblog"]) expect((await act(verb)).status).toBe(404);
  });
});
