import { beforeEach, expect, test } from "bun:test";
import { allowDomain, disallowDomain } from "../../src/core/moderation/domain-blocks.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, count, type HostileAccount, hostilePeerForEachTest, statusId } from "../support/hostile-peer.ts";

/* Alice follows bob, and bob and carol are known, when their server is no longer allowed. */

const { alice } = neighboursForEachTest(["alice"], { LINNET_LIMITED_FEDERATION: "on" });
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let carolId: string;
let poll: Json;

beforeEach(async () => {
  const { server } = alice;
  bob = peer.account("bob", "good.test");
  const carol = peer.account("carol", "good.test");
  allowDomain(server.ctx, "good.test");
  await befriend(alice, bob);
  carolId = (await alice.get(`/api/v1/accounts/lookup?acct=${carol.handle}`)).json.id;
  const endTime = new Date(server.clock.now() + 3600_000).toISOString();
  poll = bob.note({ type: "Question", oneOf: [{ name: "yes" }, { name: "no" }], endTime });
  await bob.deliver(server, bob.create(poll));
  disallowDomain(server.ctx, "good.test");
  await server.drain();
  peer.asked.length = 0;
});

/** Runs all jobs, and expects that nothing was sent, or waits to be sent. */
async function expectSilence(): Promise<void> {
  await alice.server.drain();
  expect(peer.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
  expect(count(alice.server, "deliveries")).toBe(0);
  expect(count(alice.server, "outgoing_activities")).toBe(0);
}

test("A known account of a domain that is not allowed can't be followed", async () => {
  const refused = await alice.post(`/api/v1/accounts/${carolId}/follow`);
  expect([refused.status, refused.json]).toEqual([403, { error: "This action is not allowed" }]);
  expect(count(alice.server, "follow_requests")).toBe(0);
  await expectSilence();
  allowDomain(alice.server.ctx, "good.test");
  expect((await alice.post(`/api/v1/accounts/${carolId}/follow`)).json).toMatchObject({ requested: true });
});

test("Favourites, boosts, votes, replies and mentions reach no domain that is not allowed", async () => {
  const copy = await alice.copyOf({ uri: poll.id });
  for (const action of ["favourite", "reblog", "bookmark"]) {
    expect((await alice.post(`/api/v1/statuses/${copy!.id}/${action}`)).status).toBe(200);
  }
  expect((await alice.post(`/api/v1/polls/${copy!.poll.id}/votes`, { choices: [0] })).status).toBe(200);
  expect((await alice.get(`/api/v1/polls/${copy!.poll.id}`)).status).toBe(200);
  await alice.publish({ status: `@${bob.handle} hello`, in_reply_to_id: copy!.id });
  await alice.publish({ status: `@${bob.handle} psst`, visibility: "direct" });
  await alice.publish(`@dave@${bob.domain} hello`);
  await alice.post(`/api/v1/accounts/${carolId}/block`);
  await expectSilence();
});

test("Nothing is fetched from a domain that is not allowed", async () => {
  const note = bob.note();
  peer.serve(note.id, note);
  peer.account("dave", "good.test");
  for (const q of [note.id, `${bob.origin}/users/dave`, `@dave@${bob.domain}`]) {
    const { json } = await alice.get(`/api/v2/search?resolve=true&q=${encodeURIComponent(q)}`);
    expect([json.accounts, json.statuses]).toEqual([[], []]);
  }
  alice.server.clock.advance(2 * 24 * 3600_000);
  expect((await alice.get(`/api/v1/accounts/${carolId}`)).status).toBe(200);
  await expectSilence();
  expect(statusId(alice.server, note.id)).toBeNull();
});
