import { describe, expect, test } from "bun:test";
import { readActor, type RemoteActor } from "../../../src/federation/read/actor.ts";
import { keysOf, readKeyDocument } from "../../../src/federation/read/keys.ts";
import { fixture, NOW, objectOf, PEM } from "./fixtures.ts";

const EMPTY = {
  fields: [],
  locked: false,
  discoverable: false,
  indexable: false,
  memorial: false,
  avatarUrl: null,
  avatarDescription: "",
  headerUrl: null,
  headerDescription: "",
  sharedInbox: null,
  outbox: null,
  followers: null,
  following: null,
  featured: null,
  featuredTags: null,
  publicKeys: [],
  keyIds: [],
  alsoKnownAs: [],
  movedTo: null,
  published: null,
  emojis: [],
  attributionDomains: [],
};
const at = (date: string) => Date.parse(date);

async function read(name: string): Promise<RemoteActor | null> {
  return readActor(await fixture(name), NOW);
}

/** The key of an actor with the usual id. */
function keyOf(owner: string, id = `${owner}#main-key`, pem = PEM) {
  return { publicKeys: [{ id, owner, pem }], keyIds: [id] };
}

function collectionsOf(uri: string) {
  return {
    inbox: `${uri}/inbox`,
    outbox: `${uri}/outbox`,
    followers: `${uri}/followers`,
    following: `${uri}/following`,
    featured: `${uri}/collections/featured`,
  };
}

describe("An account is read", () => {
  test("from Mastodon", async () => {
    const uri = "https://mastodon.example/users/ada";
    const files = "https://files.mastodon.example";
    expect(await read("mastodon/actor")).toEqual({
      ...collectionsOf(uri),
      ...keyOf(uri),
      uri,
      url: "https://mastodon.example/@ada",
      type: "Person",
      username: "ada",
      displayName: "Ada :loom: & friends",
      noteHtml: "<p>Weaves numbers.</p><p>Looms &amp; engines.</p>",
      fields: [
        { name: "Pronouns", valueHtml: "she/her" },
        {
          name: "Notes",
          valueHtml: '<a href="https://notes.example/ada" target="_blank" rel="nofollow noopener">notes.example</a>',
        },
      ],
      locked: true,
      discoverable: true,
      indexable: false,
      memorial: false,
      avatarUrl: `${files}/avatars/ada.jpg`,
      avatarDescription: "Ada at her desk",
      headerUrl: `${files}/headers/ada.png`,
      headerDescription: "",
      sharedInbox: "https://mastodon.example/inbox",
      featuredTags: `${uri}/collections/tags`,
      alsoKnownAs: ["https://old.example/users/ada"],
      movedTo: null,
      published: at("2024-03-09T00:00:00Z"),
      emojis: [
        {
          shortcode: "loom",
          imageUrl: `${files}/emoji/loom.png`,
          uri: "https://mastodon.example/emojis/17",
          updatedAt: at("2025-01-02T03:04:05Z"),
        },
      ],
      attributionDomains: ["notes.example"],
    });
  });

  test("from GoToSocial, with a single field and a bot's type", async () => {
    const uri = "https://gts.example/users/tui";
    expect(await read("gotosocial/actor")).toEqual({
      ...EMPTY,
      ...collectionsOf(uri),
      ...keyOf(uri, `${uri}/main-key`),
      uri,
      url: "https://gts.example/@tui",
      type: "Service",
      username: "tui",
      displayName: "Tūī",
      noteHtml: '<p>Sings "loudly".</p>',
      fields: [{ name: "nest", valueHtml: "in the kōwhai" }],
      avatarUrl: "https://gts.example/fileserver/TUI/attachment/original/AVATAR.webp",
      avatarDescription: "A tūī",
      sharedInbox: "https://gts.example/sharedInbox",
      published: at("2025-02-03T04:05:06.789Z"),
    });
  });

  test("from Pleroma, with a dot in the username and a space in an address", async () => {
    const pleroma = "https://pleroma.example";
    const uri = `${pleroma}/users/yuki.s`;
    expect(await read("pleroma/actor")).toEqual({
      ...EMPTY,
      ...collectionsOf(uri),
      ...keyOf(uri, undefined, `${PEM}\n`),
      uri,
      url: uri,
      type: "Person",
      username: "yuki.s",
      displayName: "雪 :snow_flake:",
      noteHtml: "snow<br />and ice",
      fields: [
        {
          name: "Site",
          valueHtml: '<a href="https://yuki.example" target="_blank" rel="nofollow noopener">https://yuki.example</a>',
        },
      ],
      discoverable: true,
      avatarUrl: `${pleroma}/media/yuki%20avatar.png`,
      headerUrl: `${pleroma}/media/yuki-banner.png`,
      sharedInbox: `${pleroma}/inbox`,
      emojis: [
        {
          shortcode: "snow_flake",
          imageUrl: `${pleroma}/emoji/snow_flake.png`,
          uri: `${pleroma}/emoji/snow_flake.png`,
          updatedAt: null,
        },
      ],
    });
  });

  test("from Misskey, without a name", async () => {
    const uri = "https://misskey.example/users/9abcdefghi";
    expect(await read("misskey/actor")).toEqual({
      ...EMPTY,
      ...collectionsOf(uri),
      ...keyOf(uri),
      uri,
      url: "https://misskey.example/@Ryo",
      type: "Person",
      username: "Ryo",
      displayName: "",
      noteHtml: "<p><span>cat person<br />nyan</span></p>",
      fields: [{ name: "lang", valueHtml: "ja &amp; en" }],
      discoverable: true,
      avatarUrl: "https://misskey.example/files/ryo.webp",
      sharedInbox: "https://misskey.example/inbox",
    });
  });

  test("from Pixelfed, with line breaks in the note and Windows line ends in the key", async () => {
    const uri = "https://pixelfed.example/users/zoe";
    expect(await read("pixelfed/actor")).toEqual({
      ...EMPTY,
      ...collectionsOf(uri),
      ...keyOf(uri, undefined, PEM.replaceAll("\n", "\r\n")),
      uri,
      url: "https://pixelfed.example/zoe",
      type: "Person",
      username: "zoe",
      displayName: "Zoë",
      noteHtml: "film &amp; light\nin Lisbon",
      indexable: true,
      avatarUrl: "https://pixelfed.example/storage/avatars/zoe.jpg?v=2",
      sharedInbox: "https://pixelfed.example/f/inbox",
      featured: null,
      published: at("2023-05-06T00:00:00Z"),
    });
  });

  test("from any server, with lists, objects and maps where others send one value", async () => {
    const uri = "https://odd.example/people/wu";
    expect(await read("odd/actor")).toEqual({
      ...EMPTY,
      uri,
      url: uri,
      type: "Person",
      username: "Wu-Wei",
      displayName: "evil &lt;b&gt; Wu",
      noteHtml: "<p>poet</p>",
      fields: [{ name: "Haiku", valueHtml: "" }],
      avatarUrl: "https://odd.example/l.png",
      avatarDescription: "Wu, smiling",
      headerUrl: "https://odd.example/header.png",
      inbox: `${uri}/inbox`,
      sharedInbox: "https://odd.example/inbox",
      followers: `${uri}/followers`,
      publicKeys: [{ id: `${uri}#rsa`, owner: uri, pem: PEM }],
      keyIds: ["https://odd.example/keys/2", `${uri}#ed25519`, `${uri}#rsa`],
      alsoKnownAs: ["https://old.example/@wu"],
      movedTo: "https://new.example/@wu",
      published: NOW,
      attributionDomains: ["wu.example"],
    });
  });

  test("from an Update", async () => {
    expect(readActor(await objectOf("mastodon/update-actor"), NOW)).toMatchObject({
      uri: "https://mastodon.example/users/ada",
      displayName: "Ada L.",
    });
  });
});

