import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { EventReader, Socket } from "../support/streams.ts";
import { Folder } from "./folder.ts";

/** Each test starts programs, possibly on a busy machine. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

const json = { "content-type": "application/json" };

test("without configuration the server starts, and prints a link for creating the owner", async () => {
  const served = await folder.serve();
  expect(served.output).toContain("There is no owner account yet");
  expect(served.output).toMatch(/All data is in \/.*\/linnet-data\.\n/);
  const [, link] = await served.says(/(http:\/\/localhost:\d+\/setup\?token=[\w-]{43})\n/);
  const { search } = new URL(link!);
  expect((await fetch(`${served.origin}/setup${search}`)).status).toBe(200);

  const owner = { username: "alice", password: "correct horse", token: new URLSearchParams(search).get("token")! };
  const made = await fetch(`${served.origin}/setup`, {
    method: "POST",
    body: new URLSearchParams(owner),
    redirect: "manual",
  });
  expect([made.status, made.headers.get("location")]).toEqual([303, "/welcome"]);
  expect((await fetch(`${served.origin}/setup${search}`)).status).toBe(410);
  expect((await folder.run(["user", "list"])).stdout).toMatch(/^alice +owner/m);
});

test("the output at the start says whether ffmpeg converts video and audio", async () => {
  const path = join(folder.path, "ffmpeg");
  writeFileSync(path, "", { mode: 0o755 });
  const found = await folder.serve({ PATH: folder.path });
  expect(found.output).toContain(`Video and audio are converted with ${path}.\n`);
  await found.stop();
  for (const [name, value] of Object.entries({ PATH: "/nowhere", LINNET_FFMPEG: "off" })) {
    const served = await folder.serve({ [name]: value });
    expect(served.output).toContain("Video and audio are not converted: there is no ffmpeg in PATH");
    await served.stop();
  }
});

test("each start prints a new link until an owner exists", async () => {
  const first = await folder.serve();
  const [, old] = await first.says(/setup\?token=(\S+)/);
  await first.stop();
  const second = await folder.serve();
  expect((await fetch(`${second.origin}/setup?token=${old}`)).status).toBe(404);
  await folder.run(["setup", "--name", "alice", "--password-stdin"], { stdin: "correct horse" });
  await second.stop();
  const third = await folder.serve();
  expect(third.output).not.toContain("/setup");
  expect(third.output).toContain(`To sign in, enter localhost:${new URL(third.origin).port} in your app.`);
});

test("commands work while the server runs, and take effect at once", async () => {
  const served = await folder.serve();
  await folder.run(["user", "create", "alice"]);
  const { stdout } = await folder.run(["token", "create", "alice", "--scopes", "read write"]);
  const headers = { authorization: `Bearer ${stdout.trim()}` };
  const answer = await fetch(`${served.origin}/api/v1/accounts/verify_credentials`, { headers });
  expect(((await answer.json()) as { username: string }).username).toBe("alice");
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "on %s the server exits with 0 and leaves a complete database",
  async (signal) => {
    const served = await folder.serve();
    await folder.run(["user", "create", "alice"]);
    expect(await served.stop(signal)).toBe(0);
    expect(served.output).toContain("Linnet has stopped.");
    expect(readdirSync(join(folder.path, "linnet-data")).filter((name) => name.startsWith("linnet.db"))).toEqual([
      "linnet.db",
    ]);
  },
);

test("open streams end when the server stops, and don't delay it", async () => {
  const served = await folder.serve();
  await folder.createUser("alice");
  const { stdout } = await folder.run(["token", "create", "alice", "--scopes", "read"]);
  const alice = new Client(served.origin, stdout.trim());
  const [socket, events] = [await Socket.open(alice, "?stream=user"), await EventReader.open(alice, "user")];
  const stopped = served.stop();
  expect(await events.isAtEnd()).toBe(true);
  expect(await socket.closed).toEqual({ code: 1001, reason: "The server is stopping" });
  expect(await stopped).toBe(0);
});

test("when npx stops without signalling its child, the server stops, too", async () => {
  // npx starts `sh`, which starts `bun run`, which starts the server.
  const served = await folder.serveFrom((command) => ["sh", "-c", `sh -c '${command}; exit $?'; exit $?`], {
    npm_lifecycle_event: "start",
    npm_config_user_agent: "npm/11.0.0 node/v24.0.0 linux x64",
  });
  served.child.kill("SIGTERM");
  await served.says(/Linnet has stopped\./);
});

test("a second server on the same data folder is refused, and the first keeps running", async () => {
  const first = await folder.serve();
  const { code, stderr } = await folder.run([], { settings: { LINNET_PORT: "0" } });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^linnet: Another Linnet is running on .*linnet-data/)]);
  expect((await fetch(`${first.origin}/health`)).status).toBe(200);
});

test("a killed server leaves no lock behind", async () => {
  const first = await folder.serve();
  await first.stop("SIGKILL");
  const second = await folder.serve();
  expect((await fetch(`${second.origin}/health`)).status).toBe(200);
});

test("a port in use is reported in one line", async () => {
  const first = await folder.serve();
  const port = new URL(first.origin).port;
  const other = { LINNET_PORT: port, LINNET_DATA: join(folder.path, "other") };
  const { code, stderr } = await folder.run(["serve"], { settings: other });
  expect([code, stderr]).toEqual([
    1,
    `linnet: Port ${port} of 127.0.0.1 is already in use. Stop the program that uses it, or set LINNET_PORT.\n`,
  ]);
});

test("a foreign address is refused with the setting to change", async () => {
  const { code, stderr } = await folder.run(["serve"], { settings: { LINNET_HOST: "203.0.113.9" } });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^linnet: Can't listen on port 3000 of 203\.0\.113\.9 \(\w+\)\. LINNET_HOST must be .*\n$/),
  ]);
});

test("the push key survives a restart", async () => {
  const keyOf = async (origin: string) => {
    const body = JSON.stringify({ client_name: "App", redirect_uris: "app://cb" });
    const answer = await fetch(`${origin}/api/v1/apps`, { method: "POST", headers: json, body });
    return ((await answer.json()) as { vapid_key: string }).vapid_key;
  };
  const first = await folder.serve();
  const before = await keyOf(first.origin);
  await first.stop();
  const second = await folder.serve();
  expect(await keyOf(second.origin)).toBe(before);
});

test("the log contains no codes, tokens or passwords", async () => {
  const served = await folder.serve({ LINNET_LOG_LEVEL: "debug" });
  const errors = new Response(served.child.stderr).text();
  const secrets = ["secret-code", "secret-state", "secret-token", "secret-password"];
  await fetch(`${served.origin}/oauth/authorize?code=secret-code&state=secret-state`);
  await fetch(`${served.origin}/oauth/token?code=secret-code`, {
    method: "POST",
    headers: { ...json, authorization: "Bearer secret-token" },
    body: JSON.stringify({ code: "secret-code", client_secret: "secret-token" }),
  });
  await fetch(`${served.origin}/setup?token=secret-token`);
  await fetch(`${served.origin}/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ login: "alice", password: "secret-password" }),
  });
  await served.stop();
  const log = (await errors) + served.output;
  expect(log).toContain("/oauth/authorize");
  for (const secret of secrets) expect(log).not.toContain(secret);
});
