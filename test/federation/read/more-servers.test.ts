import { describe, expect, test } from "bun:test";
import { announcedId, readActivity } from "../../../src/federation/read/activity.ts";
import { readActor, type RemoteActor } from "../../../src/federation/read/actor.ts";
import { PUBLIC } from "../../../src/federation/read/audience.ts";
import type { Json } from "../../../src/federation/read/json.ts";
import { readStatus, type RemoteStatus } from "../../../src/federation/read/status.ts";
import { linkHtml } from "../../../src/lib/text/text.ts";
import { BO, fixture, MEDIA, NOW, objectOf, PEM } from "./fixtures.ts";

/* Servers that are no microblogs, and smaller ones. */

const NOTE = { id: "https://a.example/1", type: "Note", attributedTo: "https://a.example/a", to: [PUBLIC] };
/** A public status without anything else. */
const EMPTY = readStatus(NOTE, NOW)!;
const ACTOR = { id: NOTE.attributedTo, type: "Person", preferredUsername: "a", inbox: "https://a.example/a/inbox" };
const NOBODY = readActor(ACTOR, NOW)!;

const at = (date: string) => Date.parse(date);
const link = (url: string) => `<p>${linkHtml(url, "nofollow noopener")}</p>`;
const read = async (name: string): Promise<RemoteStatus | null> => readStatus(await fixture(name), NOW);
const readCreated = async (name: string): Promise<RemoteStatus | null> => readStatus(await objectOf(name), NOW);

/** The status of an announced Create. */
async function readAnnounced(name: string): Promise<RemoteStatus | null> {
  const { object } = await objectOf(name);
  return readStatus(object as Json, NOW);
}

async function announced(name: string): Promise<string | null> {
  return announcedId(readActivity(await fixture(name), NOW)!);
}

describe("PeerTube", () => {
  const peertube = "https://peertube.example";
  const page = (end: string) => `${peertube}/w/5f0c6a52-0000-4000-8000-00000000000${end}`;

  test("a video is read with its account, its page, a file that is large enough, and the larger preview", async () => {
    expect(await readCreated("peertube/create")).toEqual({
      ...EMPTY,
      uri: `${peertube}/videos/watch/5f0c6a52-0000-4000-8000-00000000000a`,
      url: page("a"),
      attributedTo: `${peertube}/accounts/noor`,
      cc: [`${peertube}/accounts/noor/followers`],
      contentHtml: `<p>Rock pools &amp; kelp</p>${link(page("a"))}`,
      published: at("2026-11-18T07:00:00Z"),
      updated: at("2026-11-18T07:30:00Z"),
      hashtags: [{ name: "seaweed", written: "Seaweed" }],
      attachments: [
        {
          ...MEDIA,
          type: "video",
          contentType: "video/mp4",
          url: `${peertube}/static/web-videos/5f0c6a52-480.mp4`,
          previewUrl: `${peertube}/lazy-static/previews/5f0c.jpg`,
          width: 853,
          height: 480,
          duration: 754,
        },
      ],
    });
  });

  test("a video in a playlist is read with the file that the playlist names, and the first of several authors", async () => {
    const video = (await read("peertube/playlist"))!;
    expect(video).toMatchObject({ url: page("b"), attributedTo: `${peertube}/accounts/noor` });
    expect(video.attachments.map(({ url, duration }) => [url, duration])).toEqual([
      [`${peertube}/static/b-480.mp4`, null],
    ]);
  });

  test("a channel announces a video by its id", async () => {
    expect(await announced("peertube/announce")).toBe(`${peertube}/videos/watch/5f0c6a52-0000-4000-8000-00000000000a`);
  });
});

