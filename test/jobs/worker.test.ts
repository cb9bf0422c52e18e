import { afterEach, beforeEach, describe, expect } from "bun:test";
import type { Tx } from "../../src/db/open.ts";
import { enqueue } from "../../src/db/queue.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let worker: Worker;
/** Of what went wrong, which these tests mean to happen. */
let complaints: string[];

beforeEach(async () => {
  server = await startServer();
  worker = new Worker(server.ctx);
  complaints = [];
  const error = (message: string) => void complaints.push(message);
  server.ctx.log = Object.assign(Object.create(server.ctx.log), { error });
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
    server.ctx.hub.subscribe(`user:${account}`, () => {
      told += 1;
      setWritable(false);
    });
    worker.start();
    await becomes(() => complaints.includes("the end of job {id} could not be written: {error}"));
    setWritable(true);
    await becomes(() => jobs() === 0);
    expect(told).toBe(1);
  });
});
