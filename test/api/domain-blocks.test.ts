import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { idsOf, pagesOf, relationship, wordsOf } from "../support/reading.ts";
import { remoteAccount, remoteFollows, remoteStatus } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
let spammer: string;

beforeEach(() => {
  spammer = remoteAccount(server, "spammer", "spam.example");
});

const PATH = "/api/v1/domain_blocks";

describe("Blocking a domain", () => {
  test("returns an empty object, can be repeated, and lists the domain once", async () => {
    for (const domain of ["spam.example", " SPAM.example. "]) {
      const { status, json } = await alice.post(PATH, { domain });
      expect([status, json]).toEqual([200, {}]);
    }
    expect((await alice.get(PATH)).json).toEqual(["spam.example"]);
    expect(await relationship(alice, { id: spammer })).toMatchObject({ domain_blocking: true, blocking: false });
    expect((await bob.get(PATH)).json).toEqual([]);
  });

  test("can be undone with the domain in the body or the query, and undoing can be repeated", async () => {
    for (const domain of ["spam.example", "other.example"]) await alice.post(PATH, { domain });
    for (let times = 0; times < 2; times++) {
      const { status, json } = await alice.delete(PATH, { domain: "Spam.Example" });
      expect([status, json]).toEqual([200, {}]);
    }
    expect((await alice.delete(`${PATH}?domain=other.example`)).status).toBe(200);
    expect((await alice.get(PATH)).json).toEqual([]);
    expect((await relationship(alice, { id: spammer })).domain_blocking).toBe(false);
  });

  test.each([
    ["bücher.example", "xn--bcher-kva.example"],
    ["127.0.0.1:4000", "127.0.0.1:4000"],
    ["localhost", "localhost"],
  ])("normalizes %s", async (domain, kept) => {
    await alice.post(PATH, { domain });
    expect((await alice.get(PATH)).json).toEqual([kept]);
  });

  test.each([
    [{}, "Domain can't be blank"],
    [{ domain: " " }, "Domain can't be blank"],
    [{ domain: "https://spam.example/" }, "Domain is not a valid domain name"],
    [{ domain: "spam.example/about" }, "Domain is not a valid domain name"],
    [{ domain: "@spammer@spam.example" }, "Domain is not a valid domain name"],
    [{ domain: "a b" }, "Domain is not a valid domain name"],
    [{ domain: "a..b" }, "Domain is not a valid domain name"],
    [{ domain: "%00" }, "Domain is not a valid domain name"],
    [{ domain: `${"x".repeat(64)}.example` }, "Domain is not a valid domain name"],
    [{ domain: ["spam.example"] }, "Domain is invalid"],
  ])("refuses %j, and so does unblocking", async (body, reason) => {
    for (const { status, json } of [await alice.post(PATH, body), await alice.delete(PATH, body)]) {
      expect([status, json]).toEqual([422, { error: `Validation failed: ${reason}` }]);
    }
  });

  test("ends follows and requests in both directions, and deletes notifications from the domain", async () => {
    const fan = remoteAccount(server, "fan", "spam.example");
    const other = remoteAccount(server, "fan", "other.example");
    await alice.post(`/api/v1/accounts/${spammer}/follow`);
    for (const who of [fan, other]) remoteFollows(server, who, alice);
    remoteFollows(server, spammer, alice, "follow_requests");
    await alice.post(PATH, { domain: "spam.example" });
    expect(await relationship(alice, { id: spammer })).toMatchObject({ following: false, requested_by: false });
    expect(idsOf(await alice.get(`/api/v1/accounts/${alice.id}/followers`))).toEqual([other]);
    const { followers_count, following_count } = (await alice.get(`/api/v1/accounts/${alice.id}`)).json;
    expect([followers_count, following_count]).toEqual([1, 0]);
    const notifications = (await alice.get("/api/v1/notifications")).json;
    expect(notifications.map(({ type, account }: Json) => [type, account.id])).toEqual([
      ["severed_relationships", alice.id],
      ["follow", other],
    ]);
    expect((await alice.post(`/api/v1/accounts/${spammer}/follow`)).status).toBe(403);
  });

  test("hides the domain's accounts and posts in timelines, threads, boosts and lists of accounts", async () => {
    await alice.follow(bob);
    const spam = remoteStatus(server, spammer, "spam");
    const ham = remoteStatus(server, remoteAccount(server, "friend", "good.example"), "ham");
    await bob.post(`/api/v1/statuses/${spam}/reblog`);
    await bob.post(`/api/v1/statuses/${ham}/reblog`);
    await bob.post(`/api/v1/accounts/${spammer}/follow`);
    await alice.post(PATH, { domain: "spam.example" });
    for (const path of ["/api/v1/timelines/home", "/api/v1/timelines/public", `/api/v1/accounts/${bob.id}/statuses`]) {
      expect([path, wordsOf(await alice.get(path))]).toEqual([path, ["ham"]]);
    }
    expect((await alice.get(`/api/v1/accounts/${bob.id}/following`)).json).toEqual([]);
    expect((await alice.get(`/api/v1/statuses/${spam}`)).status).toBe(200);
    await alice.delete(PATH, { domain: "spam.example" });
    expect(wordsOf(await alice.get("/api/v1/timelines/public"))).toEqual(["ham", "spam"]);
  });

  test("does not affect its subdomains", async () => {
    remoteStatus(server, remoteAccount(server, "friend", "not.spam.example"), "ham");
    await alice.post(PATH, { domain: "spam.example" });
    expect(wordsOf(await alice.get("/api/v1/timelines/public"))).toEqual(["ham"]);
  });
});

test("GET /api/v1/domain_blocks lists domains in pages, the latest block first", async () => {
  const domains = ["e", "b", "d", "a", "c"].map((name) => `${name}.example`);
  for (const domain of domains) await alice.post(PATH, { domain });
  const pages = await pagesOf(alice, `${PATH}?limit=2`);
  expect(pages).toEqual([["c.example", "a.example"], ["d.example", "b.example"], ["e.example"]]);
});