describe("Lemmy, PieFed and NodeBB", () => {
  test("a Page of Lemmy is read with its title, its text, the page that it recommends and its own", async () => {
    const page = "https://other.example/post/88";
    const expected: RemoteStatus = {
      ...EMPTY,
      group: "https://lemmy.example/c/bread",
      uri: page,
      url: page,
      attributedTo: "https://other.example/u/sef",
      to: ["https://lemmy.example/c/bread", PUBLIC],
      contentHtml:
        "<p>A rye loaf that rises</p><p>I tried <strong>three</strong> starters.</p>" +
        `${link("https://recipes.example/rye?loaf=1")}${link(page)}`,
      published: at("2026-11-19T05:06:07.123Z"),
      hashtags: [{ name: "bread", written: "bread" }],
    };
    expect(await readAnnounced("lemmy/announce-create")).toEqual(expected);
    expect(await read("lemmy/page")).toEqual(expected);
  });

  test("a Page of PieFed is read with its picture", async () => {
    const page = "https://piefed.example/post/512";
    expect(await readAnnounced("piefed/announce-create")).toEqual({
      ...EMPTY,
      group: "https://piefed.example/c/maps",
      uri: page,
      url: page,
      attributedTo: "https://piefed.example/u/ilse",
      to: ["https://piefed.example/c/maps", PUBLIC],
      contentHtml: `<p>Contour lines</p>${link(page)}`,
      published: at("2026-11-20T10:11:12Z"),
      attachments: [
        {
          ...MEDIA,
          type: "image",
          contentType: null,
          url: "https://piefed.example/static/media/contours.png",
          description: "A hill, drawn in <brown>",
        },
      ],
    });
  });

  test("an Article of NodeBB is read without its preview and the summary that its text repeats", async () => {
    const post = "https://nodebb.example/post/900";
    expect(await readAnnounced("nodebb/announce-create")).toEqual({
      ...EMPTY,
      group: "https://nodebb.example/category/4",
      uri: post,
      url: post,
      attributedTo: "https://nodebb.example/uid/12",
      cc: ["https://nodebb.example/uid/12/followers", "https://nodebb.example/category/4"],
      contentHtml: `<p>Clamps for a small bench</p><p>Which clamp?</p><ul><li>F</li><li>G</li></ul>${link(post)}`,
      published: at("2026-11-04T04:04:04.004Z"),
      hashtags: [{ name: "wood", written: "wood" }],
    });
  });

  test.each([
    ["lemmy/announce-create", "https://other.example/post/88"],
    ["lemmy/announce-page", "https://other.example/post/88"],
    ["piefed/announce-create", "https://piefed.example/post/512"],
    ["nodebb/announce-create", "https://nodebb.example/post/900"],
    ["lemmy/announce-like", null],
    ["lemmy/announce-undo", null],
  ])("%s announces %p", async (name, id) => {
    expect(await announced(name)).toBe(id);
  });
});

describe("Blogs", () => {
  test("an article of WordPress is read without the summary that is the beginning of its text", async () => {
    const wordpress = "https://wordpress.example";
    const url = `${wordpress}/2026/11/clay/`;
    expect(await read("wordpress/article")).toEqual({
      ...EMPTY,
      uri: `${wordpress}/?p=41`,
      url,
      attributedTo: `${wordpress}/?author=2`,
      cc: [`${wordpress}/wp-json/activitypub/1.0/actors/2/followers`],
      contentHtml:
        "<p>Clay, fire &amp; patience</p><p><strong>Firing</strong></p>" +
        `<p>It takes a day, and then … another.</p><p>Hot</p>${link(url)}`,
      language: "en",
      published: at("2026-11-16T09:00:00Z"),
      hashtags: [{ name: "clay", written: "clay" }],
      attachments: [
        {
          ...MEDIA,
          type: "image",
          contentType: "image/jpeg",
          url: `${wordpress}/wp-content/uploads/kiln.jpg`,
          description: "A kiln",
        },
      ],
      likes: 3,
      shares: 1,
    });
  });

  test("a long article of Ghost is read with its summary and the first 2,000 characters of its text", async () => {
    const ghost = "https://ghost.example/.ghost/activitypub";
    const url = "https://ghost.example/letters-from-the-pier/";
    const { contentHtml, ...rest } = (await read("ghost/article"))!;
    const { contentHtml: _, ...empty } = EMPTY;
    expect(rest).toEqual({
      ...empty,
      uri: `${ghost}/article/9d0c`,
      url,
      attributedTo: `${ghost}/users/index`,
      cc: [`${ghost}/followers/index`],
      published: at("2026-11-15T06:30:00Z"),
    });
    const text = "Waves & wind. ".repeat(160).slice(0, 2000).trimEnd().replaceAll("&", "&amp;");
    expect(contentHtml).toBe(`<p>Letters from the pier</p><p>Three winters by the sea</p><p>${text}…</p>${link(url)}`);
  });

  test("an article of WriteFreely may have no title and no paragraphs", async () => {
    const url = "https://writefreely.example/orla/on-moss";
    expect(await read("writefreely/article")).toEqual({
      ...EMPTY,
      uri: "https://writefreely.example/api/posts/x7",
      url,
      attributedTo: "https://writefreely.example/api/collections/orla",
      cc: ["https://writefreely.example/api/collections/orla/followers"],
      contentHtml: `<p>Moss has <em>no roots</em>.</p>${link(url)}`,
      language: "ga",
      published: at("2026-11-14T20:00:00Z"),
      hashtags: [{ name: "moss", written: "moss" }],
    });
  });
});