const ACTOR = {
  id: "https://a.example/a",
  type: "Person",
  preferredUsername: "a",
  inbox: "https://a.example/a/inbox",
};

describe("An account is not read", () => {
  test.each([
    ["without an id", { id: undefined }],
    ["without an inbox", { inbox: null }],
    ["with an inbox that is no http(s) address", { inbox: "ftp://a.example/inbox" }],
    ["with credentials in its inbox", { inbox: "https://a:b@a.example/inbox" }],
    ["of a type that no account has", { type: "Note" }],
    ["without a username", { preferredUsername: "" }],
    ["with a space in its username", { preferredUsername: "a b" }],
    ["with a domain in its username", { preferredUsername: "a@b.example" }],
    ["with a dot at the end of its username", { preferredUsername: "a." }],
    ["with a letter outside ASCII in its username", { preferredUsername: "ä" }],
    ["with a username of 101 characters", { preferredUsername: "a".repeat(101) }],
  ])("%s", (_, change) => {
    expect(readActor(ACTOR, NOW)).not.toBeNull();
    expect(readActor({ ...ACTOR, ...change }, NOW)).toBeNull();
  });
});

test.each(["a".repeat(100), "A_b-c.d", "__", "a--b"])("A username may be %s", (preferredUsername) => {
  expect(readActor({ ...ACTOR, preferredUsername }, NOW)?.username).toBe(preferredUsername);
});

describe("A key", () => {
  const owner = "https://a.example/a";
  const key = { id: `${owner}#key`, owner, publicKeyPem: PEM };
  const read = { id: key.id, owner, pem: PEM };

  test("is read from the part of an actor that GoToSocial serves for it", async () => {
    const actor = "https://gts.example/users/tui";
    expect(readKeyDocument(await fixture("gotosocial/key"), `${actor}/main-key`)).toEqual({
      id: `${actor}/main-key`,
      owner: actor,
      pem: PEM,
    });
  });

  test("is read from a document of its own", async () => {
    expect(readKeyDocument(await fixture("odd/key"), "https://odd.example/keys/1")).toEqual({
      id: "https://odd.example/keys/1",
      owner: "https://odd.example/people/wu",
      pem: PEM,
    });
  });

  test("is found among the keys of an actor", () => {
    const other = { ...key, id: `${owner}#other` };
    expect(readKeyDocument({ ...ACTOR, publicKey: [other, key] }, key.id)).toEqual(read);
    expect(keysOf({ ...ACTOR, publicKey: [other, key] }).map(({ id }) => id)).toEqual([other.id, key.id]);
  });

  test("keeps the owner that it names, even if that is another actor", () => {
    const owner = "https://b.example/b";
    expect(keysOf({ ...ACTOR, publicKey: { ...key, owner } })).toEqual([{ ...read, owner }]);
  });

  test.each([
    ["with another id than the one that was fetched", { ...key, id: `${owner}#other` }],
    ["without an owner", { ...key, owner: undefined }],
    ["without a PEM", { ...key, publicKeyPem: undefined }],
    ["with a private key", { ...key, publicKeyPem: PEM.replaceAll("PUBLIC", "PRIVATE") }],
    ["with a PEM of more than 16,384 characters", { ...key, publicKeyPem: PEM.replace("MII", "A".repeat(16_384)) }],
  ])("is not read %s", (_, document) => {
    expect(readKeyDocument(key, key.id)).toEqual(read);
    expect(readKeyDocument(document, key.id)).toBeNull();
  });
});
