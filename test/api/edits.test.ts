import { beforeEach, describe, expect, test } from "bun:test";
import sharp from "sharp";
import type { Answer, Json } from "../support/client.ts";
import { download, mediaFiles } from "../support/media.ts";
import { homeOf, idsOf, wordsOf } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { formOf, pictureFile, uploaded } from "../support/uploads.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const edit = (id: string, body: object): Promise<Answer> => alice.put(`/api/v1/statuses/${id}`, body);
const read = async (id: string): Promise<Json> => (await alice.get(`/api/v1/statuses/${id}`)).json;
const history = async (id: string): Promise<Json> => (await bob.get(`/api/v1/statuses/${id}/history`)).json;

describe("An edit", () => {
  test("changes the status and sets edited_at", async () => {
    const { id } = await alice.publish({ status: "helo", language: "en" });
    server.clock.advance(60_000);
    const { status, json } = await edit(id, { status: "hello", spoiler_text: "cw", language: "de" });
    expect(status).toBe(200);
    expectShape(json, "Status");
    expect(json).toMatchObject({
      id,
      content: "<p>hello</p>",
      spoiler_text: "cw",
      sensitive: true,
      language: "de",
      created_at: "2026-11-21T12:00:00.000Z",
      edited_at: "2026-11-21T12:01:00.000Z",
    });
    expect(await read(id)).toEqual(json);
  });

  test("can be a PATCH request or a form", async () => {
    const { id } = await alice.publish("one");
    expect((await alice.patch(`/api/v1/statuses/${id}`, { status: "two" })).json.content).toBe("<p>two</p>");
    expect((await edit(id, new URLSearchParams({ status: "three" }))).json.content).toBe("<p>three</p>");
  });

  test("keeps the values that the request doesn't contain", async () => {
    const media = await uploaded(alice, { description: "a slope" });
    const before = await alice.publish({ status: "one", spoiler_text: "cw", language: "fr", media_ids: [media.id] });
    const { json } = await edit(before.id, { status: "two" });
    expect(json.edited_at).not.toBeNull();
    expect({ ...json, content: before.content, edited_at: null }).toEqual(before);
  });

  describe.each<[string, object]>([
    ["Mastodon's app for Android, and Tuba", { sensitive: false, visibility: "public" }],
    ["Ice Cubes", { media_ids: [], visibility: "public" }],
  ])("from an app that omits empty values, such as %s,", (_, values) => {
    test("removes the content warning and the media", async () => {
      const media = await uploaded(alice);
      const { id } = await alice.publish({ status: "one", spoiler_text: "cw", language: "fr", media_ids: [media.id] });
      const { json } = await edit(id, { status: "one", ...values });
      expect(json).toMatchObject({ spoiler_text: "", sensitive: false, media_attachments: [], language: "fr" });
    });

    test("removes the poll", async () => {
      const { id } = await alice.publish({ status: "one", poll: { options: ["a", "b"], expires_in: 300 } });
      expect((await edit(id, { status: "one", ...values })).json.poll).toBeNull();
    });
  });

  test("that removes the content warning also removes `sensitive`, unless that was set separately", async () => {
    const media = await uploaded(alice);
    const warned = await alice.publish({ status: "one", spoiler_text: "cw", media_ids: [media.id] });
    const marked = await alice.publish({ status: "two", sensitive: true, media_ids: [(await uploaded(alice)).id] });
    const mediaIds = ({ media_attachments }: Json) => media_attachments.map((it: Json) => it.id);
    const sensitiveOf = async (status: Json) =>
      (await edit(status.id, { status: "new", media_ids: mediaIds(status) })).json.sensitive;
    expect([await sensitiveOf(warned), await sensitiveOf(marked)]).toEqual([false, true]);
  });

  test("keeps media that it describes", async () => {
    const { id: mediaId } = await uploaded(alice);
    const { id } = await alice.publish({ status: "one", media_ids: [mediaId] });
    const described = { media_attributes: [{ id: mediaId, description: "a slope" }] };
    const { json } = await edit(id, { status: "two", sensitive: false, ...described });
    expect(json.media_attachments).toMatchObject([{ id: mediaId, description: "a slope" }]);
  });

  test("keeps favourites, boosts and the position in timelines", async () => {
    const { id } = await alice.publish("one");
    await alice.publish("two");
    await bob.post(`/api/v1/statuses/${id}/favourite`);
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    await edit(id, { status: "ONE" });
    expect(await read(id)).toMatchObject({ favourites_count: 1, reblogs_count: 1 });
    expect(await homeOf(alice)).toEqual(["two", "ONE"]);
    expect(wordsOf(await bob.get(`/api/v1/accounts/${bob.id}/statuses`))).toEqual(["ONE"]);
  });

  test("without changes creates no version and no notification", async () => {
    const media = await uploaded(alice, { description: "d" });
    const before = await alice.publish({ status: "one", spoiler_text: "cw", media_ids: [media.id] });
    await bob.post(`/api/v1/statuses/${before.id}/reblog`);
    server.clock.advance(1000);
    const same = [
      {},
      { status: "one" },
      { status: "one", spoiler_text: "cw", sensitive: true, language: before.language, media_ids: [media.id] },
      { media_attributes: [{ id: media.id, description: "d" }] },
    ];
    for (const body of same) expect((await edit(before.id, body)).json.edited_at).toBeNull();
    expect((await history(before.id)).length).toBe(1);
    expect((await bob.get("/api/v1/notifications")).json).toEqual([]);
  });

  test("is refused to everyone but the author", async () => {
    const { id } = await alice.publish("one");
    const { status, json } = await bob.put(`/api/v1/statuses/${id}`, { status: "mine" });
    expect([status, json]).toEqual([404, { error: "Record not found" }]);
    expect((await read(id)).content).toBe("<p>one</p>");
  });

  test("of a boost is refused", async () => {
    const { id } = await alice.publish("one");
    const boost = (await alice.post(`/api/v1/statuses/${id}/reblog`)).json;
    expect((await edit(boost.id, { status: "two" })).status).toBe(404);
    expect((await read(id)).content).toBe("<p>one</p>");
  });

  test.each<[string, object]>([
    ["no text and no media", { status: "" }],
    ["a text that is too long", { status: "x".repeat(5001) }],
    ["a media id that doesn't exist", { media_ids: ["5"] }],
    ["five media ids", { media_ids: ["1", "2", "3", "4", "5"] }],
    ["a poll with one option", { poll: { options: ["a"], expires_in: 300 } }],
  ])("with %s is refused and changes nothing", async (_, body) => {
    const before = await alice.publish("one");
    const { status, json } = await edit(before.id, body);
    expect(status).toBe(422);
    expect(json.error).toStartWith("Validation failed: ");
    expect(await read(before.id)).toEqual(before);
  });
});

