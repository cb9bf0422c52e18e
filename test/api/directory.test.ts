import { beforeEach, describe, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { idsOf } from "../support/reading.ts";
import { block, mute, remoteAccount } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

beforeEach(async () => {
  for (const who of [alice, bob, carol]) await setDiscoverable(who);
});

const setDiscoverable = (who: Client, discoverable = true) =>
  who.patch("/api/v1/accounts/update_credentials", { discoverable });
const directory = async (query = "", reader = server.stranger()): Promise<string[]> =>
  idsOf(await reader.get(`/api/v1/directory${query}`));

describe("GET /api/v1/directory", () => {
  test("lists discoverable accounts to everyone", async () => {
    await server.person("hermit");
    const answer = await server.stranger().get("/api/v1/directory");
    expect(answer.status).toBe(200);
    expectShape(answer.json, ["Account"]);
    expect(idsOf(answer).toSorted()).toEqual([alice.id, bob.id, carol.id].toSorted());
    await setDiscoverable(bob, false);
    expect((await directory()).toSorted()).toEqual([alice.id, carol.id].toSorted());
  });

  test("is ordered by the time of the latest post by default", async () => {
    await alice.publish("first");
    server.clock.advance(60_000);
    await bob.publish("second");
    for (const query of ["", "?order=active", "?order=whatever"]) {
      expect(await directory(query)).toEqual([bob.id, alice.id, carol.id]);
    }
  });

  test("is ordered by the time of registration with order=new", async () => {
    await alice.publish("first");
    expect(await directory("?order=new")).toEqual([carol.id, bob.id, alice.id]);
  });

  test("has a limit and an offset", async () => {
    expect(await directory("?order=new&limit=1&offset=1")).toEqual([bob.id]);
    expect(await directory("?order=new&limit=500&offset=2")).toEqual([alice.id]);
    expect(await directory("?offset=9")).toEqual([]);
  });

  test("contains only accounts of this server with local=true", async () => {
    const id = remoteAccount(server, "dora", "elsewhere.example");
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE accounts SET discoverable = 1 WHERE id = $id", { id: Number(id) }),
    );
    expect(await directory()).toContain(id);
    expect(await directory("?local=true")).not.toContain(id);
    await alice.post("/api/v1/domain_blocks", { domain: "elsewhere.example" });
    expect(await directory("", alice)).not.toContain(id);
  });

  test("excludes accounts that the viewer blocks or mutes, or that block the viewer", async () => {
    const dora = await server.person("dora");
    await setDiscoverable(dora);
    block(server, alice, bob);
    block(server, carol, alice);
    mute(server, alice, dora);
    expect(await directory("", alice)).toEqual([alice.id]);
  });

  test.each([
    ["?limit=x", "Limit is not a number"],
    ["?offset=x", "Offset is not a number"],
    ["?local=x", "Local must be true or false"],
  ])("refuses %s", async (query, reason) => {
    const { status, json } = await alice.get(`/api/v1/directory${query}`);
    expect([status, json]).toEqual([422, { error: `Validation failed: ${reason}` }]);
  });
});
