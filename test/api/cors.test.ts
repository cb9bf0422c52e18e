import { describe, expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";
import { uploaded } from "../support/uploads.ts";

const { server, alice } = serverForAllTests(["alice"], { LINNET_RATE_LIMITS: "on" });

/** Headers that apps in browsers must be able to read. */
const EXPOSED = [
  "Link",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
  "Mastodon-Async-Refresh",
];

const listOf = (headers: Headers, name: string): string[] => (headers.get(name) ?? "").split(/\s*,\s*/);

describe("An app in a browser", () => {
  test.each([
    "/api/v1/statuses",
    "/api/v1/accounts/1",
    "/api/v2/media",
    "/api/v1/nothing",
    "/oauth/token",
    "/oauth/revoke",
    "/.well-known/oauth-authorization-server",
    "/.well-known/nodeinfo",
    "/nodeinfo/2.0",
  ])("may send a preflight request for %s", async (path) => {
    const { status, headers } = await fetch(server.origin + path, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,idempotency-key",
      },
    });
    expect([200, 204]).toContain(status);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(listOf(headers, "access-control-allow-methods")).toContainValues(["GET", "POST", "PUT", "PATCH", "DELETE"]);
    expect(listOf(headers, "access-control-allow-headers").map((name) => name.toLowerCase())).toContainValues([
      "authorization",
      "content-type",
      "idempotency-key",
    ]);
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("is not rate limited for preflight requests", async () => {
    const left = async () => Number((await alice.get("/api/v1/preferences")).headers.get("x-ratelimit-remaining"));
    const before = await left();
    for (let at = 0; at < 5; at++) await fetch(`${server.origin}/api/v1/preferences`, { method: "OPTIONS" });
    expect(await left()).toBe(before - 1);
  });

  test.each<[string, () => Promise<{ status: number; headers: Headers }>, number]>([
    ["a list", () => alice.get("/api/v1/timelines/home"), 200],
    ["an object", () => alice.get("/api/v1/preferences"), 200],
    ["an empty object", () => alice.post("/api/v1/notifications/clear"), 200],
    ["a missing status", () => alice.get("/api/v1/statuses/9"), 404],
    ["an unknown path", () => alice.get("/api/v1/nothing"), 404],
    ["an unknown path, with PUT", () => alice.put("/api/v1/nothing", {}), 404],
    ["a request without a token", () => server.stranger().get("/api/v1/timelines/home"), 401],
    ["invalid parameters", () => alice.post("/api/v1/statuses", {}), 422],
    ["an unreadable query", () => alice.post("/api/v1/statuses?status=a&status[]=b"), 400],
    ["a body that is too long", () => alice.post("/api/v1/statuses", { status: "x".repeat(2_000_000) }), 413],
  ])("can read the response and its headers for %s", async (_, call, code) => {
    const { status, headers } = await call();
    expect(status).toBe(code);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(listOf(headers, "access-control-expose-headers")).toContainValues(EXPOSED);
    expect(headers.get("x-request-id")).toMatch(/^[\w-]{10,}$/);
    expect(headers.get("content-type")).toContain("application/json");
  });

  test("can load pictures", async () => {
    const { url } = await uploaded(alice);
    expect((await fetch(url)).headers.get("access-control-allow-origin")).toBe("*");
  });

  test("is identified by its token only, never by a cookie", async () => {
    const { headers } = await alice.get("/api/v1/timelines/home");
    expect(headers.get("set-cookie")).toBeNull();
  });
});
