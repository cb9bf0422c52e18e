import { afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import sharp from "sharp";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { liftAction, moderate } from "../../src/core/moderation/moderation.ts";
import type { Json } from "../support/client.ts";
import { download } from "../support/media.ts";
import {
  cachedFiles,
  firstMedia,
  putBytes,
  remoteAttachment,
  remotePost,
  setPictures,
} from "../support/remote-media.ts";
import { remoteAccount, remoteEmoji } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Site } from "../support/site.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;
const MEGABYTE = 1_000_000;

let site: Site;
/** An image whose preview takes about 150 kB. */
let noise: Uint8Array;

beforeAll(async () => {
  const create = { width: 640, height: 360, channels: 3, background: "black" } as const;
  noise = await sharp({ create: { ...create, noise: { type: "gaussian", mean: 128, sigma: 60 } } })
    .jpeg({ quality: 95 })
    .toBuffer();
});
beforeEach(() => {
  site = new Site();
});
afterEach(() => site.stop());

describe("The cache of other servers' media", () => {
  const { server } = serverForEachTest([], {
    LINNET_ALLOW_PRIVATE_ADDRESSES: "on",
    LINNET_CACHE_SIZE: "1 MB",
    LINNET_CACHE_DAYS: "3",
  });

  /** Local addresses of this many images, none of them fetched. */
  async function images(count: number): Promise<string[]> {
    const urls: string[] = [];
    for (let at = 0; at < count; at++) {
      const attachment = remoteAttachment(putBytes(site, `/${at}`, noise));
      urls.push((await firstMedia(server, remotePost(server, [attachment]))).preview_url);
    }
    return urls;
  }

  const askedFor = (at: number) => site.asked.filter((path) => path === `/${at}`).length;
  const bytesCached = () => cachedFiles(server).reduce((sum, path) => sum + Bun.file(path).size, 0);

  test("never exceeds its size: the files shown least recently are removed, and fetched again when shown", async () => {
    const urls = await images(12);
    for (const url of urls) {
      await download(url);
      server.clock.advance(1000);
      expect(bytesCached()).toBeLessThanOrEqual(MEGABYTE);
    }
    expect(bytesCached()).toBeGreaterThan(MEGABYTE / 2);
    const { bytes } = server.ctx.db.get<{ bytes: number }>("SELECT sum(bytes) AS bytes FROM remote_files")!;
    expect(bytes).toBe(bytesCached());
    await download(urls[11]!);
    await download(urls[0]!);
    expect([askedFor(0), askedFor(11)]).toEqual([2, 1]);
  });

  inProcess("keeps files that were shown recently, without a write for each view", async () => {
    const urls = await images(12);
    const writes = [spyOn(server.ctx.db, "transaction"), spyOn(server.ctx.db, "groupCommit")];
    for (const url of urls) {
      await download(url);
      const before = writes.map(({ mock }) => mock.calls.length);
      await download(urls[0]!);
      expect(writes.map(({ mock }) => mock.calls.length)).toEqual(before);
      server.clock.advance(1000);
    }
    expect([askedFor(0), askedFor(11)]).toEqual([1, 1]);
    await download(urls[1]!);
    expect(askedFor(1)).toBe(2);
  });

  test("stays within its size when many files arrive at once", async () => {
    await Promise.all((await images(12)).map(download));
    expect(bytesCached()).toBeLessThanOrEqual(MEGABYTE);
  });

  test("loses files that were not shown for some days", async () => {
    const [often, once] = await images(2);
    for (const url of [often!, once!]) await download(url);
    await server.cleanUpAfter(HOUR, "cache.evict");
    await server.cleanUpAfter(2 * DAY, "cache.evict");
    expect(cachedFiles(server)).toHaveLength(2);
    await download(often!);
    await server.cleanUpAfter(HOUR, "cache.evict");
    await server.cleanUpAfter(2 * DAY, "cache.evict");
    expect(cachedFiles(server)).toHaveLength(1);
    await download(often!);
    expect([askedFor(0), askedFor(1)]).toEqual([1, 1]);
  });

  inProcess("shrinks when the disk has less than 5 % of its space left", async () => {
    const urls = await images(4);
    let free = 10 * MEGABYTE;
    const size = async () => {
      const before = bytesCached();
      await server.cleanUpAfter(1000, "cache.evict");
      return [before, bytesCached()];
    };
    server.ctx.diskSpace = async () => ({ free, total: 100 * MEGABYTE });
    for (const url of urls) {
      await download(url);
      server.clock.advance(1000);
    }
    const [all, kept] = await size();
    expect([all, cachedFiles(server).length]).toEqual([kept, 4]);
    free = 5 * MEGABYTE - 200_000;
    const [, less] = await size();
    expect(all! - less!).toBeGreaterThanOrEqual(200_000);
    expect(cachedFiles(server).length).toBeGreaterThan(0);
    await download(urls[3]!);
    expect(askedFor(3)).toBe(1);
    free = 0;
    await download(urls[0]!);
    expect([cachedFiles(server).length, askedFor(0)]).toEqual([1, 2]);
  });

  test("has no file that doesn't fit", async () => {
    const wav = Buffer.concat([Buffer.from("RIFF____WAVEfmt "), Buffer.alloc(2 * MEGABYTE)]);
    const clip = remoteAttachment(putBytes(site, "/a.wav", wav), { type: "audio", contentType: "audio/wav" });
    const { url } = await firstMedia(server, remotePost(server, [clip]));
    expect((await fetch(url)).status).toBe(404);
    expect(cachedFiles(server)).toEqual([]);
  });
});

