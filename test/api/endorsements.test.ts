import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client } from "../support/client.ts";
import { idsOf, pagesOf } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

beforeEach(async () => {
  for (const { id } of [bob, carol]) await act(alice, "follow", { id });
});

const act = (who: Client, verb: string, target: { id: string }): Promise<Answer> =>
  who.post(`/api/v1/accounts/${target.id}/${verb}`);
const endorsed = async (reader = server.stranger()): Promise<string[]> =>
  idsOf(await reader.get(`/api/v1/accounts/${alice.id}/endorsements`));

describe.each([
  ["endorse", "unendorse"],
  ["pin", "unpin"],
])("POST /api/v1/accounts/:id/%s", (verb, back) => {
  test("shows the account on the profile to everyone, once", async () => {
    for (let times = 0; times < 2; times++) {
      const { status, json } = await act(alice, verb, bob);
      expect(status).toBe(200);
      expectShape(json, "Relationship");
      expect(json).toMatchObject({ id: bob.id, endorsed: true, following: true });
    }
    expect(await endorsed()).toEqual([bob.id]);
    expect(idsOf(await alice.get("/api/v1/endorsements"))).toEqual([bob.id]);
    expect((await bob.get("/api/v1/endorsements")).json).toEqual([]);
  });

  test(`can be undone with ${back}, once or twice`, async () => {
    await act(alice, verb, bob);
    for (let times = 0; times < 2; times++) {
      const { status, json } = await act(alice, back, bob);
      expect([status, json.endorsed]).toEqual([200, false]);
      expectShape(json, "Relationship");
    }
    expect(await endorsed()).toEqual([]);
  });

  test("refuses an account that one doesn't follow", async () => {
    const { status, json } = await act(bob, verb, alice);
    const reason = "You must be already following the person you want to endorse";
    expect([status, json]).toEqual([422, { error: `Validation failed: ${reason}` }]);
    expect((await act(alice, verb, alice)).status).toBe(422);
  });

  test("refuses an account that doesn't exist with 404", async () => {
    for (const it of [verb, back]) {
      const { status, json } = await act(alice, it, { id: "12" });
      expect([status, json]).toEqual([404, { error: "Record not found" }]);
    }
  });
});

test("An endorsement ends with the follow", async () => {
  await act(alice, "endorse", bob);
  await act(alice, "unfollow", bob);
  await act(alice, "follow", bob);
  expect(await endorsed()).toEqual([]);
});

test("Endorsements are listed newest first, in pages or all at once", async () => {
  const people = [bob, carol];
  for (const name of ["dora", "emil"]) {
    people.push(await server.person(name));
    await act(alice, "follow", people.at(-1)!);
  }
  for (const { id } of people.toReversed()) await act(alice, "endorse", { id });
  const ids = people.map(({ id }) => id);
  const all = await alice.get("/api/v1/endorsements");
  expectShape(all.json, ["Account"]);
  expect(idsOf(all)).toEqual(ids);
  for (const path of ["/api/v1/endorsements", `/api/v1/accounts/${alice.id}/endorsements`]) {
    const pages = await pagesOf(alice, `${path}?limit=3`);
    expect(pages.map(idsOf)).toEqual([ids.slice(0, 3), ids.slice(3)]);
  }
  const unlimited = await alice.get("/api/v1/endorsements?limit=0");
  expect(idsOf(unlimited)).toEqual(ids);
  expect(unlimited.headers.get("link")).not.toContain('rel="next"');
});

test("Endorsements of an account that doesn't exist are not found", async () => {
  for (const id of ["12", "x"]) {
    const { status, json } = await alice.get(`/api/v1/accounts/${id}/endorsements`);
    expect([status, json]).toEqual([404, { error: "Record not found" }]);
  }
});
