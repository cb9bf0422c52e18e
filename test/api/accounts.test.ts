import { describe, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { idsOf, wordsOf } from "../support/reading.ts";
import { block, mute, remoteAccount } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { uploaded } from "../support/uploads.ts";

const { server, alice, Bob: bob } = serverForEachTest(["alice", "Bob"]);

describe("An account", () => {
  test("is visible to everyone, with every documented field", async () => {
    await alice.publish("hello");
    const { status, json } = await server.stranger().get(`/api/v1/accounts/${alice.id}`);
    expect(status).toBe(200);
    expectShape(json, "Account");
    expect(json).toMatchObject({
      id: alice.id,
      username: "alice",
      acct: "alice",
      url: `${server.origin}/@alice`,
      uri: `${server.origin}/users/alice`,
      locked: false,
      bot: false,
      group: false,
      statuses_count: 1,
      last_status_at: "2026-11-21",
      created_at: "2026-11-21T00:00:00.000Z",
      emojis: [],
      fields: [],
    });
  });

  test("shows private fields to its owner only", async () => {
    const { json } = await bob.get(`/api/v1/accounts/${alice.id}`);
    expect(json).not.toContainKeys(["source", "role", "email"]);
    expect((await alice.get("/api/v1/accounts/verify_credentials")).json).toContainAllKeys([
      ...Object.keys(json),
      "source",
      "role",
    ]);
  });

  test("without an avatar or header has placeholder images", async () => {
    const { json } = await bob.get(`/api/v1/accounts/${alice.id}`);
    for (const name of ["avatar", "avatar_static", "header", "header_static"]) {
      expect(json[name]).toEndWith("/original/missing.png");
      expect((await fetch(json[name])).headers.get("content-type")).toBe("image/png");
    }
  });

  test("on another server has an acct with its domain", async () => {
    const id = remoteAccount(server, "dora", "elsewhere.example");
    const { json } = await bob.get(`/api/v1/accounts/${id}`);
    expectShape(json, "Account");
    expect(json).toMatchObject({ username: "dora", acct: "dora@elsewhere.example" });
  });

  test.each(["0", "1", "999999999999999", "99999999999999999999999", "-1", "alice", "1.5", "%20", "null"])(
    "that doesn't exist (%s) is not found",
    async (id) => {
      const { status, json } = await alice.get(`/api/v1/accounts/${id}`);
      expect([status, json]).toEqual([404, { error: "Record not found" }]);
    },
  );

  test("can be requested together with others; ids that don't exist are skipped", async () => {
    const answer = await server.stranger().get(`/api/v1/accounts?id[]=${bob.id}&id[]=77&id[]=x&id[]=${alice.id}`);
    expectShape(answer.json, ["Account"]);
    expect(idsOf(answer)).toEqual([bob.id, alice.id]);
  });
});

describe("GET /api/v1/accounts/lookup", () => {
  test.each(["alice", "@alice", "ALICE", " alice ", "alice@localhost:3000", "@Alice@LOCALHOST:3000"])(
    "finds an account by the handle %p",
    async (acct) => {
      const answer = await server.stranger().get(`/api/v1/accounts/lookup?acct=${encodeURIComponent(acct)}`);
      expect([answer.status, answer.json.id]).toEqual([200, alice.id]);
    },
  );

  test("finds a known account on another server", async () => {
    const id = remoteAccount(server, "alice", "elsewhere.example");
    const { json } = await server.stranger().get("/api/v1/accounts/lookup?acct=alice@elsewhere.example");
    expect(json.id).toBe(id);
  });

  test.each(["nobody", "alice@unknown.example", "a b", "@", "alice@", "@@", "%", "x".repeat(390)])(
    "finds nothing for %p",
    async (acct) => {
      const answer = await server.stranger().get(`/api/v1/accounts/lookup?acct=${encodeURIComponent(acct)}`);
      expect([answer.status, answer.json]).toEqual([404, { error: "Record not found" }]);
    },
  );

  test("refuses a request without acct", async () => {
    const { status, json } = await alice.get("/api/v1/accounts/lookup");
    expect([status, json]).toEqual([422, { error: "Validation failed: Acct can't be blank" }]);
  });
});

describe("Account search", () => {
  const search = (query: Record<string, string>) =>
    alice.get(`/api/v1/accounts/search?${new URLSearchParams(query).toString()}`);

  test("matches the beginning of a username, ignoring case", async () => {
    const answer = await search({ q: "BO" });
    expectShape(answer.json, ["Account"]);
    expect(idsOf(answer)).toEqual([bob.id]);
    expect(idsOf(await search({ q: "@bob" }))).toEqual([bob.id]);
    expect(idsOf(await search({ q: "ob" }))).toEqual([]);
  });

  test("matches a part of a display name", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", { display_name: "Robert Tables" });
    expect(idsOf(await search({ q: "tables" }))).toEqual([bob.id]);
  });

  test("matches the domain of accounts on other servers", async () => {
    const id = remoteAccount(server, "bobby", "elsewhere.example");
    expect(idsOf(await search({ q: "bob@else" }))).toEqual([id]);
    expect(idsOf(await search({ q: "bob@localhost:3000" }))).toEqual([bob.id]);
  });

  test("lists the exact username first, then followed accounts", async () => {
    const bobby = await server.person("bobby");
    const bobine = await server.person("bobine");
    await alice.follow(bobine);
    expect(idsOf(await search({ q: "bob" }))).toEqual([bob.id, bobine.id, bobby.id]);
    expect(idsOf(await search({ q: "bob", limit: "1" }))).toEqual([bob.id]);
    expect(idsOf(await search({ q: "bob", limit: "1", offset: "1" }))).toEqual([bobine.id]);
    expect(idsOf(await search({ q: "bob", following: "true" }))).toEqual([bobine.id]);
  });

  test("with following=true finds all followed accounts, however many others match", async () => {
    const bobby = await server.person("bobby");
    for (const domain of ["a.example", "b.example"]) remoteAccount(server, "bob", domain);
    for (const { id } of [bob, bobby]) await alice.post(`/api/v1/accounts/${id}/follow`);
    expect(idsOf(await search({ q: "bob", following: "true", limit: "2" }))).toEqual([bob.id, bobby.id]);
    expect(idsOf(await search({ q: "bob", following: "true", limit: "2", offset: "1" }))).toEqual([bobby.id]);
  });

  test.each(["", " ", "%", "_", "\\", "'", '"', "@", "@@", "a@b@c", "\u0000", "😀", "x".repeat(900)])(
    "for %p finds nothing",
    async (q) => {
      const answer = await search({ q });
      expect([answer.status, answer.json]).toEqual([200, []]);
    },
  );

  test("needs a token", async () => {
    expect((await server.stranger().get("/api/v1/accounts/search?q=alice")).status).toBe(401);
  });
});

