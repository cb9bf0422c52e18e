import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, type Mock, spyOn, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { rawRequest } from "../support/raw.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let alice: Client;
let statusId: string;

beforeAll(async () => {
  server = await startServer();
  alice = await server.person("alice");
  statusId = (await alice.publish("hello")).id;
});
afterAll(async () => {
  // After all these requests, nothing is lost and nothing was created.
  const { json } = await alice.get(`/api/v1/accounts/${alice.id}`);
  expect(json.statuses_count).toBe(1);
  expect((await alice.get(`/api/v1/statuses/${statusId}`)).json.content).toBe("<p>hello</p>");
  await server.stop();
});

/** Sends a body unchanged. */
async function raw(body: BodyInit, type: string | null, path = "/api/v1/statuses", method = "POST") {
  const headers = new Headers({ authorization: `Bearer ${alice.token}` });
  if (type) headers.set("content-type", type);
  const response = await fetch(server.origin + path, { method, headers, body });
  return { status: response.status, json: JSON.parse(await response.text()), headers: response.headers };
}

describe("An unreadable body is refused with a message:", () => {
  test.each<[string, string, string, number]>([
    ["truncated JSON", `{"status": "hel`, "application/json", 400],
    ["a form labelled as JSON", "status=hello", "application/json", 400],
    ["a JSON list", `["status"]`, "application/json", 400],
    ["a JSON string", `"status"`, "application/json", 400],
    ["JSON null", "null", "application/json", 400],
    ["a million brackets", "[".repeat(1_000_000), "application/json", 400],
    ["deeply nested objects", `${`{"a":`.repeat(5000)}1${"}".repeat(5000)}`, "application/json", 400],
    ["a deeply nested parameter", `status${"[a]".repeat(50)}=1`, "application/x-www-form-urlencoded", 400],
    [
      "a parameter that is both a value and a list",
      "media_ids=1&media_ids[]=2",
      "application/x-www-form-urlencoded",
      400,
    ],
    ["1001 parameters", "a=1&".repeat(1001), "application/x-www-form-urlencoded", 400],
    ["a parameter name of 1000 characters", `${"a".repeat(1000)}=1`, "application/x-www-form-urlencoded", 400],
    ["multipart without a boundary", "status=hello", "multipart/form-data", 400],
    ["truncated multipart", "--x\r\nContent-Disposition: form-data; na", "multipart/form-data; boundary=x", 400],
    ["a form of two megabytes", `status=${"x".repeat(2 * 1024 * 1024)}`, "application/x-www-form-urlencoded", 413],
    ["two megabytes of JSON", JSON.stringify({ status: "x".repeat(2 * 1024 * 1024) }), "application/json", 413],
    ["an unknown content type", "<status>hello</status>", "application/xml", 422],
    ["an empty body", "", "application/json", 422],
  ])("%s", async (_, body, type, code) => {
    const { status, json, headers } = await raw(body, type);
    expect([status, Object.keys(json)]).toEqual([code, ["error"]]);
    expect(json.error).toMatch(/^[A-Z].{5,200}$/);
    expect(headers.get("content-type")).toContain("application/json");
  });

  test("a long body without a Content-Length", async () => {
    const chunk = new Uint8Array(64 * 1024).fill(120);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++sent > 40) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const { status } = await raw(body, "application/x-www-form-urlencoded");
    expect(status).toBe(413);
  });

  test("a list inside a list", async () => {
    const { status } = await raw("media_ids[][]=1", "application/x-www-form-urlencoded");
    expect(status).toBe(400);
  });
});

describe("A value of the wrong type is refused with the name of its parameter:", () => {
  test.each<[object, string]>([
    [{ status: { a: 1 } }, "Validation failed: Status is invalid"],
    [{ status: ["a"] }, "Validation failed: Status is invalid"],
    [{ status: "x", sensitive: "perhaps" }, "Validation failed: Sensitive must be true or false"],
    [{ status: "x", sensitive: {} }, "Validation failed: Sensitive must be true or false"],
    [{ status: "x", visibility: "nobody" }, "'nobody' is not a valid visibility"],
    [{ status: "x", visibility: "v".repeat(10_000) }, `'${"v".repeat(50)}' is not a valid visibility`],
    [{ status: "x", visibility: ["public"] }, "Validation failed: Visibility is invalid"],
    [
      { status: "x", language: "x".repeat(10_000) },
      "Validation failed: Language is too long (maximum is 35 characters)",
    ],
    [{ status: "x", in_reply_to_id: { a: 1 } }, "Validation failed: In reply to is invalid"],
    [{ status: "x", media_ids: [["1"]] }, "Validation failed: Media ids is invalid"],
    [
      { status: "x", media_ids: Array.from({ length: 200 }, (_, at) => `${at}`) },
      "Validation failed: Media ids has too",
    ],
  ])("%j", async (body, sentence) => {
    const { status, json } = await alice.post("/api/v1/statuses", body);
    expect(status).toBe(422);
    expect(json.error).toStartWith(sentence);
  });

  test("several at once, in one message", async () => {
    const { json } = await alice.post("/api/v1/statuses", { status: [], sensitive: "x", language: "?" });
    expect(json.error).toBe(
      "Validation failed: Status is invalid, Sensitive must be true or false, Language is invalid",
    );
  });
});

