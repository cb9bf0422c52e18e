import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn } from "bun:test";
import { connect } from "../../src/db/open.ts";
import { enqueue, type JobKind, type JobPayloads, Postpone, TryLater } from "../../src/db/queue.ts";
import { handlers, type Handlers } from "../../src/jobs/handlers.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { pause } from "../../src/lib/pause.ts";
import { openTestContext } from "../support/instance.ts";
import { collectLog } from "../support/log.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";

const HOUR = 3600_000;

let server: TestServer;
let worker: Worker;
/** The messages of logged warnings and errors. */
let logged: string[];

beforeEach(async () => {
  server = await startServer();
  logged = collectLog(server, "warn");
});
afterEach(async () => {
  await worker.stop();
  await server.stop();
});

/** A worker whose jobs do this instead of their work. */
function working(work: Partial<Handlers>, ctx = server.ctx): Worker {
  return new Worker(ctx, { ...handlers, ...work });
}

/** Enqueues this many jobs in the main lane. */
function addPolls(count: number): void {
  server.ctx.db.transaction((tx) => {
    for (let pollId = 1; pollId <= count; pollId++) enqueue(server.ctx, tx, "poll.close", { pollId });
  });
}

function add<Kind extends JobKind>(kind: Kind, payload: JobPayloads[Kind], key?: string): void {
  server.ctx.db.transaction((tx) => enqueue(server.ctx, tx, kind, payload, key === undefined ? {} : { key }));
}

const rows = (): object[] =>
  server.ctx.db.all<object>("SELECT kind, leased, attempts, error, run_at FROM jobs ORDER BY id");
const left = (): number => rows().length;
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** Resolves when the condition holds. The timeout of the test limits the wait. */
async function becomes(condition: () => boolean): Promise<void> {
  while (!condition()) await pause();
}

/** Outcomes wait for others until this is undone, however slow the machine is. */
function stopTime(): Disposable {
  const now = spyOn(performance, "now").mockReturnValue(1);
  return { [Symbol.dispose]: () => now.mockRestore() };
}

describe("Short jobs", () => {
  inProcess("are leased and ended sixteen at a time, in one transaction", async () => {
    using _ = stopTime();
    addPolls(160);
    let running = 0;
    worker = working({
      "poll.close": async () => {
        running += 1;
        expect(running).toBeLessThanOrEqual(4);
        await pause();
        running -= 1;
      },
    });
    const transaction = spyOn(server.ctx.db, "transaction");
    worker.start();
    await becomes(() => left() === 0);
    // One to start, and one for the first lease.
    expect(transaction).toHaveBeenCalledTimes(2 + 160 / 16);
    transaction.mockRestore();
  });

  inProcess("free their places when they end, before that is written", async () => {
    using _ = stopTime();
    const held = Promise.withResolvers<void>();
    const ended: number[] = [];
    addPolls(10);
    worker = working({
      "poll.close": async (_ctx, { pollId }) => {
        if (pollId === 1) await held.promise;
        ended.push(pollId);
      },
    });
    worker.start();
    await becomes(() => ended.length === 9);
    expect(left()).toBe(10);
    held.resolve();
    await becomes(() => left() === 0);
  });

  inProcess("that fill a home timeline don't wait for others to be written", async () => {
    using _ = stopTime();
    const held = Promise.withResolvers<void>();
    worker = working({ "push.deliver": () => held.promise, "poll.close": () => {}, "home.rebuild": () => {} });
    worker.start();
    add("push.deliver", { subscriptionId: 1, notificationId: 1 });
    addPolls(1);
    add("home.rebuild", { accountId: 1 });
    await becomes(() => left() === 1);
    expect(rows()).toMatchObject([{ kind: "push.deliver" }]);
    held.resolve();
  });

  inProcess("run again after a crash if their end was not written, and none is lost", async () => {
    addPolls(40);
    const ended: number[] = [];
    let disk: Uint8Array | null = null;
    worker = working({
      "poll.close": (_, { pollId }) => {
        // Nothing more is written before the crash.
        if (pollId === 20) server.ctx.db.raw.run("PRAGMA query_only = ON");
        if (pollId === 25) disk = server.ctx.db.raw.serialize();
        if (disk === null) ended.push(pollId);
      },
    });
    worker.start();
    await becomes(() => disk !== null);
    server.ctx.db.raw.run("PRAGMA query_only = OFF");

    const db = connect(Database.deserialize(disk!, { strict: true }), "FULL");
    const ctx = openTestContext(server.ctx.config, db, { clock: server.clock });
    const again: number[] = [];
    const next = working({ "poll.close": (_, { pollId }) => void again.push(pollId) }, ctx);
    next.start();
    await next.drain();
    await next.stop();
    expect(again.toSorted((a, b) => a - b)).toEqual(oneTo(40).slice(40 - again.length));
    expect(again.filter((id) => ended.includes(id)).length).toBeGreaterThan(0);
    expect(new Set([...ended, ...again]).size).toBe(40);
    expect(db.all("SELECT id FROM jobs")).toEqual([]);
    db.close();
  });

  inProcess("that were leased early begin after the next start if the server stops first", async () => {
    const held = Promise.withResolvers<void>();
    const begun: number[] = [];
    addPolls(16);
    worker = working({
      "poll.close": (_, { pollId }) => {
        begun.push(pollId);
        return held.promise;
      },
    });
    worker.start();
    await becomes(() => begun.length > 0);
    expect(rows()).toMatchObject(oneTo(16).map(() => ({ leased: 1 })));
    const stopped = worker.stop();
    held.resolve();
    await stopped;
    expect(begun).toEqual(oneTo(4));
    expect(left()).toBe(12);
    worker = working({ "poll.close": (_, { pollId }) => void begun.push(pollId) });
    worker.start();
    await becomes(() => left() === 0);
    expect(begun).toEqual(oneTo(16));
    expect(logged).toEqual([]);
  });
});

