import { beforeEach, describe, expect, test } from "bun:test";
import { quotersOf } from "../../src/core/quotes/policy.ts";
import { saveRemoteAccount } from "../../src/core/people/remote-accounts.ts";
import type { Client, Json } from "../support/client.ts";
import { pruneAfter } from "../support/pruning.ts";
import { followRemote, profileOf, remoteAccount, type RemoteAccount, remoteFollow } from "../support/remote-rows.ts";
import { homeIdsOf, reblogFrom, storeFrom } from "../support/remote-statuses.ts";
import { remoteAttachment, remotePost } from "../support/remote-media.ts";
import { serverForEachTest } from "../support/setup.ts";

const DAY = 24 * 3600_000;

const { server, alice } = serverForEachTest(["alice"]);
let rita: RemoteAccount;

beforeEach(() => {
  rita = remoteAccount(server);
});

const stored = (sent?: Parameters<typeof storeFrom>[2]): string => storeFrom(server, rita, sent, "fetched")!;
const read = async (id: string): Promise<Json> => (await alice.get(`/api/v1/statuses/${id}`)).json;
const isThere = async (id: string): Promise<boolean> => (await alice.get(`/api/v1/statuses/${id}`)).status === 200;
const isKnown = async (account: RemoteAccount): Promise<boolean> =>
  (await alice.get(`/api/v1/accounts/${account.id}`)).status === 200;
const act = (id: string, verb: string) => alice.post(`/api/v1/statuses/${id}/${verb}`);
const say = async (body: object): Promise<Json> =>
  (await alice.post("/api/v1/statuses", { status: "hi", ...body })).json;

describe("A post of another server", () => {
  test("is removed after 180 days, and not before", async () => {
    const id = stored();
    await pruneAfter(server, 180 * DAY - 60_000);
    expect(await isThere(id)).toBe(true);
    await pruneAfter(server, 60_001);
    expect(await isThere(id)).toBe(false);
  });

  test("is removed by the job that runs every day", async () => {
    await pruneAfter(server, 0);
    const id = stored();
    server.clock.advance(181 * DAY);
    await server.drain();
    expect(await isThere(id)).toBe(false);
  });

  test("may be fetched again", async () => {
    const [uri, createdAt] = [`${rita.uri}/statuses/again`, server.clock.now()];
    stored({ uri });
    await pruneAfter(server, 181 * DAY);
    rita = remoteAccount(server);
    expect(await isThere(stored({ uri, createdAt }))).toBe(true);
  });

  test("is removed with its boosts and replies by other servers, and with its media", async () => {
    const id = stored();
    const cara = remoteAccount(server, { username: "cara" });
    server.clock.advance(1000);
    const boost = reblogFrom(server, cara, id, {}, "fetched")!;
    const uri = server.ctx.db.get<{ uri: string }>("SELECT uri FROM statuses WHERE id = $id", { id: Number(id) })!.uri;
    const reply = storeFrom(server, cara, { inReplyToUri: uri }, "fetched")!;
    const image = remotePost(server, [remoteAttachment("https://far.example/a.png")], rita.id);
    await pruneAfter(server, 181 * DAY);
    for (const gone of [id, boost, reply, image]) expect(await isThere(gone)).toBe(false);
    expect(server.ctx.db.all("SELECT id FROM media_attachments")).toEqual([]);
  });

  test("stays while a thread needs it: a younger reply by another server keeps the posts above", async () => {
    const uri = `${rita.uri}/statuses/root`;
    const root = stored({ uri });
    server.clock.advance(100 * DAY);
    const reply = stored({ inReplyToUri: uri });
    await pruneAfter(server, 100 * DAY);
    expect((await alice.get(`/api/v1/statuses/${reply}/context`)).json.ancestors).toMatchObject([{ id: root }]);
  });

  test("stays in an old thread in which a local user has written", async () => {
    const uri = `${rita.uri}/statuses/root`;
    const [root, first] = [stored({ uri }), stored({ inReplyToUri: uri })];
    const second = stored({ inReplyToUri: uri });
    await say({ in_reply_to_id: second });
    await pruneAfter(server, 400 * DAY);
    for (const id of [root, first, second]) expect(await isThere(id)).toBe(true);
  });

  test("stays after a favourite, a boost, a bookmark, a reply, a quote and a vote", async () => {
    const poll = {
      options: ["yes", "no"],
      multiple: false,
      hideTotals: false,
      expiresAt: server.clock.now() + DAY,
      tallies: { votes: [0, 0], voters: 0 },
    };
    const ids = [
      stored(),
      stored(),
      stored(),
      stored(),
      stored({ quoters: quotersOf("public", "public") }),
      stored({ poll }),
    ];
    const [liked, boosted, marked, answered, quoted, asked] = ids as [string, string, string, string, string, string];
    const done = [
      await act(liked, "favourite"),
      await act(boosted, "reblog"),
      await act(marked, "bookmark"),
      await alice.post("/api/v1/statuses", { status: "a reply", in_reply_to_id: answered }),
      await alice.post("/api/v1/statuses", { status: "a quote", quoted_status_id: quoted }),
      await alice.post(`/api/v1/polls/${(await read(asked)).poll.id}/votes`, { choices: [0] }),
    ];
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    await pruneAfter(server, 400 * DAY);
    for (const id of ids) expect(await isThere(id)).toBe(true);
    await act(liked, "unfavourite");
    await pruneAfter(server, DAY);
    expect([await isThere(liked), await isThere(boosted)]).toEqual([false, true]);
  });

  test("stays if it mentions a local user or boosts their post", async () => {
    const own = await alice.publish("mine");
    const mention = storeFrom(server, rita, { mentions: [alice] })!;
    const boost = reblogFrom(server, rita, own.id)!;
    await pruneAfter(server, 400 * DAY);
    expect([await isThere(mention), await isThere(boost)]).toEqual([true, true]);
    expect((await read(own.id)).reblogs_count).toBe(1);
  });

  test("stays while a home timeline shows it", async () => {
    await followRemote(server, alice, rita);
    const shown = storeFrom(server, rita)!;
    const fetched = stored();
    await pruneAfter(server, 400 * DAY);
    expect(await homeIdsOf(alice)).toEqual([shown]);
    expect([await isThere(shown), await isThere(fetched)]).toEqual([true, false]);
  });

  test("leaves the counts and posts of local users alone", async () => {
    const own = await alice.publish("mine");
    stored();
    await pruneAfter(server, 400 * DAY);
    expect(await isThere(own.id)).toBe(true);
    expect((await alice.get(`/api/v1/accounts/${alice.id}`)).json.statuses_count).toBe(1);
  });

  test("leaves nothing in the search index, which merges its parts again afterwards", async () => {
    const { db } = server.ctx;
    const indexSize = () =>
      db.get<{ bytes: number }>("SELECT sum(length(block)) AS bytes FROM status_search_data")!.bytes;
    const kept = stored();
    await act(kept, "bookmark");
    const before = indexSize();
    for (let at = 0; at < 120; at += 1) stored({ content: `<p>${crypto.randomUUID().repeat(20)} ${at}</p>` });
    expect(indexSize()).toBeGreaterThan(10 * before);
    await pruneAfter(server, 181 * DAY);
    expect(indexSize()).toBeLessThan(2 * before);
    expect(db.all("SELECT v FROM status_search_config WHERE k = 'automerge'")).toEqual([{ v: 4 }]);
  });

  test("is removed slice by slice, however many there are", async () => {
    for (let at = 0; at < 250; at += 1) stored();
    const marked = stored();
    await act(marked, "bookmark");
    await pruneAfter(server, 181 * DAY);
    expect(server.ctx.db.all("SELECT id FROM statuses")).toEqual([{ id: Number(marked) }]);
  });
});

