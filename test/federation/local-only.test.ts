import { beforeEach, describe, expect, test } from "bun:test";
import type { DeliveryEvent } from "../../src/db/delivery-events.ts";
import { activitiesFor } from "../../src/federation/write/activities.ts";
import { followRelay } from "../../src/federation/relays.ts";
import type { Client, Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, count, type HostileAccount, hostilePeerForEachTest, statusId } from "../support/hostile-peer.ts";
import { TestRelay } from "../support/relay.ts";

/* Local-only posts of Alice. Bob, on another server, follows her. Carol is a user of her server. */

const { alice, drain } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let carol: Client;

beforeEach(async () => {
  bob = peer.account("bob", "good.test");
  await befriend(alice, bob);
  carol = await alice.server.person("carol");
});

const here = (status: string, more: object = {}) => alice.publish({ status, local_only: true, ...more });
const act = (who: Client, action: string, { id }: Json) => who.post(`/api/v1/statuses/${id}/${action}`);
const copy = async ({ id }: Json): Promise<Json> => (await alice.get(`/api/v1/statuses/${id}`)).json;
const addressOf = ({ uri }: Json, part = "") => new URL(uri).pathname + part;
/** A document as Bob's server gets it; its status if it is refused. */
async function documentAt(path: string): Promise<Json> {
  const response = await bob.fetch(alice.server, path);
  return response.status === 200 ? response.json() : response.status;
}

describe("Of a local-only post, other servers", () => {
  test("get neither it nor its edits, boosts, pins, poll, replies and deletion, and relays don't", async () => {
    const relay = new TestRelay(peer, "mastodon", [alice.server]);
    await followRelay(alice.server.ctx, relay.address);
    await drain();
    await relay.work();
    await drain();
    const group = peer.account("bread", "lemmy.test", { type: "Group" });
    await alice.resolve(`@${group.handle}`);
    const before = peer.delivered.length;
    const poll = { options: ["yes", "no"], expires_in: 300 };
    const post = await here(`@${bob.handle} @${group.handle} psst #secret`, { poll });
    await here("reply", { in_reply_to_id: post.id });
    await carol.post(`/api/v1/polls/${post.poll.id}/votes`, { choices: [0] });
    for (const action of ["reblog", "favourite"]) await act(carol, action, post);
    for (const action of ["pin", "unpin", "pin"]) await act(alice, action, post);
    await alice.put(`/api/v1/statuses/${post.id}`, { status: `@${bob.handle} edited` });
    expect(count(alice.server, "jobs WHERE kind = 'delivery.prepare'")).toBe(0);
    alice.server.clock.advance(600_000);
    await drain();
    await act(carol, "unreblog", post);
    await alice.delete(`/api/v1/statuses/${post.id}`);
    await drain();
    expect(peer.delivered.slice(before)).toEqual([]);
    expect(count(alice.server, "outgoing_activities")).toBe(0);
    // Not even that it was there.
    expect(await documentAt(addressOf(post))).toBe(404);
    // The same with a post for everyone.
    const open = await alice.publish("hello");
    await drain();
    expect(peer.delivered.slice(before).map(({ object }) => object.id)).toEqual([open.uri, open.uri]);
  });

  test("can't answer, favourite, boost, quote or vote in it, though they know its address", async () => {
    const poll = { options: ["yes", "no"], expires_in: 300 };
    const post = await here("psst", { poll, quote_approval_policy: "public" });
    const before = peer.delivered.length;
    const reply = bob.note({ inReplyTo: post.uri });
    const quoting = bob.note({ quote: post.uri });
    const quotingUnasked = bob.note({ quoteUri: post.uri });
    const eve = peer.account("eve");
    const unwanted = eve.note({ inReplyTo: post.uri });
    const vote = bob.note({ name: "yes", content: undefined, inReplyTo: post.uri, to: [alice.uri], cc: [] });
    const activities = [
      bob.activity("Like", post.uri),
      bob.activity("Announce", post.uri, { to: bob.note().to }),
      bob.create(reply),
      bob.create(quotingUnasked),
      bob.create(vote),
      bob.activity("QuoteRequest", post.uri, { instrument: quoting }),
    ];
    for (const activity of activities) await bob.deliver(alice.server, activity);
    await eve.deliver(alice.server, eve.create(unwanted));
    expect(await copy(post)).toMatchObject({
      replies_count: 0,
      favourites_count: 0,
      reblogs_count: 0,
      quotes_count: 0,
      poll: { votes_count: 0 },
    });
    expect((await alice.copyOf({ uri: reply.id }))!.in_reply_to_id).toBeNull();
    expect((await alice.copyOf({ uri: quotingUnasked.id }))!.quote).toBeNull();
    for (const { id } of [quoting, unwanted]) expect(statusId(alice.server, id)).toBeNull();
    expect(peer.delivered.slice(before)).toEqual([]);
    expect((await alice.news()).filter(([type]) => type !== "follow")).toEqual([]);
  });

  test("find no trace in the documents of others", async () => {
    await here("#tea #milk");
    await alice.post("/api/v1/featured_tags", { name: "tea" });
    const open = await alice.publish("hello");
    const outbox = await documentAt("/users/alice/outbox");
    const hidden = await here("psst #tea", { in_reply_to_id: open.id });
    await act(alice, "reblog", hidden);
    expect(await documentAt("/users/alice/outbox")).toEqual(outbox);
    expect((await documentAt(addressOf(open))).replies.totalItems).toBe(0);
    expect((await documentAt(addressOf(open, "/context"))).totalItems).toBe(0);
    expect((await copy(open)).replies_count).toBe(0);
    await alice.post("/api/v1/featured_tags", { name: "milk" });
    const { json: featured } = await alice.get("/api/v1/featured_tags");
    expect(featured).toMatchObject([{ statuses_count: "0" }, { statuses_count: "0" }]);
    // A reply for everyone, which its author chose.
    const root = await here("psst");
    const reply = await alice.publish({ status: "hello", in_reply_to_id: root.id, local_only: false });
    const document = await documentAt(addressOf(reply));
    expect(document.inReplyTo).toBeNull();
    expect(JSON.stringify(document)).not.toContain(root.uri);
    expect((await copy(root)).replies_count).toBe(1);
    await alice.delete(`/api/v1/statuses/${reply.id}`);
    expect((await copy(root)).replies_count).toBe(0);
  });
});