describe("BookWyrm", () => {
  const user = "https://bookwyrm.example/user/ada";
  const book = link("https://bookwyrm.example/book/77");
  const post = (path: string, contentHtml: string): RemoteStatus => ({
    ...EMPTY,
    uri: `${user}/${path}`,
    url: `${user}/${path}`,
    attributedTo: user,
    cc: [`${user}/followers`],
    contentHtml: contentHtml + book,
    published: at("2026-11-13T12:00:00.123Z"),
    repliesCount: 0,
  });

  test("a review is read with its title, its stars, its warning and the cover", async () => {
    const html = "<p>The lighthouse keeps you</p><p>★★★★½</p><p>I read it <i>twice</i>.</p>";
    expect(await read("bookwyrm/review")).toEqual({
      ...post("review/1", html),
      spoilerText: "The end is told",
      sensitive: true,
      attachments: [
        {
          ...MEDIA,
          type: "image",
          contentType: null,
          url: "https://bookwyrm.example/images/covers/77.jpg",
          description: "A Lighthouse (paperback)",
        },
      ],
    });
  });

  test("a rating is read as its stars and the book", async () => {
    expect(await read("bookwyrm/rating")).toEqual(post("reviewrating/2", "<p>★★★☆☆</p>"));
  });

  test("a comment is read with a link to the book", async () => {
    expect(await read("bookwyrm/comment")).toEqual(post("comment/3", "<p>Halfway, and <b>worried</b>.</p>"));
  });

  test("a quotation with prefixed names that is also a Note is read with the quoted passage", async () => {
    const html = "<blockquote><p>The lamp &amp; the sea</p></blockquote><p>So true.</p>";
    expect(await read("bookwyrm/quotation")).toEqual(post("quotation/4", html));
  });

  test.each([
    [0, ""],
    [-1, ""],
    [6, ""],
    ["5", ""],
    [5, "<p>★★★★★</p>"],
    [0.5, "<p>½☆☆☆☆</p>"],
    [2.26, "<p>★★½☆☆</p>"],
  ])("a rating of %p is shown as %p", async (rating, html) => {
    const status = readStatus({ ...(await fixture("bookwyrm/rating")), rating }, NOW);
    expect(status?.contentHtml).toBe(html + book);
  });
});

