import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, spyOn } from "bun:test";
import type { Context } from "../../src/context.ts";
import { connect } from "../../src/db/open.ts";
import { Postpone } from "../../src/db/queue.ts";
import { progressOf } from "../../src/federation/delivery/progress.ts";
import { handlers } from "../../src/jobs/handlers.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { openTestContext, resumeWork } from "../support/instance.ts";
import { followerWithInbox } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";

const INBOXES = 600;
/** More would keep requests waiting. */
const MOST_AT_ONCE = 250;

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();

/** Followers of alice on a server without shared inboxes. */
beforeEach(async () => {
  for (let n = 0; n < INBOXES; n += 1) {
    followerWithInbox(alice.server, peer.origin("far.test"), `f${n}`, alice);
  }
  alice.server.ctx.db.transaction((tx) => tx.run("DELETE FROM jobs"));
});

/** Runs all jobs of a server but the requests. */
async function drainUnsent(ctx: Context): Promise<void> {
  const later = () => {
    throw new Postpone(ctx.clock.now() + 1000);
  };
  await new Worker(ctx, { ...handlers, "delivery.send": later }).drain();
}

interface Delivery {
  inbox: string;
  type: string;
}

const DELIVERIES = `
  SELECT d.inbox, o.body ->> 'type' AS type FROM deliveries d JOIN outgoing_activities o ON o.id = d.activity_id ORDER BY d.id`;
const waiting = ({ db }: Context): Delivery[] => db.all<Delivery>(DELIVERIES);

/** Calls `look` after each transaction of `work`. */
async function afterEachTransaction({ db }: Context, look: () => void, work: () => Promise<void>): Promise<void> {
  const original = db.transaction.bind(db);
  const spy = spyOn(db, "transaction").mockImplementation((...args) => {
    const result = original(...args);
    look();
    return result;
  });
  await work();
  spy.mockRestore();
}

describe("A post to many inboxes", () => {
  inProcess("becomes deliveries in slices, so that requests don't wait for all of them", async () => {
    const { ctx } = alice.server;
    const post = await alice.publish("Hello");
    const counts = [0];
    const servers = () => progressOf(ctx.db, Number(post.id)).published;
    await afterEachTransaction(
      ctx,
      () => {
        counts.push(waiting(ctx).length);
        expect(servers() ?? { accepted: 0, waiting: [0] }).toMatchObject({ accepted: 0, waiting: { length: 1 } });
      },
      () => drainUnsent(ctx),
    );
    expect(counts.at(-1)).toBe(INBOXES);
    expect(servers()?.waiting).toMatchObject([{ deliveries: INBOXES }]);
    for (const [at, count] of counts.slice(1).entries()) expect(count - counts[at]!).toBeLessThanOrEqual(MOST_AT_ONCE);
  });

  inProcess("has one delivery for each, wherever the server was killed meanwhile", async () => {
    const { ctx } = alice.server;
    await alice.publish("Hello");
    const disks: Uint8Array[] = [];
    await afterEachTransaction(
      ctx,
      () => disks.push(ctx.db.raw.serialize()),
      () => drainUnsent(ctx),
    );
    expect(disks.length).toBeGreaterThan(INBOXES / MOST_AT_ONCE);
    for (const disk of disks) {
      const db = connect(Database.deserialize(disk, { strict: true }), "FULL");
      const next = openTestContext(ctx.config, db, { clock: alice.server.clock });
      resumeWork(next);
      await drainUnsent(next);
      const inboxes = waiting(next).map(({ inbox }) => inbox);
      expect([inboxes.length, new Set(inboxes).size]).toEqual([INBOXES, INBOXES]);
      expect(db.all("SELECT 1 FROM delivery_slices")).toEqual([]);
      db.close();
    }
  });

  inProcess("is before its edit in each of them", async () => {
    const { ctx } = alice.server;
    const { id } = await alice.publish("Helo");
    await alice.put(`/api/v1/statuses/${id}`, { status: "Hello" });
    await drainUnsent(ctx);
    const types = Map.groupBy(waiting(ctx), ({ inbox }) => inbox);
    expect(types.size).toBe(INBOXES);
    for (const each of types.values()) expect(each.map(({ type }) => type)).toEqual(["Create", "Update"]);
  });

  inProcess("is sent once to each, also while the other deliveries are still being written", async () => {
    await alice.publish("Hello");
    await alice.server.drain();
    const inboxes = peer.asked.filter(({ method }) => method === "POST").map(({ url }) => url);
    expect([inboxes.length, new Set(inboxes).size]).toEqual([INBOXES, INBOXES]);
    const { db } = alice.server.ctx;
    expect(db.all("SELECT 1 FROM deliveries UNION ALL SELECT 1 FROM outgoing_activities")).toEqual([]);
  });
});

describe("An inbox whose address can't be read", () => {
  inProcess("gets nothing, and the others do", async () => {
    const breakOne = "UPDATE remote_accounts SET inbox_url = 'http://[broken' WHERE inbox_url LIKE '%/f0/inbox'";
    alice.server.ctx.db.transaction((tx) => tx.run(breakOne));
    await alice.publish("Hello");
    await alice.server.drain();
    expect(peer.delivered).toHaveLength(INBOXES - 1);
  });
});
