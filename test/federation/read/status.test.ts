import { describe, expect, test } from "bun:test";
import { readActivity } from "../../../src/federation/read/activity.ts";
import { PUBLIC, visibilityOf } from "../../../src/federation/read/audience.ts";
import { readStatus, type RemoteStatus } from "../../../src/federation/read/status.ts";
import { BO, fixture, MEDIA, NOW, objectOf } from "./fixtures.ts";

const EMPTY = {
  group: null,
  cc: [],
  language: null,
  spoilerText: "",
  sensitive: false,
  inReplyTo: null,
  published: null,
  updated: null,
  mentions: [],
  hashtags: [],
  emojis: [],
  attachments: [],
  poll: null,
  quote: null,
  quotePolicy: { automatic: [], manual: [] },
  policy: { favourite: null, reply: null, reblog: null },
  likes: null,
  shares: null,
  repliesCount: null,
  vote: null,
};
const at = (date: string) => Date.parse(date);

async function read(name: string): Promise<RemoteStatus | null> {
  return readStatus(await fixture(name), NOW);
}

async function readCreated(name: string): Promise<RemoteStatus | null> {
  return readStatus(await objectOf(name), NOW);
}

describe("Mastodon", () => {
  const author = "https://mastodon.example/users/ada";
  const files = "https://files.mastodon.example";

  test("a reply with a warning, a mention, a hashtag, an emoji, a picture and a video is read", async () => {
    const uri = `${author}/statuses/115000000000000001`;
    expect(await readCreated("mastodon/create")).toEqual({
      group: null,
      uri,
      url: "https://mastodon.example/@ada/115000000000000001",
      attributedTo: author,
      to: [PUBLIC],
      cc: [`${author}/followers`, BO],
      contentHtml:
        '<p>Threads for <span class="h-card" translate="no"><a href="https://linnet.example/@bo" class="u-url mention" target="_blank" rel="nofollow noopener">@<span>bo</span></a></span>: ' +
        '<a href="https://mastodon.example/tags/WeavingNotes" class="mention hashtag" target="_blank" rel="tag nofollow noopener">#<span>WeavingNotes</span></a> :loom:</p>',
      language: "en",
      spoilerText: "Long & technical",
      sensitive: true,
      inReplyTo: `${BO}/statuses/7`,
      published: at("2026-11-20T10:00:00Z"),
      updated: null,
      mentions: [{ href: BO, name: "@bo@linnet.example" }],
      hashtags: [{ name: "weavingnotes", written: "WeavingNotes" }],
      emojis: [
        {
          shortcode: "loom",
          imageUrl: `${files}/emoji/loom.png`,
          uri: "https://mastodon.example/emojis/17",
          updatedAt: at("2025-01-02T03:04:05Z"),
        },
      ],
      attachments: [
        {
          ...MEDIA,
          type: "image",
          contentType: "image/jpeg",
          url: `${files}/media/loom.jpg`,
          description: "A wooden loom,\nhalf strung",
          width: 1200,
          height: 800,
          focusX: -0.25,
          focusY: 0.5,
          blurhash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
        },
        {
          ...MEDIA,
          type: "video",
          contentType: "video/mp4",
          url: `${files}/media/shuttle.mp4`,
          previewUrl: `${files}/media/shuttle.png`,
          width: 640,
          height: 360,
        },
      ],
      poll: null,
      quote: null,
      quotePolicy: { automatic: [PUBLIC], manual: [] },
      policy: { favourite: null, reply: null, reblog: null },
      likes: 12,
      shares: 3,
      repliesCount: null,
      vote: null,
    });
  });

  test("an ended poll for followers that was edited is read", async () => {
    const uri = `${author}/statuses/115000000000000003`;
    expect(await read("mastodon/poll")).toEqual({
      ...EMPTY,
      uri,
      url: "https://mastodon.example/@ada/115000000000000003",
      attributedTo: author,
      to: [`${author}/followers`],
      contentHtml: "<p>Warp or weft?</p>",
      language: "en",
      published: at("2026-11-18T08:00:00Z"),
      updated: at("2026-11-19T09:30:00Z"),
      repliesCount: null,
      poll: {
        multiple: true,
        options: [
          { title: "Warp", votes: 3 },
          { title: "Weft & <weave>", votes: 2 },
        ],
        votersCount: 4,
        expiresAt: at("2026-11-19T08:00:00Z"),
        closedAt: at("2026-11-19T08:00:00Z"),
      },
    });
  });

  test("a vote is a Note that names an option", async () => {
    expect(await readCreated("mastodon/vote")).toEqual({
      ...EMPTY,
      uri: `${author}#votes/9`,
      url: `${author}#votes/9`,
      attributedTo: author,
      to: [BO],
      contentHtml: "",
      inReplyTo: `${BO}/statuses/8`,
      vote: { option: "Weft" },
    });
  });
});

