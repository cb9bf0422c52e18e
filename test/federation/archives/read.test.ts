import { describe, expect, test } from "bun:test";
import { namesOf } from "../../../src/federation/archives/file-names.ts";
import type { ArchiveItem } from "../../../src/federation/archives/items.ts";
import { readOwner, UNKNOWN_OWNER } from "../../../src/federation/archives/owner.ts";
import { readOutboxItem } from "../../../src/federation/archives/read-outbox.ts";
import { readPixelfedStatus } from "../../../src/federation/archives/read-pixelfed.ts";
import { readTweet } from "../../../src/federation/archives/read-tweets.ts";
import { archivedPost, OLD, OLD_ACTOR } from "../../support/archives.ts";
import type { Json } from "../../support/client.ts";

const NOW = Date.UTC(2026, 0, 1);
const OWNER = { ...UNKNOWN_OWNER, uri: OLD_ACTOR, followers: `${OLD_ACTOR}/followers` };

function post(item: ArchiveItem): Json {
  if (item.type !== "post") throw new Error(`it is ${JSON.stringify(item)}`);
  return { ...item.post, files: item.files };
}

describe("An archive of Pleroma or Akkoma", () => {
  test("has links to files, and the type of the source", () => {
    const item = archivedPost(1, {
      source: { content: "Hi *there*", mediaType: "text/markdown" },
      attachment: [
        {
          type: "Document",
          mediaType: "image/png",
          name: "A wren",
          url: [{ type: "Link", mediaType: "image/png", href: `${OLD}/media/ab/wren%20one.png` }],
        },
      ],
    });
    const read = post(readOutboxItem(item, OWNER, NOW));
    expect(read).toMatchObject({
      text: "Hi *there*",
      contentType: "text/markdown",
      files: [{ names: ["media/ab/wren one.png"], description: "A wren" }],
    });
  });
});

describe("An entry of an outbox", () => {
  test.each([
    ["a vote", { name: "Tea", content: "", inReplyTo: `${OLD}/users/bob/statuses/3` }, "vote in a poll"],
    ["a post by another account", { attributedTo: `${OLD}/users/bob` }, "by another account"],
    ["an empty post", { content: "<p></p>" }, "without content"],
    ["something else", { type: "Place" }, "unsupported"],
  ])("that is %s is left out", (_what, object, reason) => {
    expect(readOutboxItem(archivedPost(1, object), OWNER, NOW)).toEqual({ type: "skipped", reason } as ArchiveItem);
  });

  test("without a date is left out", () => {
    const item = { ...archivedPost(1, { published: null }), published: "yesterday" };
    expect(readOutboxItem(item, OWNER, NOW)).toEqual({ type: "skipped", reason: "without a date" });
  });

  test.each([[null], [5], ["x"], [[]], [{}], [{ type: "Create" }], [{ type: "Announce" }]])("may be %p", (item) => {
    expect(readOutboxItem(item, OWNER, NOW)).toEqual({ type: "skipped", reason: "unsupported" });
  });

  test("is never in the future, and for followers also if the profile is missing", () => {
    const item = archivedPost(1, { published: "2999-01-01T00:00:00Z", to: [`${OLD_ACTOR}/followers`], cc: [] });
    expect(post(readOutboxItem(item, UNKNOWN_OWNER, NOW))).toMatchObject({ createdAt: NOW, visibility: "private" });
  });

  test("has the text that its author typed", () => {
    const source = { content: "Hi #wrens", mediaType: "text/plain" };
    expect(post(readOutboxItem(archivedPost(1, { source }), OWNER, NOW)).text).toBe("Hi #wrens");
  });
});

test.each([
  [`${OLD}/media_attachments/files/1/a.png`, ["media_attachments/files/1/a.png"]],
  [`${OLD}/system/media_attachments/a.png`, ["system/media_attachments/a.png", "media_attachments/a.png"]],
  [`${OLD}/bucket/media_attachments/a%20b.png?x=1`, ["bucket/media_attachments/a b.png", "media_attachments/a b.png"]],
  [`${OLD}/`, []],
])("A file at %p may be called %p", (address, names) => {
  expect(namesOf(address)).toEqual(names);
});

test("The profile of an archive has its pictures by their names", () => {
  const owner = readOwner(
    {
      id: OLD_ACTOR,
      type: "Person",
      preferredUsername: "alice",
      inbox: `${OLD_ACTOR}/inbox`,
      icon: { type: "Image", url: "avatar.png" },
    },
    NOW,
  );
  expect(namesOf(owner.profile!.avatarUrl!)).toEqual(["avatar.png"]);
});

