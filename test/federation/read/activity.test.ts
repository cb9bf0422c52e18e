import { describe, expect, test } from "bun:test";
import { readActivity, referredActivity } from "../../../src/federation/read/activity.ts";
import { PUBLIC } from "../../../src/federation/read/audience.ts";
import { readCollection } from "../../../src/federation/read/collection.ts";
import { parseDocument } from "../../../src/federation/read/json.ts";
import { BO, fixture, NOW } from "./fixtures.ts";

const ADA = "https://mastodon.example/users/ada";
const TUI = "https://gts.example/users/tui";
const YUKI = "https://pleroma.example/users/yuki.s";
const RYO = "https://misskey.example/users/9abcdefghi";
const ZOE = "https://pixelfed.example/users/zoe";
const POST = `${BO}/statuses/7`;

describe("An activity is read", () => {
  test.each([
    ["mastodon/create", "Create", ADA, `${ADA}/statuses/115000000000000001`],
    ["mastodon/follow", "Follow", ADA, BO],
    ["mastodon/accept", "Accept", ADA, `${BO}#follows/3`],
    ["mastodon/like", "Like", ADA, POST],
    ["mastodon/announce", "Announce", ADA, POST],
    ["mastodon/undo-announce", "Undo", ADA, `${ADA}/statuses/115000000000000004/activity`],
    ["mastodon/delete", "Delete", ADA, `${ADA}/statuses/115000000000000001`],
    ["mastodon/delete-actor", "Delete", ADA, ADA],
    ["mastodon/update-actor", "Update", ADA, ADA],
    ["mastodon/block", "Block", ADA, BO],
    ["gotosocial/create", "Create", TUI, `${TUI}/statuses/01KADAWNCH0RVS00000000000A`],
    ["gotosocial/accept", "Accept", TUI, `${BO}#follows/4`],
    ["gotosocial/undo-like", "Undo", TUI, `${TUI}/liked/01KALIKE000000000000000000`],
    ["gotosocial/delete", "Delete", TUI, `${TUI}/statuses/01KADAWNCH0RVS00000000000A`],
    ["pleroma/react", "Like", YUKI, POST],
    ["pleroma/undo-react", "Undo", YUKI, "https://pleroma.example/activities/3f3c9c40-0000-4000-8000-000000000004"],
    ["pleroma/follow", "Follow", YUKI, BO],
    ["pleroma/reject", "Reject", YUKI, `${BO}#follows/5`],
    ["misskey/like", "Like", RYO, POST],
    ["misskey/undo-like", "Undo", RYO, "https://misskey.example/likes/9abclike01"],
    ["misskey/undo-follow", "Undo", RYO, null],
    ["misskey/accept", "Accept", RYO, `${BO}#follows/6`],
    ["misskey/delete", "Delete", RYO, "https://misskey.example/notes/9abcnote01"],
    ["misskey/announce", "Announce", RYO, POST],
    ["pixelfed/accept", "Accept", ZOE, `${BO}#follows/7`],
    ["pixelfed/delete", "Delete", ZOE, "https://pixelfed.example/p/zoe/700000000000000001"],
  ])("from %s", async (name, type, actor, objectId) => {
    const json = await fixture(name);
    expect(readActivity(json, NOW)).toMatchObject({ id: json.id, type, actor, objectId });
  });

  test("with its audience and time", async () => {
    const json = await fixture("mastodon/announce");
    expect(readActivity(json, NOW)).toEqual({
      id: `${ADA}/statuses/115000000000000004/activity`,
      type: "Announce",
      actor: ADA,
      object: null,
      objectId: POST,
      target: null,
      to: [PUBLIC],
      cc: [BO, `${ADA}/followers`],
      published: Date.parse("2026-11-20T12:00:00Z"),
      raw: json,
    });
  });

  test("with lists and objects where others send one string, and the known one of several types", async () => {
    const json = await fixture("odd/activity-types");
    expect(readActivity(json, NOW)).toMatchObject({
      type: "Follow",
      actor: "https://odd.example/people/wu",
      objectId: BO,
      target: "https://odd.example/t",
      to: [],
      cc: [],
    });
  });

  test("of an unknown type", () => {
    const wave = { id: "https://a.example/1", type: "Wave", actor: "https://a.example/a" };
    expect(readActivity(wave, NOW)).toMatchObject({ type: "Wave", object: null, objectId: null });
  });
});

