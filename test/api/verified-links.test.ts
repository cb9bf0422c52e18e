import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import { remoteAccount } from "../support/remote-rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { page, Site } from "../support/site.ts";

const DAY = 24 * 3600_000;
const { server, alice } = serverForEachTest(["alice"], { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
let site: Site;

beforeEach(() => {
  site = new Site();
});
afterEach(() => site.stop());

const profile = () => `${server.ctx.config.origin}/@alice`;
const backLink = () => page("Alice", `<link rel="me nofollow" href="${profile()}">`);

/** Sets the values of the profile's fields, and waits until they are checked. */
async function setFields(...values: string[]): Promise<void> {
  const fields = values.map((value, at) => ({ name: `field ${at}`, value }));
  await alice.patch("/api/v1/accounts/update_credentials", { fields_attributes: fields });
  await drainAfter(60_000);
}

/** Runs the daily job for a week. */
async function checkAgain(): Promise<void> {
  for (let day = 0; day < 7; day++) {
    server.clock.advance(DAY);
    server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "links.verify_daily", server.clock.now()));
    await drainAfter(0);
    await drainAfter(60_000);
  }
}

async function drainAfter(later: number): Promise<void> {
  server.clock.advance(later);
  await server.drain();
}

async function verified(): Promise<boolean[]> {
  const { json } = await server.stranger().get(`/api/v1/accounts/${alice.id}`);
  return json.fields.map(({ verified_at }: Json) => verified_at !== null);
}

describe("A link in a profile is verified", () => {
  test("if its page links back with rel=me, in its head or its text, and not otherwise", async () => {
    const head = site.put("/head", backLink());
    const text = site.put("/text", `<p>${"<div>".repeat(10)}<a href="${profile().toUpperCase()}/" rel="ME">me</a>`);
    const plain = site.put("/plain", `<a href="${profile()}">alice</a>`);
    const other = site.put("/other", `<a rel="me" href="${profile()}2">alice</a>`);
    await setFields(head, text, plain, other);
    expect(await verified()).toEqual([true, true, false, false]);
    await setFields(`see ${head}`, `${server.ctx.config.origin}/about`, site.url("/missing"));
    expect(await verified()).toEqual([false, false, false]);
    expect(site.asked).toEqual(["/head", "/text", "/plain", "/other", "/missing"]);
  });

  test("as long as it stays the same, and is checked again each week", async () => {
    const url = site.put("/", backLink());
    await setFields(url);
    const { json: before } = await server.stranger().get(`/api/v1/accounts/${alice.id}`);
    await setFields(url, "and a text");
    const { json: after } = await server.stranger().get(`/api/v1/accounts/${alice.id}`);
    expect(after.fields[0].verified_at).toBe(before.fields[0].verified_at);
    site.put("/", () => new Response("down", { status: 503 }));
    await checkAgain();
    expect(site.asked).toHaveLength(3);
    expect(await verified()).toEqual([true, false]);
    site.put("/", page("Alice has moved"));
    await checkAgain();
    expect(await verified()).toEqual([false, false]);
  });

  test("by its own server only, and at most every half minute", async () => {
    const url = site.put("/", backLink());
    const rita = remoteAccount(server, {});
    const fields = JSON.stringify([{ name: "site", value: url, html: url, verified_at: null }]);
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE accounts SET fields = $fields WHERE id = $rita", { fields, rita: Number(rita.id) }),
    );
    await checkAgain();
    expect(site.asked).toEqual([]);
    for (const value of [url, `${url}?2`, `${url}?3`]) {
      const changes = { fields_attributes: [{ name: "site", value }] };
      await alice.patch("/api/v1/accounts/update_credentials", changes);
      await server.drain();
    }
    await drainAfter(60_000);
    expect(site.asked).toEqual(["/?3"]);
  });
});
