import { afterEach, beforeEach, describe, expect, spyOn } from "bun:test";
import type { Tx } from "../../src/db/open.ts";
import { enqueue, type JobKind } from "../../src/db/queue.ts";
import { handlers } from "../../src/jobs/handlers.ts";
import { scheduleAll } from "../../src/jobs/recurring.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let worker: Worker;
/** Messages of logged errors, which these tests cause on purpose. */
let complaints: string[];

beforeEach(async () => {
  server = await startServer();
  worker = new Worker(server.ctx);
  complaints = [];
  const error = (message: string) => void complaints.push(message);
  server.ctx.log = Object.assign(Object.create(server.ctx.log), { error, warn: () => {} });
});
afterEach(async () => {
  await worker.stop();
  await server.stop();
});

/** Jobs of every lane that have nothing to do any more, each lane with one more than it has room for. */
function enqueueMany(tx: Tx): void {
  const { ctx } = server;
  for (let id = 1; id <= 5; id++) enqueue(ctx, tx, "poll.close", { pollId: id });
  for (let id = 1; id <= 9; id++) enqueue(ctx, tx, "push.deliver", { subscriptionId: id, notificationId: id });
  for (let id = 1; id <= 2; id++) enqueue(ctx, tx, "media.process", { id });
  for (let id = 1; id <= 2; id++) enqueue(ctx, tx, "home.fill", { accountId: id, accountIds: [], tagIds: [] });
}

const jobs = (): number => server.ctx.db.get<{ count: number }>("SELECT count(*) AS count FROM jobs")!.count;

/** Resolves when this holds; the test's own time limit is its end. */
async function becomes(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setImmediate(resolve));
}

/** Whether anything can be written, as on a disk that is full. */
function setWritable(isWritable: boolean): void {
  server.ctx.db.raw.run(`PRAGMA query_only = ${isWritable ? "OFF" : "ON"}`);
}

describe("The loop that runs jobs", () => {
  inProcess("goes on when it began with every lane full", async () => {
    server.ctx.db.transaction(enqueueMany);
    worker.start();
    await becomes(() => jobs() === 0);
    expect(complaints).toEqual([]);
  });

  inProcess("outlives a time in which nothing can be written, and does then what was to be done", async () => {
    worker.start();
    server.ctx.db.transaction((tx) => {
      enqueueMany(tx);
      tx.afterCommit(() => setWritable(false));
    });
    await becomes(() => complaints.length > 0);
    expect(complaints).toEqual(["no job can be begun: {error}"]);
    setWritable(true);
    await becomes(() => jobs() === 0);
  });

  inProcess("sleeps until somebody's wish leaves a job, and does that at once", async () => {
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

  inProcess("does nothing twice when only its end can't be written", async () => {
    await server.person("alice");
    const account = server.ctx.db.get<{ id: number }>("SELECT account_id AS id FROM users")!.id;
    server.ctx.db.transaction((tx) => {
      enqueue(server.ctx, tx, "notifications.merge", { accountId: account, fromId: account });
    });
    let told = 0;
    server.ctx.eventBus.subscribe(`user:${account}`, () => {
      told += 1;
      setWritable(false);
    });
    worker.start();
    await becomes(() => complaints.includes("the end of job {id} could not be written: {error}"));
    setWritable(true);
    await becomes(() => jobs() === 0);
    expect(told).toBe(1);
  });

  inProcess("writes nothing when nothing is due, and once for jobs that begin or end together", async () => {
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

describe("Jobs that talk to other servers", () => {
  inProcess("are done for one host after the other, and for each host one at a time", async () => {
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

  inProcess("wait for their own host alone, also when it is slow and has many", async () => {
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

  inProcess("are found by an index, however many wait", async () => {
    const { db } = server.ctx;
    const seen = spyOn(db, "all");
    const read = spyOn(db, "get");
    enqueueLinks(1, 2);
    await worker.drain();
    const statements = [...seen.mock.calls, ...read.mock.calls].map(([sql]) => sql).filter((sql) => /\bjob/.test(sql));
    expect(new Set(statements).size).toBe(4);
    for (const sql of new Set(statements)) {
      const plan = db.raw.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql.replaceAll("?", "1")}`).all();
      const slow = plan.filter(({ detail }) => /SCAN jobs|SCAN job_turns|B-TREE/.test(detail));
      expect({ sql, slow }).toEqual({ sql, slow: [] });
    }
  });

  /** Enqueues jobs for one host; here a link has the number of its site. */
  function enqueueLinks(site: number, count: number): void {
    const { ctx } = server;
    const options = { host: `${site}.example` };
    ctx.db.transaction((tx) => {
      for (let at = 0; at < count; at++) enqueue(ctx, tx, "card.fetch", { linkId: site }, options);
    });
  }

  function fetching(fetch: (site: number) => unknown): Worker {
    return new Worker(server.ctx, { ...handlers, "card.fetch": (_, { linkId }) => fetch(linkId) });
  }
});

describe("Jobs that come back", () => {
  const KINDS = ["clean_up", "media.sweep", "trends.rank"] as const;
  const waiting = () =>
    server.ctx.db
      .all<{ kind: JobKind }>("SELECT kind FROM jobs WHERE run_at IS NOT NULL ORDER BY kind")
      .map(({ kind }) => kind);

  inProcess("do so also after they failed so often that they gave up", async () => {
    const { ctx, clock } = server;
    const fail = () => {
      throw new Error("out of order");
    };
    const broken = new Worker(ctx, { ...handlers, clean_up: fail, "media.sweep": fail, "trends.rank": fail });
    ctx.db.transaction((tx) => scheduleAll(ctx, tx));
    // Twelve attempts, three times over.
    for (let at = 0; at < 40; at++) {
      clock.advance(24 * 3600_000);
      await broken.drain();
      expect(waiting()).toEqual([...KINDS]);
    }
    const failed = ctx.db.all("SELECT kind, attempts, error FROM jobs WHERE run_at IS NULL ORDER BY kind");
    expect(failed).toEqual(KINDS.map((kind) => ({ kind, attempts: 12, error: "out of order" })));
    clock.advance(24 * 3600_000);
    await server.drain();
    expect(waiting()).toEqual([...KINDS]);
    expect(ctx.db.get("SELECT count(*) AS count FROM jobs WHERE error IS NOT NULL")).toEqual({ count: 3 });
  });
});