describe("Lanes", () => {
  inProcess("with room for one job run all in order, one after the other", async () => {
    const order: number[] = [];
    let running = 0;
    worker = working({
      "home.fill": async (_, { accountId }) => {
        running += 1;
        expect(running).toBe(1);
        order.push(accountId);
        // Every third job takes longer.
        if (accountId % 3 === 0) await pause();
        await pause();
        running -= 1;
      },
    });
    server.ctx.db.transaction((tx) => {
      for (const accountId of oneTo(50))
        enqueue(server.ctx, tx, "home.fill", { accountId, accountIds: [], tagIds: [] });
    });
    worker.start();
    await becomes(() => left() === 0);
    expect(order).toEqual(oneTo(50));
  });

  inProcess("run the jobs of each host in order, and serve few hosts before many jobs of one", async () => {
    const order: string[] = [];
    worker = working({
      "poll.close": () => {},
      "push.deliver": (_, { subscriptionId, notificationId }) => void order.push(`${subscriptionId}-${notificationId}`),
    });
    server.ctx.db.transaction((tx) => {
      for (const subscriptionId of [1, 2]) {
        for (const notificationId of oneTo(subscriptionId === 1 ? 100 : 5)) {
          enqueue(
            server.ctx,
            tx,
            "push.deliver",
            { subscriptionId, notificationId },
            { host: `${subscriptionId}.example` },
          );
        }
      }
    });
    worker.start();
    await becomes(() => left() === 0);
    const of = (host: number) => order.filter((each) => each.startsWith(`${host}-`));
    expect(of(1)).toEqual(oneTo(100).map((id) => `1-${id}`));
    expect(of(2)).toEqual(oneTo(5).map((id) => `2-${id}`));
    expect(order.indexOf("2-5")).toBeLessThan(16);
  });

  inProcess("don't starve, whatever the others do", async () => {
    let isOver = false;
    const held = Promise.withResolvers<void>();
    const pushed: number[] = [];
    worker = working({
      // Each job of the main lane enqueues two.
      "poll.close": () => (isOver ? undefined : addPolls(left() > 200 ? 1 : 2)),
      "card.fetch": () => held.promise,
      "push.deliver": (_, { notificationId }) => void pushed.push(notificationId),
    });
    addPolls(1);
    server.ctx.db.transaction((tx) => {
      for (const linkId of oneTo(100)) enqueue(server.ctx, tx, "card.fetch", { linkId }, { host: `${linkId}.example` });
    });
    worker.start();
    for (const id of oneTo(40)) {
      add("push.deliver", { subscriptionId: 1, notificationId: id });
      await becomes(() => pushed.length === id);
    }
    isOver = true;
    held.resolve();
    await becomes(() => left() === 0);
  });
});

