import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "bun:test";
import sharp from "sharp";
import { schedule } from "../../src/jobs/recurring.ts";
import { animation, picture } from "../fixtures/pictures.ts";
import type { Answer, Json } from "../support/client.ts";
import { serverForEachTest } from "../support/setup.ts";
import { mediaFiles } from "../support/media.ts";
import { rawRequest } from "../support/raw.ts";
import { expectShape } from "../support/shape.ts";
import { formOf, pictureFile, upload, uploaded, type Format } from "../support/uploads.ts";

const DAY = 24 * 3600_000;

const { server, alice } = serverForEachTest(["alice"]);

const NOT_A_PICTURE = "Validation failed: File content type is invalid, File is invalid";

const files = () => mediaFiles(server);

/** A PNG whose header declares these dimensions, with a body far too small for them. */
function bomb(width: number, height: number): File {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(Bun.hash.crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 2, 0, 0, 0], 8);
  const parts = [
    chunk("IHDR", size),
    chunk("IDAT", deflateSync(Buffer.alloc(100_000))),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return new File([new Uint8Array(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]))], "bomb.png", {
    type: "image/png",
  });
}

describe("An upload", () => {
  test.each<[Format, string]>([
    ["png", "/api/v2/media"],
    ["png", "/api/v1/media"],
    ["jpeg", "/api/v2/media"],
    ["gif", "/api/v2/media"],
    ["webp", "/api/v2/media"],
    ["avif", "/api/v2/media"],
    ["avif", "/api/v1/media"],
  ])("of a %s to %s is ready in the response", async (format, path) => {
    const file = await pictureFile(format, { width: 60, height: 40 });
    const { status, json } = await upload(alice, file, { description: "a slope" }, path);
    expect(status).toBe(200);
    expectShape(json, "MediaAttachment");
    expect(json).toMatchObject({
      type: "image",
      description: "a slope",
      remote_url: null,
      blurhash: expect.any(String),
      meta: { original: { width: 60, height: 40, size: "60x40", aspect: 1.5 }, focus: { x: 0, y: 0 } },
    });
    for (const url of [json.url, json.preview_url]) {
      const shown = await fetch(url);
      const { width, height } = await sharp(await shown.bytes()).metadata();
      expect([shown.status, width, height]).toEqual([200, 60, 40]);
    }
  });

  test("of a large image has a smaller preview", async () => {
    const { json } = await upload(alice, await pictureFile("jpeg", { width: 1600, height: 800 }));
    expect(json.preview_url).not.toBe(json.url);
    expect(json.meta.original).toMatchObject({ width: 1600, height: 800 });
    expect(json.meta.small.width * json.meta.small.height).toBeLessThanOrEqual(640 * 360);
    const { width, height } = await sharp(await (await fetch(json.preview_url)).bytes()).metadata();
    expect(json.meta.small).toMatchObject({ width, height });
  });

  test("is recognised by its bytes, whatever its name and declared type", async () => {
    const mislabelled = await pictureFile("png", { name: "x.exe", type: "image/jpeg" });
    const { status, json } = await upload(alice, mislabelled);
    expect(status).toBe(200);
    expect((await fetch(json.url)).headers.get("content-type")).toBe("image/png");
    expect((await upload(alice, await pictureFile("webp", { type: "" }))).status).toBe(200);
  });

  test("loses its location and camera", async () => {
    const bytes = await picture(30, 30)
      .jpeg()
      .withExif({ IFD0: { Model: "Spycam" }, IFD3: { GPSLatitude: "51/1 0/1 0/1" } })
      .toBuffer();
    const { json } = await upload(alice, new File([new Uint8Array(bytes)], "a.jpg"));
    const kept = Buffer.from(await (await fetch(json.url)).bytes());
    expect([bytes.includes("Spycam"), kept.includes("Spycam")]).toEqual([true, false]);
    expect((await sharp(kept).metadata()).exif).toBeUndefined();
  });

  test("of an animation is a playable attachment", async () => {
    const bytes = await (await animation(3)).gif().toBuffer();
    const { status, json } = await upload(alice, new File([new Uint8Array(bytes)], "a.gif"));
    expect(status).toBe(200);
    expectShape(json, "MediaAttachment");
    expect((await fetch(json.url)).status).toBe(200);
  });

  test.each<[string, () => File, string]>([
    [
      "an HTML page",
      () => new File(["<html><script>alert(1)</script></html>"], "a.png", { type: "image/png" }),
      NOT_A_PICTURE,
    ],
    ["an SVG", () => new File(["<svg xmlns='http://www.w3.org/2000/svg'/>"], "a.svg"), NOT_A_PICTURE],
    ["an empty file", () => new File([], "a.png", { type: "image/png" }), NOT_A_PICTURE],
    ["a truncated image", () => new File(["\x89PNG\r\n\x1a\n"], "a.png"), "Validation failed: "],
    ["an image of 2,500 megapixels", () => bomb(50_000, 50_000), "Validation failed: "],
    ["an image that lies about its length", () => bomb(3000, 3000), "Validation failed: "],
    [
      "more than 16 MB",
      () => new File([new Uint8Array([0xff, 0xd8, 0xff]), new Uint8Array(16 * 1024 * 1024)], "a.jpg"),
      "Validation failed: File size",
    ],
  ])("of %s is refused with a reason, and no file is stored", async (_, make, sentence) => {
    const { status, json } = await upload(alice, make());
    expect(status).toBe(422);
    expect(json.error).toStartWith(sentence);
    expect(files()).toEqual([]);
  });

  test("that is far too large is refused before it is read", async () => {
    const head = [
      "POST /api/v2/media HTTP/1.1",
      `Authorization: Bearer ${alice.token}`,
      "Content-Type: multipart/form-data; boundary=x",
      "Content-Length: 125000000",
    ];
    const answer = await rawRequest(server.origin, `${head.join("\r\n")}\r\n\r\n--x`);
    expect(answer).toStartWith("HTTP/1.1 413");
    expect(answer).toContain("larger than");
  });

  test.each<[string, Record<string, string | Blob>]>([
    ["nothing", {}],
    ["a text", { file: "a.png" }],
  ])("of %s is refused", async (_, fields) => {
    const { status, json } = await alice.post("/api/v2/media", formOf(fields));
    expect(status).toBe(422);
    expect(json.error).toStartWith("Validation failed: File");
  });

  test.each<[string, Record<string, string>]>([
    ["a description of 1501 characters", { description: "x".repeat(1501) }],
    ["a focus of one number", { focus: "0.5" }],
    ["a focus of words", { focus: "left,top" }],
    ["a focus of three numbers", { focus: "0,0,0" }],
    ["a focus of infinity", { focus: "1e999,0" }],
  ])("with %s is refused, and no file is stored", async (_, fields) => {
    expect((await upload(alice, await pictureFile(), fields)).status).toBe(422);
    expect(files()).toEqual([]);
  });

  test("may have a description of 1500 characters, counting graphemes", async () => {
    const { status, json } = await upload(alice, await pictureFile(), { description: "😀".repeat(1500) });
    expect([status, json.description]).toEqual([200, "😀".repeat(1500)]);
  });

  test("may have a focus within the image", async () => {
    const focus = async (text: string) => (await upload(alice, await pictureFile(), { focus: text })).json.meta.focus;
    expect(await focus("0.25,-1")).toEqual({ x: 0.25, y: -1 });
    expect(await focus("-7, 9.5")).toEqual({ x: -1, y: 1 });
    expect(await focus("")).toEqual({ x: 0, y: 0 });
  });
});