describe("Mobilizon", () => {
  const url = "https://mobilizon.example/events/aa11";
  const event = (time: string, place: string) =>
    `<p>Winter songs &lt;2026&gt;</p><p>${time}</p><p>${place}</p>${link(url)}`;

  test("an event is read with its start in its own time zone, and its place", async () => {
    expect(await read("mobilizon/event")).toEqual({
      ...EMPTY,
      uri: url,
      url,
      attributedTo: "https://mobilizon.example/@chorale",
      cc: ["https://mobilizon.example/@chorale/followers"],
      contentHtml: event("2026-12-05 19:00 (Europe/Paris)", "Salle Verte, 4 quai Haut, Lyon, France"),
      published: at("2026-11-12T08:00:00Z"),
      hashtags: [{ name: "songs", written: "songs" }],
      attachments: [
        {
          ...MEDIA,
          type: "image",
          contentType: "image/jpeg",
          url: "https://mobilizon.example/media/choir.jpg",
          description: "Banner",
        },
      ],
    });
  });

  test.each([undefined, "Europe/Nowhere", "../etc", 7])(
    "an event in the time zone %p starts in UTC",
    async (timezone) => {
      const location = { type: "Place", name: "Pier", address: "Pier" };
      const status = readStatus({ ...(await fixture("mobilizon/event")), timezone, location }, NOW);
      expect(status?.contentHtml).toBe(event("2026-12-05 18:00 (UTC)", "Pier"));
    },
  );

  test("an event without a valid time and place is read without them", async () => {
    const status = readStatus({ ...(await fixture("mobilizon/event")), startTime: "soon", location: "x" }, NOW);
    expect(status?.contentHtml).toBe(`<p>Winter songs &lt;2026&gt;</p>${link(url)}`);
  });
});

describe("Funkwhale and Owncast", () => {
  test("a track is read with its file, its cover and its seconds", async () => {
    const funkwhale = "https://funkwhale.example";
    const url = `${funkwhale}/library/tracks/91`;
    expect(await readCreated("funkwhale/create")).toEqual({
      ...EMPTY,
      uri: `${funkwhale}/federation/music/uploads/u1`,
      url,
      attributedTo: `${funkwhale}/federation/actors/night_radio`,
      contentHtml: `<p>Foghorns</p>${link(url)}`,
      published: at("2026-11-11T22:00:00Z"),
      hashtags: [{ name: "ambient", written: "Ambient" }],
      attachments: [
        {
          ...MEDIA,
          type: "audio",
          contentType: "audio/mpeg",
          url: `${funkwhale}/api/v1/listen/91/?upload=u1&download=false`,
          previewUrl: `${funkwhale}/media/cover.png`,
          duration: 212,
        },
      ],
    });
  });

  test("a stream's announcement is read with its single attachment and hashtag", async () => {
    const owncast = "https://owncast.example";
    expect(await readCreated("owncast/create")).toMatchObject({
      uri: `${owncast}/federation/k1`,
      to: [PUBLIC],
      cc: [`${owncast}/federation/user/pottery/followers`],
      hashtags: [{ name: "clay", written: "clay" }],
      attachments: [{ ...MEDIA, type: "image", contentType: "image/gif", url: `${owncast}/preview.gif?us=k1` }],
    });
  });

  test("a video of one file is read with the file", () => {
    const url = [
      { type: "Link", mediaType: "text/html", href: "https://a.example/v" },
      { type: "Link", mediaType: "video/webm", href: "https://a.example/v.webm" },
    ];
    const video = readStatus({ ...NOTE, type: "Video", name: "v", url, duration: "PT1M" }, NOW)!;
    expect(video).toMatchObject({ url: "https://a.example/v", contentHtml: `<p>v</p>${link("https://a.example/v")}` });
    expect(video.attachments).toEqual([
      { ...MEDIA, type: "video", contentType: "video/webm", url: "https://a.example/v.webm", duration: 60 },
    ]);
  });
});

