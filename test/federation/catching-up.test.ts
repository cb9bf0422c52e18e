import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, type HostileAccount, hostilePeerForEachTest, PUBLIC } from "../support/hostile-peer.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/* The other server delivers nothing while alice's is not running, and doesn't try again. */

const { alice, advance, drain } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let outbox: Json[];

beforeEach(async () => {
  bob = peer.account("bob");
  bob.document = { ...bob.document, outbox: `${bob.uri}/outbox` };
  outbox = [];
  peer.serve(bob.document.outbox, () => {
    const collection = { id: bob.document.outbox, type: "OrderedCollection", orderedItems: outbox };
    return new Response(JSON.stringify(collection), { headers: { "content-type": "application/activity+json" } });
  });
  await befriend(alice, bob);
  await drain();
});

/** Publishes a post that is only in the outbox. */
function publish(content: string, more: Json = {}, age = 0): Json {
  const published = new Date(alice.server.clock.now() - age).toISOString();
  const note = { ...bob.note({ content: `<p>${content}</p>` }), published, to: [PUBLIC], ...more };
  const create = { id: `${note.id}/activity`, type: "Create", actor: bob.uri, object: note, published };
  outbox.unshift(create);
  return note;
}

async function outage(length: number, meanwhile: () => void = () => {}): Promise<void> {
  await alice.server.kill();
  advance(length / 2);
  meanwhile();
  advance(length / 2);
  await alice.server.revive();
}

const contents = async () => (await alice.home()).map(({ content }) => content.replaceAll(/<[^>]*>/g, ""));

describe("After an outage of a day", () => {
  test("a user has the posts of followed accounts, in order and once, and knows of mentions", async () => {
    await outage(24 * HOUR, () => {
      publish("first");
      advance(MINUTE);
      const tag = [{ type: "Mention", href: alice.uri, name: `@${alice.handle}` }];
      publish("second, for alice", { tag, cc: [alice.uri] });
      advance(MINUTE);
      publish("third");
    });
    advance(15 * MINUTE);
    await drain();
    expect(await contents()).toEqual(["third", "second, for alice", "first"]);
    const types = async () => (await alice.news()).map(([type]) => type);
    expect(await types()).toEqual(["mention", "follow"]);
    // The other server tries again after all.
    const [create] = outbox;
    await bob.deliver(alice.server, create!);
    await outage(2 * HOUR);
    advance(15 * MINUTE);
    await drain();
    expect(await contents()).toEqual(["third", "second, for alice", "first"]);
    expect(await types()).toEqual(["mention", "follow"]);
  });

  test("a deleted post stays deleted, and an older one isn't fetched", async () => {
    publish("before", {}, MINUTE);
    const gone = publish("gone");
    await bob.deliver(alice.server, outbox[0]!);
    await bob.deliver(alice.server, bob.activity("Delete", gone.id));
    await outage(24 * HOUR, () => publish("new"));
    advance(15 * MINUTE);
    await drain();
    expect(await contents()).toEqual(["new"]);
  });
});

describe("After an outage of less than an hour", () => {
  test("nothing is fetched", async () => {
    const before = peer.fetched().length;
    await outage(HOUR - MINUTE, () => publish("new"));
    advance(15 * MINUTE);
    await drain();
    expect(peer.fetched().length).toBe(before);
  });
});