describe("Hostile input causes no server error:", () => {
  const HOSTILE = [
    "x".repeat(4000),
    "\u0000",
    "\ud800",
    "\u202e\u200b",
    "' OR 1=1; DROP TABLE statuses; --",
    "../../../etc/passwd",
    "%s%n%x",
    "-9223372036854775809",
    "1e400",
    "NaN",
    "[object Object]",
    "__proto__",
  ];
  const PATHS = [
    "/api/v1/accounts/HOSTILE",
    "/api/v1/accounts/lookup?acct=HOSTILE",
    "/api/v1/accounts/search?q=HOSTILE&limit=HOSTILE&offset=HOSTILE",
    "/api/v1/accounts/relationships?id[]=HOSTILE",
    "/api/v1/accounts?id[]=HOSTILE",
    "/api/v1/statuses?id[]=HOSTILE",
    "/api/v1/statuses/HOSTILE",
    "/api/v1/statuses/HOSTILE/context",
    "/api/v1/media/HOSTILE",
    "/api/v1/timelines/tag/HOSTILE?any[]=HOSTILE&none[]=HOSTILE",
    "/api/v1/timelines/home?max_id=HOSTILE&min_id=HOSTILE&limit=HOSTILE",
    "/api/v1/notifications?types[]=HOSTILE&account_id=HOSTILE&since_id=HOSTILE",
    "/api/v1/notifications/HOSTILE",
    "/api/v1/markers?timeline[]=HOSTILE",
    "/api/v1/HOSTILE",
    "/HOSTILE",
  ];

  test.each(PATHS)("GET %s", async (path) => {
    for (const text of HOSTILE) {
      const { status, json } = await alice.get(path.replaceAll("HOSTILE", encodeURIComponent(text.toWellFormed())));
      expect([200, 400, 404, 422]).toContain(status);
      if (status !== 200 && path.startsWith("/api")) expect(json.error).toBeString();
    }
  });

  test.each([
    ["POST", "/api/v1/statuses", ["in_reply_to_id", "visibility", "language"]],
    ["PUT", "/api/v1/statuses/STATUS", ["media_ids", "language"]],
    ["PATCH", "/api/v1/accounts/update_credentials", ["locked", "fields_attributes", "source", "avatar"]],
    ["POST", "/api/v1/markers", ["home", "notifications"]],
    ["POST", "/api/v1/accounts/1/follow", ["reblogs", "languages"]],
    ["PUT", "/api/v1/media/1", ["description", "focus"]],
  ])("%s %s", async (method, path, names) => {
    for (const name of names) {
      for (const value of [...HOSTILE, "x".repeat(10_000), {}, [], [[]], -1, 1e308, true, { a: { b: { c: {} } } }]) {
        const body = JSON.stringify({ [name]: value });
        const { status, json } = await raw(body, "application/json", path.replace("STATUS", statusId), method);
        expect([200, 400, 404, 422]).toContain(status);
        if (status !== 200) expect(json.error).toBeString();
      }
    }
  });

  test("prototypes are not polluted", async () => {
    await raw(
      `{"__proto__":{"status":"polluted"},"constructor":{"prototype":{"status":"polluted"}}}`,
      "application/json",
    );
    await raw(
      "__proto__[status]=polluted&constructor[prototype][status]=polluted",
      "application/x-www-form-urlencoded",
    );
    expect(({} as Record<string, unknown>).status).toBeUndefined();
  });

  test.each([
    ["none, as HTTP/1.0 allows", "1.0", ""],
    ["an empty one", "1.1", "Host:\r\n"],
    ["an invalid one", "1.1", "Host: [::1\r\n"],
    ["two words", "1.1", "Host: a b\r\n"],
  ])("the Host header: %s", async (_, version, host) => {
    const statusOf = async (path: string): Promise<string> =>
      (await rawRequest(server.origin, `GET ${path} HTTP/${version}\r\nAccept: text/html\r\n\r\n`, host)).slice(9, 12);
    const found = ["/api/v1/timelines/public?limit=1", "/@alice", `/@alice/${statusId}`, "/api/v2/instance"];
    for (const path of found) expect([path, await statusOf(path)]).toEqual([path, "200"]);
    for (const path of ["/nothing", "/api/v1/nothing", "/media/x"]) {
      expect([path, await statusOf(path)]).toEqual([path, "404"]);
    }
    expect(await statusOf("/api/v1/streaming/user?access_token=x")).toBe("401");
  });

  test("malformed headers", async () => {
    const headers = {
      "idempotency-key": "k".repeat(4000),
      "x-forwarded-for": ",,,,::::,999.999.999.999,".repeat(50),
      "content-type": "application/json; charset=klingon; charset=utf-8",
      accept: "*/*;q=x",
      range: "bytes=99-1",
    };
    const answer = await fetch(`${server.origin}/api/v1/timelines/public`, { headers });
    expect(answer.status).toBe(200);
  });
});

