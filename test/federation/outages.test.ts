import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { aliceAndPeers, neighboursForEachTest } from "../support/federation.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const POSTS = 30;

/** The contents of a timeline, oldest first. */
const contents = (timeline: Json[]) => timeline.map(({ content }) => content).toReversed();
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `<p>Post ${n + 1}</p>`);

describe("A server by others that is down for two days", () => {
  const { alice, newPeer, drain, advance, newFollowed, newFollower } = aliceAndPeers();

  test("then receives everything once and in order, and is rarely asked until then", async () => {
    const fern = await newFollower("fern");
    await fern.down();
    for (let n = 1; n <= POSTS; n += 1) {
      await alice.publish(`Post ${n}`);
      await drain();
      advance((48 / POSTS) * HOUR);
      await drain();
    }
    // A probe for each doubling up to six hours, then four a day.
    expect(fern.refusedConnections).toBeLessThan(30);
    expect(fern.received.map(({ type }) => type)).toEqual(["Accept"]);
    fern.up();
    advance(9 * HOUR);
    await drain();
    const creates = fern.received.slice(1).map(({ json }) => (json.object as Json).content);
    expect(creates).toEqual(numbered(POSTS));
    expect(alice.server.ctx.db.all("SELECT 1 FROM deliveries UNION ALL SELECT 1 FROM outgoing_activities")).toEqual([]);
  });

  test("gets neither a post that was deleted meanwhile nor its edit, but the deletion", async () => {
    const fern = await newFollower("fern");
    await fern.down();
    const post = await alice.publish("A mistake");
    await drain();
    await alice.put(`/api/v1/statuses/${post.id}`, { status: "Two mistakes" });
    await drain();
    await alice.delete(`/api/v1/statuses/${post.id}`);
    await drain();
    fern.up();
    advance(9 * HOUR);
    await drain();
    expect(fern.received.slice(1)).toMatchObject([{ type: "Delete", object: post.uri }]);
  });

  test("does not delay the posts for others", async () => {
    const [fern, moss] = [await newPeer("fern"), await newPeer("moss")];
    for (const peer of [fern, moss]) await peer.follow(alice.uri);
    await drain();
    await fern.down();
    await alice.publish("Hello");
    await drain();
    expect(moss.received.map(({ type }) => type)).toEqual(["Accept", "Create"]);
  });

  test("delays an activity that needs something from it, but none by others", async () => {
    const [fern, moss, gone] = [await newPeer("fern"), await newPeer("moss"), await newPeer("gone")];
    for (const peer of [fern, moss]) await alice.act("follow", peer);
    await drain();
    const unknown = await gone.post({ to: "public", content: "<p>unknown</p>" });
    const boost = await fern.boost(unknown.uri);
    const other = await gone.post({ to: "public", content: "<p>other</p>" });
    await fern.boost(other.uri);
    await gone.down();
    await drain();
    advance(1000);
    await moss.post({ to: "public", content: "<p>near</p>" });
    await drain();
    expect(contents(await alice.home())).toEqual(["<p>near</p>"]);
    await fern.undo(boost);
    await drain();
    gone.up();
    advance(10 * MINUTE);
    await drain();
    expect((await alice.home()).map(({ content, reblog }) => reblog?.content ?? content)).toEqual([
      "<p>near</p>",
      "<p>other</p>",
    ]);
  });

  test("delays nothing by others, even if many servers have activities that wait", async () => {
    const fern = await newFollowed("fern");
    const { db, clock } = alice.server.ctx;
    db.transaction((tx) => {
      for (let n = 10; n < 30; n += 1) {
        tx.run(
          `INSERT INTO incoming_activities (host, sender, uri, body, run_at)
           VALUES ($host, $host || '/actor', $host || '/activity', '{}', $now + 3600000)`,
          { host: `a${n}.test`, now: clock.now() },
        );
      }
    });
    await fern.post({ to: "public", content: "<p>rain</p>" });
    await drain();
    expect(contents(await alice.home())).toEqual(["<p>rain</p>"]);
  });
});

describe("A server that is down for two days", () => {
  const { alice, bob, drain, advance, befriend } = neighboursForEachTest(["alice", "bob"]);

  test("then receives everything once and in order, and its own posts are sent", async () => {
    await befriend(alice, bob);
    await bob.publish("Before the storm");
    await bob.server.kill();
    advance(1000);
    for (let n = 1; n <= POSTS; n += 1) {
      const post = await alice.publish(`Draft ${n}`);
      await drain();
      advance((48 / POSTS) * HOUR);
      await alice.put(`/api/v1/statuses/${post.id}`, { status: `Post ${n}` });
      await drain();
    }
    await bob.server.revive();
    advance(9 * HOUR);
    await drain();
    expect(contents((await bob.home()).slice(0, -1))).toEqual(numbered(POSTS));
    expect((await bob.get("/api/v1/notifications")).json).toHaveLength(1);
    expect((await alice.home()).at(-1)).toMatchObject({ content: "<p>Before the storm</p>" });
    const sql = "SELECT 1 FROM deliveries UNION ALL SELECT 1 FROM outgoing_activities";
    expect(alice.server.ctx.db.all(sql)).toEqual([]);
  });

  test("for more than a week reads what is no longer delivered", async () => {
    await befriend(alice, bob);
    await bob.server.kill();
    await alice.publish("Last week");
    await drain();
    advance(24 * 4 * HOUR);
    await alice.publish("This week");
    await drain();
    advance(24 * 4 * HOUR);
    await bob.server.revive();
    await drain();
    advance(9 * HOUR);
    await drain();
    expect(contents(await bob.home())).toEqual(["<p>Last week</p>", "<p>This week</p>"]);
  });
});