describe("A tweet", () => {
  const tweet = (changes: object = {}) => ({
    tweet: {
      id_str: "20",
      full_text: "Tea &amp; cake &lt;3 with @bob https://t.co/abc https://t.co/pic",
      created_at: "Tue Mar 21 20:50:14 +0000 2006",
      lang: "en",
      entities: { urls: [{ url: "https://t.co/abc", expanded_url: "https://page.example/tea" }] },
      extended_entities: {
        media: [{ url: "https://t.co/pic", media_url_https: "https://pbs.twimg.com/media/Fx.jpg", type: "photo" }],
      },
      ...changes,
    },
  });

  test("has its whole links, its picture, and names that belong to nobody here", () => {
    expect(post(readTweet(tweet(), "data/", NOW))).toMatchObject({
      uri: "https://twitter.com/i/status/20",
      text: "Tea & cake <3 with @bob@twitter.com https://page.example/tea",
      createdAt: Date.UTC(2006, 2, 21, 20, 50, 14),
      language: "en",
      inReplyToUri: null,
      files: [{ names: ["data/tweets_media/20-Fx.jpg", "data/tweet_media/20-Fx.jpg"] }],
    });
  });

  test("has the best of its videos", () => {
    const variants = [
      { content_type: "application/x-mpegURL", url: "https://video.twimg.com/a.m3u8" },
      { content_type: "video/mp4", bitrate: "832000", url: "https://video.twimg.com/small.mp4?tag=1" },
      { content_type: "video/mp4", bitrate: "2176000", url: "https://video.twimg.com/large.mp4?tag=1" },
    ];
    const media = [{ media_url_https: "https://pbs.twimg.com/still.jpg", video_info: { variants } }];
    const { files } = post(readTweet(tweet({ extended_entities: { media } }), "data/", NOW));
    expect(files[0].names[0]).toBe("data/tweets_media/20-large.mp4");
  });

  test("replies to another, without a language if it has none", () => {
    const read = post(readTweet(tweet({ in_reply_to_status_id_str: "19", lang: "und" }), "data/", NOW));
    expect(read).toMatchObject({ inReplyToUri: "https://twitter.com/i/status/19", language: null });
  });

  test.each([
    ["a retweet", { full_text: "RT @bob: Hi" }, "boost of an unknown post"],
    ["without a date", { created_at: "yesterday" }, "without a date"],
    ["empty", { full_text: "", extended_entities: {} }, "without content"],
    ["without an id", { id_str: "x" }, "unsupported"],
  ])("that is %s is left out", (_what, changes, reason) => {
    expect(readTweet(tweet(changes), "data/", NOW)).toEqual({ type: "skipped", reason } as ArchiveItem);
  });
});

describe("A status of Pixelfed", () => {
  const status = (changes: object = {}) => ({
    id: "1",
    uri: "https://pixelfed.example/p/alice/1",
    content: "A <b>wren</b>",
    created_at: "2021-05-01T10:00:00.000000Z",
    visibility: "unlisted",
    sensitive: true,
    spoiler_text: "Birds",
    media_attachments: [{ url: "https://pixelfed.example/storage/m/1/wren.jpg", description: "A wren" }],
    tags: [{ name: "Wrens", url: "https://pixelfed.example/discover/tags/wrens" }],
    ...changes,
  });

  test("has what its server exports, and the names its picture may have", () => {
    expect(post(readPixelfedStatus(status(), NOW))).toMatchObject({
      uri: "https://pixelfed.example/p/alice/1",
      content: "A <b>wren</b>",
      createdAt: Date.UTC(2021, 4, 1, 10),
      visibility: "unlisted",
      spoilerText: "Birds",
      tags: [{ name: "wrens", href: "https://pixelfed.example/discover/tags/wrens" }],
      files: [{ names: ["storage/m/1/wren.jpg", "wren.jpg"], description: "A wren" }],
    });
  });

  test.each([
    ["a boost", { reblog: {} }, "boost of an unknown post"],
    ["without a date", { created_at: null }, "without a date"],
    ["empty", { content: "", spoiler_text: null, media_attachments: [] }, "without content"],
    ["without an address", { uri: "javascript:alert(1)" }, "unsupported"],
  ])("that is %s is left out", (_what, changes, reason) => {
    expect(readPixelfedStatus(status(changes), NOW)).toEqual({ type: "skipped", reason } as ArchiveItem);
  });

  test("of an unknown visibility is for followers", () => {
    expect(post(readPixelfedStatus(status({ visibility: "archived" }), NOW)).visibility).toBe("private");
  });
});
