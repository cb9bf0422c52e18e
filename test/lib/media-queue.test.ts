import { describe, expect, test } from "bun:test";
import { MediaProcesses } from "../../src/lib/media/media-processes.ts";
import { MediaQueue } from "../../src/lib/media/media-queue.ts";

describe("Conversions", () => {
  test("run one after another, and once for all callers that wait for the same one", async () => {
    const queue = new MediaQueue();
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} starts`);
      await Promise.resolve();
      log.push(`${name} ends`);
    };
    await Promise.all([
      queue.convert("ada", 1, work("a")),
      queue.convert("ada", 2, work("b")),
      queue.convert("ada", 1, work("a again")),
    ]);
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends"]);
    await queue.convert("ada", 1, work("a later"));
    expect(log.slice(4)).toEqual(["a later starts", "a later ends"]);
  });

  test("are fair between users", async () => {
    const queue = new MediaQueue();
    const order: string[] = [];
    const convert = (user: string, key: number) => queue.convert(user, key, async () => void order.push(user));
    await Promise.all([convert("ada", 1), convert("ada", 2), convert("ada", 3), convert("grace", 4)]);
    expect(order).toEqual(["ada", "grace", "ada", "ada"]);
  });

  test("that fail don't stop later ones", async () => {
    const queue = new MediaQueue();
    const failing = queue.convert("ada", 1, () => Promise.reject(new Error("broken")));
    const next = queue.convert("ada", 2, async () => {});
    await expect(failing).rejects.toThrow("broken");
    await next;
  });

  test("learn from their signal that the server stops", async () => {
    const queue = new MediaQueue();
    const signals: AbortSignal[] = [];
    const running = queue.convert("ada", 1, async ({ signal }) => {
      signals.push(signal);
      const stopped = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => stopped.resolve());
      await stopped.promise;
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    queue.stop();
    await running;
  });
});

test("The task of a conversion is killed when the server stops", async () => {
  const started = Promise.withResolvers<void>();
  class Hanging extends MediaProcesses {
    override run(_name: unknown, _args: unknown, signal?: AbortSignal): Promise<never> {
      started.resolve();
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("killed"))));
    }
  }
  const queue = new MediaQueue(new Hanging());
  const conversion = queue.convert("ada", 1, async ({ run }) => void (await run("inspectClip", "film.mp4")));
  await started.promise;
  queue.stop();
  await expect(conversion).rejects.toThrow("killed");
});

test("A request does not wait for a conversion", async () => {
  const queue = new MediaQueue();
  const end = Promise.withResolvers<void>();
  const conversion = queue.convert("ada", 1, () => end.promise);
  const { image } = await queue.run("ada", "placeholderPreview", { kind: "audio", width: 8, height: 8, seed: 1 });
  expect([image.width, image.height]).toEqual([8, 8]);
  end.resolve();
  await conversion;
});