describe("GoToSocial", () => {
  const author = "https://gts.example/users/tui";

  test("a post with single values for lists and alt text in `summary` is read", async () => {
    const uri = `${author}/statuses/01KADAWNCH0RVS00000000000A`;
    expect(await readCreated("gotosocial/create")).toEqual({
      ...EMPTY,
      uri,
      url: "https://gts.example/@tui/statuses/01KADAWNCH0RVS00000000000A",
      attributedTo: author,
      to: [PUBLIC],
      cc: [`${author}/followers`],
      contentHtml:
        '<p>Good morning <a href="https://gts.example/tags/dawn" class="mention hashtag" target="_blank" rel="tag nofollow noopener">#<span>dawn</span></a></p>',
      language: "en-nz",
      published: at("2026-11-20T16:58:00Z"),
      hashtags: [{ name: "dawn", written: "dawn" }],
      attachments: [
        {
          ...MEDIA,
          type: "image",
          contentType: "image/png",
          url: "https://gts.example/fileserver/TUI/attachment/original/FLAX.png",
          description: "Flax & harakeke\nat dawn",
          blurhash: "L00000fQfQfQfQfQfQfQfQfQfQfQ",
        },
      ],
      policy: { favourite: [PUBLIC], reply: ["https://gts.example/users/tui"], reblog: [PUBLIC] },
      repliesCount: null,
    });
  });

  test("a running poll is read", async () => {
    const poll = await read("gotosocial/poll");
    expect(poll).toMatchObject({ to: [PUBLIC], cc: [], published: at("2026-11-21T00:00:00Z") });
    expect(poll!.poll).toEqual({
      multiple: false,
      options: [
        { title: "yes", votes: 1 },
        { title: "no", votes: 0 },
      ],
      votersCount: 1,
      expiresAt: at("2026-12-01T00:00:00Z"),
      closedAt: null,
    });
  });
});

describe("Pleroma and Akkoma", () => {
  const author = "https://pleroma.example/users/yuki.s";

  test("a post with a mention without domain and an attachment with Links is read", async () => {
    const uri = "https://pleroma.example/objects/3f3c9c40-0000-4000-8000-000000000001";
    expect(await readCreated("pleroma/create")).toEqual({
      ...EMPTY,
      uri,
      url: uri,
      attributedTo: author,
      to: [BO, `${author}/followers`],
      cc: [PUBLIC],
      contentHtml:
        '<span class="h-card"><a href="https://linnet.example/users/bo" class="u-url mention" target="_blank" rel="nofollow noopener">@<span>bo</span></a></span> first snow ' +
        '<a href="https://pleroma.example/tag/winter" class="hashtag" target="_blank" rel="tag nofollow noopener">#winter</a>',
      published: at("2026-11-19T23:59:59.123Z"),
      mentions: [{ href: BO, name: "@bo" }],
      hashtags: [{ name: "winter", written: "winter" }],
      attachments: [
        {
          ...MEDIA,
          type: "image",
          contentType: "image/png",
          url: "https://pleroma.example/media/foot%20prints.png",
          description: "footprints",
          width: 800,
          height: 600,
          blurhash: "00Kd}H",
        },
      ],
    });
  });

  test("a poll with both lists, one of them empty, is read with its titles as they are", async () => {
    expect((await read("pleroma/poll"))!.poll).toEqual({
      multiple: false,
      options: [
        { title: "Yes ", votes: 2 },
        { title: "No", votes: 0 },
      ],
      votersCount: null,
      expiresAt: at("2026-11-25T00:00:00Z"),
      closedAt: null,
    });
  });
});

