import { afterEach, beforeEach, describe, expect, spyOn } from "bun:test";
import type { Tx } from "../../src/db/open.ts";
import { enqueue, type JobKind } from "../../src/db/queue.ts";
import { handlers } from "../../src/jobs/handlers.ts";
import { scheduleAll } from "../../src/jobs/recurring.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { collectLog } from "../support/log.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let worker: Worker;
/** The messages of logged errors, which these tests cause on purpose. */
let errors: string[];

beforeEach(async () => {
  server = await startServer();
  worker = new Worker(server.ctx);
  errors = collectLog(server);
});
afterEach(async () => {
  await worker.stop();
  await server.stop();
});

/** Enqueues jobs in every lane that have nothing to do, one more than each lane runs at a time. */
function enqueueMany(tx: Tx): void {
  const { ctx } = server;
  for (let id = 1; id <= 5; id++) enqueue(ctx, tx, "poll.close", { pollId: id });
  for (let id = 1; id <= 9; id++) enqueue(ctx, tx, "push.deliver", { subscriptionId: id, notificationId: id });
  for (let id = 1; id <= 2; id++) enqueue(ctx, tx, "media.process", { id });
  for (let id = 1; id <= 2; id++) enqueue(ctx, tx, "home.fill", { accountId: id, accountIds: [], tagIds: [] });
}

const jobs = (): number => server.ctx.db.get<{ count: number }>("SELECT count(*) AS count FROM jobs")!.count;

/** Resolves when the condition holds. The timeout of the test limits the wait. */
async function becomes(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setImmediate(resolve));
}

/** Makes the database writable or, like a full disk, not. */
function setWritable(isWritable: boolean): void {
  server.ctx.db.raw.run(`PRAGMA query_only = ${isWritable ? "OFF" : "ON"}`);
}

describe("The worker", () => {
  inProcess("keeps running when every lane was full at its start", async () => {
    server.ctx.db.transaction(enqueueMany);
    worker.start();
    await becomes(() => jobs() === 0);
    expect(errors).toEqual([]);
  });

  inProcess("survives a period without writes, and then runs the remaining jobs", async () => {
    worker.start();
    server.ctx.db.transaction((tx) => {
      enqueueMany(tx);
      tx.afterCommit(() => setWritable(false));
    });
    await becomes(() => errors.length > 0);
    expect(errors).toEqual(["no job can be begun: {error}"]);
    setWritable(true);
    await becomes(() => jobs() === 0);
  });

  inProcess("sleeps until a request adds a job, and runs that at once", async () => {
    const [alice, bob] = [await server.person("alice"), await server.person("bob")];
    await alice.patch("/api/v2/notifications/policy", { for_not_following: "filter" });
    await bob.publish("@alice hello");
    const [request] = (await alice.get("/api/v1/notifications/requests")).json;
    worker.start();
    await alice.get("/api/v1/notifications");
    await alice.post(`/api/v1/notifications/requests/${request.id}/accept`);
    await becomes(() => jobs() === 0);
    expect((await alice.get("/api/v1/notifications")).json).toHaveLength(1);
  });

  inProcess("runs a job once even if its completion can't be stored", async () => {
    await server.person("alice");
    const account = server.ctx.db.get<{ id: number }>("SELECT account_id AS id FROM users")!.id;
    server.ctx.db.transaction((tx) => {
      enqueue(server.ctx, tx, "notifications.merge", { accountId: account, fromId: account });
    });
    let calls = 0;
    server.ctx.eventBus.subscribe(`user:${account}`, () => {
      calls += 1;
      setWritable(false);
    });
    worker.start();
    await becomes(() => errors.includes("the result of job {id} could not be saved: {error}"));
    setWritable(true);
    await becomes(() => jobs() === 0);
    expect(calls).toBe(1);
  });

  inProcess("writes nothing when no job is due, and once for jobs that start or end together", async () => {
    const { ctx } = server;
    const idle = new Worker(ctx, { ...handlers, "poll.close": () => {}, "push.deliver": () => {} });
    const transaction = spyOn(ctx.db, "transaction");
    const later = ctx.clock.now() + 60_000;
    ctx.db.transaction((tx) => enqueue(ctx, tx, "poll.close", { pollId: 9 }, { runAt: later }));
    transaction.mockClear();
    await idle.drain();
    expect(transaction).toHaveBeenCalledTimes(0);
    ctx.db.transaction((tx) => {
      for (let id = 1; id <= 4; id++) enqueue(ctx, tx, "poll.close", { pollId: id });
      for (let id = 1; id <= 8; id++) enqueue(ctx, tx, "push.deliver", { subscriptionId: id, notificationId: id });
    });
    transaction.mockClear();
    await idle.drain();
    expect(transaction).toHaveBeenCalledTimes(2);
    transaction.mockRestore();
    expect(jobs()).toBe(1);
  });
});

