import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newSetupToken } from "../../src/core/people/setup.ts";
import { readConfig } from "../../src/config.ts";
import { openMigrated } from "../../src/db/migrate.ts";
import { openDatabase, type Db } from "../../src/db/open.ts";
import { handlers } from "../../src/jobs/handlers.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { MediaProcesses } from "../../src/lib/media/media-processes.ts";
import { MediaQueue } from "../../src/lib/media/media-queue.ts";
import { Clips, ffmpeg } from "../fixtures/clips.ts";
import { openTestContext, startInstance, TestClock } from "../support/instance.ts";
import { inProcess, TestServer } from "../support/server.ts";
import { pictureFile, upload, uploaded } from "../support/uploads.ts";
import { Visitor } from "../web/visitor.ts";

let data: string;
let server: TestServer;
/** Behaves like another process for SQLite. */
let other: Db;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "linnet-locked-"));
  const path = join(data, "linnet.db");
  const clock = new TestClock();
  const config = readConfig({
    LINNET_DATA: data,
    LINNET_PORT: "0",
    LINNET_RATE_LIMITS: "off",
    PATH: process.env["PATH"],
  });
  const instance = await startInstance(openTestContext(config, openMigrated(path, "NORMAL"), { clock }), false);
  server = new TestServer({ ...instance, clock, listeners: async () => instance.ctx.eventBus.size });
  other = openDatabase(path, "NORMAL");
});
afterEach(async () => {
  other.close();
  await server.stop();
  rmSync(data, { recursive: true, force: true });
});

