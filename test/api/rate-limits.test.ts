import { afterEach, describe, expect, test } from "bun:test";
import type { Answer, Client } from "../support/client.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { formOf, pictureFile, upload } from "../support/uploads.ts";

let server: TestServer;

const start = async (settings: Record<`LINNET_${string}`, string> = {}): Promise<void> => {
  server = await startServer({ LINNET_RATE_LIMITS: "on", ...settings });
};
afterEach(() => server.stop());

const PATH = "/api/v1/timelines/public";
const from = (address: string): RequestInit => ({ headers: { "x-forwarded-for": address } });
const REFUSED = [429, { error: "Too many requests" }];
const contentOf = ({ status, json }: Answer) => [status, json];

function limitsOf({ headers }: Answer): (number | string | null)[] {
  const value = (name: string) => headers.get(`x-ratelimit-${name}`);
  return [Number(value("limit")), Number(value("remaining")), value("reset")];
}

describe("Every response contains the remaining calls", () => {
  test("within five minutes, and the time of the reset", async () => {
    await start();
    expect(limitsOf(await server.stranger().get(PATH))).toEqual([300, 299, "2026-11-21T12:05:00.000Z"]);
    expect(limitsOf(await server.stranger().get(PATH))).toEqual([300, 298, "2026-11-21T12:05:00.000Z"]);
    server.clock.advance(5 * 60_000);
    expect(limitsOf(await server.stranger().get(PATH))).toEqual([300, 299, "2026-11-21T12:10:00.000Z"]);
  });

  test("even if it is an error", async () => {
    await start();
    expect(limitsOf(await server.stranger().get("/api/v1/accounts/9"))[1]).toBe(299);
    expect(limitsOf(await server.stranger().get("/api/v1/timelines/home"))[1]).toBe(298);
    const wrong = await server.stranger().get(PATH, { headers: { authorization: "Bearer made-up" } });
    expect([wrong.status, limitsOf(wrong)[1]]).toEqual([401, 297]);
  });

  test("of the limit that is closest to being exceeded", async () => {
    await start({ LINNET_RATE_LIMITS: "account=5/300,address=10/300" });
    const alice = await server.person("alice");
    expect(limitsOf(await alice.get(PATH)).slice(0, 2)).toEqual([5, 4]);
    for (let at = 0; at < 7; at++) await server.stranger().get(PATH);
    expect(limitsOf(await alice.get(PATH)).slice(0, 2)).toEqual([10, 1]);
  });

  test("unless limits are off", async () => {
    await start({ LINNET_RATE_LIMITS: "off" });
    expect((await server.stranger().get(PATH)).headers.get("x-ratelimit-limit")).toBeNull();
  });
});

describe("Too many calls", () => {
  test("are refused until the reset", async () => {
    await start({ LINNET_RATE_LIMITS: "address=3/300" });
    for (let at = 0; at < 3; at++) expect((await server.stranger().get(PATH)).status).toBe(200);
    const refused = await server.stranger().get(PATH);
    expect(contentOf(refused)).toEqual(REFUSED);
    expect(limitsOf(refused)).toEqual([3, 0, "2026-11-21T12:05:00.000Z"]);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect(refused.headers.get("access-control-expose-headers")).toContain("X-RateLimit-Reset");
    server.clock.advance(5 * 60_000);
    expect((await server.stranger().get(PATH)).status).toBe(200);
  });

  test("are those beyond 300 by default", async () => {
    await start();
    const answers = await Promise.all(Array.from({ length: 301 }, () => server.stranger().get(PATH)));
    expect(answers.filter((answer) => answer.status === 429).length).toBe(1);
  });

  test("of one user are refused from any IP address, and others are not", async () => {
    await start({ LINNET_RATE_LIMITS: "account=2/300" });
    const [alice, bob] = [await server.person("alice"), await server.person("bob")];
    const calls = async (who: Client, ...addresses: string[]): Promise<number[]> => {
      const codes: number[] = [];
      for (const address of addresses) codes.push((await who.get(PATH, from(address))).status);
      return codes;
    };
    expect(await calls(alice, "192.0.2.1", "192.0.2.2", "192.0.2.3")).toEqual([200, 200, 429]);
    expect(await calls(bob, "192.0.2.3")).toEqual([200]);
  });

  test("from one IP address are refused, for all users together", async () => {
    await start({ LINNET_RATE_LIMITS: "address=3/300" });
    const [alice, bob] = [await server.person("alice"), await server.person("bob")];
    for (const who of [alice, bob, server.stranger()])
      expect((await who.get(PATH, from("192.0.2.1"))).status).toBe(200);
    for (const who of [alice, bob, server.stranger()])
      expect(contentOf(await who.get(PATH, from("192.0.2.1")))).toEqual(REFUSED);
    expect((await alice.get(PATH, from("192.0.2.2"))).status).toBe(200);
  });

  test("from many addresses in one IPv6 network are counted together", async () => {
    await start({ LINNET_RATE_LIMITS: "address=2/300" });
    const codes: number[] = [];
    for (const at of [1, 2, 3]) codes.push((await server.stranger().get(PATH, from(`2001:db8:1:2::${at}`))).status);
    expect(codes).toEqual([200, 200, 429]);
    expect((await server.stranger().get(PATH, from("2001:db8:1:3::1"))).status).toBe(200);
  });

  test("with invalid tokens are counted", async () => {
    await start({ LINNET_RATE_LIMITS: "address=2/300" });
    const codes: number[] = [];
    for (const at of [1, 2, 3]) {
      codes.push((await server.stranger().get(PATH, { headers: { authorization: `Bearer guess${at}` } })).status);
    }
    expect(codes).toEqual([401, 401, 429]);
  });
});

