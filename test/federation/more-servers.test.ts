import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, count, type HostileAccount, hostilePeerForEachTest, statusId } from "../support/hostile-peer.ts";
import { moved } from "./read/fixtures.ts";

/* Posts of servers that are no microblogs reach the home timelines of their followers. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();

describe("A group of Lemmy", () => {
  let group: HostileAccount;
  let addresses: Record<string, string>;
  let page: Json;

  beforeEach(async () => {
    group = peer.account("bread", "lemmy.test", { type: "Group" });
    const author = peer.account("sef", "other.test");
    addresses = {
      "https://lemmy.example/c/bread": group.uri,
      "https://lemmy.example": group.origin,
      "https://other.example/u/sef": author.uri,
      "https://other.example": author.origin,
    };
    page = await moved("lemmy/page", addresses);
    peer.serve(page.id, page);
    await befriend(alice, group);
  });

  const announce = async (name: string, change: (activity: Json) => void = () => {}) => {
    const activity = await moved(`lemmy/${name}`, addresses);
    change(activity);
    await group.deliver(alice.server, activity);
  };

  test("boosts a page of another server, once, by its Create and by itself", async () => {
    await announce("announce-create");
    await announce("announce-page");
    const home = await alice.home();
    expect(home).toMatchObject([
      { account: { acct: group.handle, group: true }, reblog: { uri: page.id, account: { username: "sef" } } },
    ]);
    expect(home[0]!.reblog.content).toStartWith("<p>A rye loaf that rises</p><p>I tried <strong>three</strong>");
  });

  test("is not believed about the page: its own server is asked", async () => {
    await announce("announce-create", ({ object }) => (object.object.name = "A lie"));
    const [boost] = await alice.home();
    expect(boost!.reblog.content).toStartWith("<p>A rye loaf that rises</p>");
    await announce("announce-create", (activity) => {
      activity.id += "2";
      activity.object.object.id += "/invented";
    });
    expect(await alice.home()).toHaveLength(1);
  });

  test("boosts nothing by announcing votes and their end, and asks no server for them", async () => {
    await announce("announce-like");
    await announce("announce-undo");
    expect(await alice.home()).toEqual([]);
    expect(peer.fetched("other.test")).toEqual([]);
    expect(count(alice.server, "statuses")).toBe(0);
  });

  test("boosts nothing by announcing the id of an activity", async () => {
    const { object } = await moved("lemmy/announce-like", addresses);
    peer.serve(object.id, object);
    await announce("announce-like", (activity) => (activity.object = object.id));
    expect(peer.fetched("other.test")).toEqual([object.id]);
    expect(await alice.home()).toEqual([]);
  });
});

test("A channel of PeerTube boosts a video of its account, which has a file and a preview", async () => {
  const channel = peer.account("tidal_gardens", "peertube.test", { type: "Group" });
  const account = peer.account("noor", "peertube.test");
  const addresses = {
    "https://peertube.example/video-channels/tidal_gardens": channel.uri,
    "https://peertube.example/accounts/noor": account.uri,
    "https://peertube.example": channel.origin,
  };
  const { object: video } = await moved("peertube/create", addresses);
  peer.serve(video.id, video);
  await befriend(alice, channel);
  await channel.deliver(alice.server, await moved("peertube/announce", addresses));
  expect(await alice.home()).toMatchObject([
    {
      account: { acct: channel.handle },
      reblog: {
        account: { acct: account.handle },
        url: `${channel.origin}/w/5f0c6a52-0000-4000-8000-00000000000a`,
        media_attachments: [{ type: "video", remote_url: `${channel.origin}/static/web-videos/5f0c6a52-480.mp4` }],
      },
    },
  ]);
});

describe("A followed account's", () => {
  let bob: HostileAccount;

  beforeEach(async () => {
    bob = peer.account("bob", "good.test");
    await befriend(alice, bob);
  });

  /** The object of a fixture as a post of bob. */
  const ownObject = async (name: string): Promise<Json> => {
    const json = await moved(name, {});
    const object = json.type === "Create" ? json.object : json;
    return { ...object, id: bob.newUri("posts"), attributedTo: bob.uri };
  };

  test.each([
    ["wordpress/article", "It takes a day"],
    ["ghost/article", "Three winters by the sea"],
    ["writefreely/article", "Moss has"],
    ["bookwyrm/review", "★★★★½"],
    ["bookwyrm/rating", "★★★☆☆"],
    ["bookwyrm/comment", "Halfway"],
    ["bookwyrm/quotation", "The lamp"],
    ["mobilizon/event", "2026-12-05 19:00"],
    ["funkwhale/create", "Foghorns"],
    ["owncast/create", "The wheel turns"],
    ["peertube/create", "Rock pools"],
    ["hubzilla/create", "Seeds for"],
    ["threads/create", "Two birds"],
    ["bridgy-fed/create", "steep"],
    ["snac/create", "rain"],
    ["mitra/create", "North is up"],
    ["friendica/create", "Flat tyre"],
    ["odd/unknown-type", "Up the"],
  ])("%s appears at home", async (name, text) => {
    await bob.deliver(alice.server, bob.create(await ownObject(name)));
    const home = await alice.home();
    expect(home).toMatchObject([{ account: { acct: bob.handle }, visibility: "public", reblog: null }]);
    expect(home[0]!.content).toContain(text);
  });

  test("object of an unknown type is ignored without a page, and so is one that is no post", async () => {
    const hike = await ownObject("odd/unknown-type");
    await bob.deliver(alice.server, bob.create({ ...hike, url: undefined }));
    await bob.deliver(alice.server, bob.create({ ...hike, type: "Tombstone" }));
    expect(await alice.home()).toEqual([]);
    expect(statusId(alice.server, hike.id)).toBeNull();
  });

  test("article changes when it is edited", async () => {
    const article = await ownObject("wordpress/article");
    await bob.deliver(alice.server, bob.create(article));
    alice.server.clock.advance(60_000);
    const updated = new Date(alice.server.clock.now()).toISOString();
    await bob.deliver(alice.server, bob.activity("Update", { ...article, name: "Clay again", updated }));
    const [post] = await alice.home();
    expect(post!.content).toStartWith("<p>Clay again</p>");
    expect(post!.edited_at).toBe(updated);
  });
});