describe("Jobs that contact other servers", () => {
  inProcess("alternate between hosts, and run one at a time for each host", async () => {
    const order: number[] = [];
    const running = new Set<number>();
    const busy = fetching(async (site) => {
      expect(running.has(site)).toBe(false);
      running.add(site);
      order.push(site);
      server.clock.advance(1);
      await Promise.resolve();
      running.delete(site);
    });
    for (let site = 1; site <= 20; site++) enqueueLinks(site, 5);
    server.clock.advance(1);
    enqueueLinks(21, 1);
    server.clock.advance(1);
    await busy.drain();
    expect(order.length).toBe(101);
    expect(order.slice(0, 21).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
  });

  inProcess("wait only for their own host, even if it is slow and has many jobs", async () => {
    const release = Promise.withResolvers<void>();
    const done: number[] = [];
    worker = fetching(async (site) => {
      if (site === 1) await release.promise;
      done.push(site);
    });
    enqueueLinks(1, 1000);
    enqueueLinks(2, 3);
    worker.start();
    await becomes(() => done.length === 3);
    expect(done).toEqual([2, 2, 2]);
    enqueueLinks(3, 1);
    await becomes(() => done.includes(3));
    release.resolve();
    await becomes(() => jobs() === 0);
    expect(done.length).toBe(1004);
  });

  inProcess("are found by an index, however many are pending", async () => {
    const { db } = server.ctx;
    const seen = spyOn(db, "all");
    const read = spyOn(db, "get");
    enqueueLinks(1, 2);
    await worker.drain();
    const statements = [...seen.mock.calls, ...read.mock.calls].map(([sql]) => sql).filter((sql) => /\bjob/.test(sql));
    expect(new Set(statements).size).toBe(3);
    for (const sql of new Set(statements)) {
      const plan = db.raw.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql.replaceAll("?", "1")}`).all();
      const slow = plan.filter(({ detail }) => /SCAN jobs|SCAN job_turns|B-TREE/.test(detail));
      expect({ sql, slow }).toEqual({ sql, slow: [] });
    }
  });

  /** Enqueues jobs for one host. The id of the link is the number of the site. */
  function enqueueLinks(site: number, count: number): void {
    const { ctx } = server;
    const options = { host: `${site}.example` };
    ctx.db.transaction((tx) => {
      for (let at = 0; at < count; at++) enqueue(ctx, tx, "card.fetch", { linkId: site }, options);
    });
  }

  function fetching(fetch: (site: number) => Promise<void>): Worker {
    return new Worker(server.ctx, { ...handlers, "card.fetch": (_, { linkId }) => fetch(linkId) });
  }
});

describe("Recurring jobs", () => {
  const KINDS = [
    "cache.evict",
    "clean_up",
    "links.verify_daily",
    "media.sweep",
    "posts.delete_old",
    "remote.prune",
    "server.running",
    "software.refresh",
    "trends.rank",
  ] as const;
  const waiting = () =>
    server.ctx.db
      .all<{ kind: JobKind }>("SELECT kind FROM jobs WHERE run_at IS NOT NULL ORDER BY kind")
      .map(({ kind }) => kind);

  inProcess("recur even after failing as often as allowed", async () => {
    const { ctx, clock } = server;
    const fail = () => {
      throw new Error("out of order");
    };
    const recurring = Object.fromEntries(KINDS.map((kind) => [kind, fail]));
    const broken = new Worker(ctx, { ...handlers, ...recurring });
    ctx.db.transaction((tx) => scheduleAll(ctx, tx));
    // Twelve attempts of each.
    for (let at = 0; at < 50; at++) {
      clock.advance(24 * 3600_000);
      await broken.drain();
      expect(waiting()).toEqual([...KINDS]);
    }
    const failed = ctx.db.all("SELECT kind, attempts, error FROM jobs WHERE run_at IS NULL ORDER BY kind");
    expect(failed).toEqual(KINDS.map((kind) => ({ kind, attempts: 12, error: "out of order" })));
    clock.advance(24 * 3600_000);
    await server.drain();
    expect(waiting()).toEqual([...KINDS]);
    expect(ctx.db.get("SELECT count(*) AS count FROM jobs WHERE error IS NOT NULL")).toEqual({ count: KINDS.length });
  });
});
