import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import sharp from "sharp";
import { removeSitePicture, setSitePicture, type SitePictureName } from "../../src/core/server/site-pictures.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import { picture } from "../fixtures/pictures.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server } = serverForEachTest();

async function set(name: SitePictureName, { description = null as string | null, seeThrough = false } = {}) {
  const bytes = await picture(900, 600, { seeThrough }).png().toBuffer();
  await setSitePicture(server.ctx, name, bytes, description);
}

async function instance() {
  const { json } = await server.stranger().get("/api/v2/instance");
  expectShape(json, "Instance");
  return json;
}

/** The media type, width and height of a file. */
async function seen(address: string): Promise<string> {
  const response = await fetch(address);
  const { format, width, height } = await sharp(await response.bytes()).metadata();
  return `${response.status} ${format} ${width}x${height}`;
}

test("without the owner's images the server has a default icon and an empty thumbnail", async () => {
  const { thumbnail, icon } = await instance();
  expect(thumbnail).toMatchObject({ blurhash: null, versions: {} });
  expect(thumbnail.url).toEndWith("/headers/original/missing.png");
  expect(icon.map(({ size }: { size: string }) => size)).toEqual(["192x192", "512x512"]);
  for (const { src, size } of icon) expect(await seen(src)).toBe(`200 png ${size}`);
});

test("a thumbnail has two sizes, a blurhash and a description, in both versions of the instance document", async () => {
  await set("thumbnail", { description: "A slope" });
  const { thumbnail } = await instance();
  expect(thumbnail).toMatchObject({ description: "A slope", blurhash: expect.stringMatching(/^.{30,}$/) });
  expect(await seen(thumbnail.versions["@1x"])).toBe("200 jpeg 1200x630");
  expect(await seen(thumbnail.versions["@2x"])).toBe("200 jpeg 2400x1260");
  expect(thumbnail.url).toBe(thumbnail.versions["@1x"]);
  expect((await server.stranger().get("/api/v1/instance")).json.thumbnail).toBe(thumbnail.url);
});

test("an icon is a square PNG in four sizes, and may be transparent", async () => {
  await set("icon", { seeThrough: true });
  const { icon } = await instance();
  expect(icon.map(({ size }: { size: string }) => size)).toEqual(["48x48", "96x96", "192x192", "512x512"]);
  for (const { src, size } of icon) expect(await seen(src)).toBe(`200 png ${size}`);
});

test("replaced and removed images are deleted, and current ones stay", async () => {
  const { data } = server.ctx.config;
  const fileOf = (url: string) => join(data, new URL(url).pathname);
  const urls = async () => Object.values((await instance()).thumbnail.versions) as string[];
  await set("thumbnail");
  const first = await urls();
  await set("thumbnail");
  const second = await urls();
  server.clock.advance(25 * 3600_000);
  server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "media.sweep", server.clock.now()));
  await server.drain();
  expect([...first, ...second].map((url) => existsSync(fileOf(url)))).toEqual([false, false, true, true]);
  removeSitePicture(server.ctx, "thumbnail");
  await server.drain();
  expect(second.map((url) => existsSync(fileOf(url)))).toEqual([false, false]);
  expect((await instance()).thumbnail.versions).toEqual({});
});

test("files that are not images are refused, and nothing changes", async () => {
  await set("icon");
  const before = (await instance()).icon;
  const text = new TextEncoder().encode("no picture");
  await expect(setSitePicture(server.ctx, "icon", text, null)).rejects.toThrow("File content type is invalid");
  const bytes = await picture(90, 60).png().toBuffer();
  await expect(setSitePicture(server.ctx, "thumbnail", bytes, "x".repeat(1501))).rejects.toThrow("too long");
  expect((await instance()).icon).toEqual(before);
});
