import { beforeEach, describe, expect, test } from "bun:test";
import { deleteAccount, removeSlice } from "../../src/core/people/account-deletion.ts";
import type { Client } from "../support/client.ts";
import {
  deliveryEvents,
  followRemote,
  remoteAccount,
  type RemoteAccount,
  remoteFollow,
} from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { pictureFile } from "../support/uploads.ts";

const { server, alice } = serverForEachTest(["alice"]);
const CREDENTIALS = "/api/v1/accounts/update_credentials";

describe("Other servers learn of a changed profile", () => {
  const isTold = async (change: object): Promise<boolean> => {
    await server.drain();
    expect((await alice.patch(CREDENTIALS, change)).status).toBe(200);
    const events = deliveryEvents(server);
    expect(events).toEqual(events.map(() => ({ type: "account.updated", accountId: Number(alice.id) })));
    return events.length > 0;
  };

  test.each<[string, object]>([
    ["name", { display_name: "Alice" }],
    ["text", { note: "Hi" }],
    ["fields", { fields_attributes: [{ name: "Site", value: "https://alice.example" }] }],
    ["lock", { locked: true }],
    ["kind of account", { bot: true }],
    ["wish to be discovered", { discoverable: true }],
    ["wish to be searched", { indexable: true }],
    ["domains", { attribution_domains: ["news.example"] }],
  ])("if its %s is another", async (_, change) => {
    expect(await isTold(change)).toBe(true);
    expect(await isTold(change)).toBe(false);
  });

  test("if it gets or loses a picture", async () => {
    const form = new FormData();
    form.append("avatar", await pictureFile());
    expect(await isTold(form)).toBe(true);
    expect(await isTold({ avatar_description: "a cat" })).toBe(true);
    await server.drain();
    for (let times = 0; times < 2; times++) await alice.delete("/api/v1/profile/avatar");
    expect(deliveryEvents(server)).toHaveLength(1);
  });

  test("but not of settings that only this server has", async () => {
    const source = { privacy: "unlisted", sensitive: true, language: "de", quote_policy: "nobody" };
    for (const change of [{ source }, { hide_collections: true }, { display_name: "" }]) {
      expect([change, await isTold(change)]).toEqual([change, false]);
    }
  });
});

describe("A deleted account", () => {
  let bob: Client;
  let rita: RemoteAccount;

  beforeEach(async () => {
    bob = await server.person("bob", { role: "user" });
    rita = remoteAccount(server);
    await followRemote(server, bob, rita);
    remoteFollow(server, rita, bob);
    await server.drain();
  });

  inProcess("is announced once, and its follows aren't ended one by one", async () => {
    deleteAccount(server.ctx, Number(bob.id));
    for (let slice = 0; slice < 10; slice++) removeSlice(server.ctx, Number(bob.id));
    expect(server.ctx.db.all("SELECT 1 FROM follows")).toEqual([]);
    expect(deliveryEvents(server)).toEqual([{ type: "account.deleted", accountId: Number(bob.id) }]);
  });

  inProcess("keeps its follows until it is known which servers learn of the deletion", async () => {
    const { db } = server.ctx;
    const kinds = () => db.all<{ kind: string }>("SELECT kind FROM jobs").map(({ kind }) => kind);
    const before = kinds();
    deleteAccount(server.ctx, Number(bob.id));
    expect(kinds()).toEqual([...before, "delivery.prepare"]);
    await server.drain();
    expect(db.all("SELECT 1 FROM follows")).toEqual([]);
    expect(kinds()).toEqual(before);
  });
});
