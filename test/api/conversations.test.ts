import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { idsOf, linksOf, pagesOf, notificationTypesOf, turn, wordsOf } from "../support/reading.ts";
import { block, mute, remoteAccount } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { EventReader, listening, Socket } from "../support/streams.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const sendDirect = (who: Client, status: string, answering?: string): Promise<Json> =>
  who.publish({ status, visibility: "direct", in_reply_to_id: answering });
const list = async (who: Client): Promise<Json[]> => (await who.get("/api/v1/conversations")).json;
const mark = (who: Client, id: string, as: "read" | "unread"): Promise<Answer> =>
  who.post(`/api/v1/conversations/${id}/${as}`);
const lastTexts = (conversations: Json[]): string[] =>
  wordsOf(conversations.map((conversation) => conversation.last_status));

describe("A conversation", () => {
  test("has its participants and its last status", async () => {
    const { id } = await sendDirect(alice, "@bob hello");
    const [conversation] = await list(bob);
    expectShape(conversation, "Conversation");
    expect(conversation).toMatchObject({ unread: true, accounts: [{ id: alice.id }], last_status: { id } });
    expect(await list(alice)).toMatchObject([{ unread: false, accounts: [{ id: bob.id }], last_status: { id } }]);
    expect(await list(carol)).toEqual([]);
  });

  test("groups a thread", async () => {
    const { id } = await sendDirect(alice, "@bob hello");
    await sendDirect(bob, "@alice hello yourself", id);
    await sendDirect(alice, "@bob something else");
    expect(lastTexts(await list(bob))).toEqual(["@bob something else", "@alice hello yourself"]);
  });

  test("with other participants is a separate one, and so is a note to nobody else", async () => {
    const { id } = await sendDirect(alice, "@bob hello");
    await sendDirect(bob, "@alice @carol look at this", id);
    await sendDirect(alice, "note to self");
    const others = (await list(alice)).map(({ accounts }) => idsOf(accounts).sort());
    expect(others).toEqual([[alice.id], [bob.id, carol.id].sort(), [bob.id]]);
    expect(idsOf((await list(carol))[0].accounts).sort()).toEqual([alice.id, bob.id].sort());
  });

  test("moves up with each message, and becomes unread with a message from another user", async () => {
    const first = await sendDirect(alice, "@bob one");
    await sendDirect(carol, "@bob two");
    expect((await list(bob)).map(({ unread }) => unread)).toEqual([true, true]);
    await sendDirect(bob, "@alice three", first.id);
    expect((await list(bob)).map(({ unread }) => unread)).toEqual([false, true]);
    expect((await list(alice)).map(({ unread }) => unread)).toEqual([true]);
    expect(lastTexts(await list(bob))).toEqual(["@alice three", "@bob two"]);
  });

  test("contains only direct statuses", async () => {
    const { id } = await alice.publish("@bob hello, everyone");
    await bob.publish({ status: "@alice hello", visibility: "private", in_reply_to_id: id });
    expect([await list(alice), await list(bob)]).toEqual([[], []]);
  });

  test("can be marked as read and unread", async () => {
    await sendDirect(alice, "@bob hello");
    const [{ id }] = await list(bob);
    const read = await mark(bob, id, "read");
    expectShape(read.json, "Conversation");
    expect([read.status, read.json.unread, (await list(bob))[0].unread]).toEqual([200, false, false]);
    expect((await mark(bob, id, "unread")).json.unread).toBe(true);
    expect((await list(bob))[0].unread).toBe(true);
  });

  test("can be removed from the user's list, and returns with the next message", async () => {
    const { id } = await sendDirect(alice, "@bob hello");
    const [conversation] = await list(bob);
    const { status, json } = await bob.delete(`/api/v1/conversations/${conversation.id}`);
    expect([status, json]).toEqual([200, {}]);
    expect(await list(bob)).toEqual([]);
    expect(await list(alice)).toHaveLength(1);
    expect((await bob.get(`/api/v1/statuses/${id}`)).status).toBe(200);
    await sendDirect(alice, "@bob are you there?", id);
    expect(lastTexts(await list(bob))).toEqual(["@bob are you there?"]);
  });

  test("has the previous message as its last after a deletion, and disappears with its only message", async () => {
    const first = await sendDirect(alice, "@bob one");
    const second = await sendDirect(bob, "@alice two", first.id);
    await bob.delete(`/api/v1/statuses/${second.id}`);
    expect([lastTexts(await list(alice)), lastTexts(await list(bob))]).toEqual([["@bob one"], ["@bob one"]]);
    await alice.delete(`/api/v1/statuses/${first.id}`);
    expect([await list(alice), await list(bob)]).toEqual([[], []]);
  });

  test("appears for an account that an edit mentions", async () => {
    const { id } = await sendDirect(alice, "@bob hello");
    await alice.put(`/api/v1/statuses/${id}`, { status: "@bob @carol hello" });
    expect((await list(carol)).map(({ last_status }) => last_status.id)).toEqual([id]);
  });

  test("disappears after a block, unless others take part in it", async () => {
    await sendDirect(alice, "note to self");
    await sendDirect(alice, "@bob hello");
    await sendDirect(bob, "@alice hello");
    await sendDirect(bob, "@alice @carol hello");
    await sendDirect(carol, "@alice hello");
    await alice.post(`/api/v1/accounts/${bob.id}/block`);
    const left = ["@alice hello", "@alice @carol hello", "note to self"];
    expect(lastTexts(await list(alice))).toEqual(left);
    expect(lastTexts(await list(bob))).toEqual(["@alice @carol hello", "@alice hello"]);
    await alice.post(`/api/v1/accounts/${bob.id}/unblock`);
    expect(lastTexts(await list(alice))).toEqual(left);
  });

  test("disappears after a domain block, unless accounts of other domains take part in it", async () => {
    for (const name of ["spammer", "fan"]) remoteAccount(server, name, "spam.example");
    remoteAccount(server, "friend", "good.example");
    for (const text of ["note", "@spammer@spam.example", "@spammer@spam.example @fan@spam.example"])
      await sendDirect(alice, text);
    await sendDirect(alice, "@spammer@spam.example @friend@good.example");
    await sendDirect(alice, "@friend@good.example");
    expect(await list(alice)).toHaveLength(5);
    await alice.post("/api/v1/domain_blocks", { domain: "spam.example" });
    expect((await list(alice)).map(({ accounts }) => accounts.map(({ acct }: Json) => acct))).toEqual([
      ["friend@good.example"],
      ["spammer@spam.example", "friend@good.example"],
      ["alice"],
    ]);
  });

  test("does not appear for users who block or mute the author", async () => {
    block(server, bob, alice);
    mute(server, carol, alice);
    await sendDirect(alice, "@bob @carol hello");
    expect([await list(bob), await list(carol)]).toEqual([[], []]);
    expect(await list(alice)).toHaveLength(1);
  });
});

