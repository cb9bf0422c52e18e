import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice } = serverForEachTest(["alice"]);

const BOTH = "/api/v1/markers?timeline[]=home&timeline[]=notifications";
const read = async (path = BOTH, who = alice): Promise<Json> => (await who.get(path)).json;

test("a marker stores the last read position", async () => {
  const { status, json } = await alice.post("/api/v1/markers", { home: { last_read_id: "1234" } });
  expect(status).toBe(200);
  expect(json).toEqual({ home: { last_read_id: "1234", version: expect.any(Number), updated_at: expect.any(String) } });
  expectShape(json.home, "Marker");
  expect(await read()).toEqual(json);
});

test("moving one marker leaves the other unchanged, and each has its own version", async () => {
  await alice.post("/api/v1/markers", { home: { last_read_id: "10" }, notifications: { last_read_id: "20" } });
  const before = await read();
  server.clock.advance(5000);
  const { json } = await alice.post("/api/v1/markers", { home: { last_read_id: "11" } });
  expect(Object.keys(json)).toEqual(["home"]);
  const after = await read();
  expect(after.notifications).toEqual(before.notifications);
  expect(after.home.last_read_id).toBe("11");
  expect(after.home.version).toBe(before.home.version + 1);
  expect(after.home.updated_at).toBe("2026-11-21T12:00:05.000Z");
});

test("only the requested markers are returned", async () => {
  await alice.post("/api/v1/markers", { home: { last_read_id: "10" }, notifications: { last_read_id: "20" } });
  expect(Object.keys(await read("/api/v1/markers?timeline[]=home"))).toEqual(["home"]);
  expect(Object.keys(await read("/api/v1/markers?timeline=notifications"))).toEqual(["notifications"]);
  expect(await read("/api/v1/markers")).toEqual({});
  expect(await read("/api/v1/markers?timeline[]=lists")).toEqual({});
});

test("a marker that was never set is missing, and a request that sets none returns none", async () => {
  expect(await read()).toEqual({});
  expect((await alice.post("/api/v1/markers", {})).json).toEqual({});
  expect((await alice.post("/api/v1/markers", { home: null })).json).toEqual({});
});

test("markers can be set with a form", async () => {
  await alice.post("/api/v1/markers", new URLSearchParams("home[last_read_id]=7&notifications[last_read_id]=8"));
  expect(await read()).toMatchObject({ home: { last_read_id: "7" }, notifications: { last_read_id: "8" } });
});

test("markers belong to one user", async () => {
  const bob = await server.person("bob");
  await alice.post("/api/v1/markers", { home: { last_read_id: "10" } });
  expect(await read(BOTH, bob)).toEqual({});
});

test.each([
  ["a word as the id", { home: { last_read_id: "x" } }],
  ["no id", { home: {} }],
  ["a text as a marker", { home: "12" }],
  ["a word as the version", { home: { last_read_id: "12", version: "x" } }],
  ["one invalid marker", { home: { last_read_id: "12" }, notifications: { last_read_id: "-1" } }],
])("%s is refused, and no marker moves", async (_, body) => {
  const { status, json } = await alice.post("/api/v1/markers", body);
  expect(status).toBe(422);
  expect(json.error).toStartWith("Validation failed: ");
  expect(await read()).toEqual({});
});

describe("A marker that another app has moved", () => {
  test("stays in place if the request contains an older version", async () => {
    const { version } = (await alice.post("/api/v1/markers", { home: { last_read_id: "10" } })).json.home;
    await alice.post("/api/v1/markers", { home: { last_read_id: "20" } });
    const stale = { home: { last_read_id: "15", version }, notifications: { last_read_id: "5" } };
    const { status, json } = await alice.post("/api/v1/markers", stale);
    expect([status, json]).toEqual([409, { error: "Conflict during update, please try again" }]);
    expect(await read()).toMatchObject({ home: { last_read_id: "20" } });
    expect(await read()).not.toHaveProperty("notifications");
  });

  test("moves if the request contains the current version, or none", async () => {
    const first = await alice.post("/api/v1/markers", { home: { last_read_id: "10", version: 0 } });
    expect(first.status).toBe(200);
    const { version } = first.json.home;
    const form = new URLSearchParams(`home[last_read_id]=20&home[version]=${version}`);
    expect((await alice.post("/api/v1/markers", form)).json.home).toMatchObject({ version: version + 1 });
    expect((await alice.post("/api/v1/markers", { home: { last_read_id: "5" } })).json.home.last_read_id).toBe("5");
  });

  test("stays in place if the request expects that there is none", async () => {
    await alice.post("/api/v1/markers", { home: { last_read_id: "10" } });
    expect((await alice.post("/api/v1/markers", { home: { last_read_id: "1", version: 0 } })).status).toBe(409);
  });
});
