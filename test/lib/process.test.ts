import { expect, test } from "bun:test";
import { pause } from "../../src/lib/pause.ts";
import { collectAfter, collectDocumentsAfter } from "../../src/lib/process.ts";

test("The garbage of a hundred jobs is collected", async () => {
  const refs = Array.from({ length: 100 }, () => new WeakRef({ body: "x".repeat(100) }));
  const left = () => refs.filter((ref) => ref.deref() !== undefined).length;
  await pause();
  collectAfter(100);
  // Some may still be on the stack.
  expect(left()).toBeLessThan(10);
});

test("Four megabytes of documents soon after others end with a collection of what outlived others", async () => {
  const aged = Array.from({ length: 100 }, () => ({ body: "x".repeat(100) }));
  const refs = aged.map((each) => new WeakRef(each));
  const left = () => refs.filter((ref) => ref.deref() !== undefined).length;
  await pause();
  collectAfter(100);
  expect(left()).toBe(100);
  aged.length = 0;
  await pause();
  for (let times = 0; times < 2; times += 1) collectDocumentsAfter(4 * 1024 * 1024);
  expect(left()).toBeLessThan(10);
});
