import { beforeEach, describe, expect, test } from "bun:test";
import { rotateKey } from "../../src/core/people/account-keys.ts";
import { parseSignature, readPublicKey, verifySignature } from "../../src/lib/signatures.ts";
import type { Json } from "../support/client.ts";
import { type Neighbour, neighboursForEachTest } from "../support/federation.ts";
import { befriend, count, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;

const rotate = ({ server, id }: Neighbour) => rotateKey(server.ctx, Number(id));
const KEY = "SELECT public_key FROM account_keys WHERE account_id = $id AND retired_at IS NULL";
const keyOf = ({ server, id }: Neighbour) => server.ctx.db.get<Json>(KEY, { id: Number(id) })!.public_key;

describe("Between two servers, a key is rotated while deliveries wait:", () => {
  const { alice, bob, drain, advance, befriend: follow } = neighboursForEachTest(["alice", "bob"]);
  const keysAtBob = () =>
    bob.server.ctx.db
      .all<{ public_key: string }>(
        "SELECT k.public_key FROM remote_keys k JOIN accounts a ON a.id = k.account_id WHERE a.uri = $uri",
        { uri: alice.uri },
      )
      .map(({ public_key }) => public_key);

  test("all arrive in order, and the other server has the new key", async () => {
    await follow(alice, bob);
    await bob.server.kill();
    await alice.publish("before");
    await alice.server.drain();
    advance(1000);
    await alice.publish("just before");
    await rotate(alice);
    advance(1000);
    await alice.publish("after");
    await alice.server.drain();
    await bob.server.revive();
    advance(HOUR);
    await drain();
    expect((await bob.home()).map(({ content }) => content)).toEqual([
      "<p>after</p>",
      "<p>just before</p>",
      "<p>before</p>",
    ]);
    expect(keysAtBob()).toEqual([keyOf(alice)]);
    await alice.server.cleanUpAfter(9 * DAY);
    expect(count(alice.server, "account_keys")).toBe(2);
  });
});

describe("A server that never fetches a key again", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();
  let bob: HostileAccount;
  let status: number;
  /** Alice's key as the server knows it. */
  let known: string;
  let accepted: string[];

  /** Verifies with the key that it knows. An Update replaces that. */
  function receive(): Response {
    if (status !== 202) return new Response(null, { status });
    const { method, url, headers, body } = peer.asked.at(-1)!;
    const received = { method, url, headers, body: new TextEncoder().encode(body) };
    const signature = parseSignature(received, alice.server.clock.now());
    const isValid = !("problem" in signature) && verifySignature(received, signature, readPublicKey(known)!) === null;
    if (!isValid) return new Response(null, { status: 401 });
    const activity = JSON.parse(body);
    if (activity.type === "Update") known = activity.object.publicKey.publicKeyPem;
    accepted.push(activity.type);
    return new Response(null, { status });
  }

  beforeEach(async () => {
    bob = peer.account("bob", "good.test");
    status = 202;
    accepted = [];
    await befriend(alice, bob);
    known = keyOf(alice);
    peer.serve(bob.document.inbox, receive);
  });

  async function waitAndRotate(times = 1): Promise<void> {
    status = 503;
    await alice.publish("before");
    await alice.server.drain();
    for (let time = 0; time < times; time += 1) await rotate(alice);
    await alice.publish("after");
    await alice.server.drain();
    status = 202;
    alice.server.clock.advance(HOUR);
  }

  test("accepts everything in order: what waited and the Update have the old signature", async () => {
    await waitAndRotate();
    const { length } = peer.asked;
    await alice.server.drain();
    expect(accepted).toEqual(["Create", "Update", "Create"]);
    expect(peer.asked).toHaveLength(length + 3);
    expect(known).toBe(keyOf(alice));
  });

  test("accepts everything after two rotations", async () => {
    await waitAndRotate(2);
    await alice.server.drain();
    expect(accepted).toEqual(["Create", "Update", "Update", "Create"]);
    expect(known).toBe(keyOf(alice));
  });

  test("accepts what waited if it knows the new key already", async () => {
    await waitAndRotate();
    known = keyOf(alice);
    await alice.server.drain();
    expect(accepted).toEqual(["Create", "Update", "Create"]);
  });

  test("accepts what arrives before the Update", async () => {
    const before = known;
    await waitAndRotate();
    await alice.server.drain();
    known = before;
    await alice.publish("later");
    await alice.server.drain();
    expect(accepted.at(-1)).toBe("Create");
    expect(accepted).toHaveLength(4);
  });
});