describe("Notes are read", () => {
  const picture = { ...MEDIA, type: "image", contentType: "image/jpeg" } as const;

  test.each<[string, Partial<RemoteStatus>]>([
    [
      "hubzilla",
      {
        uri: "https://hubzilla.example/item/h1",
        url: "https://hubzilla.example/item/h1",
        attributedTo: "https://hubzilla.example/channel/mara",
        cc: ["https://hubzilla.example/followers/mara", BO],
        contentHtml: `Seeds for <a href="${BO}" target="_blank" rel="nofollow noopener">@bo</a>`,
        published: at("2026-11-09T10:00:00Z"),
        mentions: [{ href: BO, name: "@bo@linnet.example" }],
        attachments: [
          { ...picture, url: "https://hubzilla.example/photo/seeds-1.jpg", width: 1024, height: 768 },
          {
            ...MEDIA,
            type: "unknown",
            contentType: "application/pdf",
            url: "https://hubzilla.example/attach/list.pdf",
            description: "list.pdf",
          },
        ],
      },
    ],
    [
      "threads",
      {
        uri: "https://threads.example/ap/users/17841400000000001/post/18000000000000001/",
        url: "https://www.threads.example/@ines.b/post/Cabc",
        attributedTo: "https://threads.example/ap/users/17841400000000001/",
        cc: ["https://threads.example/ap/users/17841400000000001/followers/"],
        contentHtml: "<p>Two birds<br />one wire</p>",
        language: "pt",
        published: at("2026-11-09T02:00:00Z"),
        hashtags: [{ name: "birds", written: "Birds" }],
        attachments: [
          {
            ...picture,
            url: "https://cdn.threads.example/v/birds.jpg?oe=1&oh=2",
            description: "Two swallows",
            width: 1080,
            height: 1350,
          },
        ],
      },
    ],
    [
      "bridgy-fed",
      {
        uri: "https://bridgy.example/convert/ap/at://did:plc:q7/app.bsky.feed.post/3k1",
        url: "https://bridgy.example/r/https://bsky.example/profile/did:plc:q7/post/3k1",
        attributedTo: "https://bridgy.example/ap/did:plc:q7",
        cc: ["https://bridgy.example/ap/did:plc:q7/followers"],
        contentHtml: "<p>steep &amp; pour</p>",
        language: "en",
        published: at("2026-11-07T07:07:07.007Z"),
        attachments: [{ ...picture, url: "https://cdn.bsky.example/img/3k1@jpeg", description: "a pot" }],
      },
    ],
    [
      "snac",
      {
        uri: "https://snac.example/lio/p/1731000000.123456",
        url: "https://snac.example/lio/p/1731000000.123456",
        attributedTo: "https://snac.example/lio",
        cc: ["https://snac.example/lio/followers"],
        contentHtml:
          '<p>rain<br />again <a href="https://snac.example?t=rain" class="mention hashtag" target="_blank" rel="tag nofollow noopener">#rain</a></p>',
        published: at("2026-11-06T06:06:06Z"),
        hashtags: [{ name: "rain", written: "rain" }],
        attachments: [
          {
            ...picture,
            contentType: "image/webp",
            url: "https://snac.example/lio/s/window.webp",
            description: "window",
          },
        ],
      },
    ],
    [
      "mitra",
      {
        uri: "https://mitra.example/objects/0192",
        url: "https://mitra.example/objects/0192",
        attributedTo: "https://mitra.example/users/vee",
        cc: ["https://mitra.example/users/vee/followers"],
        contentHtml: `<p>North is up</p><p>RE: <a href="${BO}/statuses/7" target="_blank" rel="nofollow noopener">7</a></p>`,
        published: at("2026-11-05T05:05:05Z"),
        quote: { uri: `${BO}/statuses/7`, isLegacy: true, authorization: null },
      },
    ],
    [
      "friendica",
      {
        uri: "https://friendica.example/objects/f1",
        url: "https://friendica.example/display/f1",
        attributedTo: "https://friendica.example/profile/pim",
        cc: ["https://friendica.example/followers/pim"],
        contentHtml:
          "<p><strong>Flat tyre</strong></p>Fixed by " +
          '<a href="https://friendica.example/search?tag=rain" target="_blank" rel="nofollow noopener">#<span>rain</span></a>',
        language: "nl",
        published: at("2026-11-03T03:03:03Z"),
        updated: at("2026-11-03T04:00:00Z"),
        hashtags: [{ name: "rain", written: "rain" }],
        attachments: [
          {
            ...picture,
            url: "https://friendica.example/photo/tyre-0.jpg",
            width: 800,
            height: 600,
            blurhash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
          },
        ],
      },
    ],
  ])("from %s", async (server, expected) => {
    expect(await readCreated(`${server}/create`)).toEqual({ ...EMPTY, ...expected });
  });
});

