import { beforeEach, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import type { RemoteAccount } from "../support/remote-rows.ts";
import { followRow, homeIdsOf, notificationsOf, remoteAuthor, storeFrom } from "../support/remote-statuses.ts";
import { serverForEachTest } from "../support/setup.ts";

const HOUR = 3600_000;
const PARENT = "https://far.example/parent";
const CHILD = "https://far.example/child";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const seen = async (id: string | null, who: Client = alice): Promise<Json> =>
  (await who.get(`/api/v1/statuses/${id}`)).json;
const threadOf = async (
  id: string | null,
  who: Client = alice,
): Promise<{ ancestors: string[]; descendants: string[] }> => {
  const { json } = await who.get(`/api/v1/statuses/${id}/context`);
  const idsOf = (statuses: Json[]) => statuses.map((status) => status.id);
  return { ancestors: idsOf(json.ancestors), descendants: idsOf(json.descendants) };
};

describe("A reply that arrives before its parent", () => {
  test("is not in public timelines, nor in those of its author's followers", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, alice, rob);
    const id = storeFrom(server, rob, { inReplyToUri: PARENT });
    expect(await homeIdsOf(alice)).toEqual([]);
    expect((await bob.get("/api/v1/timelines/public")).json).toEqual([]);
    expect(await seen(id)).toMatchObject({ in_reply_to_id: null, in_reply_to_account_id: null });
  });

  test("becomes the parent's reply, and is then in the timelines of its author's followers", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, alice, rob);
    const createdAt = server.clock.now() - 2 * HOUR;
    const reply = storeFrom(server, rob, { inReplyToUri: PARENT, createdAt: createdAt + 1 })!;
    const parent = storeFrom(server, rob, { uri: PARENT, createdAt })!;
    expect(await seen(reply)).toMatchObject({ in_reply_to_id: parent, in_reply_to_account_id: rob.id });
    expect(await seen(parent)).toMatchObject({ replies_count: 1 });
    expect(await threadOf(parent)).toEqual({ ancestors: [], descendants: [reply] });
    expect(await threadOf(reply)).toEqual({ ancestors: [parent], descendants: [] });
    expect(await homeIdsOf(alice)).toEqual([reply, parent]);
  });

  test("is not added to timelines later if it is old", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, alice, rob);
    const reply = storeFrom(server, rob, { inReplyToUri: PARENT }, "fetched");
    server.clock.advance(7 * HOUR);
    const parent = storeFrom(server, rob, { uri: PARENT }, "fetched");
    expect(await seen(reply)).toMatchObject({ in_reply_to_id: parent });
    expect(await homeIdsOf(alice)).toEqual([]);
  });

  test("brings its own replies with it", async () => {
    const rob = remoteAuthor(server, "rob");
    const child = storeFrom(server, rob, { uri: CHILD, inReplyToUri: PARENT });
    const { id: grandchild } = await alice.publish({ status: "yes", in_reply_to_id: child });
    const grandparent = storeFrom(server, rob, { uri: "https://far.example/first" });
    const parent = storeFrom(server, rob, { uri: PARENT, inReplyToUri: "https://far.example/first" });
    expect(await threadOf(grandparent)).toEqual({ ancestors: [], descendants: [parent!, child!, grandchild] });
    const conversations = server.ctx.db.all("SELECT DISTINCT conversation_id FROM statuses");
    expect(conversations).toEqual([{ conversation_id: Number(grandparent) }]);
  });

  test("never makes a circle", async () => {
    const rob = remoteAuthor(server, "rob");
    const child = storeFrom(server, rob, { uri: CHILD, inReplyToUri: PARENT });
    const parent = storeFrom(server, rob, { uri: PARENT, inReplyToUri: CHILD });
    expect(await threadOf(child)).toEqual({ ancestors: [], descendants: [parent!] });
    expect(await threadOf(parent)).toEqual({ ancestors: [child!], descendants: [] });
  });

  test("is no reply if it says that it is its own parent", async () => {
    const uri = "https://far.example/self";
    const id = storeFrom(server, remoteAuthor(server, "rob"), { uri, inReplyToUri: uri });
    expect(await threadOf(id)).toEqual({ ancestors: [], descendants: [] });
    expect((await bob.get("/api/v1/timelines/public")).json).toMatchObject([{ id }]);
  });

  test("is found as a reply once its parent is known", async () => {
    const rob = remoteAuthor(server, "rob");
    const reply = storeFrom(server, rob, { inReplyToUri: PARENT, content: "<p>rare</p>" });
    await alice.post(`/api/v1/statuses/${reply}/bookmark`);
    const found = async () =>
      ((await alice.get("/api/v2/search?type=statuses&q=rare%20is:reply")).json.statuses as Json[]).map(({ id }) => id);
    expect(await found()).toEqual([]);
    storeFrom(server, rob, { uri: PARENT });
    expect(await found()).toEqual([reply]);
  });
});

test("A muted conversation stays muted when it turns out to be a part of a longer one", async () => {
  const rob = remoteAuthor(server, "rob");
  const child = storeFrom(server, rob, { uri: CHILD, inReplyToUri: PARENT, mentions: [alice, bob] })!;
  await alice.post(`/api/v1/statuses/${child}/mute`);
  const parent = storeFrom(server, rob, { uri: PARENT });
  expect(await seen(parent)).toMatchObject({ muted: true });
  const next = storeFrom(server, rob, { inReplyToUri: PARENT, mentions: [alice, bob] })!;
  expect(await notificationsOf(alice)).toEqual([["mention", child]]);
  expect(await notificationsOf(bob)).toEqual([
    ["mention", next],
    ["mention", child],
  ]);
  await alice.post(`/api/v1/statuses/${next}/unmute`);
  expect(await seen(child)).toMatchObject({ muted: false });
});

describe("A direct conversation whose first status arrives last", () => {
  const direct = { visibility: "direct" } as const;
  const conversations = async (who: Client): Promise<Json[]> =>
    ((await who.get("/api/v1/conversations")).json as Json[]).map(({ last_status, unread }) => [
      last_status.id,
      unread,
    ]);

  let rob: RemoteAccount;
  let child: string;
  beforeEach(() => {
    rob = remoteAuthor(server, "rob");
    const reply = { uri: CHILD, inReplyToUri: PARENT, mentions: [alice], createdAt: server.clock.now() - HOUR };
    child = storeFrom(server, rob, { ...direct, ...reply })!;
  });

  /** The first status arrives. */
  const arrive = (...mentions: Client[]): string =>
    storeFrom(server, rob, { ...direct, uri: PARENT, mentions, createdAt: server.clock.now() - 2 * HOUR })!;

  test("is one conversation", async () => {
    expect(await conversations(alice)).toEqual([[child, true]]);
    const parent = arrive(alice);
    // The parent has begun a conversation before its reply is linked.
    expect(await conversations(alice)).toEqual([[child, true]]);
    const { id } = await alice.publish({ ...direct, status: "@rob@far.example yes", in_reply_to_id: parent });
    expect(await conversations(alice)).toEqual([[id, false]]);
    await alice.delete(`/api/v1/statuses/${id}`);
    expect(await conversations(alice)).toEqual([[child, false]]);
    expect(await threadOf(parent)).toEqual({ ancestors: [], descendants: [child] });
  });

  test("stays apart from those with other participants", async () => {
    const parent = arrive(alice, bob);
    expect(await conversations(alice)).toEqual([
      [child, true],
      [parent, true],
    ]);
    expect(await conversations(bob)).toEqual([[parent, true]]);
  });
});
