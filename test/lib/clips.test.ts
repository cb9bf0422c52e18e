import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { UnreadableFile } from "../../src/errors.ts";
import { toConstantFrameRate } from "../../src/lib/media/animations.ts";
import { type Clip, frameRateText, inspectClip, servedExtension } from "../../src/lib/media/clips.ts";

const folder = mkdtempSync(join(tmpdir(), "linnet-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  [30, "30/1"],
  [29.97002997, "30000/1001"],
  [23.976, "24000/1001"],
  [59.94, "60000/1001"],
  [119.88, "120000/1001"],
  [24, "24/1"],
  [12.5, "25/2"],
  [0.5, "1/2"],
  [15.02, "751/50"],
  [0.0001, "1/1000"],
])("%d frames per second are formatted as %s", (rate, text) => {
  expect(frameRateText(rate)).toBe(text);
});

describe("A malformed video file", () => {
  const box = (type: string, body: Uint8Array) => {
    const bytes = Buffer.alloc(8 + body.length);
    bytes.writeUInt32BE(bytes.length);
    bytes.write(type, 4, "latin1");
    bytes.set(body, 8);
    return bytes;
  };
  const inspect = async (...parts: Uint8Array[]) => {
    const path = join(folder, "clip");
    await Bun.write(path, Buffer.concat(parts));
    return inspectClip(path);
  };
  const type = box("ftyp", Buffer.from("isom\x00\x00\x02\x00isomavc1"));

  test("is not recognised as a clip if its contents are unknown", async () => {
    expect(await inspect(Buffer.from("hello"))).toBeNull();
    expect(await inspect(Buffer.alloc(0))).toBeNull();
    expect(await inspect(Buffer.alloc(100_000, 0xff))).toBeNull();
  });

  test.each<[string, Uint8Array[]]>([
    ["A file without an index", [type, box("mdat", Buffer.alloc(1000))]],
    ["A file with an empty index", [type, box("moov", Buffer.alloc(0))]],
    ["A file with an index of more than 16 MB", [type, box("moov", Buffer.alloc(17 * 1024 * 1024))]],
    ["A file with a box of size zero", [type, Buffer.from("\x00\x00\x00\x00moov")]],
  ])("%s is refused", async (_, parts) => {
    await expect(inspect(...parts)).rejects.toBeInstanceOf(UnreadableFile);
  });
});

describe("An animation with evenly timed frames", () => {
  const frames = async function* () {
    for (const shade of [1, 2, 3]) yield Buffer.from([shade, shade, shade]);
  };
  const firsts = async (delays: number[]) => {
    const even = toConstantFrameRate({ width: 1, height: 1, delays }, frames());
    const pixels: number[] = [];
    for await (const part of even.frames) for (let at = 0; at < part.length; at += 3) pixels.push(part[at]!);
    return [even.frameRate, pixels];
  };

  test("keeps its frame rate", async () => {
    expect(await firsts([40, 40, 40])).toEqual(["3000/120", [1, 2, 3]]);
    expect(await firsts([33, 34, 33])).toEqual(["3000/100", [1, 2, 3]]);
  });

  test("shows frames with a delay of 0 or 10 ms for 100 ms, as browsers do", async () => {
    expect(await firsts([0, 10, 100])).toEqual(["3000/300", [1, 2, 3]]);
  });

  test("repeats frames that are shown longer", async () => {
    expect(await firsts([20, 40, 60])).toEqual(["50/1", [1, 2, 2, 3, 3, 3]]);
  });

  test("is refused if it would last too long", () => {
    expect(() => toConstantFrameRate({ width: 1, height: 1, delays: [1, 1e9, 1] }, frames())).toThrow(UnreadableFile);
  });
});

describe("A clip that is served unchanged", () => {
  type VideoCodec = NonNullable<Clip["video"]>["codec"];
  type AudioCodec = NonNullable<Clip["audio"]>["codec"];
  const clip = (container: Clip["container"], video: VideoCodec, audio: AudioCodec): Clip => ({
    container,
    duration: 1,
    video: video && { codec: video, width: 2, height: 2, frameRate: 1, isPlayable: true },
    audio: audio && { codec: audio, channels: 1, isPlayable: true },
  });

  test.each<[Clip["container"], VideoCodec, AudioCodec, ReturnType<typeof servedExtension>]>([
    ["mov", "avc", "aac", "mp4"],
    ["mov", "av1", "opus", "mp4"],
    ["mov", null, "aac", "m4a"],
    ["matroska", "vp9", "opus", "webm"],
    ["matroska", null, "vorbis", "weba"],
    ["matroska", "avc", "aac", null],
    ["matroska", "vp8", "aac", null],
    ["mpegts", "avc", "aac", null],
    ["ogg", null, "opus", "ogg"],
    ["mp3", null, "mp3", "mp3"],
  ])(
    "has a type that browsers play, or is not served (%s with %s and %s: %s)",
    (container, video, audio, extension) => {
      expect(servedExtension(clip(container, video, audio))).toBe(extension);
    },
  );
});
