import { expect, test } from "bun:test";
import { pause } from "../../src/lib/pause.ts";
import { collectAfter } from "../../src/lib/process.ts";

test("The garbage of a hundred jobs is collected", async () => {
  const refs = Array.from({ length: 100 }, () => new WeakRef({ body: "x".repeat(100) }));
  const left = () => refs.filter((ref) => ref.deref() !== undefined).length;
  await pause();
  collectAfter(100);
  // Some may still be on the stack.
  expect(left()).toBeLessThan(10);
});
