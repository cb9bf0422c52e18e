import { assert, integer, property } from "fast-check";
import { describe, expect, test } from "bun:test";
import { idAt, Ids } from "../../src/lib/ids.ts";

const NOW = Date.UTC(2026, 10, 22);
const EPOCH = Date.UTC(2010, 0, 1);
const PER_MILLISECOND = 4096;
const MINUTE = 60_000;

const ids = (last?: number) => new Ids({ now: () => NOW }, last);

describe("The id of a row from another server", () => {
  test("is in the millisecond of its publication", () => {
    const generated = ids();
    assert(
      property(integer({ min: EPOCH + 1, max: NOW }), (time) => {
        const id = generated.at(time);
        expect(id).toBeGreaterThanOrEqual(idAt(time));
        expect(id).toBeLessThan(idAt(time + 1));
      }),
    );
  });

  test("is never in the future, and never before the epoch", () => {
    const generated = ids();
    assert(
      property(integer({ min: NOW, max: NOW * 4 }), (time) => {
        expect(generated.at(time)).toBeLessThan(idAt(NOW + 1));
      }),
    );
    assert(
      property(integer({ min: -NOW, max: EPOCH }), (time) => {
        const id = generated.at(time);
        expect(id).toBeGreaterThan(0);
        expect(id).toBeLessThan(idAt(EPOCH + MINUTE));
      }),
    );
  });

  test("is in order, if they are older than the epoch", () => {
    const generated = ids();
    const days = Array.from({ length: 48 }, (_, month) => generated.at(Date.UTC(2006, month, 1)));
    expect(days).toEqual(days.toSorted((a, b) => a - b));
    expect(days.at(-1)).toBeLessThan(generated.at(EPOCH + MINUTE));
  });

  test("differs between rows of the same millisecond in all but a few cases", () => {
    const generated = ids();
    const taken = new Set(Array.from({ length: 100 }, () => generated.at(NOW - 1000)));
    expect(taken.size).toBeGreaterThan(80);
  });

  test("is not given to a local row afterwards", () => {
    const generated = ids();
    const taken = new Set(Array.from({ length: 100 }, () => generated.at(NOW)));
    for (let at = 0; at < PER_MILLISECOND; at += 1) expect(taken).not.toContain(generated.next());
  });

  test("does not move the ids of local rows", () => {
    const generated = ids();
    generated.at(NOW - 1000);
    expect(generated.next()).toBe(idAt(NOW));
  });
});