describe("An unattached upload", () => {
  let media: Json;
  const path = () => `/api/v1/media/${media.id}`;

  beforeEach(async () => {
    media = await uploaded(alice, { description: "before", focus: "0.1,0.2" });
  });

  test("can be read", async () => {
    const { status, json } = await alice.get(path());
    expect([status, json]).toEqual([200, media]);
  });

  test("can be updated one field at a time", async () => {
    const change = (body: object): Promise<Answer> => alice.put(path(), body);
    expect((await change({ description: "after" })).json).toMatchObject({
      description: "after",
      meta: { focus: { x: 0.1, y: 0.2 } },
    });
    expect((await change(new URLSearchParams({ focus: "-0.5,0" }))).json).toMatchObject({
      description: "after",
      meta: { focus: { x: -0.5, y: 0 } },
    });
    expect((await change({ description: "" })).json.description).toBeNull();
    expect((await change({ description: "x".repeat(1501) })).status).toBe(422);
    expect((await change({ focus: "x,y" })).status).toBe(422);
  });

  test("can be deleted with its files", async () => {
    const { status, json } = await alice.delete(path());
    expect([status, json]).toEqual([200, {}]);
    await server.drain();
    expect([(await fetch(media.url)).status, files()]).toEqual([404, []]);
    expect((await alice.get(path())).status).toBe(404);
  });

  test("is hidden from other users", async () => {
    const bob = await server.person("bob");
    for (const answer of [
      await bob.get(path()),
      await bob.put(path(), { description: "mine" }),
      await bob.delete(path()),
    ]) {
      expect([answer.status, answer.json]).toEqual([404, { error: "Record not found" }]);
    }
    expect((await bob.post("/api/v1/statuses", { media_ids: [media.id] })).status).toBe(422);
    expect((await server.stranger().get(path())).status).toBe(401);
  });

  test("belongs to its status after publishing", async () => {
    const status = await alice.publish({ media_ids: [media.id] });
    expect(status.media_attachments).toEqual([media]);
    expect((await alice.get(path())).status).toBe(404);
    expect((await alice.put(path(), { description: "after" })).status).toBe(404);
    const { status: code, json } = await alice.delete(path());
    expect([code, json]).toEqual([422, { error: "Media attachment is currently used by a status" }]);
    expect((await alice.post("/api/v1/statuses", { media_ids: [media.id] })).status).toBe(422);
  });

  test("is deleted after a day with its files, unlike published attachments", async () => {
    const kept = await uploaded(alice, {}, 70);
    await alice.publish({ media_ids: [kept.id] });
    const cleanUpAfter = async (time: number) => {
      server.clock.advance(time);
      server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "clean_up", server.clock.now()));
      await server.drain();
      return [(await alice.get(path())).status, (await fetch(media.url)).status];
    };
    expect(await cleanUpAfter(DAY - 1000)).toEqual([200, 200]);
    expect(await cleanUpAfter(2000)).toEqual([404, 404]);
    expect((await fetch(kept.url)).status).toBe(200);
  });

  test("that was removed with a deleted status is kept for another day", async () => {
    const { id } = await alice.publish({ media_ids: [media.id] });
    server.clock.advance(10 * DAY);
    await alice.delete(`/api/v1/statuses/${id}`);
    await server.drain();
    expect((await alice.get(path())).json).toEqual(media);
  });
});

