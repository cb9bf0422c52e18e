import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { idsOf, linksOf, pagesOf, toldOf, turn, wordsOf } from "../support/reading.ts";
import { block, mute, remoteAccount } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { EventReader, listening, Socket } from "../support/streams.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const tell = (who: Client, status: string, answering?: string): Promise<Json> =>
  who.publish({ status, visibility: "direct", in_reply_to_id: answering });
const list = async (who: Client): Promise<Json[]> => (await who.get("/api/v1/conversations")).json;
const mark = (who: Client, id: string, as: "read" | "unread"): Promise<Answer> =>
  who.post(`/api/v1/conversations/${id}/${as}`);
const lastWords = (conversations: Json[]): string[] =>
  wordsOf(conversations.map((conversation) => conversation.last_status));

describe("A conversation", () => {
  test("comes with who takes part and what was said last, as documented", async () => {
    const { id } = await tell(alice, "@bob hello");
    const [conversation] = await list(bob);
    expectShape(conversation, "Conversation");
    expect(conversation).toMatchObject({ unread: true, accounts: [{ id: alice.id }], last_status: { id } });
    expect(await list(alice)).toMatchObject([{ unread: false, accounts: [{ id: bob.id }], last_status: { id } }]);
    expect(await list(carol)).toEqual([]);
  });

  test("is one for each thread", async () => {
    const { id } = await tell(alice, "@bob hello");
    await tell(bob, "@alice hello yourself", id);
    await tell(alice, "@bob something else");
    expect(lastWords(await list(bob))).toEqual(["@bob something else", "@alice hello yourself"]);
  });

  test("is another when others join, and with oneself when nobody is named", async () => {
    const { id } = await tell(alice, "@bob hello");
    await tell(bob, "@alice @carol look at this", id);
    await tell(alice, "note to self");
    const others = (await list(alice)).map(({ accounts }) => idsOf(accounts).sort());
    expect(others).toEqual([[alice.id], [bob.id, carol.id].sort(), [bob.id]]);
    expect(idsOf((await list(carol))[0].accounts).sort()).toEqual([alice.id, bob.id].sort());
  });

  test("moves up with each word, and is unread when it was another's", async () => {
    const first = await tell(alice, "@bob one");
    await tell(carol, "@bob two");
    expect((await list(bob)).map(({ unread }) => unread)).toEqual([true, true]);
    await tell(bob, "@alice three", first.id);
    expect((await list(bob)).map(({ unread }) => unread)).toEqual([false, true]);
    expect((await list(alice)).map(({ unread }) => unread)).toEqual([true]);
    expect(lastWords(await list(bob))).toEqual(["@alice three", "@bob two"]);
  });

  test("holds nothing that was said to more people", async () => {
    const { id } = await alice.publish("@bob hello, everyone");
    await bob.publish({ status: "@alice hello", visibility: "private", in_reply_to_id: id });
    expect([await list(alice), await list(bob)]).toEqual([[], []]);
  });

  test("can be read and unread again", async () => {
    await tell(alice, "@bob hello");
    const [{ id }] = await list(bob);
    const read = await mark(bob, id, "read");
    expectShape(read.json, "Conversation");
    expect([read.status, read.json.unread, (await list(bob))[0].unread]).toEqual([200, false, false]);
    expect((await mark(bob, id, "unread")).json.unread).toBe(true);
    expect((await list(bob))[0].unread).toBe(true);
  });

  test("can be removed from one's own list, and comes back with the next word", async () => {
    const { id } = await tell(alice, "@bob hello");
    const [conversation] = await list(bob);
    const { status, json } = await bob.delete(`/api/v1/conversations/${conversation.id}`);
    expect([status, json]).toEqual([200, {}]);
    expect(await list(bob)).toEqual([]);
    expect(await list(alice)).toHaveLength(1);
    expect((await bob.get(`/api/v1/statuses/${id}`)).status).toBe(200);
    await tell(alice, "@bob are you there?", id);
    expect(lastWords(await list(bob))).toEqual(["@bob are you there?"]);
  });

  test("ends with the word before when the last is deleted, and is gone with the only one", async () => {
    const first = await tell(alice, "@bob one");
    const second = await tell(bob, "@alice two", first.id);
    await bob.delete(`/api/v1/statuses/${second.id}`);
    expect([lastWords(await list(alice)), lastWords(await list(bob))]).toEqual([["@bob one"], ["@bob one"]]);
    await alice.delete(`/api/v1/statuses/${first.id}`);
    expect([await list(alice), await list(bob)]).toEqual([[], []]);
  });

  test("is begun with who is named by an edit", async () => {
    const { id } = await tell(alice, "@bob hello");
    await alice.put(`/api/v1/statuses/${id}`, { status: "@bob @carol hello" });
    expect((await list(carol)).map(({ last_status }) => last_status.id)).toEqual([id]);
  });

  test("is gone with whom one blocks, unless others take part in it, and stays with them", async () => {
    await tell(alice, "note to self");
    await tell(alice, "@bob hello");
    await tell(bob, "@alice hello");
    await tell(bob, "@alice @carol hello");
    await tell(carol, "@alice hello");
    await alice.post(`/api/v1/accounts/${bob.id}/block`);
    const left = ["@alice hello", "@alice @carol hello", "note to self"];
    expect(lastWords(await list(alice))).toEqual(left);
    expect(lastWords(await list(bob))).toEqual(["@alice @carol hello", "@alice hello"]);
    await alice.post(`/api/v1/accounts/${bob.id}/unblock`);
    expect(lastWords(await list(alice))).toEqual(left);
  });

  test("is gone with people of a domain that one blocks, if nobody else takes part in it", async () => {
    for (const name of ["spammer", "fan"]) remoteAccount(server, name, "spam.example");
    remoteAccount(server, "friend", "good.example");
    for (const text of ["note", "@spammer@spam.example", "@spammer@spam.example @fan@spam.example"])
      await tell(alice, text);
    await tell(alice, "@spammer@spam.example @friend@good.example");
    await tell(alice, "@friend@good.example");
    expect(await list(alice)).toHaveLength(5);
    await alice.post("/api/v1/domain_blocks", { domain: "spam.example" });
    expect((await list(alice)).map(({ accounts }) => accounts.map(({ acct }: Json) => acct))).toEqual([
      ["friend@good.example"],
      ["spammer@spam.example", "friend@good.example"],
      ["alice"],
    ]);
  });

  test("is not begun with who blocks or mutes its author", async () => {
    block(server, bob, alice);
    mute(server, carol, alice);
    await tell(alice, "@bob @carol hello");
    expect([await list(bob), await list(carol)]).toEqual([[], []]);
    expect(await list(alice)).toHaveLength(1);
  });
});

