import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { aliceAndPeers } from "../support/federation.ts";
import { count, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { followerWithInbox } from "../support/remote-rows.ts";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { progressOf } from "../../src/federation/delivery/progress.ts";
import { inProcess } from "../support/server.ts";
import { Visitor } from "../web/visitor.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;

const { alice, advance } = aliceAndPeers();
const peer = hostilePeerForEachTest();

/** An account of another server, without a shared inbox, follows alice. Its server answers deliveries with the status. */
function follower(host: string, answer: () => number = () => 202, name = "rita"): string {
  const inbox = followerWithInbox(alice.server, peer.origin(host), name, alice);
  peer.serve(inbox, () => new Response(null, { status: answer() }));
  return new URL(inbox).host;
}

async function publish(status = "Hello"): Promise<Json> {
  const post = await alice.publish(status);
  await alice.server.drain();
  return post;
}

const pathOf = ({ id }: Json) => `/api/v1/linnet/statuses/${id}/deliveries`;
const deliveries = async (post: Json) => (await alice.get(pathOf(post))).json;
const iso = () => new Date(alice.server.clock.now()).toISOString();

inProcess("A post is delivered even while activities of other servers keep arriving", async () => {
  const { ctx } = alice.server;
  follower("one.test");
  ctx.hasBacklog = true;
  const post = await publish();
  ctx.hasBacklog = false;
  expect((await deliveries(post)).published).toMatchObject({ accepted: 1, waiting: 0 });
});

describe("The author of a post", () => {
  test("sees how many servers accepted it, which ones wait and which ones refused it", async () => {
    follower("one.test");
    // A server counts once.
    follower("two.test");
    follower("two.test", () => 202, "rudi");
    const down = follower("down.test", () => 503);
    const closed = follower("closed.test", () => 403);
    const gone = follower("gone.test", () => 410);
    const post = await publish();
    expect(await deliveries(post)).toEqual({
      published: {
        created_at: iso(),
        accepted: 2,
        waiting: 1,
        refused: 2,
        waiting_servers: [
          {
            domain: down,
            since: iso(),
            last_response: `http://${down}/users/rita/inbox answered 503`,
            next_attempt_at: expect.stringMatching(/^2026-/),
          },
        ],
        refused_servers: [
          { domain: closed, response: `http://${closed}/users/rita/inbox answered 403`, created_at: iso() },
          { domain: gone, response: `http://${gone}/users/rita/inbox answered 410`, created_at: iso() },
        ],
      },
      edited: null,
    });
    // An inbox that is gone gets nothing more.
    const next = await publish("Hello again");
    expect((await deliveries(next)).published).toMatchObject({ accepted: 2, waiting: 1, refused: 1 });
  });

  test("sees that a server that was down has accepted it", async () => {
    let status = 503;
    follower("down.test", () => status);
    const first = await publish();
    advance(HOUR);
    const since = iso();
    const second = await publish("Hello again");
    expect((await deliveries(second)).published.waiting_servers[0].since < since).toBe(true);
    status = 202;
    advance(DAY);
    await alice.server.drain();
    for (const post of [first, second]) {
      expect((await deliveries(post)).published).toMatchObject({ accepted: 1, waiting: 0, waiting_servers: [] });
    }
  });

  test("sees the last response of a server that never accepted it, and after 30 days only the number", async () => {
    const down = follower("down.test", () => 503);
    const post = await publish();
    for (let day = 0; day < 8; day += 1) {
      advance(DAY);
      await alice.server.drain();
    }
    const { published } = await deliveries(post);
    expect(published).toMatchObject({ accepted: 0, waiting: 0, refused: 1 });
    expect(published.refused_servers).toMatchObject([
      { domain: down, response: expect.stringContaining("answered 503") },
    ]);
    await alice.server.cleanUpAfter(29 * DAY);
    expect((await deliveries(post)).published.refused_servers).toHaveLength(1);
    await alice.server.cleanUpAfter(2 * DAY);
    expect((await deliveries(post)).published).toMatchObject({ accepted: 0, refused: 1, refused_servers: [] });
  });

  test("sees why a server waits that is not down, also for what waits behind it", async () => {
    const strict = follower("strict.test", () => 401);
    const posts = [await publish(), await publish("Hello again")];
    for (const post of posts) {
      const { waiting_servers: waiting } = (await deliveries(post)).published;
      expect(waiting).toMatchObject([{ domain: strict, last_response: expect.stringContaining("answered 401") }]);
      expect(waiting[0].next_attempt_at > iso()).toBe(true);
    }
  });

  test("sees that a server which was blocked meanwhile doesn't get it", async () => {
    const blocked = follower("blocked.test", () => 503);
    const post = await publish();
    setDomainBlock(alice.server.ctx, "blocked.test", { severity: "suspend" });
    advance(DAY);
    await alice.server.drain();
    expect((await deliveries(post)).published).toMatchObject({ accepted: 0, refused: 1, waiting: 0 });
    expect((await deliveries(post)).published.refused_servers[0].domain).toBe(blocked);
  });

  test("sees the deliveries of the latest edit and of a boost on their own", async () => {
    let status = 202;
    follower("one.test", () => status);
    const post = await publish();
    status = 403;
    for (const text of ["Hello, world", "Hello, everyone"]) {
      await alice.put(`/api/v1/statuses/${post.id}`, { status: text });
      await alice.server.drain();
    }
    expect(await deliveries(post)).toMatchObject({ published: { accepted: 1 }, edited: { accepted: 0, refused: 1 } });
    expect(count(alice.server, "refused_deliveries")).toBe(1);
    status = 202;
    const { json: boost } = await alice.post(`/api/v1/statuses/${post.id}/reblog`);
    await alice.server.drain();
    expect(await deliveries(boost)).toMatchObject({ published: { accepted: 1, refused: 0 }, edited: null });
    await alice.delete(`/api/v1/statuses/${post.id}`);
    await alice.server.drain();
    expect(count(alice.server, "status_deliveries")).toBe(0);
  });

  test("sees as accepted what an inbox accepted just before it was gone", async () => {
    let asked = 0;
    follower("gone.test", () => (asked++ < 2 ? 202 : 410));
    const first = await alice.publish("Hello");
    const second = await publish("Hello again");
    expect((await deliveries(first)).published).toMatchObject({ accepted: 1, refused: 0 });
    expect((await deliveries(second)).published).toMatchObject({ accepted: 0, refused: 1 });
  });

  test("sees a server as waiting while one of its inboxes waits and another one has refused", async () => {
    let status = 401;
    follower("two.test", () => status);
    follower("two.test", () => 403, "rudi");
    const post = await publish();
    expect((await deliveries(post)).published).toMatchObject({ accepted: 0, waiting: 1, refused: 0 });
    status = 202;
    advance(HOUR);
    await alice.server.drain();
    expect((await deliveries(post)).published).toMatchObject({ accepted: 0, waiting: 0, refused: 1 });
  });

  test("sees nothing for a post without deliveries", async () => {
    expect(await deliveries(await publish())).toEqual({ published: null, edited: null });
  });
});

describe("The deliveries of a post", () => {
  test("are for its author, with the scope read:statuses", async () => {
    follower("one.test");
    const post = await publish();
    const bob = await alice.server.person("bob");
    expect((await bob.get(pathOf(post))).status).toBe(404);
    expect((await alice.server.stranger().get(pathOf(post))).status).toBe(401);
    expect((await alice.server.otherApp(alice, "read:accounts").get(pathOf(post))).status).toBe(403);
    expect((await alice.server.otherApp(alice, "read:statuses").get(pathOf(post))).status).toBe(200);
  });

  inProcess("take a constant number of queries", async () => {
    const { db } = alice.server.ctx;
    const statements = async (servers: number) => {
      for (let at = 0; at < servers; at += 1) follower(`s${at}.test`, () => (at % 2 === 0 ? 503 : 403), `r${servers}`);
      const post = await publish();
      const before = db.statements;
      expect(progressOf(db, Number(post.id)).published).toMatchObject({
        accepted: 0,
        waiting: { length: servers / 2 },
      });
      return db.statements - before;
    };
    const few = await statements(2);
    expect(await statements(40)).toBe(few);
  });

  test("are on its page, for its author only", async () => {
    follower("one.test");
    const down = follower("down.test", () => 503);
    follower("closed.test", () => 403);
    const post = await publish();
    const path = new URL(post.url).pathname;
    const [author, reader] = [new Visitor(alice.server), new Visitor(alice.server)];
    await alice.server.person("bob");
    await author.signIn("alice");
    await reader.signIn("bob");
    const { text } = await author.get(path);
    expect(text).toContain("Delivered to 1 server, 1 waiting, 1 refused");
    expect(text).toMatch(
      new RegExp(`${down} waiting since .* UTC, next attempt on .* UTC http://${down}\\S* answered 503`),
    );
    expect((await author.get(`${path}?lang=de`)).text).toContain("Zugestellt an 1 Server, 1 ausstehend, 1 abgelehnt");
    expect((await author.get(`${path}?lang=fr`)).text).toContain("Distribution : 1 serveur, 1 en attente, 1 refus");
    await alice.put(`/api/v1/statuses/${post.id}`, { status: "Hello, world" });
    await alice.server.drain();
    expect((await author.get(path)).text).toContain("Latest edit: delivered to 1 server, 1 waiting, 1 refused");
    for (const visitor of [reader, new Visitor(alice.server)]) {
      expect((await visitor.get(path)).text).not.toContain("Delivered");
    }
  });
});
