import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import sharp from "sharp";
import { removeStatus } from "../../src/core/statuses/removal.ts";
import { visibleStatus } from "../../src/core/visibility.ts";
import { replaceRemoteMedia } from "../../src/core/remote-media/remote-attachments.ts";
import { encodeBlurhash } from "../../src/lib/media/blurhash.ts";
import { tone } from "../fixtures/clips.ts";
import { animation, picture } from "../fixtures/pictures.ts";
import { download } from "../support/media.ts";
import {
  cachedFiles,
  firstMedia,
  putBytes,
  remoteAttachment,
  remotePost,
  setPictures,
} from "../support/remote-media.ts";
import { remoteAccount, remoteEmoji, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { Site } from "../support/site.ts";

const { server, alice } = serverForEachTest(["alice"], { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
let site: Site;

beforeEach(() => {
  site = new Site();
});
afterEach(() => site.stop());

const DAY = 24 * 3600_000;

const png = async (width = 1200, height = 900, shade = 0) => picture(width, height, { shade }).png().toBuffer();
const moving = async () => (await animation(3, 600, 600)).gif().toBuffer();

const sizeOf = async (bytes: Uint8Array) => {
  const { width, height, pages = 1, format } = await sharp(bytes).metadata();
  return { width, height, pages, format };
};

/** A BlurHash of a red image. */
const RED = encodeBlurhash(
  { data: new Uint8Array(64 * 4).map((_, at) => (at % 4 === 0 || at % 4 === 3 ? 255 : 0)), width: 8, height: 8 },
  4,
);

const isRed = async (bytes: Uint8Array) => {
  const { channels } = await sharp(bytes).stats();
  return channels[0]!.mean > 200 && channels[1]!.mean < 80;
};

describe("An attachment of another server", () => {
  test("is shown with addresses of this server, and with the facts that its server sent", async () => {
    const url = site.url("/large.png");
    const previewUrl = site.url("/small.png");
    const facts = { description: "A slope", width: 3000, height: 2000, focusX: 0.5, focusY: -0.25, blurhash: RED };
    const media = await firstMedia(server, remotePost(server, [remoteAttachment(url, { previewUrl, ...facts })]));
    expectShape(media, "MediaAttachment");
    const local = (form: string) =>
      expect.stringMatching(new RegExp(`^${server.origin}/media/cache/attachments/${media.id}/[\\w-]{22}/${form}$`));
    expect(media).toEqual({
      id: expect.any(String),
      type: "image",
      url: local("original"),
      preview_url: local("preview"),
      remote_url: url,
      preview_remote_url: previewUrl,
      text_url: null,
      meta: {
        original: { width: 3000, height: 2000, size: "3000x2000", aspect: 1.5 },
        small: { width: 587, height: 391, size: "587x391", aspect: 587 / 391 },
        focus: { x: 0.5, y: -0.25 },
      },
      description: "A slope",
      blurhash: RED,
    });
  });

  test("is not fetched before it is shown: then its preview is, and the full file on request", async () => {
    const large = putBytes(site, "/large.png", await png(4000, 3000));
    const small = putBytes(site, "/small.png", await png(1600, 1200));
    const media = await firstMedia(server, remotePost(server, [remoteAttachment(large, { previewUrl: small })]));
    await alice.get("/api/v1/timelines/public");
    expect([site.asked, cachedFiles(server)]).toEqual([[], []]);
    expect(await sizeOf(await download(media.preview_url))).toMatchObject({ width: 554, height: 415 });
    expect(site.asked).toEqual(["/small.png"]);
    expect(await sizeOf(await download(media.url))).toMatchObject({ width: 3325, height: 2494 });
    expect(site.asked).toEqual(["/small.png", "/large.png"]);
  });

  test("has a preview of the full image if its server offers none", async () => {
    const media = await firstMedia(
      server,
      remotePost(server, [remoteAttachment(putBytes(site, "/a.png", await png()))]),
    );
    expect(await sizeOf(await download(media.preview_url))).toMatchObject({ width: 554, height: 415 });
    expect(cachedFiles(server)).toHaveLength(1);
  });

  test("is fetched once, however often it is shown, and even if its server is gone", async () => {
    const media = await firstMedia(
      server,
      remotePost(server, [remoteAttachment(putBytes(site, "/a.png", await png()))]),
    );
    const first = await download(media.preview_url);
    site.remove("/a.png");
    server.clock.advance(3 * 3600_000);
    expect(await download(media.preview_url)).toEqual(first);
    expect(site.asked).toEqual(["/a.png"]);
  });

  inProcess("is fetched once for ten simultaneous requests", async () => {
    const bytes = await png();
    const opened = Promise.withResolvers<void>();
    const url = site.put("/slow.png", async () => {
      await opened.promise;
      return new Response(bytes);
    });
    const media = await firstMedia(server, remotePost(server, [remoteAttachment(url)]));
    const run = spyOn(server.ctx.flights, "run");
    const requests = Array.from({ length: 10 }, () => download(media.preview_url));
    while (run.mock.calls.length < 10) await alice.get("/health");
    opened.resolve();
    const sizes = new Set((await Promise.all(requests)).map(({ length }) => length));
    expect([site.asked, sizes.size]).toEqual([["/slow.png"], 1]);
    expect(server.ctx.db.all("SELECT id FROM remote_files")).toHaveLength(1);
  });

  test("of unknown size has the size and the BlurHash of its preview once that was shown", async () => {
    const id = remotePost(server, [remoteAttachment(putBytes(site, "/a.png", await png(1200, 600)))]);
    const before = await firstMedia(server, id);
    expect([before.meta, before.blurhash]).toEqual([{ focus: { x: 0, y: 0 } }, null]);
    await download(before.preview_url);
    const after = await firstMedia(server, id);
    expectShape(after, "MediaAttachment");
    expect(after.meta.small).toEqual({ width: 678, height: 339, size: "678x339", aspect: 2 });
    expect(after.blurhash).toMatch(/^.{36}$/);
    expect(after.preview_url).toBe(before.preview_url);
  });

  test("is served with headers that let browsers and proxies keep it, and with its detected type", async () => {
    const url = putBytes(site, "/a", await png(), "application/octet-stream");
    const media = await firstMedia(server, remotePost(server, [remoteAttachment(url)]));
    const uncached = await fetch(media.preview_url, { method: "HEAD" });
    const whole = await fetch(media.preview_url);
    const bytes = await whole.bytes();
    expect(whole.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(whole.headers.get("content-type")).toBe("image/jpeg");
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    expect(whole.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(whole.headers.get("access-control-allow-origin")).toBe("*");
    const head = await fetch(media.preview_url, { method: "HEAD" });
    const same = ["content-type", "etag", "cache-control", "content-length", "accept-ranges"];
    for (const name of same) expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    for (const { headers, status } of [uncached, head]) {
      expect([status, headers.get("content-length")]).toEqual([200, String(bytes.length)]);
    }
    const etag = whole.headers.get("etag")!;
    for (const method of ["GET", "HEAD"]) {
      const again = await fetch(media.preview_url, { method, headers: { "if-none-match": etag } });
      expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
    }
    const part = await fetch(media.preview_url, { headers: { range: "bytes=2-5" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 2-5/${bytes.length}`]);
    expect(await part.bytes()).toEqual(bytes.slice(2, 6));
  });

  test("that is a clip is served unchanged and in ranges", async () => {
    const url = putBytes(site, "/a.wav", tone(), "text/plain");
    const audio = remoteAttachment(url, { type: "audio", contentType: "audio/wav", duration: 0.4 });
    const media = await firstMedia(server, remotePost(server, [audio]));
    expectShape(media, "MediaAttachment");
    expect(media).toMatchObject({ type: "audio", meta: { original: { duration: 0.4 } } });
    const whole = await fetch(media.url);
    expect([whole.headers.get("content-type"), await whole.bytes()]).toEqual(["audio/wav", tone()]);
    const part = await fetch(media.url, { headers: { range: "bytes=-10" } });
    expect([part.status, (await part.bytes()).length]).toEqual([206, 10]);
    expect(site.asked).toEqual(["/a.wav"]);
  });

  test("that is a clip has its cover as preview, or an image with the colours of its BlurHash", async () => {
    const cover = putBytes(site, "/cover.png", await png());
    const video = { type: "video", contentType: "video/mp4", width: 1920, height: 1080, blurhash: RED } as const;
    const id = remotePost(server, [
      remoteAttachment(site.url("/one.mp4"), { ...video, previewUrl: cover }),
      remoteAttachment(site.url("/two.mp4"), video),
    ]);
    const [one, two] = (await alice.get(`/api/v1/statuses/${id}`)).json.media_attachments;
    expect(await sizeOf(await download(one.preview_url))).toMatchObject({ width: 554, height: 415 });
    const drawn = await download(two.preview_url);
    expect(await sizeOf(drawn)).toMatchObject({ width: 640, height: 360 });
    expect(await isRed(drawn)).toBe(true);
    expect(site.asked).toEqual(["/cover.png"]);
    expect((await fetch(two.preview_url)).headers.get("cache-control")).toContain("immutable");
  });

  test("of an unsupported type is only a link to its original", async () => {
    const url = site.url("/model.glb");
    const id = remotePost(server, [remoteAttachment(url, { type: "unknown", contentType: "model/gltf-binary" })]);
    const media = await firstMedia(server, id);
    expectShape(media, "MediaAttachment");
    expect(media).toMatchObject({ type: "unknown", url, preview_url: null, remote_url: url });
  });

  test("keeps its id and address in an edit that names it again; a removed one stays in the history", async () => {
    const [one, two, three] = ["/1.png", "/2.png", "/3.png"].map((path) => site.url(path));
    const account = remoteAccount(server, "dora", "far.example");
    const id = remotePost(server, [remoteAttachment(one!), remoteAttachment(two!)], account);
    const shown = async () => (await alice.get(`/api/v1/statuses/${id}`)).json.media_attachments;
    const [, before] = await shown();
    const edit = (attachments: ReturnType<typeof remoteAttachment>[]) =>
      server.ctx.db.transaction((tx) => replaceRemoteMedia(server.ctx, tx, Number(id), Number(account), attachments));
    edit([remoteAttachment(two!, { description: "Two" }), remoteAttachment(three!)]);
    const after = await shown();
    expect(after).toMatchObject([{ ...before, description: "Two" }, { remote_url: three }]);
    edit([remoteAttachment(one!), remoteAttachment(one!)]);
    expect((await shown()).map(({ remote_url }: { remote_url: string }) => remote_url)).toEqual([one!, one!]);
    const rows = server.ctx.db.all("SELECT remote_url, position FROM media_attachments ORDER BY id");
    expect(rows).toEqual([
      { remote_url: one!, position: 0 },
      { remote_url: two!, position: -1 },
      { remote_url: three!, position: -1 },
      { remote_url: one!, position: 1 },
    ]);
  });

  inProcess.each([true, false])("is gone with its post, and its file soon after (%p)", async (deleteMedia) => {
    const id = remotePost(server, [remoteAttachment(putBytes(site, "/a.png", await png()))]);
    const { preview_url: url } = await firstMedia(server, id);
    expect((await fetch(url)).status).toBe(200);
    removeStatus(server.ctx, visibleStatus(server.ctx, 0, Number(id)), deleteMedia);
    for (const method of ["GET", "HEAD"]) expect((await fetch(url, { method })).status).toBe(404);
    expect(cachedFiles(server)).toHaveLength(1);
    // Without `deleteMedia` the row stays for a day, as that of an upload does.
    await server.cleanUpAfter(DAY + 1000);
    await server.cleanUpAfter(1000, "cache.evict");
    expect([cachedFiles(server), site.asked]).toEqual([[], ["/a.png"]]);
  });

  test("is found only under its exact name", async () => {
    const id = remotePost(server, [remoteAttachment(putBytes(site, "/a.png", await png()))]);
    const { id: mediaId, preview_url: url } = await firstMedia(server, id);
    const { pathname } = new URL(url);
    const version = pathname.split("/")[5]!;
    for (const path of [
      pathname.replace(version, "A".repeat(22)),
      pathname.replace(version, version.toLowerCase() + "x"),
      pathname.replace(mediaId, String(Number(mediaId) + 1)),
      pathname.replace("preview", "static"),
      pathname.replace("preview", "http://far.example/"),
      pathname.replace("attachments", "avatars"),
      `${pathname}/`,
      "/media/cache/attachments",
      `/media/cache/attachments/99999999999999999999/${version}/preview`,
    ]) {
      expect([path, (await fetch(server.origin + path)).status]).toEqual([path, 404]);
    }
    expect(site.asked).toEqual([]);
  });
});

describe("The avatar and the header of a remote account", () => {
  const profile = async (account: string) => (await alice.get(`/api/v1/accounts/${account}`)).json;

  test("are fetched when they are shown, and scaled like those of users", async () => {
    const account = remoteAccount(server, "dora", "far.example");
    const [avatarUrl, headerUrl] = [putBytes(site, "/a.png", await png()), putBytes(site, "/h.png", await png())];
    setPictures(server, account, { avatarUrl, headerUrl, avatarDescription: "Dora", headerDescription: "A hill" });
    const { avatar, avatar_static, avatar_description, header, header_description } = await profile(account);
    expect([avatar_description, header_description, site.asked]).toEqual(["Dora", "A hill", []]);
    expect(await sizeOf(await download(avatar))).toMatchObject({ width: 400, height: 400 });
    expect(await download(avatar_static)).toEqual(await download(avatar));
    expect(await sizeOf(await download(header))).toMatchObject({ width: 1500, height: 500 });
    expect(site.asked).toEqual(["/a.png", "/h.png"]);
  });

  test("move only in their animated form, and both forms need one request", async () => {
    const account = remoteAccount(server, "dora", "far.example");
    setPictures(server, account, { avatarUrl: putBytes(site, "/a.gif", await moving()) });
    const { avatar, avatar_static } = await profile(account);
    expect(await sizeOf(await download(avatar_static))).toMatchObject({ pages: 1 });
    expect(await sizeOf(await download(avatar))).toMatchObject({ pages: 3, format: "webp" });
    expect(site.asked).toEqual(["/a.gif"]);
  });

  test("have another address after a change; the earlier one is not found, and its file is removed", async () => {
    const account = remoteAccount(server, "dora", "far.example");
    setPictures(server, account, { avatarUrl: putBytes(site, "/1.png", await png(400, 400, 1)) });
    const before = await profile(account);
    const first = await download(before.avatar);
    setPictures(server, account, { avatarUrl: putBytes(site, "/2.png", await png(400, 400, 99)) });
    const after = await profile(account);
    expect(after.avatar).not.toBe(before.avatar);
    expect((await fetch(before.avatar)).status).toBe(404);
    expect(await download(after.avatar)).not.toEqual(first);
    expect(cachedFiles(server)).toHaveLength(1);
    setPictures(server, account, {});
    expect((await profile(account)).avatar).toEndWith("/avatars/original/missing.png");
    await server.cleanUpAfter(1000, "cache.evict");
    expect(cachedFiles(server)).toEqual([]);
  });

  test("are missing while they can't be fetched", async () => {
    const account = remoteAccount(server, "dora", "far.example");
    setPictures(server, account, { avatarUrl: site.url("/a.png"), headerUrl: site.url("/h.png") });
    const { avatar, avatar_static, header } = await profile(account);
    for (const [url, kind] of [
      [avatar, "avatars"],
      [avatar_static, "avatars"],
      [header, "headers"],
    ] as const) {
      const response = await fetch(url);
      expect([response.status, response.url]).toEqual([200, `${server.origin}/${kind}/original/missing.png`]);
      const { headers } = await fetch(url, { redirect: "manual" });
      expect(headers.get("cache-control")).toBe("public, max-age=3600");
    }
    expect(site.asked).toEqual(["/a.png", "/h.png"]);
  });
});

describe("The custom emoji of another server", () => {
  test("are shown in its names, posts and fields, moving and still", async () => {
    const url = putBytes(site, "/blob.gif", await (await animation(3, 40, 40)).gif().toBuffer());
    remoteEmoji(server, "blob", "far.example", url);
    const account = remoteAccount(server, "dora", "far.example");
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE accounts SET display_name = ':blob:', fields = $fields WHERE id = +$id", {
        id: Number(account),
        fields: JSON.stringify([{ name: ":blob:", value: "", html: "", verified_at: null }]),
      }),
    );
    const { json } = await alice.get(`/api/v1/statuses/${remoteStatus(server, account, "a :blob:")}`);
    const [emoji] = json.emojis;
    expectShape(emoji, "CustomEmoji");
    expect(json.account.emojis).toEqual([emoji]);
    expect(site.asked).toEqual([]);
    expect(await sizeOf(await download(emoji.url))).toMatchObject({ pages: 3, width: 40 });
    expect(await sizeOf(await download(emoji.static_url))).toMatchObject({ pages: 1, width: 40 });
    expect(site.asked).toEqual(["/blob.gif"]);
  });

  test("have another address when their server changes the image, even at the same URL", async () => {
    const account = remoteAccount(server, "dora", "far.example");
    const id = remoteStatus(server, account, "a :blob:");
    const shown = async () => (await alice.get(`/api/v1/statuses/${id}`)).json.emojis[0].url;
    const url = putBytes(site, "/blob.png", await png(20, 20, 1));
    const addresses = [];
    for (const [address, updatedAt] of [
      [url, 1000],
      [url, 2000],
      [`${url}?3`, 3000],
    ] as const) {
      remoteEmoji(server, "blob", "far.example", address, updatedAt);
      addresses.push(await shown());
    }
    expect(new Set(addresses).size).toBe(3);
    remoteEmoji(server, "blob", "far.example", url, 1500);
    expect(await shown()).toBe(addresses[2]);
    expect([(await fetch(addresses[0])).status, (await fetch(addresses[2])).status]).toEqual([404, 200]);
  });

  test("are left as text by apps while they can't be fetched", async () => {
    remoteEmoji(server, "blob", "far.example", site.url("/blob.png"));
    const id = remoteStatus(server, remoteAccount(server, "dora", "far.example"), ":blob:");
    const { url } = (await alice.get(`/api/v1/statuses/${id}`)).json.emojis[0];
    expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([404, 404]);
    expect(site.asked).toEqual(["/blob.png"]);
  });
});

test("Files that were removed from the cache by hand are fetched again", async () => {
  const media = await firstMedia(server, remotePost(server, [remoteAttachment(putBytes(site, "/a.png", await png()))]));
  const first = await download(media.preview_url);
  rmSync(join(server.ctx.config.data, "cache"), { recursive: true });
  expect(await download(media.preview_url)).toEqual(first);
  expect(site.asked).toEqual(["/a.png", "/a.png"]);
  expect(cachedFiles(server)).toHaveLength(1);
});
