import { describe, expect, test } from "bun:test";
import { FairQueue } from "../../src/lib/fair-queue.ts";

/** In milliseconds: the time is over at once, or never during a test. */
const [IMPATIENT, PATIENT] = [0, 3_600_000];

/** Work that runs until the test finishes it or the queue aborts it. */
class Work {
  attempts = 0;
  private readonly started: (() => void)[] = [];
  private readonly end = Promise.withResolvers<void>();

  readonly run = (signal: AbortSignal): Promise<void> => {
    this.attempts += 1;
    for (const resolve of this.started.splice(0)) resolve();
    const aborted = new Promise<void>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    return Promise.race([this.end.promise, aborted]);
  };

  /** Resolves when the next attempt starts. */
  next(): Promise<void> {
    return new Promise((resolve) => this.started.push(resolve));
  }

  finish(): void {
    this.end.resolve();
  }
}

const quick = () => Promise.resolve("done");

describe("The fair queue", () => {
  test("returns the result or the error of the work", async () => {
    const queue = new FairQueue(1, PATIENT);
    expect(await queue.take("ada", quick)).toBe("done");
    await expect(queue.take("ada", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await queue.take("ada", quick)).toBe("done");
  });

  test("runs a few tasks at a time, and one per user", async () => {
    const queue = new FairQueue(2, PATIENT);
    const [ada, again, grace, alan] = [new Work(), new Work(), new Work(), new Work()];
    const all = [
      queue.take("ada", ada.run),
      queue.take("ada", again.run),
      queue.take("grace", grace.run),
      queue.take("alan", alan.run),
    ];
    expect([ada, again, grace, alan].map(({ attempts }) => attempts)).toEqual([1, 0, 1, 0]);
    for (const work of [ada, again, grace, alan]) work.finish();
    await Promise.all(all);
  });

  test("can run a few tasks per user, however long they take", async () => {
    const queue = new FairQueue(4, Infinity, 2);
    const [ada, grace] = [new Work(), new Work()];
    const all = [ada, ada, ada, grace].map((work) => queue.take(work === ada ? "ada" : "grace", work.run));
    expect([ada.attempts, grace.attempts, queue.length]).toEqual([2, 1, 1]);
    for (const work of [ada, grace]) work.finish();
    await Promise.all(all);
    expect([ada.attempts, queue.length]).toEqual([3, 0]);
  });

  test("serves the user first who has waited longest since their last task", async () => {
    const queue = new FairQueue(1, PATIENT);
    const order: string[] = [];
    const done = (user: string) => queue.take(user, async () => void order.push(user));
    await Promise.all([done("ada"), done("ada"), done("ada"), done("grace"), done("alan")]);
    expect(order).toEqual(["ada", "grace", "alan", "ada", "ada"]);
  });

  test("serves other users while one user's tasks are slow", async () => {
    const queue = new FairQueue(2, IMPATIENT);
    const slow = new Work();
    const all = [queue.take("ada", slow.run), queue.take("ada", slow.run)];
    expect(await queue.take("grace", quick)).toBe("done");
    slow.finish();
    await Promise.all(all);
  });

  test("aborts a slow task for others, keeps at least half of its slots running, and finishes all tasks", async () => {
    const queue = new FairQueue(2, IMPATIENT);
    const [elder, younger] = [new Work(), new Work()];
    const all = [queue.take("ada", elder.run), queue.take("alan", younger.run)];
    expect(await queue.take("grace", quick)).toBe("done");
    expect(await queue.take("grace", quick)).toBe("done");
    const restarted = younger.next();
    expect([elder.attempts, younger.attempts]).toEqual([1, 1]);
    elder.finish();
    await restarted;
    expect(younger.attempts).toBe(2);
    younger.finish();
    await Promise.all(all);
  });

  test("does not abort a slow task if it has only one slot", async () => {
    const queue = new FairQueue(1, IMPATIENT);
    const slow = new Work();
    const all = [queue.take("ada", slow.run), queue.take("grace", quick)];
    const { promise: overdue, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, IMPATIENT);
    await overdue;
    slow.finish();
    await Promise.all(all);
    expect(slow.attempts).toBe(1);
  });
});
