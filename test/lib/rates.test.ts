import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { SlidingWindow } from "../../src/lib/rates.ts";

test("a sliding window never admits more calls within its length, wherever counting begins", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.nat(700)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (calls) => {
      const window = new SlidingWindow(3, 1);
      const allowed: Record<string, number[]> = { a: [], b: [] };
      let now = 1_000_000;
      for (const [key, pause] of calls) {
        now += pause;
        const times = allowed[key]!;
        const recent = times.filter((time) => time > now - 1000).length;
        const rate = window.take(key, now);
        expect(rate.exceeded).toBe(recent === 3);
        expect(rate.remaining).toBe(Math.max(0, 2 - recent));
        if (rate.exceeded) expect(rate.reset).toBe(times.at(-3)! + 1000);
        else times.push(now);
      }
    }),
  );
});

test("a refunded call does not count", () => {
  const window = new SlidingWindow(1, 1);
  window.take("a", 5);
  window.giveBack("a", 5);
  window.giveBack("nobody", 5);
  expect(window.take("a", 6).exceeded).toBe(false);
  expect(window.take("a", 7).exceeded).toBe(true);
});