describe("An account of another server", () => {
  const others: [string, (who: Client, account: RemoteAccount) => unknown][] = [
    ["follows", (who, account) => void remoteFollow(server, account, who)],
    ["is followed", (who, account) => followRemote(server, who, account)],
    ["has a note", (who, { id }) => who.post(`/api/v1/accounts/${id}/note`, { comment: "Met at the fair" })],
    ["is blocked", (who, { id }) => who.post(`/api/v1/accounts/${id}/block`)],
    ["is muted", (who, { id }) => who.post(`/api/v1/accounts/${id}/mute`)],
    ["is reported", (who, { id }) => who.post("/api/v1/reports", { account_id: id })],
  ];

  test.each(others)("stays without posts if it %s", async (_, relate) => {
    await relate(alice, rita);
    const unused = remoteAccount(server, { username: "cara" });
    await pruneAfter(server, 181 * DAY);
    expect([await isKnown(rita), await isKnown(unused)]).toEqual([true, false]);
  });

  test("stays as long as a post of it, and is removed with the last one", async () => {
    const id = stored();
    await act(id, "bookmark");
    await pruneAfter(server, 181 * DAY);
    expect(await isKnown(rita)).toBe(true);
    await act(id, "unbookmark");
    await pruneAfter(server, DAY);
    expect(await isKnown(rita)).toBe(false);
  });

  test("that was fetched within a day stays, and one that is gone for good can't come back", async () => {
    server.clock.advance(181 * DAY);
    const [fresh, gone] = [remoteAccount(server, { username: "fay" }), remoteAccount(server, { username: "gus" })];
    const { ctx } = server;
    ctx.db.transaction((tx) => tx.run("UPDATE accounts SET gone_at = 1 WHERE id = $id", { id: Number(gone.id) }));
    await pruneAfter(server, 1000);
    expect(await isKnown(fresh)).toBe(true);
    await pruneAfter(server, 2 * DAY);
    expect(await isKnown(fresh)).toBe(false);
    expect(ctx.db.transaction((tx) => saveRemoteAccount(ctx, tx, profileOf({ username: "gus" })))).toBeNull();
  });
});

describe("With LINNET_REMOTE_POSTS_DAYS=0", () => {
  const { server: keeping } = serverForEachTest([], { LINNET_REMOTE_POSTS_DAYS: "0" });

  test("nothing of other servers is removed", async () => {
    const author = remoteAccount(keeping);
    const unused = remoteAccount(keeping, { username: "cara" });
    const id = storeFrom(keeping, author, {}, "fetched")!;
    await pruneAfter(keeping, 4000 * DAY);
    const paths = [`/api/v1/statuses/${id}`, `/api/v1/accounts/${unused.id}`];
    for (const path of paths) expect((await keeping.stranger().get(path)).status).toBe(200);
  });
});

describe("The database", () => {
  test("returns the space of removed posts to the file system", async () => {
    const { ctx } = server;
    const pages = () => ctx.db.get<{ page_count: number }>("PRAGMA page_count")!.page_count;
    const before = pages();
    for (let at = 0; at < 300; at += 1) stored({ content: `<p>${"word ".repeat(1000)}</p>` });
    expect(pages()).toBeGreaterThan(before + 300);
    await pruneAfter(server, 181 * DAY);
    expect(ctx.db.get("PRAGMA freelist_count")).toEqual({ freelist_count: 0 });
    expect(pages()).toBeLessThan(before + 100);
  });
});