describe("Misskey and Sharkey", () => {
  const author = "https://misskey.example/users/9abcdefghi";
  const misskey = "https://misskey.example";

  test("a post with an empty warning, an embedded parent, a picture and audio is read", async () => {
    expect(await readCreated("misskey/create")).toEqual({
      ...EMPTY,
      uri: `${misskey}/notes/9abcnote01`,
      url: `${misskey}/notes/9abcnote01`,
      attributedTo: author,
      to: [`${author}/followers`],
      cc: [PUBLIC, BO],
      contentHtml:
        '<p><a href="https://linnet.example/@bo" class="u-url mention" target="_blank" rel="nofollow noopener">@bo@linnet.example</a><span> </span>' +
        '<a href="https://misskey.example/tags/%E7%8C%AB" target="_blank" rel="tag nofollow noopener">#猫</a><span> \u200b:blob_cat:\u200b</span></p>',
      spoilerText: "\u200b",
      sensitive: true,
      inReplyTo: `${BO}/statuses/7`,
      published: at("2026-11-20T01:02:03.004Z"),
      mentions: [{ href: BO, name: "@bo@linnet.example" }],
      hashtags: [{ name: "猫", written: "猫" }],
      emojis: [
        {
          shortcode: "blob_cat",
          imageUrl: `${misskey}/files/blob_cat.png`,
          uri: `${misskey}/emojis/blob_cat`,
          updatedAt: at("2026-01-01T00:00:00Z"),
        },
      ],
      attachments: [
        { ...MEDIA, type: "image", contentType: "image/webp", url: `${misskey}/files/cat.webp` },
        {
          ...MEDIA,
          type: "audio",
          contentType: "audio/mpeg",
          url: `${misskey}/files/purr.mp3`,
          description: "purring",
        },
      ],
    });
  });

  test("a poll with Misskey's votes is read", async () => {
    expect((await read("misskey/poll"))!.poll).toEqual({
      multiple: true,
      options: [
        { title: "tuna", votes: 5 },
        { title: "salmon", votes: 7 },
      ],
      votersCount: null,
      expiresAt: at("2026-11-30T00:00:00Z"),
      closedAt: null,
    });
  });
});

describe("Pixelfed", () => {
  const pixelfed = "https://pixelfed.example";
  const author = `${pixelfed}/users/zoe`;

  test("a post with several pictures and a video is read", async () => {
    const uri = `${pixelfed}/p/zoe/700000000000000001`;
    expect(await readCreated("pixelfed/create")).toEqual({
      ...EMPTY,
      uri,
      url: uri,
      attributedTo: author,
      to: [PUBLIC],
      cc: [`${author}/followers`],
      contentHtml:
        'Evening <a href="https://pixelfed.example/discover/tags/light?src=hash" class="u-url hashtag" target="_blank" rel="nofollow noopener">#light</a>',
      published: at("2026-11-17T18:00:00Z"),
      hashtags: [{ name: "light", written: "light" }],
      attachments: [
        {
          ...MEDIA,
          type: "image",
          contentType: "image/jpeg",
          url: `${pixelfed}/storage/m/1.jpg`,
          description: "A tram",
          width: 1080,
          height: 1350,
          blurhash: "U5Du.vxu00Rj00ay%MWB00j[~qof%MayM{j[",
        },
        {
          ...MEDIA,
          type: "image",
          contentType: "image/jpeg",
          url: `${pixelfed}/storage/m/2.jpg`,
          width: 1080,
          height: 1350,
        },
        { ...MEDIA, type: "video", contentType: "video/mp4", url: `${pixelfed}/storage/m/3.mp4` },
      ],
    });
  });

  test("a poll that ended is open until its server closes it", async () => {
    expect((await read("pixelfed/poll"))!.poll).toEqual({
      multiple: false,
      options: [
        { title: "Colour", votes: 2 },
        { title: "Mono", votes: 0 },
      ],
      votersCount: 2,
      expiresAt: at("2026-11-18T19:00:00Z"),
      closedAt: null,
    });
  });

  test("a story is no status", async () => {
    expect(await read("pixelfed/story")).toBeNull();
  });
});

