import { beforeEach, describe, expect, test } from "bun:test";
import { Emoji, EmojiReact, Image, Like } from "@fedify/vocab";
import type { Json } from "../support/client.ts";
import { aliceAndPeers, neighboursForEachTest } from "../support/federation.ts";
import { type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";

const REACTION = "pleroma:emoji_reaction";

describe("An emoji reaction", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();
  let bob: HostileAccount;
  let post: Json;

  beforeEach(async () => {
    bob = peer.account("bob");
    post = await alice.publish("Hello");
  });

  const send = async (type: string, more: Json = {}): Promise<Json> => {
    const activity = bob.activity(type, post.uri, more);
    await bob.deliver(alice.server, activity);
    return activity;
  };
  const emojiTag = (shortcode: string, host = bob.origin) => ({
    id: `${host}/emojis/${shortcode}`,
    type: "Emoji",
    name: `:${shortcode}:`,
    icon: { type: "Image", url: `${host}/${shortcode}.png` },
  });
  const list = async (query = "", version = 1): Promise<Json> =>
    (await alice.get(`/api/v${version}/notifications${query}`)).json;
  const typesOf = (found: Json[]) => found.map(({ type }) => type);
  const favourites = async () => (await alice.copyOf(post as { uri: string }))!.favourites_count;

  test.each([
    ["EmojiReact", "🎉", "🎉"],
    ["Like", "🎉", "🎉"],
    ["Like", "❤", "❤️"],
    ["EmojiReact", "👍🏽", "👍🏽"],
    ["Like", ":blobcat:", ":blobcat:"],
    ["EmojiReact", "blobcat", ":blobcat:"],
  ])("that arrives as %s with the content %s notifies and counts as a favourite", async (type, content, emoji) => {
    await send(type, { content });
    expect(await list()).toMatchObject([
      { type: "favourite", emoji, emoji_url: null, account: { acct: bob.handle }, status: { id: post.id } },
    ]);
    expect(await favourites()).toBe(1);
  });

  test.each([undefined, "", "nice one", "🎉🎉", ":blob@far.example:", `:${"x".repeat(200)}:`, 7])(
    "whose content is %j is a plain favourite",
    async (content) => {
      await send("Like", { content });
      const [favourite] = await list();
      expect(favourite.type).toBe("favourite");
      expect(favourite).not.toContainKey("emoji");
      expect(await favourites()).toBe(1);
    },
  );

  test("has a type of its own for apps that ask for it, and is a favourite for the others", async () => {
    await send("EmojiReact", { content: "🎉" });
    const asked = `?types[]=favourite&types[]=${REACTION}`;
    expect(await list(asked)).toMatchObject([{ type: REACTION, emoji: "🎉", status: { id: post.id } }]);
    expect(typesOf(await list(`?types[]=${REACTION}`))).toEqual([REACTION]);
    expect(typesOf(await list("?types[]=favourite"))).toEqual(["favourite"]);
    expect(typesOf(await list("?exclude_types[]=favourite"))).toEqual([]);
    expect(typesOf(await list(`?exclude_types[]=${REACTION}`))).toEqual([]);
    expect(typesOf(await list(`?types[]=mention`))).toEqual([]);
    expect((await list(asked, 2)).notification_groups).toMatchObject([
      { type: REACTION, emoji: "🎉", emoji_url: null, notifications_count: 1, status_id: post.id },
    ]);
    expect(typesOf((await list("", 2)).notification_groups)).toEqual(["favourite"]);
    for (const [query, count] of [
      ["", 1],
      [asked, 1],
      [`?types[]=${REACTION}`, 1],
      [`?exclude_types[]=${REACTION}`, 0],
    ] as const) {
      for (const version of [1, 2]) {
        const { json } = await alice.get(`/api/v${version}/notifications/unread_count${query}`);
        expect(json).toEqual({ count });
      }
    }
  });

  test("is not grouped with favourites or other reactions, since each has its own emoji", async () => {
    await send("EmojiReact", { content: "🎉" });
    for (const [name, content] of [
      ["carl", "🐈"],
      ["dora", undefined],
      ["emil", undefined],
    ] as const) {
      const other = peer.account(name);
      await other.deliver(alice.server, other.activity("Like", post.uri, { content }));
    }
    const { notification_groups: groups } = await list("", 2);
    expect(groups.map(({ emoji, notifications_count }: Json) => [emoji, notifications_count])).toEqual([
      [undefined, 2],
      ["🐈", 1],
      ["🎉", 1],
    ]);
    expect(await favourites()).toBe(4);
  });

  test("with a custom emoji of its sender's server has a local address of its image", async () => {
    await send("EmojiReact", { content: ":blobcat:", tag: [emojiTag("blobcat"), emojiTag("other")] });
    const [reaction] = await list();
    expect(reaction).toMatchObject({ emoji: ":blobcat:" });
    expect(reaction.emoji_url).toStartWith(`${alice.server.ctx.config.origin}/`);
    const emojis = alice.server.ctx.db.all("SELECT shortcode, domain FROM custom_emojis");
    expect(emojis).toEqual([{ shortcode: "blobcat", domain: bob.domain }]);
  });

  test("with an emoji of a third server has no image", async () => {
    await send("EmojiReact", { content: ":blobcat:", tag: emojiTag("blobcat", "http://third.test") });
    expect(await list()).toMatchObject([{ type: "favourite", emoji: ":blobcat:", emoji_url: null }]);
    expect(alice.server.ctx.db.all("SELECT id FROM custom_emojis")).toEqual([]);
  });

  test.each(["its id", "its parts", "its parts without the image"])(
    "that is undone by %s no longer counts or notifies",
    async (how) => {
      const react = await send("EmojiReact", { content: ":blobcat:", tag: emojiTag("blobcat") });
      const { id, tag: _, ...parts } = react;
      const byParts = how === "its parts" ? { ...react, id: `${id}/again` } : parts;
      await bob.deliver(alice.server, bob.activity("Undo", how === "its id" ? id : byParts));
      expect(await list()).toEqual([]);
      expect(await favourites()).toBe(0);
    },
  );

  test("that is the sender's second changes nothing, and neither does its end", async () => {
    await send("Like");
    const second = await send("EmojiReact", { content: "🎉" });
    expect(typesOf(await list())).toEqual(["favourite"]);
    await bob.deliver(alice.server, bob.activity("Undo", second));
    expect(typesOf(await list())).toEqual(["favourite"]);
    expect(await favourites()).toBe(1);
  });

  test("is replaced by another after its end, as Misskey does", async () => {
    const first = await send("Like", { content: "🎉" });
    await bob.deliver(alice.server, bob.activity("Undo", first));
    await send("Like", { content: "🐈" });
    expect(await list()).toMatchObject([{ emoji: "🐈" }]);
    expect(await favourites()).toBe(1);
  });

  test("by a blocked account, or to a post that its sender may not see, has no effect", async () => {
    const hidden = await alice.publish({ status: "For followers", visibility: "private" });
    const tag = emojiTag("blobcat");
    await bob.deliver(alice.server, bob.activity("EmojiReact", hidden.uri, { content: ":blobcat:", tag }));
    await alice.act("block", bob);
    await send("EmojiReact", { content: ":blobcat:", tag });
    expect(await list()).toEqual([]);
    expect(await favourites()).toBe(0);
    expect(alice.server.ctx.db.all("SELECT id FROM custom_emojis")).toEqual([]);
  });

  test("can't be undone by another account", async () => {
    const react = await send("EmojiReact", { content: "🎉" });
    const mallory = peer.account("mallory");
    await mallory.deliver(alice.server, mallory.activity("Undo", react));
    await mallory.deliver(alice.server, mallory.activity("Undo", react.id));
    expect(await favourites()).toBe(1);
  });
});

