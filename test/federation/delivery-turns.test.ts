import { describe, expect, test } from "bun:test";
import { pause } from "../../src/lib/pause.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { collectLog } from "../support/log.ts";
import { followerWithInbox } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";

/* Deliveries to servers that are slow, down or broken, and what they mean for the others. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

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
    const later = clock.now() + 6 * HOUR;
    db.transaction((tx) => {
      tx.run("UPDATE hosts SET next_attempt_at = $later WHERE domain LIKE 'two.%'", { later });
      tx.run("UPDATE jobs SET run_at = $later WHERE payload ->> 'inbox' NOT LIKE '%ann/inbox'", { later });
    });
    isBack = true;
    alice.server.clock.advance(HOUR);
    await alice.server.drain();
    expect(waiting()).toEqual(two());
    expect(two()).toMatchObject([{ run_at: later }]);
  });
});

describe("A host that is down", () => {
  test("is back when it refuses a signature, and gets what others sent", async () => {
    let status = 503;
    peer.serve(follower("evil.test", "ann"), () => new Response(null, { status }));
    await alice.server.drain();
    const bea = follower("evil.test", "bea");
    await alice.server.drain();
    const toBea = () => peer.asked.filter(({ url }) => url === bea);
    expect(toBea()).toEqual([]);
    status = 401;
    alice.server.ctx.db.transaction((tx) =>
      tx.run("UPDATE jobs SET run_at = run_at + 1 WHERE payload ->> 'inbox' = $bea", { bea }),
    );
    alice.server.clock.advance(1.25 * MINUTE);
    await alice.server.drain();
    expect(toBea()).toHaveLength(1);
    expect(alice.server.ctx.db.all("SELECT 1 FROM hosts WHERE down_since IS NOT NULL")).toEqual([]);
  });
});

describe("Deliveries to one host that fail together", () => {
  inProcess("count as one failure: the host is probed after a minute", async () => {
    const NAMES = ["ann", "bea", "cat", "dan"];
    const allAsked = Promise.withResolvers<void>();
    for (const name of NAMES) {
      peer.serve(follower("evil.test", name), async () => {
        if (sentTo().length === NAMES.length) allAsked.resolve();
        await allAsked.promise;
        return new Response(null, { status: 503 });
      });
    }
    await alice.server.drain();
    expect(sentTo()).toHaveLength(NAMES.length);
    alice.server.clock.advance(1.25 * MINUTE);
    await alice.server.drain();
    expect(sentTo()).toHaveLength(NAMES.length + 1);
    alice.server.clock.advance(1.25 * MINUTE);
    await alice.server.drain();
    expect(sentTo()).toHaveLength(NAMES.length + 1);
    alice.server.clock.advance(1.25 * MINUTE);
    await alice.server.drain();
    expect(sentTo()).toHaveLength(NAMES.length + 2);
  });
});

describe("A host that asks to wait", () => {
  const date = (at: number) => new Date(at).toUTCString();
  const cases = [429, 503].flatMap((status) => [
    { status, form: "seconds", header: () => "7200" },
    { status, form: "a date", header: (now: number) => date(now + 2 * HOUR) },
  ]);

  test.each(cases)("with $status and $form is asked again just then", async ({ status, header }) => {
    const { clock } = alice.server;
    let isReady = false;
    peer.serve(follower("busy.test"), () => {
      if (isReady) return new Response(null, { status: 202 });
      return new Response(null, { status, headers: { "retry-after": header(clock.now()) } });
    });
    await alice.server.drain();
    expect(sentTo()).toHaveLength(1);
    isReady = true;
    clock.advance(2 * HOUR - 1000);
    await alice.server.drain();
    expect(sentTo()).toHaveLength(1);
    clock.advance(1000);
    await alice.server.drain();
    expect(peer.delivered.map(({ type }) => type)).toEqual(["Accept", "Accept"]);
  });
});

describe("An inbox that redirects", () => {
  test.each([301, 302, 303, 307, 308])(
    "with %i gets the activity once it answers, which the target doesn't",
    async (status) => {
      let isMoved = true;
      const headers = { location: `${peer.origin("elsewhere.test")}/inbox` };
      peer.serve(follower("moved.test"), () =>
        isMoved ? new Response(null, { status, headers }) : new Response(null, { status: 202 }),
      );
      follower("moved.test", "bob");
      await alice.server.drain();
      for (let hours = 0; hours < 5 * 24; hours += 6) {
        alice.server.clock.advance(6 * HOUR);
        await alice.server.drain();
      }
      const toRita = () => peer.asked.filter(({ url }) => url.endsWith("/rita/inbox"));
      const toBob = () => peer.asked.filter(({ url }) => url.endsWith("/bob/inbox"));
      expect(toRita().length).toBeLessThan(25);
      expect(toBob()).toHaveLength(1);
      isMoved = false;
      const refused = toRita().length;
      for (const hours of [6, 48]) {
        alice.server.clock.advance(hours * HOUR);
        await alice.server.drain();
        expect(toRita()).toHaveLength(refused + 1);
      }
      expect(sentTo()).not.toContain("elsewhere.test");
      expect(alice.server.ctx.db.all("SELECT 1 FROM deliveries")).toEqual([]);
    },
  );
});

describe("A delivery that this server can't send", () => {
  inProcess("is dropped after a day, so that those behind it are sent, and is no failure of the host", async () => {
    const { server } = alice;
    const errors = collectLog(server);
    const carol = await server.person("carol");
    const breakKey = "UPDATE account_keys SET private_key = 'broken' WHERE account_id = $carolId";
    server.ctx.db.transaction((tx) => tx.run(breakKey, { carolId: Number(carol.id) }));
    const inbox = follower("good.test");
    await server.drain();
    const uri = inbox.replace("/inbox", "");
    const rita = server.ctx.db.get<{ id: number }>("SELECT id FROM accounts WHERE uri = $uri", { uri })!;
    await carol.post(`/api/v1/accounts/${rita.id}/follow`);
    await server.drain();
    server.clock.advance(MINUTE);
    await alice.publish("Hello");
    const types = () => peer.delivered.map(({ type }) => type);
    for (let hours = 0; hours < 20; hours += 2) {
      server.clock.advance(2 * HOUR);
      await server.drain();
    }
    expect(types()).toEqual(["Accept"]);
    server.clock.advance(12 * HOUR);
    await server.drain();
    expect(types()).toEqual(["Accept", "Create"]);
    expect(errors.length).toBeGreaterThan(1);
    expect(new Set(errors)).toEqual(new Set(["a delivery to {inbox} failed: {error}"]));
    expect(
      server.ctx.db.all("SELECT 1 FROM hosts WHERE down_since IS NOT NULL UNION ALL SELECT 1 FROM deliveries"),
    ).toEqual([]);
  });
});