describe("Any server", () => {
  const odd = "https://odd.example";
  const author = `${odd}/people/wu`;

  test("may send strings for lists", async () => {
    expect(await read("odd/strings-for-lists")).toEqual({
      ...EMPTY,
      uri: `${odd}/notes/strings-for-lists`,
      url: `${odd}/notes/strings-for-lists`,
      attributedTo: author,
      to: [PUBLIC],
      cc: [`${author}/followers`],
      contentHtml: "<p>one of each</p>",
      mentions: [{ href: BO, name: "" }],
      attachments: [{ ...MEDIA, type: "image", contentType: "image/png", url: `${odd}/one.png` }],
    });
  });

  test("may send lists for strings", async () => {
    expect(await read("odd/lists-for-strings")).toEqual({
      ...EMPTY,
      uri: `${odd}/notes/lists-for-strings`,
      url: `${odd}/notes/lists-for-strings`,
      attributedTo: author,
      to: [PUBLIC],
      contentHtml: "<p>pick</p>",
      inReplyTo: `${BO}/statuses/7`,
      poll: {
        multiple: false,
        options: [{ title: "the only one", votes: 0 }],
        votersCount: null,
        expiresAt: NOW,
        closedAt: NOW,
      },
    });
  });

  test("may send objects for ids, and ids for objects", async () => {
    expect(await read("odd/objects-for-ids")).toEqual({
      ...EMPTY,
      uri: `${odd}/notes/objects-for-ids`,
      url: `${odd}/notes/objects-for-ids`,
      attributedTo: author,
      to: [PUBLIC],
      cc: [`${author}/followers`],
      contentHtml: "<p>objects</p>",
      inReplyTo: `${BO}/statuses/7`,
      repliesCount: null,
    });
  });

  test("may address a post only in its activity; bto is not read", async () => {
    const activity = readActivity(await fixture("odd/create-without-audience"), NOW)!;
    const status = readStatus(activity.object!, NOW, activity)!;
    expect(status).toMatchObject({ to: [`${author}/followers`], cc: [BO] });
    expect(visibilityOf(status, `${author}/followers`)).toBe("private");
    const alone = readStatus(activity.object!, NOW)!;
    expect(alone).toMatchObject({ to: [], cc: [] });
    expect(visibilityOf(alone, `${author}/followers`)).toBe("direct");
  });

  test.each<[string, Partial<RemoteStatus>]>([
    ["content-map", { contentHtml: "<p>salut</p>", language: "fr", spoilerText: "court" }],
    ["content-maps", { contentHtml: "<p>hallo</p>", language: "de-at" }],
    ["language-undetermined", { contentHtml: "<p>?</p>", language: null }],
    ["link-urls", { url: "https://www.odd.example/Seite/%C3%A4" }],
    ["url-elsewhere", { url: "https://pages.example/1" }],
    ["dates-1969", { published: null, updated: null }],
    ["dates-2099", { published: NOW, updated: null }],
    ["dates-invalid", { published: null, updated: null }],
    ["html-summary", { spoilerText: "mind the gap\n\n<really>" }],
    ["counts", { likes: null, shares: null, sensitive: true }],
  ])("may send %s", async (name, expected) => {
    expect(await read(`odd/${name}`)).toMatchObject(expected);
  });

  test("sends names as plain text, but entities in summaries", async () => {
    const status = (await read("odd/entities-in-names"))!;
    expect(status).toMatchObject({
      spoilerText: "Q&A <3 <spoilers>",
      mentions: [{ href: author, name: "@wu &amp; co" }],
    });
    expect(status.poll).toEqual({
      multiple: true,
      options: [
        { title: "AT&amp;T", votes: 0 },
        { title: "no name", votes: 0 },
      ],
      votersCount: null,
      expiresAt: null,
      closedAt: null,
    });
  });

  test("may send tags that are unusable, repeated or spelled differently", async () => {
    expect(await read("odd/tags")).toMatchObject({
      mentions: [{ href: author, name: "@wu" }],
      hashtags: [
        { name: "opensource", written: "opensource" },
        { name: "cafe", written: "Café" },
      ],
      emojis: [{ shortcode: "listed", imageUrl: `${odd}/listed.png`, uri: null, updatedAt: null }],
    });
  });

  test("may send attachments that are unusable or incomplete", async () => {
    expect((await read("odd/attachments"))!.attachments).toEqual([
      { ...MEDIA, type: "unknown", contentType: "application/zip", url: `${odd}/a.bin` },
      { ...MEDIA, type: "image", contentType: null, url: `${odd}/b`, focusX: 1, focusY: -1 },
      {
        ...MEDIA,
        type: "audio",
        contentType: "audio/ogg",
        url: `${odd}/c.ogg`,
        description: "A song",
        duration: 3723.5,
      },
      { ...MEDIA, type: "video", contentType: null, url: `${odd}/d`, width: 1280, height: 720 },
    ]);
  });

  test("may send an article, which is shown as its title, its summary, its text and a link", async () => {
    expect(await read("odd/article")).toEqual({
      ...EMPTY,
      uri: `${odd}/articles/1`,
      url: `${odd}/a?b=1&c=2`,
      attributedTo: author,
      to: [PUBLIC],
      contentHtml:
        "<p>Knots &amp; bends</p><p>Ten of them.</p><p><strong>Long</strong></p>" +
        '<p><a href="https://odd.example/a?b=1&amp;c=2" target="_blank" rel="nofollow noopener" translate="no"><span class="invisible">https://</span>' +
        '<span class="">odd.example/a?b=1&amp;c=2</span><span class="invisible"></span></a></p>',
      published: at("2026-11-01T00:00:00Z"),
    });
  });
});

