import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import sharp from "sharp";
import { fetchOutside } from "../../src/lib/http/outbound.ts";
import { MediaProcesses } from "../../src/lib/media/media-processes.ts";
import { MediaQueue } from "../../src/lib/media/media-queue.ts";
import { ENDLESS } from "../fixtures/hostile-clips.ts";
import { blackPng, movingWebp } from "../fixtures/hostile-pictures.ts";
import { picture } from "../fixtures/pictures.ts";
import { download } from "../support/media.ts";
import {
  cachedFiles,
  firstMedia,
  putBytes,
  remoteAttachment,
  remotePost,
  setPictures,
} from "../support/remote-media.ts";
import { remoteAccount } from "../support/rows.ts";
import { inProcess, startServer } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { page, Site } from "../support/site.ts";

const HOUR = 3600_000;
const MIB = 1024 * 1024;

const { server, alice } = serverForEachTest(["alice"], { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
let site: Site;

beforeEach(() => {
  site = new Site();
});
afterEach(() => site.stop());

const png = () => picture(300, 200).png().toBuffer();

function endless(): Response {
  const chunk = new Uint8Array(MIB);
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
}

describe("A file of another server", () => {
  test.each<[string, () => Response | Promise<Response>]>([
    ["is missing", () => new Response("nothing here", { status: 404 })],
    [
      "is an HTML page with the type of an image",
      () => new Response(page("Hello"), { headers: { "content-type": "image/png" } }),
    ],
    ["is a broken image", async () => new Response(new Uint8Array((await png()).subarray(0, 200)))],
    ["is empty", () => new Response("")],
    ["is an image that would take long to decode", () => new Response(new Uint8Array(blackPng(1_000_000, 33)))],
    ["is an animation of 80,000 frames", async () => new Response(new Uint8Array(await movingWebp(80_000, 1)))],
    ["is an image of too many pixels", () => new Response(new Uint8Array(blackPng(40_000, 1000)))],
    ["is too large", async () => new Response(Buffer.concat([await png(), Buffer.alloc(16 * MIB)]))],
    ["never ends", endless],
    ["redirects in a circle", () => new Response(null, { status: 302, headers: { location: "/file" } })],
    [
      "redirects to a file of this machine",
      () => new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } }),
    ],
    [
      "is an SVG image",
      () => new Response("<svg xmlns='http://www.w3.org/2000/svg'/>", { headers: { "content-type": "image/svg+xml" } }),
    ],
  ])("that %s is shown as a placeholder, and no part of it is kept", async (_, answer) => {
    const media = await firstMedia(server, remotePost(server, [remoteAttachment(site.put("/file", answer))]));
    for (const url of [media.preview_url, media.url]) {
      const response = await fetch(url);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
      expect(await sharp(await response.bytes()).metadata()).toMatchObject({ width: 640, height: 360 });
      expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
    }
    expect(cachedFiles(server).filter((path) => !/\/(?:preview|original)\.jpg$/.test(path))).toEqual([]);
  });

  test("that failed is not requested for an hour", async () => {
    const url = site.url("/a.png");
    const media = await firstMedia(server, remotePost(server, [remoteAttachment(url, { width: 200, height: 400 })]));
    const placeholder = await download(media.preview_url);
    expect(await sharp(placeholder).metadata()).toMatchObject({ width: 200, height: 400 });
    putBytes(site, "/a.png", await png());
    server.clock.advance(HOUR - 1000);
    const late = await fetch(media.preview_url);
    expect([late.headers.get("cache-control"), await late.bytes()]).toEqual(["public, max-age=1", placeholder]);
    expect(site.asked).toEqual(["/a.png"]);
    server.clock.advance(1000);
    const after = await fetch(media.preview_url);
    expect(after.headers.get("cache-control")).toContain("immutable");
    expect(await sharp(await after.bytes()).metadata()).toMatchObject({ width: 300, height: 200 });
    expect([site.asked.length, cachedFiles(server).length]).toEqual([2, 1]);
  });

  test("that is a clip which browsers can't play is not found; its original's address is in the post", async () => {
    const answers = { "/text.mp4": "no clip", "/matroska.mp4": Buffer.from("1a45dfa3802a", "hex"), "/empty.mp4": "" };
    for (const [path, bytes] of Object.entries(answers)) {
      const url = site.put(path, () => new Response(bytes));
      const clip = remoteAttachment(url, { type: "video", contentType: "video/mp4" });
      const media = await firstMedia(server, remotePost(server, [clip]));
      expect([(await fetch(media.url)).status, (await fetch(media.url)).status]).toEqual([404, 404]);
      expect(media.remote_url).toBe(url);
    }
    expect(site.asked).toEqual(Object.keys(answers));
  });

  inProcess.each(Object.entries(ENDLESS))(
    "that makes a decoder loop delays no request (%s)",
    async (_, bytes) => {
      server.ctx.media = new MediaQueue(new MediaProcesses({ seconds: 2 }));
      const clip = remoteAttachment(putBytes(site, "/a", bytes), { type: "audio", contentType: "audio/flac" });
      const media = await firstMedia(server, remotePost(server, [clip]));
      const refused = fetch(media.url);
      for (let answers = 0; answers < 20; answers++) {
        const health = await Promise.race([alice.get("/health"), refused.then(() => null)]);
        expect(health?.status).toBe(200);
      }
      expect((await refused).status).toBe(404);
    },
    30_000,
  );
});

