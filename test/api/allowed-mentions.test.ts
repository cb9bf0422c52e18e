import { describe, expect, test } from "bun:test";
import type { Answer } from "../support/client.ts";
import { notificationTypesOf, wordsOf } from "../support/reading.ts";
import { remoteAccount } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const HOUR = 3600_000;
const inAnHour = () => new Date(server.clock.now() + HOUR).toISOString();
const post = (status: string, allowed: unknown, more: object = {}): Promise<Answer> =>
  alice.post("/api/v1/statuses", { status, allowed_mentions: allowed, ...more });
const posts = async (): Promise<string[]> => wordsOf(await alice.get(`/api/v1/accounts/${alice.id}/statuses`));

/** Fails unless the status was refused because it mentions these accounts. */
function expectRefused({ status, json }: Answer, ...accounts: string[]): void {
  expect(status).toBe(422);
  expectShape(json.unexpected_accounts, ["Account"]);
  const { unexpected_accounts: unexpected, ...rest } = json;
  expect(rest).toEqual({ error: "Post would be sent to unexpected accounts" });
  expect(unexpected.map(({ id }: { id: string }) => id)).toEqual(accounts);
}

describe("A status with allowed_mentions", () => {
  test("is published if it mentions only these accounts", async () => {
    const dora = remoteAccount(server, "dora", "elsewhere.example");
    expect((await post("@bob", [bob.id, carol.id])).status).toBe(200);
    expect((await post("@bob @dora@elsewhere.example", [bob.id, dora])).status).toBe(200);
    expect((await post("@nobody", [])).status).toBe(200);
    expect(await posts()).toEqual(["@nobody", "@bob @dora", "@bob"]);
  });

  test("is refused if it mentions others, which the error names", async () => {
    const dora = remoteAccount(server, "dora", "elsewhere.example");
    expectRefused(await post("@bob @carol @dora@elsewhere.example", [bob.id]), carol.id, dora);
    expect(await posts()).toEqual([]);
    for (const who of [bob, carol]) expect(await notificationTypesOf(who)).toEqual([]);
  });

  test("may mention nobody if the list is empty or contains no account", async () => {
    for (const allowed of [[], ["1"], ["x"], ["-1"]]) expectRefused(await post("@bob", allowed), bob.id);
    const form = new URLSearchParams({ status: "@bob", "allowed_mentions[]": "" });
    expectRefused(await alice.post("/api/v1/statuses", form), bob.id);
  });

  test("may mention anyone if the list is missing or null", async () => {
    expect((await post("@bob", undefined)).status).toBe(200);
    expect((await post("@bob", null)).status).toBe(200);
  });

  test("is refused if the list is malformed or too long", async () => {
    for (const allowed of [{ a: { b: 1 } }, Array.from({ length: 501 }, (_, at) => String(at))]) {
      const { status, json } = await post("hello", allowed);
      expect([status, json.error]).toEqual([422, expect.stringContaining("Allowed mentions")]);
    }
  });

  test("is refused on scheduling, too", async () => {
    expectRefused(await post("@bob", [carol.id], { scheduled_at: inAnHour() }), bob.id);
    expect((await alice.get("/api/v1/scheduled_statuses")).json).toEqual([]);
  });

  test("stays scheduled if it would mention other accounts when it is due", async () => {
    expect((await post("@bob and @dave", [bob.id], { scheduled_at: inAnHour() })).status).toBe(200);
    expect((await post("@bob", [bob.id], { scheduled_at: inAnHour() })).status).toBe(200);
    await server.person("dave");
    server.clock.advance(HOUR);
    await server.drain();
    expect(await posts()).toEqual(["@bob"]);
    expect((await alice.get("/api/v1/scheduled_statuses")).json.length).toBe(1);
  });
});
