import { describe, expect, test } from "bun:test";
import { aliceAndPeers, neighboursForEachTest, type Neighbour } from "../support/federation.ts";

const MINUTE = 60_000;

async function restart({ server }: Neighbour): Promise<void> {
  await server.kill();
  await server.revive();
}

/** The first request to another server is answered, and then nothing more is written: the rest of the work is lost. */
async function crash({ server }: Neighbour): Promise<void> {
  await server.crashInJob();
  await server.revive();
}

describe("Between two servers", () => {
  const { alice, bob, drain, befriend } = neighboursForEachTest(["alice", "bob"]);

  test("what a killed server has confirmed is delivered after its next start", async () => {
    await alice.act("follow", bob);
    await restart(alice);
    await drain();
    expect(await alice.relationship(bob)).toMatchObject({ following: true });
    const post = await bob.publish("Hello");
    await restart(bob);
    await drain();
    await alice.react("favourite", post);
    await alice.react("reblog", post);
    await restart(alice);
    await drain();
    expect(await bob.copyOf(post)).toMatchObject({ favourites_count: 1, reblogs_count: 1 });
    await bob.delete(`/api/v1/statuses/${post.id}`);
    await restart(bob);
    await drain();
    expect(await alice.copyOf(post)).toBeNull();
  });

  test("what a killed server has accepted is processed after its next start", async () => {
    await befriend(alice, bob);
    const post = await alice.publish(`@${bob.handle} hello`);
    await alice.server.drain();
    expect(await bob.copyOf(post)).toBeNull();
    await restart(bob);
    await drain();
    expect(await bob.home()).toMatchObject([{ uri: post.uri }]);
    expect((await bob.news())[0]).toEqual(["mention", alice.handle]);
  });

  test("an activity is sent again if its sender was killed before it noted the response, and counts once", async () => {
    await befriend(alice, bob);
    const post = await alice.publish({
      status: `@${bob.handle} hello`,
      poll: { options: ["yes", "no"], expires_in: 3600 },
    });
    await crash(alice);
    await drain();
    expect(await bob.home()).toMatchObject([{ uri: post.uri }]);
    expect(await bob.news()).toEqual([
      ["mention", alice.handle],
      ["follow", alice.handle],
    ]);
    const { poll } = await bob.copyOf(post);
    await bob.post(`/api/v1/polls/${poll.id}/votes`, { choices: [0] });
    await crash(bob);
    await drain();
    expect((await alice.copyOf(post)).poll.options).toMatchObject([{ votes_count: 1 }, { votes_count: 0 }]);
    await bob.react("favourite", post);
    await crash(bob);
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 1 });
  });
});

describe("With a server by others", () => {
  const { alice, newPeer, drain, advance, newFollower } = aliceAndPeers();

  test("an activity that was being processed is processed again", async () => {
    const [fern, moss] = [await newPeer("fern"), await newPeer("moss")];
    await alice.act("follow", fern);
    await drain();
    const post = await moss.post({ to: "public", content: "<p>soft</p>" });
    await fern.boost(post.uri);
    await crash(alice);
    await drain();
    expect(await alice.home()).toMatchObject([{ reblog: { uri: post.uri } }]);
  });

  test("the order is kept when the server is killed while another one is down", async () => {
    const fern = await newFollower("fern");
    await fern.down();
    for (const text of ["one", "two", "three"]) {
      await alice.publish(text);
      await drain();
      await restart(alice);
      advance(MINUTE);
    }
    fern.up();
    advance(60 * MINUTE);
    await drain();
    const texts = fern.received.slice(1).map(({ json }) => (json.object as { content: string }).content);
    expect(texts).toEqual(["<p>one</p>", "<p>two</p>", "<p>three</p>"]);
  });
});