describe("An edited status", () => {
  test("has a history with all versions, the oldest first", async () => {
    const { id } = await alice.publish({ status: "one", spoiler_text: "cw" });
    server.clock.advance(1000);
    await edit(id, { status: "two" });
    server.clock.advance(1000);
    await edit(id, { spoiler_text: "", sensitive: false });
    const versions = await history(id);
    expectShape(versions, ["StatusEdit"]);
    expect(versions.map((it: Json) => [it.content, it.spoiler_text, it.sensitive, it.created_at])).toEqual([
      ["<p>one</p>", "cw", true, "2026-11-21T12:00:00.000Z"],
      ["<p>two</p>", "cw", true, "2026-11-21T12:00:01.000Z"],
      ["<p>two</p>", "", false, "2026-11-21T12:00:02.000Z"],
    ]);
    expect(versions[0].account.id).toBe(alice.id);
  });

  test("is preceded by one version before its first edit", async () => {
    const { id } = await alice.publish("one");
    const versions = await history(id);
    expectShape(versions, ["StatusEdit"]);
    expect(wordsOf(versions)).toEqual(["one"]);
  });

  test("has the mentions and tags of its latest version", async () => {
    const carol = await server.person("carol");
    const { id } = await alice.publish("@bob #old");
    const { json } = await edit(id, { status: "@carol #new" });
    expect([idsOf(json.mentions), json.tags[0].name]).toEqual([[carol.id], "new"]);
    expect(idsOf(await bob.get("/api/v1/timelines/tag/old"))).toEqual([]);
    expect(idsOf(await bob.get("/api/v1/timelines/tag/new"))).toEqual([id]);
    expect((await carol.get("/api/v1/notifications")).json[0]).toMatchObject({ type: "mention", status: { id } });
  });

  test("does not notify a mentioned account twice", async () => {
    const { id } = await alice.publish("@bob one");
    await edit(id, { status: "@bob two" });
    expect((await bob.get("/api/v1/notifications")).json.length).toBe(1);
  });

  test("causes a notification for each account that boosted it", async () => {
    const { id } = await alice.publish("one");
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    await edit(id, { status: "two" });
    const [notification] = (await bob.get("/api/v1/notifications")).json;
    expectShape(notification, "Notification");
    expect(notification).toMatchObject({ type: "update", account: { id: alice.id }, status: { id } });
  });
});

