import { beforeEach, describe, expect, test } from "bun:test";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { moderate } from "../../src/core/moderation/moderation.ts";
import { type Known, type Neighbour, neighboursForEachTest } from "../support/federation.ts";
import { block } from "../support/rows.ts";

const { alice, bob, drain } = neighboursForEachTest(["alice", "bob"]);

const domainOf = (who: Neighbour): string => who.server.ctx.config.handleDomain;
/** Whether Alice follows Bob: as her server knows it, and as his does. */
const isFollowing = async () => [
  (await alice.relationship(bob)).following,
  (await bob.relationship(alice)).followed_by,
];

async function suspend(moderator: Neighbour, account: Known): Promise<void> {
  const id = Number(await moderator.idOf(account));
  moderate(moderator.server.ctx, id, "suspend", { by: null, text: "", reportId: null });
  await drain();
}

describe("A follow between two servers ends on both", () => {
  beforeEach(async () => {
    await alice.act("follow", bob);
    await drain();
    expect(await isFollowing()).toEqual([true, true]);
  });

  test("when a user blocks the domain of a follower", async () => {
    await bob.post("/api/v1/domain_blocks", { domain: domainOf(alice) });
    await drain();
    expect(await isFollowing()).toEqual([false, false]);
  });

  test("when a user blocks the domain of a followed account", async () => {
    await alice.post("/api/v1/domain_blocks", { domain: domainOf(bob) });
    await drain();
    expect(await isFollowing()).toEqual([false, false]);
  });

  test("when a moderator suspends the follower", async () => {
    await suspend(bob, alice);
    expect((await alice.relationship(bob)).following).toBe(false);
  });

  test("when a moderator suspends the followed account", async () => {
    await suspend(alice, bob);
    expect((await bob.relationship(alice)).followed_by).toBe(false);
  });

  test("when this server blocks the other", async () => {
    setDomainBlock(alice.server.ctx, domainOf(bob), { severity: "suspend" });
    await drain();
    expect((await bob.relationship(alice)).followed_by).toBe(false);
  });
});

test("A follow of an account that blocks the follower is rejected, even if the follower's server doesn't know", async () => {
  block(bob.server, bob, { id: await bob.idOf(alice) });
  await alice.act("follow", bob);
  expect(await alice.relationship(bob)).toMatchObject({ requested: true });
  await drain();
  expect(await alice.relationship(bob)).toMatchObject({ requested: false, following: false });
});