test("No activity is written about a local-only post or its boost, whatever asks for one", async () => {
  const post = await here("psst");
  const boost = (await act(carol, "reblog", post)).json;
  const asked = ([type, { id }]: [string, Json]) => ({ type, statusId: Number(id) }) as DeliveryEvent;
  const events = (
    [
      ["status.created", post],
      ["status.updated", post],
      ["quote.requested", post],
      ["reblog.created", boost],
    ] as [string, Json][]
  ).map(asked);
  for (const event of events) expect(activitiesFor(alice.server.ctx, event)).toEqual([]);
});

describe("A local-only quote", () => {
  /** A post by Ines, with a policy. */
  async function published(automaticApproval: string[], manualApproval: string[] = []): Promise<string> {
    const ines = peer.account("ines", "gallery.test");
    const note = ines.note({ interactionPolicy: { canQuote: { automaticApproval, manualApproval } } });
    peer.serve(note.id, note);
    return (await alice.resolve(note.id)).statuses[0].id;
  }

  test("asks no other server: it is shown if the author's policy allows everyone", async () => {
    const quoted_status_id = await published(["as:Public"]);
    const before = peer.delivered.length;
    const jobs = count(alice.server, "jobs");
    const quoting = await here("look", { quoted_status_id });
    expect(count(alice.server, "jobs")).toBe(jobs);
    expect(quoting.quote).toMatchObject({ state: "accepted", quoted_status: { id: quoted_status_id } });
    await drain();
    expect(peer.delivered.slice(before)).toEqual([]);
  });

  test("is refused if the author would have to be asked", async () => {
    const quoted_status_id = await published([], ["as:Public"]);
    const answer = await alice.post("/api/v1/statuses", { status: "look", quoted_status_id, local_only: true });
    expect(answer.status).toBe(422);
    expect(answer.json.error).toContain("cannot ask them");
  });

  test("that is revoked or has an authorization is named to nobody", async () => {
    const open = await alice.publish({ status: "hello", quote_approval_policy: "public" });
    await drain();
    const quoting = await carol.publish({ status: "look", quoted_status_id: open.id, local_only: true });
    const [{ id }] = alice.server.ctx.db.all<{ id: number }>("SELECT id FROM quotes") as [{ id: number }];
    expect(await documentAt(`/users/alice/quote_authorizations/${id}`)).toBe(404);
    const before = peer.delivered.length;
    expect((await alice.post(`/api/v1/statuses/${open.id}/quotes/${quoting.id}/revoke`)).status).toBe(200);
    await drain();
    expect(peer.delivered.slice(before)).toEqual([]);
  });
});