describe("An activity is not read", () => {
  const follow = { id: "https://a.example/1", type: "Follow", actor: "https://a.example/a", object: BO };

  test.each([
    ["without an id", { id: null }],
    ["without a type", { type: undefined }],
    ["with a type that is no text", { type: [1, {}] }],
    ["with a type of 101 characters", { type: "a".repeat(101) }],
    ["without an actor", { actor: {} }],
    ["with an id that is no http(s) address", { id: "urn:uuid:1" }],
    ["with an actor that is no http(s) address", { actor: "acct:a@a.example" }],
  ])("%s", (_, change) => {
    expect(readActivity(follow, NOW)).not.toBeNull();
    expect(readActivity({ ...follow, ...change }, NOW)).toBeNull();
  });
});

describe("The activity that is accepted, rejected or undone is read", () => {
  test.each([
    ["mastodon/accept", { id: `${BO}#follows/3`, type: "Follow", actor: BO, objectId: ADA }],
    ["gotosocial/accept", { id: `${BO}#follows/4`, type: "Follow", actor: BO, objectId: TUI }],
    ["pleroma/reject", { id: `${BO}#follows/5`, type: "Follow", actor: BO, objectId: YUKI }],
    [
      "mastodon/undo-announce",
      { id: `${ADA}/statuses/115000000000000004/activity`, type: "Announce", actor: ADA, objectId: POST },
    ],
    [
      "misskey/undo-like",
      {
        id: "https://misskey.example/likes/9abclike01",
        type: "Like",
        actor: RYO,
        objectId: POST,
        emoji: ":blob_cat:",
      },
    ],
    ["misskey/undo-follow", { id: null, type: "Follow", actor: RYO, objectId: BO }],
    [
      "pleroma/undo-react",
      {
        id: "https://pleroma.example/activities/3f3c9c40-0000-4000-8000-000000000004",
        type: null,
        actor: null,
        objectId: null,
      },
    ],
  ])("from %s", async (name, referred) => {
    expect(referredActivity(readActivity(await fixture(name), NOW)!)).toEqual({ emoji: null, ...referred });
  });
});

describe("A collection is read", () => {
  const status = `${ADA}/statuses/115000000000000001`;

  test.each([
    ["mastodon/followers", { id: `${ADA}/followers`, totalItems: 310, items: [], next: `${ADA}/followers?page=1` }],
    [
      "mastodon/replies",
      {
        id: `${status}/replies`,
        totalItems: null,
        items: [`${ADA}/statuses/115000000000000002`],
        next: `${status}/replies?only_other_accounts=true&page=true`,
      },
    ],
    [
      "gotosocial/featured",
      {
        id: `${TUI}/collections/featured`,
        totalItems: 1,
        items: [`${TUI}/statuses/01KADAWNCH0RVS00000000000A`],
        next: null,
      },
    ],
    [
      "odd/collection",
      { id: "https://odd.example/c", totalItems: null, items: ["https://odd.example/notes/1"], next: null },
    ],
  ])("from %s", async (name, collection) => {
    expect(readCollection(await fixture(name))).toEqual(collection);
  });

  test("with the embedded first page of GoToSocial, which has no items", async () => {
    const note = (await fixture("gotosocial/create")).object as Record<string, Record<string, unknown>>;
    const replies = `${TUI}/statuses/01KADAWNCH0RVS00000000000A/replies`;
    expect(readCollection(note.replies!)).toEqual({
      id: replies,
      totalItems: null,
      items: [],
      next: `${replies}?page=true&only_other_accounts=false`,
    });
  });

  test("from a page, with embedded items and without unusable ones", () => {
    const item = { id: "https://a.example/1", type: "Note" };
    const page = {
      type: "OrderedCollectionPage",
      orderedItems: [item, null, 5, "x:y"],
      next: "https://a.example/?p=2",
    };
    expect(readCollection(page)).toEqual({ id: null, totalItems: null, items: [item], next: "https://a.example/?p=2" });
  });

  test("unless it is something else", () => {
    expect(readCollection({ id: "https://a.example/1", type: "Note", items: [] })).toBeNull();
  });
});

describe("A document", () => {
  test("may be nested 32 deep", () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
    expect(parseDocument(nested(32))).not.toBeNull();
    expect(parseDocument(nested(33))).toBeNull();
    expect(parseDocument(`{"a":${"[".repeat(31)}${"]".repeat(31)}}`)).not.toBeNull();
    expect(parseDocument(`{"a":${"[".repeat(32)}${"]".repeat(32)}}`)).toBeNull();
  });

  test.each(["", "{", "[]", "null", '"a"', "1", `${"[".repeat(100_000)}`, '{"a":'.repeat(100_000)])(
    "that is no object is not read",
    (text) => {
      expect(parseDocument(text)).toBeNull();
    },
  );
});