describe("A job", () => {
  inProcess("that postpones itself runs at that time, without a warning or a counted attempt", async () => {
    const runAt = server.clock.now() + HOUR;
    let runs = 0;
    worker = working({
      "media.process": () => {
        runs += 1;
        if (server.clock.now() < runAt) throw new Postpone(runAt);
      },
    });
    add("media.process", { id: 1 });
    for (const _ of oneTo(3)) await worker.drain();
    expect(runs).toBe(1);
    expect(rows()).toEqual([{ kind: "media.process", leased: 0, attempts: 0, error: null, run_at: runAt }]);
    server.clock.advance(HOUR);
    await worker.drain();
    expect([runs, left(), logged]).toEqual([2, 0, []]);
  });

  inProcess("with its own schedule is retried by it, at most a quarter later, until it is useless", async () => {
    const until = server.clock.now() + 3 * HOUR;
    worker = working({
      "media.process": () => {
        throw new TryLater("down", { notBefore: server.clock.now() + HOUR, until, backoff: false });
      },
    });
    add("media.process", { id: 1 });
    for (const attempts of [1, 2]) {
      const begun = server.clock.now();
      await worker.drain();
      const [row] = rows() as { attempts: number; run_at: number }[];
      expect(row).toMatchObject({ leased: 0, attempts, error: "down" });
      expect(row!.run_at).toBeGreaterThanOrEqual(begun + HOUR);
      expect(row!.run_at).toBeLessThanOrEqual(begun + 1.25 * HOUR);
      server.clock.advance(row!.run_at - begun);
    }
    await worker.drain();
    expect(rows()).toEqual([]);
  });

  inProcess("can enqueue others, and itself under the same key, while its row is deleted", async () => {
    const ran: string[] = [];
    worker = working({
      "push.deliver": (_, { notificationId }) => {
        ran.push(`push ${notificationId}`);
        if (notificationId === 2) return;
        return (tx) => {
          enqueue(server.ctx, tx, "push.deliver", { subscriptionId: 1, notificationId: 2 }, { key: "push" });
          enqueue(server.ctx, tx, "poll.close", { pollId: 3 });
        };
      },
      "poll.close": (_, { pollId }) => void ran.push(`poll ${pollId}`),
    });
    add("push.deliver", { subscriptionId: 1, notificationId: 1 }, "push");
    await worker.drain();
    expect(ran.toSorted()).toEqual(["poll 3", "push 1", "push 2"]);
    expect(left()).toBe(0);
  });

  inProcess("whose last write fails is retried, and the others that ended with it are done", async () => {
    let isBroken = true;
    const rules = () => server.ctx.db.all("SELECT text FROM rules");
    worker = working({
      "media.process": () => (tx) => {
        tx.run("INSERT INTO rules (text, position, created_at) VALUES ('Be kind.', 1, 1)");
        if (isBroken) throw new Error("broken");
      },
      "poll.close": () => {},
    });
    addPolls(3);
    add("media.process", { id: 1 });
    await worker.drain();
    expect(rows()).toMatchObject([{ kind: "media.process", leased: 0, attempts: 1, error: "broken" }]);
    expect(rules()).toEqual([]);
    expect(logged).toEqual(["job {id} ({kind}) failed, attempt {attempts}: {error}"]);
    isBroken = false;
    server.clock.advance(HOUR);
    await worker.drain();
    expect([rules(), left()]).toEqual([[{ text: "Be kind." }], 0]);
  });
});