describe("A domain whose media are rejected", () => {
  const { server, alice } = serverForEachTest(["alice"], { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });

  async function shownPost(): Promise<{ id: string; account: string; urls: string[] }> {
    const account = remoteAccount(server, "dora", "sub.far.example");
    setPictures(server, account, {
      avatarUrl: putBytes(site, "/avatar", noise),
      headerUrl: putBytes(site, "/header", noise),
    });
    remoteEmoji(server, "blob", "sub.far.example", putBytes(site, "/emoji", noise));
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE accounts SET display_name = ':blob:' WHERE id = +$id", { id: Number(account) }),
    );
    const id = remotePost(
      server,
      [remoteAttachment(putBytes(site, "/image", noise), { description: "A slope" })],
      account,
    );
    const {
      media_attachments: [media],
      account: author,
    } = await post(id);
    return { id, account, urls: [author.avatar, author.header, author.emojis[0].url, media.url, media.preview_url] };
  }

  const post = async (id: string): Promise<Json> => (await alice.get(`/api/v1/statuses/${id}`)).json;

  test("has none: its attachments are links, its pictures missing, its emoji text", async () => {
    const { id, urls } = await shownPost();
    setDomainBlock(server.ctx, "far.example", { severity: "noop", rejectMedia: true });
    const { media_attachments: media, account } = await post(id);
    expect(media).toMatchObject([
      {
        type: "unknown",
        url: site.url("/image"),
        preview_url: null,
        remote_url: site.url("/image"),
        description: "A slope",
      },
    ]);
    expect(account).toMatchObject({
      avatar: `${server.origin}/avatars/original/missing.png`,
      header_static: `${server.origin}/headers/original/missing.png`,
      emojis: [],
    });
    for (const url of urls) expect((await fetch(url)).status).toBe(404);
    expect(site.asked).toEqual([]);
    setDomainBlock(server.ctx, "far.example", { rejectMedia: false });
    for (const url of urls) expect((await fetch(url)).status).toBe(200);
    expect((await post(id)).media_attachments[0].type).toBe("image");
  });

  test("loses its cached files at once, and another domain keeps its own", async () => {
    const { urls } = await shownPost();
    const other = await firstMedia(
      server,
      remotePost(
        server,
        [remoteAttachment(putBytes(site, "/other", noise))],
        remoteAccount(server, "eve", "elsewhere.example"),
      ),
    );
    for (const url of [...urls, other.preview_url]) await download(url);
    expect(cachedFiles(server)).toHaveLength(6);
    setDomainBlock(server.ctx, "far.example", { severity: "noop", rejectMedia: true });
    await server.drain();
    expect(cachedFiles(server)).toHaveLength(1);
    expect((await fetch(other.preview_url)).status).toBe(200);
  });

  test("is decided by the longest matching block", async () => {
    const { id } = await shownPost();
    setDomainBlock(server.ctx, "far.example", { severity: "noop", rejectMedia: true });
    setDomainBlock(server.ctx, "sub.far.example", { severity: "noop" });
    expect((await post(id)).media_attachments[0].type).toBe("image");
  });

  test("is also one that is suspended; and a suspended account has no media either", async () => {
    const { account, urls } = await shownPost();
    const [avatar, , emoji, image] = urls;
    moderate(server.ctx, Number(account), "suspend", { by: null, text: "", reportId: null });
    expect([(await fetch(avatar!)).status, (await fetch(image!)).status]).toEqual([404, 404]);
    liftAction(server.ctx, Number(account), "suspend");
    expect([(await fetch(avatar!)).status, (await fetch(image!)).status]).toEqual([200, 200]);
    setDomainBlock(server.ctx, "far.example", { severity: "suspend" });
    for (const url of [avatar!, emoji!, image!]) expect((await fetch(url)).status).toBe(404);
  });
});
