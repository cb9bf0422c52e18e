import { beforeEach, describe, expect, test } from "bun:test";
import { Client, type Answer, type Json } from "../support/client.ts";
import { idsOf } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, owner } = serverForEachTest(["owner"]);
let alice: Client;
let bob: Client;
let carol: Client;
let dora: Client;

beforeEach(async () => {
  [alice, bob, carol, dora] = [await user("alice"), await user("bob"), await user("carol"), await user("dora")];
});

async function user(name: string): Promise<Client> {
  const who = await server.person(name, { role: "user" });
  await who.patch("/api/v1/accounts/update_credentials", { discoverable: true });
  return who;
}

const act = (who: Client, verb: string, target: { id: string }): Promise<Answer> =>
  who.post(`/api/v1/accounts/${target.id}/${verb}`);
const suggested = async (query = ""): Promise<[string, string[]][]> =>
  (await alice.get(`/api/v2/suggestions${query}`)).json.map(({ account, sources }: Json) => [account.id, sources]);

async function endorse(target: Client): Promise<void> {
  await act(owner, "follow", target);
  await act(owner, "endorse", target);
}

describe("Suggestions", () => {
  test("contain accounts that the owner endorses", async () => {
    await endorse(carol);
    const { status, json } = await alice.get("/api/v2/suggestions");
    expect(status).toBe(200);
    expectShape(json, ["Suggestion"]);
    expect(json).toMatchObject([{ source: "staff", sources: ["featured"], account: { id: carol.id } }]);
  });

  test("don't contain accounts that other users endorse", async () => {
    await act(bob, "follow", carol);
    await act(bob, "endorse", carol);
    expect(await suggested()).toEqual([]);
  });

  test("contain accounts that the user's follows follow, the most followed first", async () => {
    const emil = await user("emil");
    for (const target of [bob, carol]) await act(alice, "follow", target);
    await act(bob, "follow", dora);
    for (const target of [bob, carol]) await act(target, "follow", emil);
    const { json } = await alice.get("/api/v2/suggestions");
    expectShape(json, ["Suggestion"]);
    expect(json.map((it: Json) => [it.account.id, it.source, it.sources])).toEqual([
      [emil.id, "past_interactions", ["friends_of_friends"]],
      [dora.id, "past_interactions", ["friends_of_friends"]],
    ]);
    expect(await suggested("?limit=1")).toEqual([[emil.id, ["friends_of_friends"]]]);
  });

  test("contain all reasons, and the owner's choice comes first", async () => {
    await act(alice, "follow", bob);
    for (const target of [carol, dora]) await act(bob, "follow", target);
    await endorse(dora);
    expect(await suggested()).toEqual([
      [dora.id, ["featured", "friends_of_friends"]],
      [carol.id, ["friends_of_friends"]],
    ]);
  });

  test("contain only accounts in the older method", async () => {
    await endorse(carol);
    const { status, json } = await alice.get("/api/v1/suggestions");
    expect(status).toBe(200);
    expectShape(json, ["Account"]);
    expect(idsOf(json)).toEqual([carol.id]);
  });
});

describe("Suggestions never contain", () => {
  beforeEach(async () => {
    await act(alice, "follow", bob);
    await act(bob, "follow", carol);
  });

  test("the user, accounts they follow or have asked to follow", async () => {
    await act(bob, "follow", alice);
    expect(await suggested()).toEqual([[carol.id, ["friends_of_friends"]]]);
    await carol.patch("/api/v1/accounts/update_credentials", { locked: true });
    await act(alice, "follow", carol);
    expect(await suggested()).toEqual([]);
  });

  test.each(["block", "mute"])("accounts that the user rejected (%s)", async (verb) => {
    await act(alice, verb, carol);
    expect(await suggested()).toEqual([]);
  });

  test("accounts that block the user", async () => {
    await act(carol, "block", alice);
    expect(await suggested()).toEqual([]);
  });

  test("accounts that aren't discoverable", async () => {
    await carol.patch("/api/v1/accounts/update_credentials", { discoverable: false });
    expect(await suggested()).toEqual([]);
  });

  test("follows of an account that hides its follows", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", { hide_collections: true });
    expect(await suggested()).toEqual([]);
  });

  test("accounts that the user dismissed, while others still see them", async () => {
    for (let times = 0; times < 2; times++) {
      const { status, json } = await alice.delete(`/api/v1/suggestions/${carol.id}`);
      expect([status, json]).toEqual([200, {}]);
    }
    expect(await suggested()).toEqual([]);
    await endorse(carol);
    expect(await suggested()).toEqual([]);
    expect((await dora.get("/api/v2/suggestions")).json).toHaveLength(1);
  });
});

test("Dismissing an unknown account is not found", async () => {
  for (const id of ["12", "x"]) {
    const { status, json } = await alice.delete(`/api/v1/suggestions/${id}`);
    expect([status, json]).toEqual([404, { error: "Record not found" }]);
  }
});

test("Dismissing requires a user token with write:accounts or, as documented, read", async () => {
  const path = `/api/v1/suggestions/${bob.id}`;
  const { id } = server.ctx.db.get<{ id: number }>("SELECT id FROM users ORDER BY id")!;
  const statusWith = async (scopes: string, userId: number | null = id) =>
    (await new Client(server.origin, server.token(userId, scopes)).delete(path)).status;
  expect((await server.stranger().delete(path)).status).toBe(401);
  expect(await statusWith("write:follows")).toBe(403);
  expect(await statusWith("write", null)).toBe(422);
  expect([await statusWith("write:accounts"), await statusWith("read")]).toEqual([200, 200]);
});
