import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import sharp from "sharp";
import { enqueue } from "../../src/db/queue.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { UnreadableFile } from "../../src/errors.ts";
import { MediaProcesses, type TaskArguments, type TaskName } from "../../src/lib/media/media-processes.ts";
import { MediaQueue } from "../../src/lib/media/media-queue.ts";
import { Clips, ffmpeg } from "../fixtures/clips.ts";
import { animation } from "../fixtures/pictures.ts";
import type { Client } from "../support/client.ts";
import { download, finished, mediaFiles, processed } from "../support/media.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";
import { formOf, pictureFile, upload, uploaded } from "../support/uploads.ts";

/*
 * Clips after their upload: thumbnails, files, deletion, crashes.
 */

const PATIENCE = 30_000;
const HOUR = 3600_000;

const clips = new Clips();
afterAll(() => clips.remove());

let server: TestServer;
let alice: Client;

async function start(program: string): Promise<void> {
  server = await startServer({ LINNET_FFMPEG: program });
  alice = await server.person("alice");
}
afterEach(() => server.stop());

async function cleanUpAfter(time: number): Promise<void> {
  server.clock.advance(time);
  server.ctx.db.transaction((tx) => {
    // As if the job for processing were lost.
    tx.run("DELETE FROM jobs WHERE kind = 'media.process'");
    schedule(server.ctx, tx, "clean_up", server.clock.now());
  });
  await server.drain();
}

const size = async (url: string) => {
  const { width, height } = await sharp(await download(url)).metadata();
  return [width, height];
};