describe("While another program has locked the database,", () => {
  inProcess("timelines can be read, and a post is published after the lock", async () => {
    const alice = await server.person("alice");
    server.ctx.db.neverBlock();
    other.raw.run("BEGIN IMMEDIATE");
    const posting = alice.post("/api/v1/statuses", { status: "patience" });
    expect((await alice.get("/api/v1/timelines/home")).status).toBe(200);
    other.raw.run("COMMIT");
    expect((await posting).json).toMatchObject({ content: "<p>patience</p>" });
    expect((await alice.get("/api/v1/timelines/home")).json).toHaveLength(1);
  });

  inProcess(
    "a post from the browser is published after the lock, and one that waits too long keeps its draft",
    async () => {
      await server.person("alice");
      const visitor = new Visitor(server);
      await visitor.signIn("alice");
      server.ctx.db.neverBlock(1);
      await visitor.get("/compose");
      other.raw.run("BEGIN IMMEDIATE");
      const refused = await visitor.press("Publish", { text: "patience" });
      expect([refused.status, refused.text]).toEqual([503, expect.stringContaining("Nothing was saved")]);
      other.raw.run("COMMIT");
      server.ctx.db.neverBlock();
      // The lock begins after the upload was stored, and before the post is.
      const { remote } = server.ctx;
      const lockOnce = jest.fn(() => {
        other.raw.run("BEGIN IMMEDIATE");
        setTimeout(() => other.raw.run("COMMIT"), 20);
      });
      remote.account = async () => {
        if (lockOnce.mock.calls.length === 0) lockOnce();
        return null;
      };
      const text = `${refused.forms[0]!.fields["text"]} @rita@far.example`;
      const { location } = await visitor.press("Publish", { text, "files[]": await pictureFile() });
      expect((await visitor.get(location!)).text).toContain("patience");
    },
  );

  inProcess("a post that waits too long is refused with 503, a reason and a Retry-After header", async () => {
    const alice = await server.person("alice");
    server.ctx.db.neverBlock(1);
    other.raw.run("BEGIN IMMEDIATE");
    const refused = await alice.post("/api/v1/statuses", { status: "never" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(refused.json.error).toContain("Another program is using the database");
    other.raw.run("COMMIT");
    expect((await alice.get("/api/v1/timelines/home")).json).toEqual([]);
  });

  inProcess("an invalid post is refused without waiting", async () => {
    const alice = await server.person("alice");
    server.ctx.db.neverBlock();
    other.raw.run("BEGIN IMMEDIATE");
    const refused = await alice.post("/api/v1/statuses", { status: "long ".repeat(2000) });
    other.raw.run("COMMIT");
    expect([refused.status, refused.json.error]).toEqual([422, expect.stringContaining("character limit")]);
  });

  inProcess("an upload waits for the lock", async () => {
    const alice = await server.person("alice");
    server.ctx.db.neverBlock();
    other.raw.run("BEGIN IMMEDIATE");
    const uploading = uploaded(alice);
    expect((await server.stranger().get("/health")).status).toBe(200);
    other.raw.run("COMMIT");
    const { id } = await uploading;
    expect((await alice.publish({ status: "", media_ids: [id] })).media_attachments).toHaveLength(1);
  });

  inProcess("a running job waits for the lock and doesn't fail", async () => {
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

  inProcess("a page is shown although its session cannot be renewed", async () => {
    await server.person("alice");
    const visitor = new Visitor(server);
    await visitor.signIn("alice");
    server.clock.advance(2 * 24 * 3600_000);
    server.ctx.db.neverBlock(1);
    other.raw.run("BEGIN IMMEDIATE");
    const page = await visitor.get("/settings");
    other.raw.run("COMMIT");
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("Sign out")]);
  });

  inProcess("creating the first account waits for the lock before signing in", async () => {
    const visitor = new Visitor(server);
    await visitor.get(`/setup?token=${newSetupToken(server.ctx)}&lang=en`);
    server.ctx.db.neverBlock();
    const { transaction } = server.ctx.db;
    server.ctx.db.transaction = ((work) => {
      const result = transaction.call(server.ctx.db, work);
      // The account was just inserted.
      if (server.ctx.db.get("SELECT 1 FROM users") && !other.raw.inTransaction) {
        other.raw.run("BEGIN IMMEDIATE");
        server.ctx.db.transaction = transaction;
        setImmediate(() => other.raw.run("COMMIT"));
      }
      return result;
    }) as typeof transaction;
    const created = await visitor.press("Create my account", { username: "alice", password: "correct horse" });
    expect([created.status, created.location]).toEqual([303, "/welcome"]);
    expect((await visitor.follow()).status).toBe(200);
  });

  inProcess("signing in on the page waits, and is refused with 503 if it waits too long", async () => {
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

describe.skipIf(!ffmpeg || process.env["A converted video"] === "1")("A film that has been converted", () => {
  const clips = new Clips();
  afterAll(() => clips.remove());

  test("is not converted again after the database was locked at the end", async () => {
    const { ctx } = server;
    const alice = await server.person("alice");
    ctx.db.neverBlock(1);
    const ffmpeg = ctx.ffmpeg!;
    const convert = ffmpeg.video.bind(ffmpeg);
    let conversions = 0;
    ffmpeg.video = (...args) => {
      conversions += 1;
      return convert(...args);
    };
    const processes = new MediaProcesses();
    const run = processes.run.bind(processes) as (...args: unknown[]) => Promise<unknown>;
    processes.run = (async (...args: unknown[]) => {
      const result = await run(...args);
      // The last inspection of the converted video, before its row is updated. The lock lasts longer than a request would wait.
      if (args[0] === "inspectClip" && conversions === 1 && !other.raw.inTransaction) {
        other.raw.run("BEGIN IMMEDIATE");
        setTimeout(() => other.raw.run("COMMIT"), 100);
      }
      return result;
    }) as typeof processes.run;
    ctx.media = new MediaQueue(processes);
    await upload(alice, await clips.file("silent.mp4"));
    await server.drain();
    expect(conversions).toBe(1);
    const [row] = ctx.db.all("SELECT type, state, tries FROM media_attachments");
    expect(row).toEqual({ type: "video", state: "ready", tries: 1 });
  }, 60_000);
});
