import { describe, expect } from "bun:test";
import { pause } from "../../src/lib/pause.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { followerWithInbox } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";

/* Deliveries to servers that are slow, down or broken, and what they mean for the others. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();

const follower = (host: string, name = "rita") => followerWithInbox(alice.server, peer.origin(host), name, alice);

/** The hosts that were sent something, in order. */
const sentTo = () => peer.asked.filter(({ method }) => method === "POST").map(({ url }) => new URL(url).hostname);

describe("A site that doesn't respond", () => {
  inProcess("takes few of the places for deliveries, however many hosts it has", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    for (let n = 0; n < 40; n += 1) {
      peer.serve(follower(`a${n}.evil.test`), async () => {
        await answered;
        return new Response(null, { status: 202 });
      });
    }
    follower("good.test");
    await alice.publish("Hello");
    const drained = alice.server.drain();
    while (!sentTo().includes("good.test")) await pause();
    expect(sentTo().filter((host) => host.endsWith(".evil.test")).length).toBeLessThanOrEqual(4);
    answer();
    await drained;
    expect(new Set(sentTo()).size).toBe(41);
  });
});

describe("A host that is back", () => {
  inProcess("wakes what waits for it, and not what waits for other hosts of its site", async () => {
    let isBack = false;
    peer.serve(follower("one.evil.test", "ann"), () => new Response(null, { status: isBack ? 202 : 503 }));
    peer.serve(follower("one.evil.test", "bea"), () => new Response(null, { status: isBack ? 202 : 503 }));
    peer.serve(follower("two.evil.test"), () => new Response(null, { status: 503 }));
    await alice.publish("Hello");
    await alice.server.drain();
    const { db, clock } = alice.server.ctx;
    const waiting = () =>
      db.all<{ inbox: string; run_at: number }>(
        "SELECT payload ->> 'inbox' AS inbox, run_at FROM jobs WHERE kind = 'delivery.send'",
      );
    const two = () => waiting().filter(({ inbox }) => inbox.includes("two."));
    expect(waiting()).toHaveLength(3);
    const later = clock.now() + 6 * 3600_000;
    db.transaction((tx) => {
      tx.run("UPDATE hosts SET next_attempt_at = $later WHERE domain LIKE 'two.%'", { later });
      tx.run("UPDATE jobs SET run_at = $later WHERE payload ->> 'inbox' NOT LIKE '%ann/inbox'", { later });
    });
    isBack = true;
    alice.server.clock.advance(3600_000);
    await alice.server.drain();
    expect(waiting()).toEqual(two());
    expect(two()).toMatchObject([{ run_at: later }]);
  });
});
