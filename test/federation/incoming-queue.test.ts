import { describe, expect, spyOn, test } from "bun:test";
import { pause } from "../../src/lib/pause.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { count, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { inProcess } from "../support/server.ts";

/* The queue of verified activities. */

const MINUTE = 60_000;

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();

/** An activity arrives, but is not processed. */
async function arrive(account: HostileAccount, type: string, object: string): Promise<void> {
  expect(await account.send(alice.server, account.activity(type, object))).toBe(202);
}

const followersOf = async (): Promise<string[]> =>
  (await alice.get(`/api/v1/accounts/${alice.id}/followers`)).json.map(({ username }: Json) => username);

const waiting = () => count(alice.server, "incoming_activities");

describe("Activities that wait for another attempt", () => {
  test("don't keep the activities of other servers waiting, on however many servers they are", async () => {
    for (let at = 10; at < 30; at += 1) {
      const stranger = peer.account("stranger", `a${at}.test`);
      const busy = `${stranger.origin}/busy`;
      peer.serve(busy, () => new Response(null, { status: 503 }));
      await arrive(stranger, "Create", busy);
    }
    await alice.server.drain();
    expect(waiting()).toBe(20);
    await arrive(peer.account("zoe", "z.test"), "Follow", alice.uri);
    await alice.server.drain();
    expect(await followersOf()).toEqual(["zoe"]);
    expect(waiting()).toBe(20);
  });
});

describe("Activities that need a slow server", () => {
  test("don't keep the activities of other servers waiting, however many of them there are", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    for (let at = 0; at < 40; at += 1) {
      // Unknown keys of one host are fetched thirty times a minute.
      if (at % 20 === 0) alice.server.clock.advance(MINUTE);
      const slow = `${peer.origin("a.test")}/slow/${at}`;
      peer.serve(slow, async () => {
        await answered;
        return new Response(null, { status: 404 });
      });
      await arrive(peer.account(`slow${at}`, "a.test"), "Create", slow);
    }
    const drained = alice.server.drain();
    const asked = () => peer.fetched("a.test").filter((url) => url.includes("/slow/")).length;
    while (asked() < 4) await pause();
    await arrive(peer.account("zoe", "z.test"), "Follow", alice.uri);
    while ((await followersOf()).length === 0) await pause();
    expect(asked()).toBe(4);
    answer();
    await drained;
    expect(waiting()).toBe(0);
    expect(asked()).toBe(40);
  });
});

describe("A delivery", () => {
  const likeAll = async (posts: number) => {
    const eve = peer.account("eve", "a.test");
    const uris = await Promise.all(
      Array.from({ length: posts }, async (_, at) => (await alice.publish(`post ${at}`)).uri),
    );
    for (const uri of uris) await arrive(eve, "Like", uri);
  };

  inProcess("waits a moment while many activities arrive", async () => {
    const { ctx } = alice.server;
    await arrive(peer.account("zoe", "z.test"), "Follow", alice.uri);
    await alice.server.drain();
    await alice.publish("Hello");
    const sleep = spyOn(Bun, "sleep").mockResolvedValue();
    ctx.hasBacklog = true;
    await alice.server.drain();
    const pauses = sleep.mock.calls.map(([time]) => time);
    sleep.mockRestore();
    expect(pauses).toContain(250);
    expect(peer.delivered.at(-1)).toMatchObject({ type: "Create" });
  });

  for (const [posts, isMany] of [
    [15, false],
    [16, true],
  ] as const) {
    inProcess(`takes ${posts} activities for ${isMany ? "many" : "few"}, until they are processed`, async () => {
      const { ctx } = alice.server;
      await likeAll(posts);
      const seen = new Set<boolean>();
      const original = ctx.db.transaction.bind(ctx.db);
      const spy = spyOn(ctx.db, "transaction").mockImplementation((...args) => {
        seen.add(ctx.hasBacklog);
        return original(...args);
      });
      await alice.server.drain();
      spy.mockRestore();
      expect([seen.has(true), ctx.hasBacklog]).toEqual([isMany, false]);
    });
  }
});

test("A flood of one server doesn't delay the activities of another: they take turns", async () => {
  const [eve, zoe] = [peer.account("eve", "a.test"), peer.account("zoe", "z.test")];
  const posts: string[] = [];
  for (let at = 0; at < 40; at += 1) posts.push((await alice.publish(`post ${at}`)).uri);
  for (const uri of posts) await arrive(eve, "Like", uri);
  await arrive(zoe, "Like", posts[0]!);
  await alice.server.drain();
  const sql = "SELECT a.username FROM favourites f JOIN accounts a ON a.id = f.account_id ORDER BY f.id";
  const order = alice.server.ctx.db.all<{ username: string }>(sql).map(({ username }) => username);
  expect(order).toHaveLength(41);
  expect(order.indexOf("zoe")).toBeLessThan(20);
});
