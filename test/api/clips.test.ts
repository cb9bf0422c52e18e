import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import sharp from "sharp";
import { movingWebp } from "../fixtures/hostile-pictures.ts";
import { animation } from "../fixtures/pictures.ts";
import { Clips, decoded, ffmpeg, probe, type ClipName } from "../fixtures/clips.ts";
import type { Client } from "../support/client.ts";
import { download, finished, mediaFiles, processed } from "../support/media.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";
import { pictureFile, upload, uploaded } from "../support/uploads.ts";

/** Processes of ffmpeg need time on a small machine. */
const PATIENCE = 30_000;
const UNSUPPORTED = "Validation failed: File content type is invalid, File is invalid";
const NOT_READY = "Cannot attach files that have not finished processing. Try again in a moment!";

const clips = new Clips();
afterAll(() => clips.remove());

let server: TestServer;
let alice: Client;

async function start(program: string): Promise<void> {
  server = await startServer({ LINNET_FFMPEG: program });
  alice = await server.person("alice");
}
afterEach(() => server.stop());

const codecs = async (bytes: Uint8Array) => (await probe(bytes)).streams.map(({ codec_name }) => codec_name);

/** A video with valid metadata, but whose frames cannot be decoded. */
async function undecodable(): Promise<File> {
  const bytes = (await clips.bytes("film.mp4")).slice();
  const data = Buffer.from(bytes.buffer).indexOf("mdat") + 4;
  const end = Buffer.from(bytes.buffer).indexOf("moov") - 4;
  return new File([bytes.fill(0xa5, data, end)], "film.mp4");
}