describe("With a server by others", () => {
  const { alice, newPeer, drain } = aliceAndPeers();

  test("reactions arrive in both forms, and are undone", async () => {
    const fern = await newPeer("fern");
    const post = await alice.publish("Hello");
    const icon = new Image({ url: new URL("/tea.png", fern.origin), mediaType: "image/png" });
    const tags = [new Emoji({ id: new URL("/emoji/tea", fern.origin), name: ":tea:", icon })];
    const common = { actor: new URL(fern.uri), object: new URL(post.uri) };
    const forms = [
      new EmojiReact({ ...common, id: new URL("/reacts/1", fern.origin), content: ":tea:", tags }),
      new Like({ ...common, id: new URL("/reacts/2", fern.origin), content: "🍵" }),
    ];
    const seen: Json[] = [];
    for (const form of forms) {
      const sent = await fern.send(form, [alice.uri]);
      await drain();
      seen.push(...(await alice.get("/api/v1/notifications")).json);
      expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 1 });
      await fern.undo(sent);
      await drain();
      expect(await alice.news()).toEqual([]);
      expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 0 });
    }
    expect(seen).toMatchObject([
      { type: "favourite", emoji: ":tea:", emoji_url: expect.stringContaining("http") },
      { type: "favourite", emoji: "🍵", emoji_url: null },
    ]);
  });
});
