import { describe, expect, test } from "bun:test";
import { SerialQueue } from "../../src/lib/serial-queue.ts";

describe("Heavy work", () => {
  test("is done one after another, and once for all who ask meanwhile", async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
    };
    await Promise.all([turns.run(1, work("a")), turns.run(2, work("b")), turns.run(1, work("a again"))]);
    expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    await turns.run(1, work("a later"));
    expect(log.slice(4)).toEqual(["a later begins", "a later ends"]);
  });

  test("that fails stops nothing else", async () => {
    const turns = new SerialQueue();
    const failing = turns.run(1, () => Promise.reject(new Error("broken")));
    const next = turns.run(2, async () => {});
    await expect(failing).rejects.toThrow("broken");
    await next;
  });
});
