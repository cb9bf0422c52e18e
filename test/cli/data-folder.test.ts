import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, mkdirSync, openSync, statSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openMigrated } from "../../src/db/migrate.ts";
import { readMigrations } from "../../src/db/read-migrations.ts";
import { Folder } from "./folder.ts";

/** Each test starts several programs, possibly on a busy machine. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

const database = () => join(folder.path, "linnet-data", "linnet.db");

describe("Programs that start at the same time", () => {
  const names = ["alice", "bob", "carol", "dave", "erin"];

  test("on a new data folder create one database and exactly one owner", async () => {
    const outcomes = await Promise.all(names.map((name) => folder.run(["user", "create", name])));
    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
    const { stdout } = await folder.run(["user", "list"]);
    for (const name of names) expect(stdout).toContain(name);
    expect(stdout.match(/\bowner\b/g)).toHaveLength(1);
  });

  test("on an older database migrate it once, one after the other", async () => {
    const migrations = readMigrations();
    mkdirSync(join(folder.path, "linnet-data"));
    openMigrated(database(), "FULL", { migrations: migrations.slice(0, -1) }).close();
    const [served, ...outcomes] = await Promise.all([folder.serve(), ...names.map(() => folder.run(["user", "list"]))]);
    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
    expect((await fetch(`${served.origin}/health`)).status).toBe(200);
    const db = new Database(database(), { readonly: true });
    expect(db.query("PRAGMA user_version").get()).toEqual({ user_version: migrations.at(-1)!.version });
    db.close();
  });
});

test("a command doesn't migrate the database of a running server", async () => {
  await folder.run(["user", "create", "alice"]);
  const served = await folder.serve();
  const db = new Database(database());
  db.run("PRAGMA busy_timeout = 5000");
  db.run("PRAGMA user_version = 1");
  db.close();
  const { code, stderr } = await folder.run(["user", "list"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("Restart it with this program first")]);
  expect((await fetch(`${served.origin}/health`)).status).toBe(200);
});

test("a damaged database is reported with the remedy", async () => {
  await folder.run(["user", "create", "alice"]);
  const file = openSync(database(), "r+");
  const start = Math.floor(statSync(database()).size / 3);
  const noise = randomBytes(2 * start);
  writeSync(file, noise, 0, noise.length, start);
  closeSync(file);
  const { code, stderr } = await folder.run(["serve"], { settings: { LINNET_PORT: "0" } });
  expect([code, stderr.trim().split("\n")]).toEqual([
    1,
    [expect.stringMatching(/linnet\.db is damaged or not a database\. .*linnet restore/)],
  ]);
});

test("a killed server restarts on a full disk and can be read", async () => {
  await folder.run(["user", "create", "alice"]);
  await (await folder.serve()).stop("SIGKILL");
  // 32 KiB per file, which SQLite's shared memory needs.
  const served = await folder.serveFrom((command) => ["sh", "-c", `ulimit -f 64; exec ${command}`], {});
  expect((await fetch(`${served.origin}/@alice`)).status).toBe(200);
  expect(await served.stop()).toBe(0);
});
