import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { Folder, type Served } from "./folder.ts";

const JSON_LOG = { LINNET_LOG_FORMAT: "json", LINNET_LOG_LEVEL: "debug" };

let folder: Folder;

beforeEach(() => {
  folder = Folder.begun();
});
afterEach(() => folder.remove());

/** Stops the server, and returns the lines of its output and log. */
async function stopAndRead(served: Served): Promise<string[]> {
  const logged = new Response(served.child.stderr).text();
  await served.stop();
  return `${served.output}${await logged}`.trimEnd().split("\n");
}

const parsed = (lines: string[]): Json[] => lines.map((line) => JSON.parse(line));

async function tokenOf(username: string): Promise<string> {
  await folder.createUser(username);
  return (await folder.run(["token", "create", username, "--scopes", "read"])).stdout.trim();
}

describe("With LINNET_LOG_FORMAT=json", () => {
  test("the server prints only JSON, from its start to its end", async () => {
    const served = await folder.serve(JSON_LOG);
    await fetch(`${served.origin}/health`);
    const lines = parsed(await stopAndRead(served));
    for (const line of lines) expect(line).toMatchObject({ logger: "linnet", level: expect.any(String) });
    expect(lines[0]).toMatchObject({
      level: "INFO",
      message: expect.stringMatching(/^Linnet \S+ is running at \S+ \(listening on http:\/\/127\.0\.0\.1:\d+\)\.$/),
      listening: served.origin,
      data: expect.stringContaining("linnet-data"),
      setup: expect.stringContaining("/setup?token="),
    });
    expect(lines.filter(({ message }) => message === "Linnet has stopped.")).toHaveLength(1);
  });

  test("each request is one line with its fields, without its query string", async () => {
    const token = await tokenOf("alice");
    const served = await folder.serve(JSON_LOG);
    await fetch(`${served.origin}/api/v1/timelines/home?limit=1&secret=abc`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await fetch(`${served.origin}/api/v1/accounts/verify_credentials?access_token=${token}`);
    const lines = await stopAndRead(served);
    expect(lines.filter((line) => line.includes(token) || line.includes("secret"))).toEqual([]);
    const [home, refused] = parsed(lines).filter(({ method }) => method === "GET");
    expect(home).toMatchObject({ level: "DEBUG", path: "/api/v1/timelines/home", status: 200, user_id: 1 });
    expect(home.duration_ms).toBeGreaterThan(0);
    expect(home.message).toBe(`GET /api/v1/timelines/home 200 in ${home.duration_ms} ms`);
    expect(home.request_id).toMatch(/^[\da-f-]{36}$/);
    expect(refused).toMatchObject({ path: "/api/v1/accounts/verify_credentials", status: 401, user_id: null });
  });

  test("the reason for a failed start is JSON", async () => {
    const { code, stdout, stderr } = await folder.run(["serve"], {
      settings: { LINNET_LOG_FORMAT: "json", LINNET_HOST: "192.0.2.1" },
    });
    expect([code, stdout]).toEqual([1, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ level: "ERROR", message: expect.stringContaining("Can't listen") });
  });

  test("commands still print plain text", async () => {
    const { stderr } = await folder.run(["user", "approve", "nobody"], { settings: { LINNET_LOG_FORMAT: "json" } });
    expect(stderr).toStartWith("linnet: ");
  });
});

test("as text, a request is a line with its status and duration", async () => {
  const served = await folder.serve({ LINNET_LOG_LEVEL: "debug" });
  await fetch(`${served.origin}/health?a=b`);
  const lines = await stopAndRead(served);
  expect(lines.filter((line) => line.includes("/health"))).toEqual([
    expect.stringMatching(/ \[DBG\] linnet: GET \/health 200 in [\d.]+ ms$/),
  ]);
});
