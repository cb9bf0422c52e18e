import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Folder } from "./folder.ts";

/** Each test starts programs, possibly on a busy machine. */
setDefaultTimeout(60_000);

let folder: Folder;
let db: Database;

beforeEach(async () => {
  folder = Folder.begun({ LINNET_RATE_LIMITS: "off" });
  await folder.createUser("alice");
  db = new Database(join(folder.path, "linnet-data", "linnet.db"));
});
afterEach(async () => {
  db.close();
  await folder.remove();
});

describe("linnet account rotate-key", () => {
  const keys = () => db.query("SELECT public_key FROM account_keys WHERE retired_at IS NULL").values();
  const events = () => db.query("SELECT payload ->> '$.event.type' FROM jobs WHERE kind = 'delivery.prepare'").values();

  test("replaces the key, and has the new one announced", async () => {
    const before = keys();
    const { code, stdout, stderr } = await folder.run(["account", "rotate-key", "Alice"]);
    expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("@alice has a new key.")]);
    expect(keys()).toHaveLength(before.length);
    expect(keys()).not.toEqual(before);
    expect(events()).toEqual([["account.key_rotated"]]);
  });
});

test.each([[["rotate-key", "nobody"], 'There is no user called "nobody".']])(
  "linnet account %j is refused with one sentence, and changes nothing",
  async (args, sentence) => {
    const state = () =>
      JSON.stringify(["accounts", "account_keys", "jobs"].map((table) => db.query(`SELECT * FROM ${table}`).all()));
    const before = state();
    const { code, stdout, stderr } = await folder.run(["account", ...args]);
    expect([code, stdout, stderr]).toEqual([1, "", `linnet: ${sentence}\n`]);
    expect(state()).toBe(before);
  },
);