describe("The list of conversations", () => {
  test("has pages without gaps or repetitions, though each message moves a conversation up", async () => {
    const first = await sendDirect(alice, "@bob 0");
    for (const word of ["1", "2", "3", "4"]) await sendDirect(alice, `@bob ${word}`);
    const page = await bob.get("/api/v1/conversations?limit=2");
    expect(linksOf(page).rels).toEqual(["next", "prev"]);
    expect(lastTexts(page.json)).toEqual(["@bob 4", "@bob 3"]);
    await sendDirect(alice, "@bob up", first.id);
    const { next, prev } = linksOf(page);
    expect(lastTexts((await turn(bob, next)).json)).toEqual(["@bob 2", "@bob 1"]);
    expect(lastTexts((await turn(bob, prev)).json)).toEqual(["@bob up"]);
    const pages = await pagesOf(bob, "/api/v1/conversations?limit=2");
    expect(pages.map(lastTexts)).toEqual([["@bob up", "@bob 4"], ["@bob 3", "@bob 2"], ["@bob 1"]]);
  });

  inProcess("takes as many queries for many conversations as for one", async () => {
    const { db } = server.ctx;
    for (let at = 0; at < 5; at++) await sendDirect(alice, `@bob ${at}`);
    const cost = async (limit: number) => {
      db.raw.run("UPDATE statuses SET language = 'en'");
      const before = db.statements;
      await bob.get(`/api/v1/conversations?limit=${limit}`);
      return db.statements - before;
    };
    // The first request fills caches.
    await cost(1);
    expect(await cost(5)).toBe(await cost(1));
  });

  test("contains only the user's own, and needs a token with the scope", async () => {
    await sendDirect(alice, "@bob hello");
    const [{ id }] = await list(bob);
    const reader = await server.person("reader", { scopes: "read" });
    const writer = await server.person("writer", { scopes: "write" });
    const asking = (who: Client) => [
      () => who.post(`/api/v1/conversations/${id}/read`),
      () => who.post(`/api/v1/conversations/${id}/unread`),
      () => who.delete(`/api/v1/conversations/${id}`),
    ];
    const answers = async (who: Client) => {
      const all: number[] = [];
      for (const ask of asking(who)) all.push((await ask()).status);
      return all;
    };
    expect(await answers(carol)).toEqual([404, 404, 404]);
    expect(await answers(server.stranger())).toEqual([401, 401, 401]);
    expect(await answers(reader)).toEqual([403, 403, 403]);
    expect((await writer.get("/api/v1/conversations")).status).toBe(403);
    expect((await server.stranger().get("/api/v1/conversations")).status).toBe(401);
    expect((await mark(bob, "x", "read")).status).toBe(404);
    expect((await bob.delete("/api/v1/conversations/999")).status).toBe(404);
    expect(await list(bob)).toHaveLength(1);
  });

  test("is streamed to all participants, and to a user's other apps when a conversation is read", async () => {
    const socket = await Socket.open(bob, "?stream=direct");
    const events = await EventReader.open(alice, "direct");
    await listening(server, 3);
    const { id } = await sendDirect(alice, "@bob hello");
    const received = await socket.next();
    expect(received).toMatchObject({ stream: ["direct"], event: "conversation" });
    expectShape(received.payload, "Conversation");
    expect(received.payload).toMatchObject({ unread: true, accounts: [{ id: alice.id }], last_status: { id } });
    expect(await events.next()).toMatchObject({ event: "conversation", payload: { unread: false } });
    await mark(bob, received.payload.id, "read");
    expect(await socket.next()).toMatchObject({ event: "conversation", payload: { unread: false } });
    await events.close();
    await socket.close();
  });
});