describe("Conversations", () => {
  test("come in pages that fit together, though each new word moves one up", async () => {
    const first = await tell(alice, "@bob 0");
    for (const word of ["1", "2", "3", "4"]) await tell(alice, `@bob ${word}`);
    const page = await bob.get("/api/v1/conversations?limit=2");
    expect(linksOf(page).rels).toEqual(["next", "prev"]);
    expect(lastWords(page.json)).toEqual(["@bob 4", "@bob 3"]);
    await tell(alice, "@bob up", first.id);
    const { next, prev } = linksOf(page);
    expect(lastWords((await turn(bob, next)).json)).toEqual(["@bob 2", "@bob 1"]);
    expect(lastWords((await turn(bob, prev)).json)).toEqual(["@bob up"]);
    const pages = await pagesOf(bob, "/api/v1/conversations?limit=2");
    expect(pages.map(lastWords)).toEqual([["@bob up", "@bob 4"], ["@bob 3", "@bob 2"], ["@bob 1"]]);
  });

  inProcess("cost the same whether there is one or many", async () => {
    const { db } = server.ctx;
    for (let at = 0; at < 5; at++) await tell(alice, `@bob ${at}`);
    const cost = async (limit: number) => {
      db.raw.run("UPDATE statuses SET language = 'en'");
      const before = db.statements;
      await bob.get(`/api/v1/conversations?limit=${limit}`);
      return db.statements - before;
    };
    // The first time something is asked, more is looked up than ever after.
    await cost(1);
    expect(await cost(5)).toBe(await cost(1));
  });

  test("are one's own alone, and want a token with the scope", async () => {
    await tell(alice, "@bob hello");
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

  test("are streamed to everyone in them, and when one is read to one's other apps", async () => {
    const socket = await Socket.open(bob, "?stream=direct");
    const events = await EventReader.open(alice, "direct");
    await listening(server, 3);
    const { id } = await tell(alice, "@bob hello");
    const heard = await socket.next();
    expect(heard).toMatchObject({ stream: ["direct"], event: "conversation" });
    expectShape(heard.payload, "Conversation");
    expect(heard.payload).toMatchObject({ unread: true, accounts: [{ id: alice.id }], last_status: { id } });
    expect(await events.next()).toMatchObject({ event: "conversation", payload: { unread: false } });
    await mark(bob, heard.payload.id, "read");
    expect(await socket.next()).toMatchObject({ event: "conversation", payload: { unread: false } });
    await events.close();
    await socket.close();
  });
});

describe("A thread that one has muted", () => {
  let root: Json;
  beforeEach(async () => {
    root = await alice.publish("a question to everyone");
    await bob.post(`/api/v1/statuses/${root.id}/mute`);
  });

  test("is marked in every place where it is shown, also what comes later", async () => {
    const reply = await carol.publish({ status: "@bob I say", in_reply_to_id: root.id });
    const { json } = await bob.get(`/api/v1/statuses/${root.id}/context`);
    expect(json.descendants).toMatchObject([{ id: reply.id, muted: true }]);
    expect((await bob.get("/api/v1/timelines/public")).json).toMatchObject([{ id: root.id, muted: true }]);
    expect((await alice.get(`/api/v1/statuses/${reply.id}`)).json.muted).toBe(false);
  });

  test("tells one of nothing any more, and of everything again afterwards", async () => {
    const own = await bob.publish({ status: "I say", in_reply_to_id: root.id });
    await carol.publish({ status: "@bob no", in_reply_to_id: own.id });
    await carol.post(`/api/v1/statuses/${own.id}/favourite`);
    await carol.post(`/api/v1/statuses/${own.id}/reblog`);
    expect(await toldOf(bob)).toEqual([]);
    expect(await toldOf(alice)).toEqual([]);
    const { json } = await bob.post(`/api/v1/statuses/${own.id}/unmute`);
    expect(json.muted).toBe(false);
    await carol.publish({ status: "@bob yes", in_reply_to_id: own.id });
    expect(await toldOf(bob)).toEqual(["mention"]);
  });

  test("leaves other threads alone", async () => {
    await alice.publish("@bob another question");
    expect(await toldOf(bob)).toEqual(["mention"]);
  });
});
