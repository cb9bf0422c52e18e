import { beforeEach, describe, expect } from "bun:test";
import { deliver } from "../../src/core/deliveries.ts";
import type { DeliveryEvent } from "../../src/db/delivery-events.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { deliveryEvents, followerWithInbox } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";

/* Events of one transaction, which one job prepares. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let accepts: DeliveryEvent[];

/** Twenty followers with an inbox each. */
beforeEach(() => {
  for (let n = 0; n < 20; n += 1) followerWithInbox(alice.server, peer.origin("far.test"), `f${n}`, alice);
  accepts = deliveryEvents(alice.server);
  alice.server.ctx.db.transaction((tx) => tx.run("DELETE FROM jobs"));
});

const deliverAll = (events: readonly DeliveryEvent[]) => {
  const { ctx } = alice.server;
  ctx.db.transaction((tx) => events.forEach((event) => deliver(ctx, tx, event)));
};
const JOBS = `
  SELECT attempts, 1 + coalesce(json_array_length(payload, '$.others'), 0) AS events
  FROM jobs WHERE kind = 'delivery.prepare' ORDER BY id`;
const jobs = () => alice.server.ctx.db.all<{ attempts: number; events: number }>(JOBS);

describe("Events of one transaction", () => {
  inProcess("share jobs of sixteen, and all are delivered, in order", async () => {
    const { accountId } = accepts[0] as { accountId: number };
    // A profile is sent to all followers: before these answers.
    const events = [{ type: "account.updated", accountId } as const, ...accepts];
    deliverAll(events);
    expect(deliveryEvents(alice.server)).toEqual(events);
    expect(jobs().map(({ events: count }) => count)).toEqual([16, 5]);
    await alice.server.drain();
    const types = Map.groupBy(
      peer.asked.filter(({ method }) => method === "POST"),
      ({ url }) => url,
    );
    expect(types.size).toBe(accepts.length);
    for (const each of types.values())
      expect(each.map(({ body }) => JSON.parse(body).type)).toEqual(["Update", "Accept"]);
  });

  inProcess("are delivered without one that fails, which is tried again on its own", async () => {
    const broken = { type: "broken" } as unknown as DeliveryEvent;
    deliverAll([broken, ...accepts]);
    await alice.server.drain();
    expect(peer.delivered).toHaveLength(accepts.length);
    expect([deliveryEvents(alice.server), jobs()]).toEqual([[broken], [{ attempts: 1, events: 1 }]]);
  });
});