test("/health has no limit", async () => {
  await start({ LINNET_RATE_LIMITS: "address=1/300" });
  for (let at = 0; at < 5; at++) {
    const { status, headers } = await server.stranger().get("/health");
    expect([status, headers.get("x-ratelimit-limit")]).toEqual([200, null]);
  }
  expect((await server.stranger().get(PATH)).status).toBe(200);
});

describe("The client's IP address", () => {
  const first = async (forwarded: string): Promise<number | string | null> =>
    limitsOf(await server.stranger().get(PATH, from(forwarded)))[1]!;

  test("comes from a trusted proxy, not from the client's own header", async () => {
    await start({ LINNET_RATE_LIMITS: "address=10/300" });
    expect(await first("192.0.2.1")).toBe(9);
    // The client wrote the left address, the proxy added the right one.
    expect(await first("192.0.2.99, 192.0.2.1")).toBe(8);
    expect(await first("made up, 192.0.2.1")).toBe(7);
  });

  test("is found behind several trusted proxies", async () => {
    await start({ LINNET_RATE_LIMITS: "address=10/300", LINNET_TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8" });
    expect(await first("192.0.2.1, 10.1.2.3")).toBe(9);
    expect(await first("192.0.2.1")).toBe(8);
  });

  test("is that of the connection without trusted proxies", async () => {
    await start({ LINNET_RATE_LIMITS: "address=10/300", LINNET_TRUSTED_PROXIES: "none" });
    expect([await first("192.0.2.1"), await first("192.0.2.2")]).toEqual([9, 8]);
  });
});

describe("Additional limits apply", () => {
  test("to uploads with both versions: thirty in half an hour", async () => {
    await start();
    const alice = await server.person("alice");
    const file = await pictureFile("png", { width: 4, height: 4 });
    expect((await upload(alice, file)).status).toBe(200);
    // Uploads that are refused for their content count, too.
    for (let at = 1; at < 30; at++) expect((await alice.post(`/api/v${1 + (at % 2)}/media`)).status).toBe(422);
    const refused = await upload(alice, file);
    expect(contentOf(refused)).toEqual(REFUSED);
    expect(limitsOf(refused)).toEqual([30, 0, "2026-11-21T12:30:00.000Z"]);
    expect((await alice.get(PATH)).status).toBe(200);
    const bob = await server.person("bob");
    expect((await upload(bob, file)).status).toBe(200);
    server.clock.advance(30 * 60_000);
    expect((await upload(alice, file)).status).toBe(200);
  });

  test("to deleted statuses and undone boosts: thirty in half an hour", async () => {
    await start();
    const alice = await server.person("alice");
    const { id } = await alice.publish("one");
    for (let at = 0; at < 15; at++) {
      expect((await alice.delete("/api/v1/statuses/9")).status).toBe(404);
      expect((await alice.post(`/api/v1/statuses/${id}/unreblog`)).status).toBe(200);
    }
    expect(contentOf(await alice.delete(`/api/v1/statuses/${id}`))).toEqual(REFUSED);
    expect((await alice.get(`/api/v1/statuses/${id}`)).status).toBe(200);
  });

  test("with the owner's values", async () => {
    await start({ LINNET_RATE_LIMITS: "media=1/60,deletes=1/60" });
    const alice = await server.person("alice");
    const form = async () => formOf({ file: await pictureFile("png", { width: 4, height: 4 }) });
    expect((await alice.post("/api/v2/media", await form())).status).toBe(200);
    expect((await alice.post("/api/v2/media", await form())).status).toBe(429);
    server.clock.advance(60_000);
    expect((await alice.post("/api/v2/media", await form())).status).toBe(200);
  });
});