describe("A private address", () => {
  test("is not connected to", async () => {
    const careful = await startServer();
    const url = putBytes(site, "/a.png", await png());
    const media = await firstMedia(careful, remotePost(careful, [remoteAttachment(url)]));
    expect((await fetch(media.preview_url)).headers.get("cache-control")).toBe("public, max-age=3600");
    expect(site.asked).toEqual([]);
    await careful.stop();
  });

  inProcess("is not connected to after a redirect", async () => {
    // In this test, only 10.1.2.3 is private.
    const lookup = async (name: string) => [name === "inside.example" ? "10.1.2.3" : "127.0.0.1"];
    const outlet = { userAgent: "Linnet", lookup, allows: (address: string) => address !== "10.1.2.3" };
    server.ctx.fetchOutside = (url, request) => fetchOutside(url, request, outlet);
    const location = site.url("/secret.png", "inside.example");
    const url = site.put("/a.png", () => new Response(null, { status: 302, headers: { location } }));
    putBytes(site, "/secret.png", await png());
    const media = await firstMedia(server, remotePost(server, [remoteAttachment(url)]));
    expect((await fetch(media.preview_url)).headers.get("cache-control")).toBe("public, max-age=3600");
    expect(site.asked).toEqual(["/a.png"]);
  });
});

inProcess("A failure of this server is not remembered", async () => {
  const media = await firstMedia(server, remotePost(server, [remoteAttachment(putBytes(site, "/a.png", await png()))]));
  const { fetchOutside: before } = server.ctx;
  server.ctx.fetchOutside = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  expect((await fetch(media.preview_url)).status).toBe(503);
  server.ctx.fetchOutside = before;
  expect((await fetch(media.preview_url)).headers.get("content-type")).toBe("image/jpeg");
  expect(site.asked).toEqual(["/a.png"]);
});

describe("Requests for files that are not cached", () => {
  test("count like pages; cached files do not", async () => {
    const limited = await startServer({
      LINNET_ALLOW_PRIVATE_ADDRESSES: "on",
      LINNET_RATE_LIMITS: "pages=2/300",
    });
    const bytes = await png();
    const urls = ["/1.png", "/2.png", "/3.png"].map((path) => remoteAttachment(putBytes(site, path, bytes)));
    const id = remotePost(limited, urls);
    const { media_attachments: media } = (await limited.stranger().get(`/api/v1/statuses/${id}`)).json;
    const statuses = [];
    for (const at of [0, 0, 0, 1, 1, 2, 0]) statuses.push((await fetch(media[at].preview_url)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 200]);
    expect(site.asked).toEqual(["/1.png", "/2.png"]);
    await limited.stop();
  });

  inProcess("are sent a few at a time to one site, and don't wait for another slow site", async () => {
    const opened = Promise.withResolvers<void>();
    const bytes = await png();
    const account = remoteAccount(server, "dora", "far.example");
    const slow = Array.from({ length: 8 }, (_, at) => {
      const answer = async () => {
        await opened.promise;
        return new Response(bytes);
      };
      return remoteAttachment(site.put(`/slow/${at}`, answer, `${at}.slow.example`));
    });
    const { media_attachments: media } = (await alice.get(`/api/v1/statuses/${remotePost(server, slow, account)}`))
      .json;
    const waiting = media.map(({ preview_url }: { preview_url: string }) => fetch(preview_url));
    setPictures(server, account, { avatarUrl: putBytes(site, "/quick.png", bytes, "image/png", "quick.example") });
    const { avatar } = (await alice.get(`/api/v1/accounts/${account}`)).json;
    expect((await fetch(avatar)).status).toBe(200);
    expect(site.asked.filter((path) => path.startsWith("/slow/"))).toHaveLength(4);
    opened.resolve();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
    expect(site.asked).toHaveLength(9);
  });
});