describe("A status is not read", () => {
  const note = { id: "https://a.example/1", type: "Note", attributedTo: "https://a.example/a", content: "a" };

  test.each([
    ["without an id", { id: null }],
    ["without an author", { attributedTo: undefined }],
    ["of an unknown type", { type: "Place" }],
    ["without a type", { type: [] }],
    ["with an id that is no address", { id: "urn:uuid:0" }],
    ["with credentials in its id", { id: "https://a:b@a.example/1" }],
    ["with an empty user in its id", { id: "https://@a.example/1" }],
    ["with a space in its id", { id: "https://a.example/1 " }],
    ["with a backslash in its id", { id: "https://a.example\\@b.example" }],
    ["with a line break in its id", { id: "https://a.example/\n1" }],
    ["with an id without a host", { id: "https:///1" }],
    ["with an id of 2,049 characters", { id: `https://a.example/${"1".repeat(2031)}` }],
  ])("%s", (_, change) => {
    expect(readStatus(note, NOW)).not.toBeNull();
    expect(readStatus({ ...note, ...change }, NOW)).toBeNull();
  });
});

test("A status with an id of 2,048 characters and a fragment is read", () => {
  const id = `https://a.example/#${"1".repeat(2029)}`;
  expect(readStatus({ id, type: "Note", attributedTo: "https://a.example/a" }, NOW)?.uri).toBe(id);
});

describe("The visibility", () => {
  const followers = "https://a.example/followers";

  test.each([
    ["public", [followers, PUBLIC], []],
    ["unlisted", [followers], [PUBLIC]],
    ["private", [followers], [BO]],
    ["private", [BO], [followers]],
    ["direct", [BO], ["https://b.example/followers"]],
    ["direct", [], []],
  ] as const)("is %s to %p, cc %p", (visibility, to, cc) => {
    expect(visibilityOf({ to: [...to], cc: [...cc] }, followers)).toBe(visibility);
  });

  test("is direct if the followers are unknown", () => {
    expect(visibilityOf({ to: [followers], cc: [] }, null)).toBe("direct");
  });
});
