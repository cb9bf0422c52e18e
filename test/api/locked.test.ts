import { afterEach, beforeEach, describe, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { openMigrated } from "../../src/db/migrate.ts";
import { openDatabase, type Db } from "../../src/db/open.ts";
import { handlers } from "../../src/jobs/handlers.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { openTestContext, startInstance, TestClock } from "../support/instance.ts";
import { inProcess, TestServer } from "../support/server.ts";
import { uploaded } from "../support/uploads.ts";
import { Visitor } from "../web/visitor.ts";

let data: string;
let server: TestServer;
/** Another process, as far as SQLite can tell. */
let other: Db;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "linnet-locked-"));
  const path = join(data, "linnet.db");
  const clock = new TestClock();
  const config = readConfig({ LINNET_DATA: data, LINNET_PORT: "0", LINNET_RATE_LIMITS: "off" });
  const instance = await startInstance(openTestContext(config, openMigrated(path, "NORMAL"), { clock }), false);
  server = new TestServer(`http://127.0.0.1:${instance.port}`, instance.ctx, clock, {
    ...instance,
    listeners: async () => instance.ctx.hub.size,
  });
  other = openDatabase(path, "NORMAL");
});
afterEach(async () => {
  other.close();
  await server.stop();
  rmSync(data, { recursive: true, force: true });
});

describe("While another program holds the database", () => {
  inProcess("timelines are read, and a post waits until it can be written", async () => {
    const alice = await server.person("alice");
    server.ctx.db.neverBlock();
    other.raw.run("BEGIN IMMEDIATE");
    const posting = alice.post("/api/v1/statuses", { status: "patience" });
    expect((await alice.get("/api/v1/timelines/home")).status).toBe(200);
    other.raw.run("COMMIT");
    expect((await posting).json).toMatchObject({ content: "<p>patience</p>" });
    expect((await alice.get("/api/v1/timelines/home")).json).toHaveLength(1);
  });

  inProcess("a post that waits too long is answered with 503, a reason and when to try again", async () => {
    const alice = await server.person("alice");
    server.ctx.db.neverBlock(1);
    other.raw.run("BEGIN IMMEDIATE");
    const refused = await alice.post("/api/v1/statuses", { status: "never" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(refused.json.error).toContain("Another program is using the database");
    other.raw.run("COMMIT");
    expect((await alice.get("/api/v1/timelines/home")).json).toEqual([]);
  });

  inProcess("an upload waits, and is there once it can be written", async () => {
    const alice = await server.person("alice");
    server.ctx.db.neverBlock();
    other.raw.run("BEGIN IMMEDIATE");
    const uploading = uploaded(alice);
    expect((await server.stranger().get("/health")).status).toBe(200);
    other.raw.run("COMMIT");
    const { id } = await uploading;
    expect((await alice.publish({ status: "", media_ids: [id] })).media_attachments).toHaveLength(1);
  });

  inProcess("a job that has begun waits, and has not failed", async () => {
    const alice = await server.person("alice");
    const poll = { options: ["tea", "coffee"], expires_in: 300 };
    await alice.publish({ status: "?", poll });
    server.clock.advance(300_000);
    let isBegun = false;
    const close = () => {
      if (!isBegun) other.raw.run("BEGIN IMMEDIATE");
      isBegun = true;
      server.ctx.db.transaction((tx) => tx.run("UPDATE statuses SET favourites_count = 7"));
    };
    server.ctx.db.neverBlock();
    const draining = new Worker(server.ctx, { ...handlers, "poll.close": close }).drain();
    expect((await alice.get("/api/v1/timelines/home")).json[0].favourites_count).toBe(0);
    expect(isBegun).toBe(true);
    other.raw.run("COMMIT");
    await draining;
    expect((await alice.get("/api/v1/timelines/home")).json[0].favourites_count).toBe(7);
    expect(server.ctx.db.all("SELECT error FROM jobs")).toEqual([]);
  });

  inProcess("signing in on the page waits, and is answered with 503 if it waits too long", async () => {
    await server.person("alice");
    const visitor = new Visitor(server);
    server.ctx.db.neverBlock(1);
    other.raw.run("BEGIN IMMEDIATE");
    const refused = await visitor.signIn("alice");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(refused.text).toContain("Another program is using the database");
    server.ctx.db.neverBlock();
    const signingIn = visitor.signIn("alice");
    expect((await server.stranger().get("/health")).status).toBe(200);
    other.raw.run("COMMIT");
    expect((await signingIn).status).toBe(303);
  });
});