describe("A path without a route", () => {
  test.each([
    ["GET", "/api/v1/nothing"],
    ["POST", "/api/v1/nothing"],
    ["DELETE", "/api/v1/timelines/home"],
    ["POST", "/api/v1/instance"],
    ["PUT", "/api/v9/statuses"],
    ["GET", "/api/v1"],
    ["GET", "/.well-known/nothing"],
  ])("is answered with 404 and JSON (%s %s)", async (method, path) => {
    const answer = await fetch(server.origin + path, { method, body: method === "GET" ? undefined : "x" });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(await answer.json()).toEqual({ error: "Not found" });
  });
});

test("A part of a form without a name is ignored by every method that accepts files", async () => {
  const body = "--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--\r\n";
  for (const [method, path, status] of [
    ["POST", "/api/v1/media", 422],
    ["POST", "/api/v2/media", 422],
    ["PUT", "/api/v1/media/1", 404],
    ["PATCH", "/api/v1/media/1", 404],
    ["PATCH", "/api/v1/accounts/update_credentials", 200],
  ] as const) {
    const answer = await raw(body, "multipart/form-data; boundary=B", path, method);
    expect([method, path, answer.status]).toEqual([method, path, status]);
  }
});

inProcess("An internal error is answered without its details", async () => {
  const broken = await startServer();
  const errors = spyOn(broken.ctx.log, "error");
  broken.ctx.db.all = () => {
    throw new Error("SELECT secret FROM inside");
  };
  const { status, json, headers } = await broken.stranger().get("/api/v1/timelines/public");
  expect([status, json]).toEqual([500, { error: "Something went wrong on the server" }]);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  const logged = JSON.stringify(errors.mock.calls);
  errors.mockRestore();
  expect(logged).toContain("SELECT secret");
  expect(logged).toContain(headers.get("x-request-id")!);
  await broken.stop();
});

describe("If the disk is full,", () => {
  const FULL = [503, { error: "The disk of this server is full. The administrator must free up space." }];
  let full: TestServer;
  let errors: Mock<() => never>;

  beforeEach(async () => {
    full = await startServer();
    errors = spyOn(full.ctx.log, "error" as never).mockImplementation((() => {}) as never);
  });
  afterEach(async () => {
    errors.mockRestore();
    await full.stop();
  });

  inProcess("writing fails with a message until there is space again, and reading works", async () => {
    const bob = await full.person("bob");
    const { raw } = full.ctx.db;
    raw.run("PRAGMA max_page_count = 1");
    let refused = await bob.post("/api/v1/statuses", { status: "x".repeat(5000) });
    for (let at = 0; at < 50 && refused.status === 200; at++) {
      refused = await bob.post("/api/v1/statuses", { status: "x".repeat(5000) });
    }
    expect([refused.status, refused.json]).toEqual(FULL);
    expect(errors).toHaveBeenCalled();
    expect((await bob.get("/api/v1/timelines/home")).status).toBe(200);
    raw.run("PRAGMA max_page_count = 1000000");
    await bob.publish("there is room again");
  });

  inProcess("every error code for a full disk leads to the same message", async () => {
    for (const code of ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"]) {
      full.ctx.db.all = () => {
        throw new Error("write failed", { cause: Object.assign(new Error("no space left"), { code }) });
      };
      const { status, json } = await full.stranger().get("/api/v1/timelines/public");
      expect([code, status, json]).toEqual([code, ...FULL]);
    }
  });
});
