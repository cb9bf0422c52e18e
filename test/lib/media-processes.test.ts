import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, asyncProperty, double, integer, nat, oneof, tuple, uint8Array } from "fast-check";
import { Refusal, UnreadableFile } from "../../src/errors.ts";
import { MediaProcesses, type Bounds } from "../../src/lib/media/media-processes.ts";
import { CLIP_NAMES, Clips, ffmpeg, tone } from "../fixtures/clips.ts";
import { ENDLESS, MAGIC } from "../fixtures/hostile-clips.ts";
import { childrenOf } from "../support/program.ts";

/** A file on which the library loops for ever uses up all the time that it is given. */
const PATIENCE = 60_000;
const BRIEF: Partial<Bounds> = { seconds: 0.4 };

const clips = new Clips();
const folder = mkdtempSync(join(tmpdir(), "linnet-test-"));
afterAll(() => {
  clips.remove();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
function stored(bytes: Uint8Array): string {
  const path = join(folder, String(count++));
  writeFileSync(path, bytes);
  return path;
}

/** The clip, null, or the refusal. Any other error fails the test. */
async function inspect(processes: MediaProcesses, bytes: Uint8Array): Promise<unknown> {
  try {
    return await processes.run("inspectClip", [stored(bytes)]);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

describe("A media process", () => {
  test("returns results and internal errors", async () => {
    const processes = new MediaProcesses();
    const found = await processes.run("inspectClip", [stored(tone())]);
    expect(found).toMatchObject({ container: "wav", duration: 0.4, video: null, audio: { channels: 1 } });
    expect(await processes.run("inspectClip", [stored(Buffer.from("hello"))])).toBeNull();
    const nowhere = processes.run("copyClip", [stored(tone()), join(folder, "missing", "copy"), "wav"]);
    await expect(nowhere).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("exits when it is idle", async () => {
    const processes = new MediaProcesses({ idleSeconds: 0 });
    const before = childrenOf(process.pid);
    await processes.run("inspectClip", [stored(tone())]);
    while (childrenOf(process.pid).length > before.length) await Bun.sleep(1);
    expect(await processes.run("inspectClip", [stored(tone())])).not.toBeNull();
  });

  test("is killed if it uses too much memory, and reports that", async () => {
    const processes = new MediaProcesses({ bytes: 20_000_000 });
    const refusal = await inspect(processes, ENDLESS["an AAC of 14 bytes with frames of no length"]!);
    expect(refusal).toBeInstanceOf(UnreadableFile);
    expect((refusal as UnreadableFile).details).toContain("memory");
    expect((refusal as UnreadableFile).message).toContain("more time or memory");
  });
});

describe("A malformed clip", () => {
  test.each(Object.entries(ENDLESS))("%s is refused when its time is over", async (_, bytes) => {
    const processes = new MediaProcesses({ seconds: 2 });
    expect(await inspect(processes, bytes)).toBeInstanceOf(UnreadableFile);
    expect(await inspect(processes, tone())).toMatchObject({ container: "wav" });
  });

  test.each(Object.entries(MAGIC))(
    "with random bytes after those of %s is refused or read",
    async (_, magic) => {
      const processes = new MediaProcesses(BRIEF);
      const rest = oneof(uint8Array({ maxLength: 300 }), zeros);
      await assert(
        asyncProperty(rest, async (bytes) => {
          expect(await inspect(processes, Buffer.concat([magic, bytes]))).toBeDefined();
        }),
        { numRuns: 10, seed: 1 },
      );
    },
    PATIENCE,
  );
});

const zeros = nat(300).map((length) => new Uint8Array(length));

describe.skipIf(!ffmpeg)("A clip", () => {
  test.each(CLIP_NAMES)(
    "(%s) with a missing end or flipped bits is refused or read",
    async (name) => {
      const processes = new MediaProcesses(BRIEF);
      const whole = await clips.bytes(name);
      const cut = double({ min: 0, max: 1, noNaN: true }).map((part) =>
        whole.slice(0, Math.floor(part * whole.length)),
      );
      const flips = array(tuple(nat(Math.min(whole.length, 4000) - 1), integer({ min: 0, max: 7 })), {
        minLength: 1,
        maxLength: 8,
      });
      const changed = flips.map((bits) => {
        const bytes = whole.slice();
        for (const [at, bit] of bits) bytes[at]! ^= 1 << bit;
        return bytes;
      });
      await assert(
        asyncProperty(oneof(cut, changed), async (bytes) => {
          expect(await inspect(processes, bytes)).toBeDefined();
        }),
        { numRuns: 10, seed: 1 },
      );
    },
    PATIENCE,
  );
});
