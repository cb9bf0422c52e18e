import { afterEach, beforeEach, describe, expect, spyOn } from "bun:test";
import { DatabaseLockedRefusal } from "../../src/errors.ts";
import { inProcess } from "../support/server.ts";
import { serverForAllTests, serverForEachTest } from "../support/setup.ts";

const { server } = serverForEachTest();
let logged: { mock: { calls: [message: string, fields: object][] }; mockRestore(): void };

beforeEach(() => {
  const log = server.ctx.log as { error(message: string, fields: object): void };
  logged = spyOn(log, "error").mockReturnValue();
});
afterEach(() => logged.mockRestore());

describe("A request", () => {
  const quiet = serverForAllTests([], { LINNET_LOG_LEVEL: "debug" }).server;

  inProcess.each([
    ["/invite/s3cret", "/invite/…"],
    ["/invite/s3cret/more?s3cret", "/invite/…"],
    ["/confirm-email?token=s3cret", "/confirm-email"],
    ["/password-reset/new?token=s3cret", "/password-reset/new"],
    ["/sign-in/link?token=s3cret", "/sign-in/link"],
    ["/feeds/home.rss?key=s3cret", "/feeds/home.rss"],
    ["/api/v1/streaming/user?access_token=s3cret", "/api/v1/streaming/user"],
  ])("to %s is logged without the secret", async (path, shown) => {
    const log = quiet.ctx.log as { debug(message: string, fields: object): void };
    for (const method of ["GET", "POST"]) {
      // The line is written after the response.
      const line = Promise.withResolvers<object>();
      const debug = spyOn(log, "debug").mockImplementation((_message, fields) => line.resolve(fields));
      await (await fetch(`${quiet.origin}${path}`, { method })).text();
      const fields = await line.promise;
      debug.mockRestore();
      expect(fields).toMatchObject({ method, path: shown });
      expect(JSON.stringify(fields)).not.toContain("s3cret");
    }
  });
});

describe("A failed request is logged once as an error", () => {
  inProcess("with the user, without the query string", async () => {
    const alice = await server.person("alice");
    server.ctx.db.raw.run("DROP TABLE markers");
    const { status, headers } = await alice.get("/api/v1/markers?timeline[]=home");
    expect(status).toBe(500);
    expect(logged.mock.calls).toEqual([
      [
        "{method} {path} {status} in {duration_ms} ms: {error}",
        {
          method: "GET",
          path: "/api/v1/markers",
          status: 500,
          duration_ms: expect.any(Number),
          user_id: 1,
          request_id: headers.get("x-request-id"),
          error: expect.stringContaining("no such table: markers"),
        },
      ],
    ]);
  });

  inProcess("even if the API or a page refused it", async () => {
    const alice = await server.person("alice");
    const waiting = spyOn(server.ctx.db, "whenWritable").mockRejectedValue(new DatabaseLockedRefusal());
    const statuses = [await alice.get("/api/v1/markers"), await server.stranger().get("/about?a=b")].map(
      ({ status }) => status,
    );
    waiting.mockRestore();
    expect(statuses).toEqual([503, 503]);
    const error = expect.stringContaining("Another program is using the database");
    expect(logged.mock.calls.map(([, fields]) => fields)).toEqual([
      expect.objectContaining({ path: "/api/v1/markers", status: 503, user_id: 1, error }),
      expect.objectContaining({ path: "/about", status: 503, user_id: null, error }),
    ]);
  });

  inProcess("also if another server made it", async () => {
    server.ctx.db.raw.run("DROP TABLE incoming_activities");
    const actor = "https://elsewhere.test/users/bob";
    const body = JSON.stringify({
      id: `${actor}/follows/1`,
      type: "Follow",
      actor,
      object: `${server.origin}/users/alice`,
    });
    const { status } = await fetch(`${server.origin}/inbox`, { method: "POST", body });
    expect(status).toBe(500);
    const error = expect.stringContaining("no such table: incoming_activities");
    expect(logged.mock.calls.map(([, fields]) => fields)).toEqual([
      expect.objectContaining({ method: "POST", path: "/inbox", status: 500, error }),
    ]);
  });
});