test("A status keeps four images in order, and five are refused", async () => {
  const media = await Promise.all([10, 20, 30, 40, 50].map((shade) => uploaded(alice, {}, shade)));
  const ids = media.map((it) => it.id).toReversed();
  const { json } = await alice.post("/api/v1/statuses", { media_ids: ids.slice(0, 4) });
  expect(json.media_attachments.map((it: Json) => it.id)).toEqual(ids.slice(0, 4));
  const { status, json: refused } = await alice.post("/api/v1/statuses", { status: "x", media_ids: ids });
  expect(status).toBe(422);
  expect(refused.error).toStartWith("Validation failed: ");
  expect((await alice.post("/api/v1/statuses", { media_ids: [ids[4], ids[4]] })).status).toBe(422);
});

describe("A file", () => {
  test("is immutable, and browsers treat it only as an image", async () => {
    const { url } = await uploaded(alice);
    const { headers } = await fetch(url);
    expect(headers.get("content-type")).toBe("image/png");
    expect(headers.get("cache-control")).toContain("immutable");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const again = await fetch(url, { headers: { "if-none-match": headers.get("etag")! } });
    expect(again.status).toBe(304);
  });

  test("can be requested in ranges", async () => {
    const { url } = await uploaded(alice);
    const whole = await (await fetch(url)).bytes();
    const part = await fetch(url, { headers: { range: "bytes=10-19" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 10-19/${whole.length}`]);
    expect(await part.bytes()).toEqual(whole.slice(10, 20));
  });

  test.each([
    "/media/",
    "/media/../secret.txt",
    "/media/..%2fsecret.txt",
    "/media/%2e%2e/secret.txt",
    "/media/%2e%2e%2fsecret.txt",
    "/media/..%5csecret.txt",
    "/media/attachments",
    "/media/attachments/aa/aaaaaaaaaaaaaaaaaaaaaa/original.png",
    "/media/attachments/../../secret.txt",
    "/media//etc/passwd",
    "/media/%00",
    "/media/%E0%A4%A",
  ])("outside the uploads isn't served (%s)", async (path) => {
    await Bun.write(join(server.ctx.config.data, "secret.txt"), "secret");
    const answer = await rawRequest(server.origin, `GET ${path} HTTP/1.1\r\n\r\n`);
    expect(answer).toStartWith("HTTP/1.1 404");
    expect(answer).not.toContain("secret");
  });
});
