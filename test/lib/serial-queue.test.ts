import { describe, expect, test } from "bun:test";
import { SerialQueue } from "../../src/lib/serial-queue.ts";

describe("A serial queue", () => {
  test("runs one task after another, and runs a task only once for concurrent callers with the same key", async () => {
    const queue = new SerialQueue();
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
    };
    await Promise.all([queue.run(1, work("a")), queue.run(2, work("b")), queue.run(1, work("a again"))]);
    expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    await queue.run(1, work("a later"));
    expect(log.slice(4)).toEqual(["a later begins", "a later ends"]);
  });

  test("continues after a task fails", async () => {
    const queue = new SerialQueue();
    const failing = queue.run(1, () => Promise.reject(new Error("broken")));
    const next = queue.run(2, async () => {});
    await expect(failing).rejects.toThrow("broken");
    await next;
  });
});
