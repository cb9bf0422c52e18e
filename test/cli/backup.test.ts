import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Folder } from "./folder.ts";

/** Each test starts several programs. */
setDefaultTimeout(30_000);

let folder: Folder;
let other: Folder;

beforeEach(() => {
  [folder, other] = [new Folder(), new Folder()];
});
afterEach(async () => {
  await folder.remove();
  await other.remove();
});

test("a copy that is made while the server runs is whole, and another server starts with it", async () => {
  const served = await folder.serve();
  await folder.run(["user", "create", "alice"]);
  const { code, stdout } = await folder.run(["backup", "copy.db"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^The database is copied to copy\.db\. Copy .*media now/)]);
  expect((await fetch(`${served.origin}/health`)).status).toBe(200);

  const copy = join(folder.path, "copy.db");
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  mkdirSync(join(other.path, "linnet-data"));
  renameSync(copy, join(other.path, "linnet-data", "linnet.db"));
  const restored = await other.serve();
  expect(restored.output).toContain("In your app, enter");
  expect((await other.run(["user", "list"])).stdout).toMatch(/^alice +owner/m);
});

test("nothing is overwritten, and no empty database is copied from a folder without one", async () => {
  expect(await folder.run(["backup", "copy.db"])).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^linnet: There is no database in .*linnet-data\. LINNET_DATA names/),
  });
  await folder.run(["user", "create", "alice"]);
  writeFileSync(join(folder.path, "copy.db"), "something");
  const { code, stderr } = await folder.run(["backup", "copy.db"]);
  expect([code, stderr]).toEqual([1, 'linnet: "copy.db" is there already, and stays as it is.\n']);
  const nowhere = await folder.run(["backup", "nowhere/copy.db"]);
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    expect.stringMatching(/^linnet: There is no folder .*\/nowhere\. Make it first\.\n$/),
  ]);
});