describe.skipIf(!ffmpeg)("A thumbnail", () => {
  beforeEach(() => start(ffmpeg!));
  const square = () => pictureFile("png", { width: 50, height: 50 });

  test(
    "that is uploaded with a video is its preview before and after processing",
    async () => {
      const { json } = await upload(alice, await clips.file("silent.mp4"), { thumbnail: await square() });
      expect(await size(json.preview_url)).toEqual([50, 50]);
      expect(json.meta.small).toEqual({ width: 50, height: 50, size: "50x50", aspect: 1 });
      const { json: done } = await finished(server, alice, json.id);
      expect([done.preview_url, done.blurhash, done.meta.small]).toEqual([
        json.preview_url,
        json.blurhash,
        json.meta.small,
      ]);
      await server.drain();
      expect(mediaFiles(server).sort()).toEqual(["original.mp4", "thumbnail.jpg"]);
    },
    PATIENCE,
  );

  test(
    "can be uploaded later, during processing and after it",
    async () => {
      const { json } = await upload(alice, await clips.file("silent.mp4"));
      const path = `/api/v1/media/${json.id}`;
      const early = await alice.put(path, formOf({ thumbnail: await square(), description: "square" }));
      expect([early.status, early.json.url, early.json.description]).toEqual([200, null, "square"]);
      expect(await size(early.json.preview_url)).toEqual([50, 50]);
      const { json: done } = await finished(server, alice, json.id);
      expect(done.preview_url).toBe(early.json.preview_url);

      const wide = await pictureFile("jpeg", { width: 90, height: 30 });
      const { json: changed } = await alice.put(path, formOf({ thumbnail: wide }));
      expectShape(changed, "MediaAttachment");
      expect([await size(changed.preview_url), changed.description, changed.url]).toEqual([
        [90, 30],
        "square",
        done.url,
      ]);
      expect(changed.blurhash).not.toBe(done.blurhash);
      await server.drain();
      expect(mediaFiles(server).sort()).toEqual(["original.mp4", "thumbnail.jpg"]);
    },
    PATIENCE,
  );

  test("is the preview of an audio file and determines its colours", async () => {
    const { json } = await upload(alice, await clips.file("sound.wav"), { thumbnail: await square() });
    const done = (await finished(server, alice, json.id)).json;
    expect(await size(done.preview_url)).toEqual([50, 50]);
    expect(done.meta.colors).toEqual(json.meta.colors);
  });

  test("is also accepted for a picture and for an animation", async () => {
    const picture = await upload(alice, await pictureFile("png"), { thumbnail: await square() });
    expect([picture.status, await size(picture.json.preview_url), await size(picture.json.url)]).toEqual([
      200,
      [50, 50],
      [40, 30],
    ]);
    const bytes = await (await animation(2)).gif().toBuffer();
    const moving = await upload(alice, new File([new Uint8Array(bytes)], "a.gif"));
    await alice.put(`/api/v1/media/${moving.json.id}`, formOf({ thumbnail: await square() }));
    const done = (await finished(server, alice, moving.json.id)).json;
    expect([done.type, await size(done.preview_url)]).toEqual(["gifv", [50, 50]]);
  });

  describe("that is set before the conversion fails for good", () => {
    const fail = async (file: File) => {
      const { json } = await upload(alice, file);
      await alice.put(`/api/v1/media/${json.id}`, formOf({ thumbnail: await square() }));
      server.ctx.db.transaction((tx) => tx.run("UPDATE media_attachments SET tries = 3"));
      const after = await finished(server, alice, json.id);
      await server.drain();
      return after;
    };

    test("is all that is left of a video", async () => {
      expect((await fail(await clips.file("silent.mp4"))).status).toBe(422);
      expect(mediaFiles(server)).toEqual(["thumbnail.jpg"]);
    });

    test("is the preview of an animation, which stays an image", async () => {
      const bytes = await (await animation(2)).gif().toBuffer();
      const { json } = await fail(new File([new Uint8Array(bytes)], "a.gif"));
      expect([json.type, await size(json.preview_url)]).toEqual(["image", [50, 50]]);
      expect(await download(json.url)).toEqual(new Uint8Array(bytes));
      expect(mediaFiles(server).sort()).toEqual(["original.gif", "thumbnail.jpg"]);
    });
  });

  test.each(["/api/v1/media", "/api/v2/media"])(
    "that is not a valid picture is refused, and no file is kept (%s)",
    async (path) => {
      const broken = new File(["\x89PNG\r\n"], "a.png", { type: "image/png" });
      const { status, json } = await upload(alice, await clips.file("silent.mp4"), { thumbnail: broken }, path);
      expect([status, json.error]).toEqual([422, "Validation failed: Thumbnail is not a supported image"]);
      expect(mediaFiles(server)).toEqual([]);
    },
  );

  test("that is not a valid picture changes nothing", async () => {
    const media = await uploaded(alice, { description: "before" });
    const change = formOf({ thumbnail: new File(["x"], "a.png"), description: "after" });
    expect((await alice.put(`/api/v1/media/${media.id}`, change)).status).toBe(422);
    expect((await alice.get(`/api/v1/media/${media.id}`)).json).toEqual(media);
  });

  inProcess("that arrives after its upload has failed is removed", async () => {
    const { json } = await upload(alice, await clips.file("silent.mp4"));
    const read = server.ctx.media.run.bind(server.ctx.media) as (...args: unknown[]) => Promise<unknown>;
    server.ctx.media.run = (async (...args: unknown[]) => {
      const preview = await read(...args);
      server.ctx.db.transaction((tx) => tx.run("UPDATE media_attachments SET tries = 3"));
      await server.drain();
      return preview;
    }) as typeof server.ctx.media.run;
    const late = await alice.put(`/api/v1/media/${json.id}`, formOf({ thumbnail: await square() }));
    expect([late.status, late.json.error]).toEqual([422, "The file could not be processed. Upload another one."]);
    await server.drain();
    expect(mediaFiles(server)).toEqual(["placeholder.jpg"]);
  });

  test("for another user's upload is refused", async () => {
    const { id } = await uploaded(alice);
    const bob = await server.person("bob");
    expect((await bob.put(`/api/v1/media/${id}`, formOf({ thumbnail: await square() }))).status).toBe(404);
  });
});