describe("An account's list of statuses", () => {
  const of = (reader: Client, author: Client, query = "") =>
    reader.get(`/api/v1/accounts/${author.id}/statuses${query}`);

  test("has the newest first, including boosts", async () => {
    const boosted = await bob.publish("two");
    await alice.publish("one");
    await alice.post(`/api/v1/statuses/${boosted.id}/reblog`);
    await alice.publish("three");
    const answer = await of(server.stranger(), alice);
    expectShape(answer.json, ["Status"]);
    expect(wordsOf(answer)).toEqual(["three", "two", "one"]);
  });

  test("can be filtered", async () => {
    const root = await bob.publish("root");
    const media = await uploaded(alice);
    const own = await alice.publish({ status: "picture", media_ids: [media.id] });
    await alice.publish({ status: "to myself", in_reply_to_id: own.id });
    await alice.publish({ status: "to bob", in_reply_to_id: root.id });
    await alice.publish("about #Cats");
    await alice.post(`/api/v1/statuses/${root.id}/reblog`);
    const words = async (query: string) => wordsOf(await of(bob, alice, query));
    expect(await words("?only_media=true")).toEqual(["picture"]);
    expect(await words("?exclude_replies=true")).toEqual(["root", "about #Cats", "to myself", "picture"]);
    expect(await words("?exclude_reblogs=1")).toEqual(["about #Cats", "to bob", "to myself", "picture"]);
    expect(await words("?tagged=CATS")).toEqual(["about #Cats"]);
    expect(await words("?tagged=dogs")).toEqual([]);
    expect(await words("?exclude_replies=true&exclude_reblogs=true&limit=1")).toEqual(["about #Cats"]);
  });

  test("has only pinned statuses with pinned=true, the latest pin first", async () => {
    const [first, second] = [await alice.publish("first"), await alice.publish("second")];
    await alice.publish("third");
    await alice.post(`/api/v1/statuses/${second.id}/pin`);
    await alice.post(`/api/v1/statuses/${first.id}/pin`);
    expect(wordsOf(await of(bob, alice, "?pinned=true"))).toEqual(["first", "second"]);
    expect((await of(alice, alice, "?pinned=true")).json[0].pinned).toBe(true);
  });

  test("is empty for viewers that the account blocks", async () => {
    await alice.publish("hello");
    block(server, alice, bob);
    expect((await of(bob, alice)).json).toEqual([]);
    expect(wordsOf(await of(server.stranger(), alice))).toEqual(["hello"]);
  });

  test("is complete for viewers who mute the account", async () => {
    await alice.publish("hello");
    mute(server, bob, alice);
    expect(wordsOf(await of(bob, alice))).toEqual(["hello"]);
  });

  test("of an account that doesn't exist is not found", async () => {
    expect((await alice.get("/api/v1/accounts/5/statuses")).status).toBe(404);
  });
});