describe.skipIf(!ffmpeg)("With ffmpeg", () => {
  beforeEach(() => start(ffmpeg!));

  describe("a video", () => {
    test(
      "is accepted at once and can be played after its job",
      async () => {
        const { status, json } = await upload(alice, await clips.file("film.mp4"), { description: "a test" });
        expect(status).toBe(202);
        expectShape(json, "MediaAttachment");
        expect(json).toMatchObject({ type: "video", url: null, description: "a test", blurhash: expect.any(String) });
        expect((await sharp(await download(json.preview_url)).metadata()).width).toBe(160);

        const waiting = await alice.get(`/api/v1/media/${json.id}`);
        expect([waiting.status, waiting.json]).toEqual([206, json]);

        const done = await finished(server, alice, json.id);
        expect(done.status).toBe(200);
        expectShape(done.json, "MediaAttachment");
        expect(done.json).toMatchObject({ id: json.id, type: "video", description: "a test" });
        const { original, small } = done.json.meta;
        expect(original).toEqual({
          width: 160,
          height: 120,
          frame_rate: "30/1",
          duration: 1,
          bitrate: expect.any(Number),
        });
        expect(small).toEqual({ width: 160, height: 120, size: "160x120", aspect: 160 / 120 });
        expect(original.bitrate).toBe((await download(done.json.url)).length * 8);
      },
      PATIENCE,
    );

    test(
      "has one of its frames as preview",
      async () => {
        const { json: before } = await upload(alice, await clips.file("film.mp4"));
        const { json: after } = await finished(server, alice, before.id);
        expect(after.preview_url).not.toBe(before.preview_url);
        expect(after.blurhash).not.toBe(before.blurhash);
        const frame = sharp(await download(after.preview_url));
        // The test video has more colours than any placeholder.
        expect((await frame.stats()).entropy).toBeGreaterThan(5);
        expect((await fetch(before.preview_url)).status).toBe(404);
      },
      PATIENCE,
    );

    test.each<ClipName>(["film.mp4", "film.mov"])(
      "that browsers can play (%s) is not converted, but loses its title and location",
      async (name) => {
        const bytes = await clips.bytes(name);
        const { url } = await processed(server, alice, await clips.file(name));
        const kept = await download(url);
        expect((await fetch(url)).headers.get("content-type")).toBe("video/mp4");
        expect(await decoded(kept)).toBe(await decoded(bytes));
        for (const secret of ["Secret", "+48.2"]) {
          expect([Buffer.from(bytes).includes(secret), Buffer.from(kept).includes(secret)]).toEqual([true, false]);
        }
      },
      PATIENCE,
    );

    test.each<ClipName>(["film.webm", "rich.mp4", "old.mp4"])(
      "that browsers cannot play (%s) becomes H.264 in 4:2:0",
      async (name) => {
        const { url, meta } = await processed(server, alice, await clips.file(name));
        const { streams } = await probe(await download(url));
        expect(streams[0]).toMatchObject({ codec_name: "h264", pix_fmt: "yuv420p", width: 160, height: 120 });
        expect(streams[1]?.codec_name).toBe(name === "film.webm" ? "aac" : undefined);
        expect(meta.original).toMatchObject({ width: 160, height: 120, frame_rate: "30/1" });
      },
      PATIENCE,
    );

    test(
      "can be played before it is downloaded completely",
      async () => {
        for (const name of ["film.mp4", "film.webm"] as const) {
          const { url } = await processed(server, alice, await clips.file(name));
          const text = Buffer.from(await download(url)).toString("latin1");
          expect(text.indexOf("moov")).toBeLessThan(text.indexOf("mdat"));
        }
      },
      PATIENCE,
    );

    test(
      "has its exact frame rate in its metadata",
      async () => {
        const { meta } = await processed(server, alice, await clips.file("ntsc.mp4"));
        expect(meta.original.frame_rate).toBe("30000/1001");
      },
      PATIENCE,
    );

    test(
      "that cannot be decoded fails with a message, and cannot be published",
      async () => {
        const { status, json } = await upload(alice, await undecodable());
        expect(status).toBe(202);
        const after = await finished(server, alice, json.id);
        expect(after.status).toBe(422);
        expect(after.json.error).toContain("could not be processed");
        expect((await alice.put(`/api/v1/media/${json.id}`, { description: "x" })).status).toBe(422);
        expect((await alice.post("/api/v1/statuses", { media_ids: [json.id] })).status).toBe(422);
        await server.drain();
        expect(mediaFiles(server)).toEqual(["placeholder.jpg"]);
        expect((await alice.delete(`/api/v1/media/${json.id}`)).status).toBe(200);
        await server.drain();
        expect(mediaFiles(server)).toEqual([]);
      },
      PATIENCE,
    );
  });

  describe("an audio file", () => {
    test(
      "that browsers can play is not converted, but loses its title and location; its cover is the preview",
      async () => {
        const bytes = await clips.bytes("sound.mp3");
        const { json: before } = await upload(alice, await clips.file("sound.mp3"));
        expect(before).toMatchObject({ type: "audio", url: null });
        const { status, json } = await finished(server, alice, before.id);
        expect(status).toBe(200);
        expectShape(json, "MediaAttachment");
        expect(json.meta.original).toEqual({ duration: expect.any(Number), bitrate: expect.any(Number) });
        expect(json.meta.original.duration).toBeCloseTo(1, 0);
        const cover = await sharp(await download(json.preview_url)).stats();
        expect(cover.dominant.r).toBeGreaterThan(200);
        expect(json.meta.small).toMatchObject({ width: 300, height: 300 });
        expect(json.meta.colors).toEqual({
          background: expect.stringMatching(/^#f/),
          foreground: "#000000",
          accent: expect.stringMatching(/^#f/),
        });
        const kept = await download(json.url);
        expect((await fetch(json.url)).headers.get("content-type")).toBe("audio/mpeg");
        expect(await codecs(kept)).toEqual(["mp3"]);
        expect([Buffer.from(bytes).includes("Secret"), Buffer.from(kept).includes("Secret")]).toEqual([true, false]);
      },
      PATIENCE,
    );

    test.each<[ClipName, string, string]>([
      ["sound.wav", "aac", "audio/mp4"],
      ["sound.ogg", "aac", "audio/mp4"],
      ["sound.m4a", "aac", "audio/mp4"],
      ["sound.flac", "flac", "audio/flac"],
    ])(
      "in %s becomes %s, which browsers can play",
      async (name, codec, type) => {
        const { type: sort, url, meta } = await processed(server, alice, await clips.file(name));
        const kept = await download(url);
        expect([sort, await codecs(kept), (await fetch(url)).headers.get("content-type")]).toEqual([
          "audio",
          [codec],
          type,
        ]);
        expect(Buffer.from(kept).includes("Secret")).toBe(false);
        expect(meta.colors.background).toMatch(/^#[0-9a-f]{6}$/);
      },
      PATIENCE,
    );
  });

  describe("an animation", () => {
    test.each<["gif" | "webp"]>([["gif"], ["webp"]])(
      "as %s becomes a silent video",
      async (format) => {
        const bytes = await (await animation(4)).toFormat(format, { delay: [100, 100, 100, 100] }).toBuffer();
        const { status, json } = await upload(alice, new File([new Uint8Array(bytes)], "a"));
        expect([status, json.type, json.url]).toEqual([202, "gifv", null]);
        expect(json.meta.original).toMatchObject({ width: 60, height: 40 });
        const { json: done } = await finished(server, alice, json.id);
        expect([done.type, done.preview_url, done.blurhash]).toEqual(["gifv", json.preview_url, json.blurhash]);
        expectShape(done, "MediaAttachment");
        const { original } = done.meta;
        expect(original).toMatchObject({ width: 60, height: 40, frame_rate: "10/1", bitrate: expect.any(Number) });
        expect(original.duration).toBeCloseTo(0.4, 1);
        expect(await codecs(await download(done.url))).toEqual(["h264"]);
        await server.drain();
        expect(mediaFiles(server).sort()).toEqual([
          "original.mp4",
          new URL(json.preview_url).pathname.split("/").at(-1)!,
        ]);
      },
      PATIENCE,
    );

    test(
      "keeps the duration of each frame",
      async () => {
        const bytes = await (await animation(3)).webp({ delay: [100, 100, 800] }).toBuffer();
        const { meta } = await processed(server, alice, new File([new Uint8Array(bytes)], "a.webp"));
        expect(meta.original.duration).toBeCloseTo(1, 1);
      },
      PATIENCE,
    );

    test(
      "as AVIF becomes a silent video",
      async () => {
        const { type, url, meta } = await processed(server, alice, await clips.file("moving.avif"));
        expect([type, await codecs(await download(url))]).toEqual(["gifv", ["h264"]]);
        expect(meta.original).toMatchObject({ width: 160, height: 120, frame_rate: "30/1" });
      },
      PATIENCE,
    );

    test(
      "of odd size is cropped by a line at most, and transparency becomes white",
      async () => {
        const bytes = await (await animation(3, 61, 41, { seeThrough: true })).gif().toBuffer();
        const { url, meta } = await processed(server, alice, new File([new Uint8Array(bytes)], "a.gif"));
        expect(meta.original).toMatchObject({ width: 60, height: 40 });
        const still = await firstFrame(await download(url));
        const { data } = await sharp(still)
          .extract({ left: 5, top: 5, width: 10, height: 10 })
          .raw()
          .toBuffer({ resolveWithObject: true });
        expect(Math.min(...data)).toBeGreaterThan(230);
      },
      PATIENCE,
    );

    test(
      "stays a picture if its many large frames would take minutes to convert",
      async () => {
        const { json } = await upload(alice, new File([new Uint8Array(await movingWebp(130, 2000))], "a.webp"));
        expect(json.type).toBe("gifv");
        const { status, json: done } = await finished(server, alice, json.id);
        expect([status, done.type, done.meta.original.size]).toEqual([200, "image", "2000x2000"]);
      },
      PATIENCE,
    );

    test(
      "stays a picture if it cannot be converted",
      async () => {
        const bytes = await (await animation(4)).webp({ delay: [60_000, 60_000, 60_000, 60_000] }).toBuffer();
        const { json } = await upload(alice, new File([new Uint8Array(bytes)], "a.webp"));
        expect(json.type).toBe("gifv");
        const { status, json: done } = await finished(server, alice, json.id);
        expect([status, done.type]).toEqual([200, "image"]);
        expect((await sharp(await download(done.url)).metadata()).pages).toBe(4);
        expect((await alice.publish({ media_ids: [json.id] })).media_attachments).toEqual([done]);
      },
      PATIENCE,
    );
  });

  describe("POST /api/v1/media", () => {
    test(
      "waits until a clip can be played",
      async () => {
        const { status, json } = await upload(alice, await clips.file("film.webm"), {}, "/api/v1/media");
        expect([status, json.type]).toEqual([200, "video"]);
        expect(await codecs(await download(json.url))).toEqual(["h264", "aac"]);
        await server.drain();
        expect((await alice.get(`/api/v1/media/${json.id}`)).json).toEqual(json);
      },
      PATIENCE,
    );

    test.each<[string, () => Promise<File>]>([
      ["a video that cannot be decoded", undecodable],
      ["a truncated video", async () => new File([(await clips.bytes("film.mp4")).slice(0, 3000)], "film.mp4")],
      ["a truncated picture", async () => new File([(await (await pictureFile()).bytes()).slice(0, 80)], "a.png")],
    ])(
      "turns %s into an attachment of unknown type, which cannot be published",
      async (_, make) => {
        const { status, json } = await upload(alice, await make(), { description: "broken" }, "/api/v1/media");
        expect(status).toBe(200);
        expectShape(json, "MediaAttachment");
        expect(json).toMatchObject({ type: "unknown", blurhash: null, description: "broken" });
        expect((await sharp(await download(json.url)).metadata()).format).toBe("jpeg");
        const refused = await alice.post("/api/v1/statuses", { status: "x", media_ids: [json.id] });
        expect([refused.status, refused.json.error]).toEqual([422, expect.stringContaining("could not be processed")]);
      },
      PATIENCE,
    );
  });

  describe("a status", () => {
    test(
      "can contain a video after its processing, and only one",
      async () => {
        const { json } = await upload(alice, await clips.file("film.mp4"));
        const early = await alice.post("/api/v1/statuses", { status: "x", media_ids: [json.id] });
        expect([early.status, early.json]).toEqual([422, { error: NOT_READY }]);

        const { json: film } = await finished(server, alice, json.id);
        const picture = await uploaded(alice);
        const mixed = await alice.post("/api/v1/statuses", { status: "x", media_ids: [film.id, picture.id] });
        expect([mixed.status, mixed.json]).toEqual([
          422,
          { error: "Cannot attach a video to a post that already contains images" },
        ]);
        const status = await alice.publish({ media_ids: [film.id] });
        expect(status.media_attachments).toEqual([film]);
        expectShape(status, "Status");
        const edited = await alice.put(`/api/v1/statuses/${status.id}`, { media_ids: [film.id, picture.id] });
        expect(edited.status).toBe(422);
      },
      PATIENCE,
    );

    test(
      "can contain an animation beside pictures",
      async () => {
        const bytes = await (await animation(2)).gif().toBuffer();
        const moving = await processed(server, alice, new File([new Uint8Array(bytes)], "a.gif"));
        const picture = await uploaded(alice);
        const { media_attachments } = await alice.publish({ media_ids: [moving.id, picture.id] });
        expect(media_attachments.map(({ type }: { type: string }) => type)).toEqual(["gifv", "image"]);
      },
      PATIENCE,
    );
  });
});

describe.skipIf(!ffmpeg)("A clip", () => {
  beforeEach(() => start(ffmpeg!));

  test.each<[string, () => Promise<File>, string]>([
    ["too many frames a second", () => clips.file("fast.mp4"), "Validation failed: File has 200 frames per second"],
    ["too many pixels", () => clips.file("large.mp4"), "Validation failed: File is a video of 4096x2160"],
    ["no index", async () => new File([(await clips.bytes("film.mp4")).slice(0, 5000)], "a.mp4"), UNSUPPORTED],
  ])(
    "with %s is refused with a message, and no file is kept",
    async (_, make, sentence) => {
      const { status, json } = await upload(alice, await make());
      expect([status, json.error]).toEqual([422, expect.stringContaining(sentence)]);
      expect(mediaFiles(server)).toEqual([]);
    },
    PATIENCE,
  );

  test.each<[string, string]>([
    ["a playlist", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"],
    ["a list of files", "ffconcat version 1.0\nfile /etc/passwd\n"],
    ["a session description", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=video 5000 RTP/AVP 96\n"],
  ])("that is %s is refused, whatever its name and type", async (_, text) => {
    for (const path of ["/api/v1/media", "/api/v2/media"]) {
      const { status, json } = await upload(alice, new File([text], "a.mp4", { type: "video/mp4" }), {}, path);
      expect([status, json.error]).toEqual([422, UNSUPPORTED]);
    }
    expect(mediaFiles(server)).toEqual([]);
  });
});

describe.skipIf(!ffmpeg)("Without ffmpeg", () => {
  beforeEach(() => start("off"));

  test.each<[ClipName, string, string]>([
    ["film.mp4", "video", "video/mp4"],
    ["film.mov", "video", "video/mp4"],
    ["film.webm", "video", "video/webm"],
    ["sound.mp3", "audio", "audio/mpeg"],
    ["sound.m4a", "audio", "audio/mp4"],
    ["sound.ogg", "audio", "audio/ogg"],
    ["sound.flac", "audio", "audio/flac"],
    ["sound.wav", "audio", "audio/wav"],
  ])(
    "%s is stored without title and location but otherwise unchanged, with a placeholder as preview",
    async (name, type, contentType) => {
      const bytes = await clips.bytes(name);
      const media = await processed(server, alice, await clips.file(name));
      expectShape(media, "MediaAttachment");
      expect(media).toMatchObject({ type, blurhash: expect.any(String) });
      const kept = await download(media.url);
      expect((await fetch(media.url)).headers.get("content-type")).toBe(contentType);
      expect(await codecs(kept)).toEqual((await codecs(bytes)).filter((codec) => codec !== "png"));
      expect([Buffer.from(bytes).includes("Secret"), Buffer.from(kept).includes("Secret")]).toEqual([true, false]);
      expect(media.meta.original.duration).toBeCloseTo(1, 0);
      expect((await sharp(await download(media.preview_url)).metadata()).format).toBe("jpeg");
      expect((await alice.publish({ media_ids: [media.id] })).media_attachments).toEqual([media]);
    },
    PATIENCE,
  );

  test("a video that no browser plays is refused with a message", async () => {
    const { status, json } = await upload(alice, await clips.file("old.mp4"));
    expect([status, json.error]).toEqual([422, expect.stringContaining("no ffmpeg")]);
    expect(mediaFiles(server)).toEqual([]);
  });

  test("an animation is a picture", async () => {
    const bytes = await (await animation(3)).gif().toBuffer();
    const { status, json } = await upload(alice, new File([new Uint8Array(bytes)], "a.gif"));
    expect([status, json.type]).toEqual([200, "image"]);
    expect((await sharp(await download(json.url)).metadata()).pages).toBe(3);
  });
});

test.skipIf(!ffmpeg)(
  "An ffmpeg that cannot write H.264 is not used",
  async () => {
    await start("/bin/true");
    const { preview_url, url } = await processed(server, alice, await clips.file("film.webm"));
    expect(await codecs(await download(url))).toEqual(["vp8", "opus"]);
    expect(preview_url).toContain("placeholder");
    expect((await upload(alice, await clips.file("old.mp4"))).status).toBe(422);
  },
  PATIENCE,
);

async function firstFrame(bytes: Uint8Array): Promise<Uint8Array> {
  const words = ["-v", "error", "-i", "pipe:0", "-frames:v", "1", "-c:v", "png", "-f", "image2pipe", "-"];
  const child = Bun.spawn([ffmpeg!, ...words], { stdin: bytes, stdout: "pipe", stderr: "inherit" });
  return new Response(child.stdout).bytes();
}