describe.skipIf(!ffmpeg)("The files of a clip", () => {
  beforeEach(() => start(ffmpeg!));

  test(
    "are only the video and its poster after processing",
    async () => {
      const { json } = await upload(alice, await clips.file("silent.mp4"));
      expect(mediaFiles(server).sort()).toEqual(["placeholder.jpg", "source"]);
      await server.drain();
      await server.drain();
      expect(mediaFiles(server).sort()).toEqual(["original.mp4", "poster.jpg"]);
      expect((await alice.get(`/api/v1/media/${json.id}`)).status).toBe(200);
    },
    PATIENCE,
  );

  test("are not served before processing", async () => {
    const { json } = await upload(alice, await clips.file("silent.mp4"));
    const source = json.preview_url.replace(/[^/]+$/, "source");
    expect(mediaFiles(server)).toContain("source");
    for (const url of [source, `${source}.mp4`, json.preview_url.replace(/[^/]+$/, "original.mp4")]) {
      expect((await fetch(url)).status).toBe(404);
    }
  });

  test(
    "are removed when the clip is deleted, before processing and after it",
    async () => {
      const { json } = await upload(alice, await clips.file("silent.mp4"));
      expect((await alice.delete(`/api/v1/media/${json.id}`)).status).toBe(200);
      await server.drain();
      expect(mediaFiles(server)).toEqual([]);

      const film = await processed(server, alice, await clips.file("silent.mp4"));
      expect((await alice.delete(`/api/v1/media/${film.id}`)).status).toBe(200);
      await server.drain();
      expect(mediaFiles(server)).toEqual([]);
      expect((await fetch(film.url)).status).toBe(404);
    },
    PATIENCE,
  );

  test(
    "are removed after a day without publication, or with the status if the request says so",
    async () => {
      const forgotten = await processed(server, alice, await clips.file("silent.mp4"));
      const film = await processed(server, alice, await clips.file("silent.mp4"));
      const { id } = await alice.publish({ media_ids: [film.id] });
      await cleanUpAfter(25 * HOUR);
      await server.drain();
      expect([(await fetch(forgotten.url)).status, (await fetch(film.url)).status]).toEqual([404, 200]);
      await alice.delete(`/api/v1/statuses/${id}?delete_media=true`);
      await server.drain();
      expect(mediaFiles(server)).toEqual([]);
    },
    PATIENCE,
  );

  test(
    "can be requested in ranges",
    async () => {
      const { url } = await processed(server, alice, await clips.file("film.mp4"));
      const whole = await download(url);
      const part = async (range: string) => {
        const answer = await fetch(url, { headers: { range } });
        return [answer.status, answer.headers.get("content-range"), (await answer.bytes()).length];
      };
      const { length } = whole;
      expect(await part("bytes=0-1")).toEqual([206, `bytes 0-1/${length}`, 2]);
      expect(await part("bytes=100-")).toEqual([206, `bytes 100-${length - 1}/${length}`, length - 100]);
      expect(await part("bytes=-100")).toEqual([206, `bytes ${length - 100}-${length - 1}/${length}`, 100]);
      expect(await part(`bytes=${length}-`)).toEqual([416, `bytes */${length}`, 0]);
      const middle = await fetch(url, { headers: { range: "bytes=50-149" } });
      expect(await middle.bytes()).toEqual(whole.slice(50, 150));
      for (const headers of [middle.headers, (await fetch(url, { method: "HEAD" })).headers]) {
        expect(headers.get("content-type")).toBe("video/mp4");
        expect(headers.get("accept-ranges")).toBe("bytes");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("content-security-policy")).toContain("default-src 'none'");
        expect(headers.get("cache-control")).toContain("immutable");
      }
    },
    PATIENCE,
  );
});

