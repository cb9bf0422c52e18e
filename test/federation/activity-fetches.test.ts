import { describe, expect } from "bun:test";
import { queueActivity } from "../../src/federation/inbox/incoming.ts";
import { pause } from "../../src/lib/pause.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { count, hostilePeerForEachTest, PUBLIC, statusId } from "../support/hostile-peer.ts";
import { followRemote, remoteAccount, type RemoteAccount } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";

/* The requests that activities cause, which others could direct at any server. */

const MINUTE = 60_000;

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let sent = 0;

/** An account that alice follows. */
async function followed(username: string, host: string): Promise<RemoteAccount> {
  const origin = peer.origin(host);
  const account = remoteAccount(alice.server, {
    username,
    domain: new URL(origin).host,
    uri: `${origin}/users/${username}`,
  });
  await followRemote(alice.server, alice, account);
  return account;
}

/** A verified activity arrives. */
async function arrive({ uri }: RemoteAccount, activity: Json): Promise<void> {
  const id = `${uri}/activities/${(sent += 1)}`;
  const body = JSON.stringify({ id, actor: uri, to: [PUBLIC], ...activity });
  await queueActivity(alice.server.ctx, { id: 0, uri, host: new URL(uri).host }, id, body);
}

/** Boosts of posts that don't exist. */
async function boosts(by: RemoteAccount, number: number, target: (n: number) => string): Promise<void> {
  for (let n = 0; n < number; n += 1) await arrive(by, { type: "Announce", object: target(n) });
}

/** Without the posts of a profile, which a follow has fetched. */
const fetched = () =>
  peer.asked.filter(({ method, url }) => method === "GET" && !url.endsWith("/outbox")).map(({ url }) => url);
const waiting = () => count(alice.server, "incoming_activities");

async function drainLater(): Promise<void> {
  alice.server.clock.advance(MINUTE);
  await alice.server.drain();
}

describe("Activities that need other servers", () => {
  inProcess("cause 120 requests a minute if they are from one site, and the rest later", async () => {
    const [ann, bea] = [await followed("ann", "one.evil.test"), await followed("bea", "two.evil.test")];
    const zoe = await followed("zoe", "good.test");
    await boosts(ann, 100, (n) => `${peer.origin(`a${n}.test`)}/ann/${n}`);
    await boosts(bea, 100, (n) => `${peer.origin(`a${n}.test`)}/bea/${n}`);
    await boosts(zoe, 1, () => `${peer.origin("a1.test")}/zoe`);
    await alice.server.drain();
    expect(fetched().filter((url) => !url.endsWith("/zoe"))).toHaveLength(120);
    expect(fetched().filter((url) => url.endsWith("/zoe"))).toHaveLength(1);
    expect(waiting()).toBe(80);
    expect(count(alice.server, "incoming_activities WHERE attempts > 0")).toBe(0);
    await drainLater();
    expect(waiting()).toBe(0);
    expect([fetched().length, new Set(fetched()).size]).toEqual([201, 201]);
  });

  inProcess("cause 240 requests a minute to one site, from any number of senders, and the rest later", async () => {
    for (let n = 0; n < 3; n += 1) {
      const by = await followed("eve", `evil${n}.test`);
      await boosts(by, 100, (at) => `${peer.origin(`h${at}.victim.test`)}/${n}/${at}`);
    }
    await alice.server.drain();
    expect(fetched()).toHaveLength(240);
    expect(waiting()).toBe(60);
    await drainLater();
    expect(waiting()).toBe(0);
    expect([fetched().length, new Set(fetched()).size]).toEqual([300, 300]);
  });

  inProcess("cause four requests to one site at once", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    for (let n = 0; n < 12; n += 1) {
      const target = `${peer.origin(`h${n}.victim.test`)}/slow`;
      peer.serve(target, async () => {
        await answered;
        return new Response(null, { status: 404 });
      });
      await boosts(await followed("eve", `evil${n}.test`), 1, () => target);
    }
    const other = `${peer.origin("other.test")}/quick`;
    await boosts(await followed("zoe", "good.test"), 1, () => other);
    const drained = alice.server.drain();
    while (!fetched().includes(other)) await pause();
    expect(fetched().filter((url) => url.endsWith("/slow")).length).toBeLessThanOrEqual(4);
    answer();
    await drained;
    expect(fetched()).toHaveLength(13);
  });

  inProcess("cause a hundred requests each, also by redirects, and are processed with what these found", async () => {
    const bob = await followed("bob", "evil.test");
    const address = (n: number) => `${peer.origin(`h${n}.test`)}/notes/${n}`;
    for (let n = 0; n < 20; n += 1) {
      const author = peer.account("author", `h${n}.test`);
      for (const [from, to] of [
        ["", "?1"],
        ["?1", "?2"],
        ["?2", "?3"],
      ]) {
        peer.serve(address(n) + from, () => Response.redirect(address(n) + to));
      }
      peer.serve(`${address(n)}?3`, author.note({ id: `${address(n)}?3`, inReplyTo: address(n + 1) }));
    }
    const object = { id: `${bob.uri}/notes/1`, type: "Note", attributedTo: bob.uri, content: "Deep", to: [PUBLIC] };
    await arrive(bob, { type: "Create", object: { ...object, inReplyTo: address(0) } });
    await alice.server.drain();
    // Each parent needs four requests, its author one, and their handle one by https and one by http.
    expect(fetched().length).toBeGreaterThan((100 / 7) * 5 - 5);
    expect(fetched().length).toBeLessThan((100 / 7) * 5 + 5);
    expect(waiting()).toBe(0);
    expect(statusId(alice.server, object.id)).not.toBeNull();
    expect(count(alice.server, "statuses")).toBe(1 + Math.floor(100 / 7));
  });
});
