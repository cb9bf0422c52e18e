import { describe, expect, test } from "bun:test";
import type { Answer, Json } from "../support/client.ts";
import { refusal } from "../support/reading.ts";
import { expectGuarded } from "../support/guards.ts";
import { remoteAccount } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const feature = (name: string): Promise<Answer> => alice.post("/api/v1/featured_tags", { name });
const featured = async (): Promise<Json[]> => (await alice.get("/api/v1/featured_tags")).json;
const countsOf = async (): Promise<[string, string, string | null][]> =>
  (await featured()).map(({ name, statuses_count, last_status_at }) => [name, statuses_count, last_status_at]);

const DAY = 24 * 3600_000;

describe("Featuring a hashtag", () => {
  test("shows it on the profile with the number of its posts", async () => {
    await alice.publish("#Tea one");
    server.clock.advance(DAY);
    await alice.publish({ status: "#tea two", visibility: "unlisted" });
    await alice.publish({ status: "#tea for few", visibility: "private" });
    await bob.publish("#tea");
    const { status, json } = await feature("#TEA ");
    expect(status).toBe(200);
    expectShape(json, "FeaturedTag");
    expect(json).toEqual({
      id: json.id,
      name: "TEA",
      url: `${server.origin}/@alice/tagged/tea`,
      statuses_count: "2",
      last_status_at: "2026-11-22",
    });
    expect(await featured()).toEqual([json]);
    expect((await server.stranger().get(`/api/v1/accounts/${alice.id}/featured_tags`)).json).toEqual([json]);
    expect((await alice.get("/api/v1/tags/tea")).json).toMatchObject({ name: "Tea", featuring: true });
    expect((await bob.get("/api/v1/tags/tea")).json.featuring).toBe(false);
  });

  test("without posts has a count of 0", async () => {
    const { json } = await feature("later");
    expectShape(json, "FeaturedTag");
    expect(json).toMatchObject({ statuses_count: "0", last_status_at: null });
  });

  test("counts later posts, edits and deletions", async () => {
    await feature("tea");
    const first = await alice.publish("#tea one");
    server.clock.advance(DAY);
    const second = await alice.publish("two");
    expect(await countsOf()).toEqual([["tea", "1", "2026-11-21"]]);
    await alice.put(`/api/v1/statuses/${second.id}`, { status: "#tea two" });
    expect(await countsOf()).toEqual([["tea", "2", "2026-11-22"]]);
    await alice.put(`/api/v1/statuses/${second.id}`, { status: "two after all" });
    expect(await countsOf()).toEqual([["tea", "1", "2026-11-21"]]);
    await alice.publish({ status: "#tea", visibility: "private" });
    await bob.publish("#tea");
    await alice.put(`/api/v1/statuses/${first.id}`, { status: "#tea, still" });
    expect(await countsOf()).toEqual([["tea", "1", "2026-11-21"]]);
    await alice.delete(`/api/v1/statuses/${first.id}`);
    expect(await countsOf()).toEqual([["tea", "0", null]]);
  });

  test("a second time changes nothing", async () => {
    const [first, again] = [await feature("tea"), await feature("Tea")];
    expect(again).toMatchObject({ status: 200, json: first.json });
    expect(await featured()).toHaveLength(1);
  });

  test("is also possible by the path of the hashtag", async () => {
    const on = await alice.post("/api/v1/tags/Tea/feature");
    expectShape(on.json, "Tag");
    expect(on).toMatchObject({ status: 200, json: { name: "Tea", featuring: true } });
    expect(await countsOf()).toEqual([["Tea", "0", null]]);
    for (const name of ["tea", "tea", "never"]) {
      expect(await alice.post(`/api/v1/tags/${name}/unfeature`)).toMatchObject({
        status: 200,
        json: { featuring: false },
      });
    }
    expect(await featured()).toEqual([]);
  });

  test("is limited to ten, which the instance entity says", async () => {
    const { configuration } = (await alice.get("/api/v2/instance")).json;
    expect(configuration.accounts.max_featured_tags).toBe(10);
    for (let n = 0; n < 10; n += 1) await feature(`tag${n}`);
    const refused = {
      status: 422,
      json: { error: "Validation failed: You have already featured the maximum number of hashtags" },
    };
    expect(refusal(await feature("eleventh"))).toEqual(refused);
    expect(refusal(await alice.post("/api/v1/tags/eleventh/feature"))).toEqual(refused);
    expect((await feature("tag3")).status).toBe(200);
  });

  test("needs a valid hashtag", async () => {
    const invalid = { status: 422, json: { error: "Validation failed: Tag is invalid" } };
    const blank = { status: 422, json: { error: "Validation failed: Name can't be blank" } };
    for (const name of ["12", "two words", "a".repeat(201)]) expect(refusal(await feature(name))).toEqual(invalid);
    for (const name of ["", " ", "#"]) expect(refusal(await feature(name))).toEqual(blank);
    expect(refusal(await alice.post("/api/v1/featured_tags"))).toEqual(blank);
  });

  test("can be undone with the id of the featured tag by its owner", async () => {
    const { id } = (await feature("tea")).json;
    const notFound = { status: 404, json: { error: "Record not found" } };
    for (const [who, row] of [
      [bob, id],
      [alice, "999999"],
      [alice, "nonsense"],
    ] as const) {
      expect(refusal(await who.delete(`/api/v1/featured_tags/${row}`))).toEqual(notFound);
    }
    expect(refusal(await alice.delete(`/api/v1/featured_tags/${id}`))).toEqual({ status: 200, json: {} });
    expect(await featured()).toEqual([]);
  });

  test("needs the scopes for accounts", async () => {
    await expectGuarded(server, alice, "read:accounts", [
      ["get", "/api/v1/featured_tags"],
      ["get", "/api/v1/featured_tags/suggestions"],
    ]);
    await expectGuarded(server, alice, "write:accounts", [
      ["post", "/api/v1/featured_tags", { name: "tea" }],
      ["delete", "/api/v1/featured_tags/1"],
    ]);
  });
});

describe("GET /api/v1/accounts/:id/featured_tags", () => {
  test("lists the hashtag with the most posts first", async () => {
    for (const text of ["#one", "#two", "#two", "#three", "#three", "#three"]) await alice.publish(text);
    for (const name of ["two", "one", "three"]) await feature(name);
    expect((await featured()).map(({ name }) => name)).toEqual(["three", "two", "one"]);
  });

  test("returns an empty list for remote accounts, and 404 for an account that doesn't exist", async () => {
    const remote = remoteAccount(server, "carol", "elsewhere.example");
    expect((await alice.get(`/api/v1/accounts/${remote}/featured_tags`)).json).toEqual([]);
    expect((await alice.get("/api/v1/accounts/999999/featured_tags")).status).toBe(404);
  });
});

describe("GET /api/v1/featured_tags/suggestions", () => {
  test("lists up to ten hashtags that the user uses most and doesn't feature", async () => {
    expect((await alice.get("/api/v1/featured_tags/suggestions")).json).toEqual([]);
    for (let n = 0; n < 12; n += 1) await alice.publish(`#tag${n}`);
    await alice.publish("#tag3");
    await alice.publish("#Featured");
    await alice.publish("#featured");
    await bob.publish("#theirs");
    await feature("featured");
    const { json } = await alice.get("/api/v1/featured_tags/suggestions");
    expectShape(json, ["Tag"]);
    expect(json.map(({ name }: Json) => name)).toEqual([
      "tag3",
      ...[11, 10, 9, 8, 7, 6, 5, 4, 2].map((n) => `tag${n}`),
    ]);
  });
});