describe.skipIf(!ffmpeg)("Processing", () => {
  beforeEach(() => start(ffmpeg!));

  inProcess(
    "that was interrupted by a crash is repeated after the restart",
    async () => {
      const { json } = await upload(alice, await clips.file("silent.mp4"));
      // The state after a process crashed during processing.
      server.ctx.db.transaction((tx) => {
        tx.run("UPDATE jobs SET leased = 1, attempts = 1");
        tx.run("UPDATE media_attachments SET tries = 1");
      });
      await server.drain();
      expect((await alice.get(`/api/v1/media/${json.id}`)).status).toBe(206);
      const worker = new Worker(server.ctx);
      worker.start();
      await worker.drain();
      await worker.stop();
      expect((await alice.get(`/api/v1/media/${json.id}`)).status).toBe(200);
    },
    PATIENCE,
  );

  test(
    "that crashes the server three times is abandoned",
    async () => {
      const { json } = await upload(alice, await clips.file("silent.mp4"));
      server.ctx.db.transaction((tx) => tx.run("UPDATE media_attachments SET tries = 3"));
      expect((await finished(server, alice, json.id)).status).toBe(422);
      await server.drain();
      expect(mediaFiles(server)).toEqual(["placeholder.jpg"]);
    },
    PATIENCE,
  );

  test("whose job is lost is abandoned", async () => {
    const { json } = await upload(alice, await clips.file("silent.mp4"));
    await cleanUpAfter(11 * HOUR);
    expect((await alice.get(`/api/v1/media/${json.id}`)).status).toBe(206);
    await cleanUpAfter(2 * HOUR);
    expect((await alice.get(`/api/v1/media/${json.id}`)).status).toBe(422);
  });

  test(
    "of a clip that is deleted meanwhile leaves no files",
    async () => {
      const { json } = await upload(alice, await clips.file("film.webm"));
      const drained = server.drain();
      await alice.delete(`/api/v1/media/${json.id}`);
      await drained;
      await server.drain();
      expect(mediaFiles(server)).toEqual([]);
    },
    PATIENCE,
  );

  test(
    "two uploads at once succeeds, even if one has to wait for the other",
    async () => {
      const [film, sound] = await Promise.all([
        upload(alice, await clips.file("silent.mp4"), {}, "/api/v1/media"),
        upload(alice, await clips.file("sound.wav"), {}, "/api/v1/media"),
      ]);
      expect([film.status, film.json.type, sound.status, sound.json.type]).toEqual([200, "video", 200, "audio"]);
    },
    PATIENCE,
  );
});

inProcess(
  "A slow conversion delays neither other requests and jobs nor the server's shutdown",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "linnet-test-"));
    const [program, started] = [join(folder, "slow-ffmpeg"), join(folder, "started")];
    const lines = [
      `case "$*" in *-encoders*) echo " libx264  aac "; exit;; esac`,
      `echo > ${started}`,
      "exec sleep 600",
    ];
    writeFileSync(program, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o700 });
    await start(program);
    const bytes = await (await animation(2)).gif().toBuffer();
    const { json } = await upload(alice, new File([new Uint8Array(bytes)], "a.gif"));
    const worker = new Worker(server.ctx);
    worker.start();
    await becomes(started, true);

    const other = join(server.ctx.config.data, "media", "other");
    writeFileSync(other, "");
    server.ctx.db.transaction((tx) => {
      enqueue(server.ctx, tx, "media.delete_files", { files: ["other"] });
    });
    await becomes(other, false);
    expect((await alice.get(`/api/v1/media/${json.id}`)).status).toBe(206);
    expect((await upload(alice, await pictureFile(), {}, "/api/v1/media")).status).toBe(200);
    await worker.stop();
    const row = server.ctx.db.get<object>("SELECT state, tries FROM media_attachments WHERE id = $jsonId", {
      jsonId: Number(json.id),
    });
    expect(row).toEqual({ state: "processing", tries: 0 });
    rmSync(folder, { recursive: true });
  },
  PATIENCE,
);

inProcess("A clip that is copied without ffmpeg when the server stops is tried again after the restart", async () => {
  const copying = Promise.withResolvers<void>();
  class Stuck extends MediaProcesses {
    override run<Name extends TaskName>(name: Name, args: TaskArguments<Name>, signal?: AbortSignal) {
      if (name !== "copyClip") return super.run(name, args, signal);
      copying.resolve();
      return new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(new UnreadableFile("its process was killed")));
      });
    }
  }
  await start("off");
  const { json } = await upload(alice, await clips.file("silent.mp4"));
  server.ctx.media = new MediaQueue(new Stuck());
  const worker = new Worker(server.ctx);
  worker.start();
  await copying.promise;
  await worker.stop();
  const row = server.ctx.db.get<object>("SELECT state, tries FROM media_attachments WHERE id = $id", {
    id: Number(json.id),
  });
  expect(row).toEqual({ state: "processing", tries: 0 });
});

/** Resolves when the file exists, or no longer does. */
function becomes(path: string, there: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(join(path, ".."), () => {
    if (existsSync(path) === there) resolve();
  });
  if (existsSync(path) === there) resolve();
  return promise.finally(() => watcher.close());
}
