import { beforeEach, describe, expect, test } from "bun:test";
import { schedule } from "../../src/jobs/recurring.ts";
import type { Client, Json } from "../support/client.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { startServer } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Visitor } from "../web/visitor.ts";

const HOUR = 3600_000;
const WEEK = 7 * 24 * HOUR;

const { server } = serverForEachTest();
let stranger: Client;
let alice: Client;

beforeEach(async () => {
  [stranger, alice] = [server.stranger(), await server.person("alice")];
});

const activity = async (): Promise<Json[]> => {
  // The response is cached for an hour.
  server.clock.advance(HOUR);
  return (await stranger.get("/api/v1/instance/activity")).json;
};
const counts = (weeks: Json[]) => weeks.map((week) => [week.statuses, week.logins, week.registrations].join(" "));

describe("GET /api/v1/instance/activity", () => {
  test("returns twelve weeks from Monday to Sunday, the newest first, as strings", async () => {
    const weeks = await activity();
    expect(weeks).toHaveLength(12);
    for (const [at, week] of weeks.entries()) {
      const start = new Date(Number(week.week) * 1000);
      expect([start.getUTCDay(), start.toISOString().slice(11)]).toEqual([1, "00:00:00.000Z"]);
      if (at > 0) expect(Number(weeks[at - 1].week) - Number(week.week)).toBe(WEEK / 1000);
    }
    const age = server.clock.now() - Number(weeks[0].week) * 1000;
    expect(age >= 0 && age < WEEK).toBe(true);
  });

  test("counts local posts, logins and registrations", async () => {
    const first = await alice.publish("one");
    await alice.publish("two");
    await alice.post(`/api/v1/statuses/${first.id}/reblog`);
    remoteStatus(server, remoteAccount(server, "dora", "elsewhere.example"), "three");
    expect(counts(await activity()).slice(0, 2)).toEqual(["2 1 1", "0 0 0"]);
    server.clock.advance(WEEK);
    const bob = await server.person("bob", { role: "user" });
    for (const who of [alice, bob, bob]) await who.publish("hello");
    expect(counts(await activity()).slice(0, 3)).toEqual(["3 2 1", "2 1 1", "0 0 0"]);
    server.clock.advance(11 * WEEK);
    expect(counts(await activity())).toEqual([...Array(11).fill("0 0 0"), "3 2 1"]);
  });

  test("counts visits of pages as logins, but not requests of apps without a user", async () => {
    const token = server.token(null, "read");
    await fetch(`${server.origin}/api/v1/apps/verify_credentials`, { headers: { authorization: `Bearer ${token}` } });
    expect(counts(await activity())[0]).toBe("0 0 1");
    const visitor = new Visitor(server);
    await visitor.signIn("alice");
    expect(counts(await activity())[0]).toBe("0 1 1");
    server.clock.advance(WEEK);
    await visitor.get("/");
    expect(counts(await activity()).slice(0, 2)).toEqual(["0 1 0", "0 1 1"]);
  });

  test("counts logins for half a year only", async () => {
    await alice.publish("hello");
    server.clock.advance(27 * WEEK);
    await alice.publish("hello again");
    server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "clean_up", server.clock.now()));
    await server.drain();
    expect(server.ctx.db.all("SELECT week FROM weekly_logins")).toHaveLength(1);
  });

  test("is not found if the owner disables it", async () => {
    const silent = await startServer({ LINNET_ACTIVITY: "off" });
    expect((await silent.stranger().get("/api/v1/instance/activity")).status).toBe(404);
    await silent.stop();
  });
});

describe("GET /api/v1/instance/peers", () => {
  const peers = async (): Promise<string[]> => {
    server.clock.advance(HOUR);
    return (await stranger.get("/api/v1/instance/peers")).json;
  };

  test("lists each domain with known accounts once", async () => {
    expect(await peers()).toEqual([]);
    for (const domain of ["b.example", "a.example", "b.example"]) {
      remoteAccount(server, `dora${Math.random()}`, domain);
    }
    expect(await peers()).toEqual(["a.example", "b.example"]);
    expect((await stranger.get("/api/v1/instance")).json.stats.domain_count).toBe(2);
  });

  test("excludes blocked domains", async () => {
    for (const domain of ["a.example", "b.example"]) remoteAccount(server, "dora", domain);
    server.ctx.db.transaction((tx) =>
      tx.run("INSERT INTO domain_blocks (domain, severity, created_at) VALUES ('b.example', 'suspend', 0)"),
    );
    expect(await peers()).toEqual(["a.example"]);
  });

  test("is not found if the owner disables it", async () => {
    const silent = await startServer({ LINNET_PEERS: "off" });
    expect((await silent.stranger().get("/api/v1/instance/peers")).status).toBe(404);
    await silent.stop();
  });
});

test("GET /api/v1/instance/languages lists the codes of all languages for posts", async () => {
  const { json } = await stranger.get("/api/v1/instance/languages");
  expect(json.length).toBeGreaterThan(180);
  expect(json).toContainEqual({ code: "de", name: "German" });
  expect(json).toContainEqual({ code: "tok", name: "Toki Pona" });
  for (const { code } of json.slice(-3)) {
    expect((await alice.publish({ status: `in ${code}`, language: code })).language).toBe(code);
  }
});
