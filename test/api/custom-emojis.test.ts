import { describe, expect, test } from "bun:test";
import sharp from "sharp";
import { addEmoji, removeEmoji } from "../../src/core/media/emojis.ts";
import { picture } from "../fixtures/pictures.ts";
import type { Json } from "../support/client.ts";
import { ownEmoji } from "../support/emojis.ts";
import { download, mediaFiles } from "../support/media.ts";
import { remoteAccount, remoteEmoji, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const names = (emojis: Json[]): string[] => emojis.map(({ shortcode }) => shortcode);
const listed = async (): Promise<Json[]> => (await server.stranger().get("/api/v1/custom_emojis")).json;

describe("GET /api/v1/custom_emojis", () => {
  test("lists the emoji for pickers by name, with their category if they have one", async () => {
    await ownEmoji(server, "zebra", { category: "Animals" });
    await ownEmoji(server, "Cat", { category: " Animals " });
    await ownEmoji(server, "blob");
    await ownEmoji(server, "secret", { hidden: true });
    const emojis = await listed();
    expectShape(emojis, ["CustomEmoji"]);
    expect(emojis.map(({ shortcode, category }) => [shortcode, category])).toEqual([
      ["blob", undefined],
      ["Cat", "Animals"],
      ["zebra", "Animals"],
    ]);
    expect("category" in emojis[0]).toBe(false);
    for (const emoji of emojis) expect(emoji.visible_in_picker).toBe(true);
  });

  test("has the URL of each picture and of a still one", async () => {
    await ownEmoji(server, "still");
    await ownEmoji(server, "dancer", { moving: true });
    const [dancer, still] = await listed();
    expect(still.static_url).toBe(still.url);
    expect(dancer.static_url).not.toBe(dancer.url);
    const pages = async (url: string) => (await sharp(await download(url)).metadata()).pages ?? 1;
    expect(await Promise.all([still.url, dancer.url, dancer.static_url].map(pages))).toEqual([1, 3, 1]);
    const { headers } = await fetch(dancer.url);
    expect([headers.get("content-type"), headers.get("cache-control")]).toEqual([
      "image/gif",
      expect.stringContaining("immutable"),
    ]);
  });

  test("reflects changes by the owner, and files of replaced and removed emoji are deleted", async () => {
    await ownEmoji(server, "blob");
    await ownEmoji(server, "dancer", { moving: true, category: "Dance" });
    const before = await listed();
    await ownEmoji(server, "blob", { shade: 100, category: "New" });
    removeEmoji(server.ctx, "dancer");
    const after = await listed();
    expect(after).toMatchObject([{ shortcode: "blob", category: "New" }]);
    expect(after[0].url).not.toBe(before[0].url);
    expect(mediaFiles(server)).toHaveLength(4);
    await server.drain();
    expect(mediaFiles(server)).toHaveLength(1);
    expect((await fetch(before[0].url)).status).toBe(404);
    expect((await fetch(after[0].url)).status).toBe(200);
  });

  test("excludes emoji of other servers", async () => {
    remoteEmoji(server, "blob", "elsewhere.example");
    expect(await listed()).toEqual([]);
  });
});

describe("A picture for an emoji", () => {
  const add = (bytes: Uint8Array, shortcode = "blob") =>
    addEmoji(server.ctx, { shortcode, picture: bytes, category: null, visibleInPicker: true });

  test("loses its metadata", async () => {
    await add(
      await picture(20, 20)
        .png()
        .withExif({ IFD0: { Copyright: "somebody" } })
        .toBuffer(),
    );
    const [{ url }] = await listed();
    const bytes = await download(url);
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
    expect(Buffer.from(bytes).includes("somebody")).toBe(false);
  });

  test("is refused with a reason if it is no picture, is too large, or has an unsuitable name", async () => {
    const png = await picture(20, 20).png().toBuffer();
    const large = await sharp({ create: { width: 1100, height: 1000, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    for (const [bytes, name, words] of [
      [Buffer.from("<svg></svg>"), "blob", "not a PNG, GIF or WebP"],
      [await picture(20, 20).jpeg().toBuffer(), "blob", "not a PNG, GIF or WebP"],
      [png.subarray(0, 60), "blob", "File is invalid"],
      [Buffer.concat([png, Buffer.alloc(256 * 1024)]), "blob", "The limit for emoji is 256 KB"],
      [large, "blob", "1100x1000 pixels"],
      [png, "b", "is not a valid shortcode"],
      [png, "blob-cat", "is not a valid shortcode"],
      [png, "x".repeat(129), "is not a valid shortcode"],
    ] as const) {
      await expect(add(bytes, name)).rejects.toThrow(words);
    }
    expect([await listed(), mediaFiles(server)]).toEqual([[], []]);
  });
});

describe("A post", () => {
  test("lists the emoji in its text, its content warning and its poll once each, in the order of their use", async () => {
    for (const name of ["blob", "cat", "dog", "unused"]) await ownEmoji(server, name);
    await ownEmoji(server, "secret", { hidden: true, category: "Secrets" });
    const status = await alice.publish({
      status: ":cat: and :blob:, :nobody: at 12:30:45 :cat:",
      spoiler_text: "mind the :dog:",
      poll: { options: [":secret:", "no"], expires_in: 300 },
    });
    expectShape(status, "Status");
    expect(names(status.emojis)).toEqual(["dog", "cat", "blob", "secret"]);
    expect(status.emojis[3]).toMatchObject({ visible_in_picker: false, category: "Secrets" });
    expect(status.content).toContain(":cat: and :blob:");
    expect(names(status.poll.emojis)).toEqual(["secret"]);
    const { json: poll } = await bob.get(`/api/v1/polls/${status.poll.id}`);
    expectShape(poll, "Poll");
    expect(poll.emojis).toEqual([status.emojis[3]]);
    expect((await alice.publish("no colons")).emojis).toEqual([]);
  });

  test("keeps its emoji in boosts, quotes and each version of its history", async () => {
    for (const name of ["blob", "cat"]) await ownEmoji(server, name);
    const { id } = await alice.publish("a :blob:");
    const { json: boost } = await bob.post(`/api/v1/statuses/${id}/reblog`);
    expect([names(boost.emojis), names(boost.reblog.emojis)]).toEqual([["blob"], ["blob"]]);
    const quoting = await bob.publish({ status: "see", quoted_status_id: id });
    expect([names(quoting.emojis), names(quoting.quote.quoted_status.emojis)]).toEqual([[], ["blob"]]);
    await alice.put(`/api/v1/statuses/${id}`, { status: "a :cat:", spoiler_text: ":blob:" });
    const { json: history } = await bob.get(`/api/v1/statuses/${id}/history`);
    expectShape(history, ["StatusEdit"]);
    expect(history.map((version: Json) => names(version.emojis))).toEqual([["blob"], ["blob", "cat"]]);
    expect(names((await bob.get(`/api/v1/statuses/${id}`)).json.emojis)).toEqual(["blob", "cat"]);
  });

  test("shows emoji that were added, changed or removed after it was shown", async () => {
    const { id } = await alice.publish("a :blob:");
    await alice.patch("/api/v1/accounts/update_credentials", { display_name: ":blob:" });
    const shown = async () => {
      const { emojis, account } = (await bob.get(`/api/v1/statuses/${id}`)).json;
      return [...emojis, ...account.emojis].map(({ url }: Json) => url);
    };
    expect(await shown()).toEqual([]);
    await ownEmoji(server, "blob");
    const [{ url }] = await listed();
    expect(await shown()).toEqual([url, url]);
    await ownEmoji(server, "blob", { shade: 9 });
    const [{ url: other }] = await listed();
    expect(other).not.toBe(url);
    expect(await shown()).toEqual([other, other]);
    removeEmoji(server.ctx, "blob");
    expect(await shown()).toEqual([]);
  });

  test("of another server uses the emoji of that server, and so does its author", async () => {
    for (const name of ["blob", "ours"]) await ownEmoji(server, name);
    remoteEmoji(server, "blob", "elsewhere.example");
    const dora = remoteAccount(server, "dora", "elsewhere.example");
    const id = remoteStatus(server, dora, "a :blob: and :ours:");
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE accounts SET display_name = ':blob:' WHERE id = $dora", { dora: Number(dora) }),
    );
    const { json } = await alice.get(`/api/v1/statuses/${id}`);
    for (const emojis of [json.emojis, json.account.emojis]) {
      expect(emojis).toMatchObject([{ shortcode: "blob", url: expect.stringContaining("/media/cache/emojis/") }]);
    }
  });

  inProcess("takes no additional query for known emoji", async () => {
    const cost = async (text: string) => {
      const before = server.ctx.db.statements;
      await alice.publish(text);
      return server.ctx.db.statements - before;
    };
    await cost("the first one, with which the token's use is noted");
    const without = await cost("plain");
    await ownEmoji(server, "blob");
    await alice.publish("the first :blob: since it came");
    expect(await cost("a :blob: and a :nobody:")).toBe(without);
  });
});

describe("A profile", () => {
  test("lists the emoji in its name, note and fields", async () => {
    for (const name of ["one", "two", "three", "four", "unused"]) await ownEmoji(server, name);
    const { status, json } = await alice.patch("/api/v1/accounts/update_credentials", {
      display_name: "Alice :one:",
      note: "I like :two:\n\n@bob:one: 12:30:45",
      fields_attributes: [{ name: ":three:", value: "a :four:" }],
    });
    expect(status).toBe(200);
    expectShape(json, "CredentialAccount");
    expect(names(json.emojis)).toEqual(["two", "one", "three", "four"]);
    const shown = (await bob.get(`/api/v1/accounts/${alice.id}`)).json;
    expect(shown.emojis).toEqual(json.emojis);
    expect((await alice.publish("hello")).account.emojis).toEqual(json.emojis);
  });
});