describe("The media of a status", () => {
  let first: Json;
  let second: Json;
  let id: string;
  const shown = async () => (await read(id)).media_attachments.map((media: Json) => [media.id, media.description]);

  beforeEach(async () => {
    [first, second] = [await uploaded(alice, { description: "first" }), await uploaded(alice, {}, 50)];
    ({ id } = await alice.publish({ status: "two pictures", media_ids: [first.id, second.id] }));
  });

  test("can be reordered", async () => {
    await edit(id, { media_ids: [second.id, first.id] });
    expect(await shown()).toEqual([
      [second.id, null],
      [first.id, "first"],
    ]);
    expect((await history(id)).length).toBe(2);
  });

  test("can get another description and focus", async () => {
    await edit(id, {
      media_ids: [first.id, second.id],
      media_attributes: [{ id: second.id, description: "second", focus: "0.5,-0.5" }],
    });
    expect(await shown()).toEqual([
      [first.id, "first"],
      [second.id, "second"],
    ]);
    expect((await read(id)).media_attachments[1].meta.focus).toEqual({ x: 0.5, y: -0.5 });
    const versions = await history(id);
    expect(versions.map((it: Json) => it.media_attachments[1].description)).toEqual([null, "second"]);
  });

  test("cannot get a description that is too long", async () => {
    const before = await read(id);
    const { status } = await edit(id, {
      status: "new",
      media_attributes: [{ id: first.id, description: "x".repeat(1501) }],
    });
    expect(status).toBe(422);
    expect(await read(id)).toEqual(before);
  });

  test("can be described in a form", async () => {
    const form = `media_ids[]=${first.id}&media_ids[]=${second.id}&media_attributes[][id]=${first.id}&media_attributes[][description]=new&media_attributes[][id]=${second.id}&media_attributes[][description]=also`;
    await edit(id, new URLSearchParams(form));
    expect(await shown()).toEqual([
      [first.id, "new"],
      [second.id, "also"],
    ]);
  });

  test("can be removed and added again", async () => {
    await edit(id, { media_ids: [second.id] });
    expect(await shown()).toEqual([[second.id, null]]);
    expect((await history(id)).map((it: Json) => idsOf(it.media_attachments))).toEqual([
      [first.id, second.id],
      [second.id],
    ]);
    await edit(id, { media_ids: [first.id, second.id] });
    expect(idsOf((await read(id)).media_attachments)).toEqual([first.id, second.id]);
  });

  test("can all be removed if there is text, and the status leaves media timelines", async () => {
    expect(idsOf(await bob.get("/api/v1/timelines/public?only_media=true"))).toEqual([id]);
    await edit(id, { media_ids: [] });
    expect(await shown()).toEqual([]);
    expect(idsOf(await bob.get("/api/v1/timelines/public?only_media=true"))).toEqual([]);
  });

  test("can be extended with uploads of the same user only", async () => {
    const [third, others] = [await uploaded(alice, {}, 99), await uploaded(bob)];
    expect((await edit(id, { media_ids: [first.id, second.id, others.id] })).status).toBe(422);
    expect((await edit(id, { media_ids: [first.id, second.id, third.id] })).status).toBe(200);
    expect((await shown()).length).toBe(3);
  });

  test("cannot be used by another status", async () => {
    const other = await alice.publish("words");
    expect((await edit(other.id, { media_ids: [first.id] })).status).toBe(422);
    expect((await shown()).length).toBe(2);
  });

  describe("can get thumbnails", () => {
    const square = () => pictureFile("png", { width: 50, height: 50, shade: 150 });
    const withThumbnail = (fields: Record<string, string>, media: Json, thumbnail: File) =>
      edit(id, formOf({ ...fields, "media_attributes[][id]": media.id, "media_attributes[][thumbnail]": thumbnail }));

    test("in an edit with a version of its own", async () => {
      server.clock.advance(60_000);
      const { status, json } = await withThumbnail({}, first, await square());
      expect(status).toBe(200);
      expectShape(json, "Status");
      expect(json.edited_at).not.toBeNull();
      const [changed, other] = json.media_attachments;
      expect(changed).toMatchObject({ id: first.id, url: first.url, description: "first" });
      expect(changed.meta.small).toEqual({ width: 50, height: 50, size: "50x50", aspect: 1 });
      expect(changed.blurhash).not.toBe(first.blurhash);
      const picture = await sharp(await download(changed.preview_url)).metadata();
      expect([picture.width, picture.height]).toEqual([50, 50]);
      expect(other).toEqual(second);
      expect(await read(id)).toEqual(json);
      expect((await history(id)).length).toBe(2);
    });

    test("that replace earlier ones, whose files are removed", async () => {
      await withThumbnail({}, first, await square());
      await server.drain();
      const before = mediaFiles(server);
      await withThumbnail({}, first, await pictureFile("png", { width: 20, height: 20 }));
      await server.drain();
      expect(mediaFiles(server).sort()).toEqual(before.sort());
      expect((await read(id)).media_attachments[0].meta.small.size).toBe("20x20");
    });

    test("together with other changes, all of which fail if one does", async () => {
      const before = [await read(id), mediaFiles(server)];
      const refusals = [
        await withThumbnail({ status: "new" }, first, new File(["x"], "a.png")),
        await withThumbnail({ status: "x".repeat(10_000) }, first, await square()),
        await edit(id, { media_attributes: [{ id: first.id, thumbnail: "x" }] }),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([422, 422, 422]);
      expect(refusals[0]!.json.error).toContain("Thumbnail is not a supported image");
      await server.drain();
      expect([await read(id), mediaFiles(server)]).toEqual(before);
      const { json } = await withThumbnail({ "media_attributes[][description]": "new" }, first, await square());
      expect(json.media_attachments[0]).toMatchObject({ description: "new", meta: { small: { width: 50 } } });
    });

    test("only if the media belong to the status", async () => {
      const theirs = await uploaded(bob);
      expect((await withThumbnail({}, theirs, await square())).status).toBe(200);
      expect((await bob.get(`/api/v1/media/${theirs.id}`)).json).toEqual(theirs);
      expect((await read(id)).edited_at).toBeNull();
    });
  });
});