describe("A muted thread", () => {
  let root: Json;
  beforeEach(async () => {
    root = await alice.publish("a question to everyone");
    await bob.post(`/api/v1/statuses/${root.id}/mute`);
  });

  test("is marked as muted wherever it is shown, including later replies", async () => {
    const reply = await carol.publish({ status: "@bob I say", in_reply_to_id: root.id });
    const { json } = await bob.get(`/api/v1/statuses/${root.id}/context`);
    expect(json.descendants).toMatchObject([{ id: reply.id, muted: true }]);
    expect((await bob.get("/api/v1/timelines/public")).json).toMatchObject([{ id: root.id, muted: true }]);
    expect((await alice.get(`/api/v1/statuses/${reply.id}`)).json.muted).toBe(false);
  });

  test("causes no notifications until it is unmuted", async () => {
    const own = await bob.publish({ status: "I say", in_reply_to_id: root.id });
    await carol.publish({ status: "@bob no", in_reply_to_id: own.id });
    await carol.post(`/api/v1/statuses/${own.id}/favourite`);
    await carol.post(`/api/v1/statuses/${own.id}/reblog`);
    expect(await notificationTypesOf(bob)).toEqual([]);
    expect(await notificationTypesOf(alice)).toEqual([]);
    const { json } = await bob.post(`/api/v1/statuses/${own.id}/unmute`);
    expect(json.muted).toBe(false);
    await carol.publish({ status: "@bob yes", in_reply_to_id: own.id });
    expect(await notificationTypesOf(bob)).toEqual(["mention"]);
  });

  test("does not mute other threads", async () => {
    await alice.publish("@bob another question");
    expect(await notificationTypesOf(bob)).toEqual(["mention"]);
  });
});