describe("Accounts are read", () => {
  test.each<[string, Partial<RemoteActor>]>([
    [
      "peertube/channel",
      {
        uri: "https://peertube.example/video-channels/tidal_gardens",
        url: "https://peertube.example/c/tidal_gardens/videos",
        type: "Group",
        username: "tidal_gardens",
        avatarUrl: "https://peertube.example/a120.png",
        headerUrl: "https://peertube.example/banner.jpg",
      },
    ],
    ["lemmy/community", { type: "Group", username: "bread", displayName: "Bread & butter", following: null }],
    ["nodebb/category", { type: "Group", username: "workbench", url: "https://nodebb.example/category/4/workbench" }],
    ["funkwhale/channel", { username: "night_radio", url: "https://funkwhale.example/channels/night_radio" }],
    ["owncast/actor", { type: "Service", username: "pottery", following: null, sharedInbox: null }],
    ["hubzilla/actor", { username: "mara", url: "https://hubzilla.example/channel/mara", featured: null }],
    ["threads/actor", { username: "ines.b", url: "https://www.threads.example/@ines.b", noteHtml: "" }],
    [
      "bridgy-fed/actor",
      {
        uri: "https://bridgy.example/ap/did:plc:q7",
        url: "https://bridgy.example/r/https://bsky.example/profile/kit.bsky.example",
        username: "kit.bsky.example",
        avatarUrl: "https://cdn.bsky.example/avatar/q7@jpeg",
        alsoKnownAs: [],
      },
    ],
    ["snac/actor", { username: "lio", fields: [{ name: "home", valueHtml: "https://lio.example" }] }],
    ["mitra/actor", { username: "vee", headerUrl: null, fields: [{ name: "Pronouns", valueHtml: "they" }] }],
    ["friendica/actor", { username: "pim", headerUrl: "https://friendica.example/photo/header/pim.jpg" }],
  ])("from %s, with a key", async (name, expected) => {
    const actor = readActor(await fixture(name), NOW)!;
    expect(actor).toMatchObject(expected);
    expect(actor.publicKeys).toMatchObject([{ owner: actor.uri, pem: PEM }]);
  });

  test("with a page on a subdomain other than www at their URI", () => {
    const url = (address: string) => readActor({ ...ACTOR, url: address }, NOW)?.url;
    expect(url("https://www.a.example/@a")).toBe("https://www.a.example/@a");
    expect(url("https://b.a.example/@a")).toBe(NOBODY.uri);
    expect(url("https://www.b.example/@a")).toBe(NOBODY.uri);
  });
});

describe("An object of an unknown type", () => {
  const page = "https://odd.example/trails/3.html";

  test("is read as the beginning of its text and a link to its page", async () => {
    expect(await read("odd/unknown-type")).toEqual({
      ...EMPTY,
      uri: "https://odd.example/trails/3",
      url: page,
      attributedTo: "https://odd.example/people/wu",
      contentHtml: `<p>Up the <b>ridge</b></p>${link(page)}`,
      published: at("2026-11-02T02:02:02Z"),
    });
  });

  test("may have plain text", () => {
    const json = { ...NOTE, type: "Hike", url: page, mediaType: "text/markdown", content: "1 < 2\n*so*" };
    expect(readStatus(json, NOW)?.contentHtml).toBe(`<p>1 &lt; 2<br />*so*</p>${link(page)}`);
  });

  test.each<[string, Json]>([
    ["without content", { content: undefined }],
    ["with blank content", { content: " " }],
    ["without a page", { url: undefined }],
    ["with an unusable page", { url: "javascript:alert(1)" }],
    ["with an inbox", { inbox: "https://a.example/inbox" }],
    ["with an object", { object: "https://a.example/2" }],
    ...["Tombstone", "Like", "Announce", "Collection", "OrderedCollectionPage", "Person", "Group", "Story"].map(
      (type): [string, Json] => [`of the type ${type}`, { type }],
    ),
  ])("is not read %s", (_, change) => {
    const json = { ...NOTE, type: "Hike", url: page, content: "a" };
    expect(readStatus(json, NOW)).not.toBeNull();
    expect(readStatus({ ...json, ...change }, NOW)).toBeNull();
  });
});
