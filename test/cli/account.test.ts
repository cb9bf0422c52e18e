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

describe("linnet account move", () => {
  test("moves an account to one that names it, and back to work", async () => {
    await folder.createUser("bob");
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await folder.run(["account", ...args]);
      return [code, stderr, stdout.split("\n")[0]];
    };
    expect(await run("aliases", "bob")).toEqual([0, "", "The account has no aliases."]);
    expect(await run("add-alias", "bob", "alice")).toEqual([
      0,
      "",
      expect.stringMatching(/^@alice@\S+ may move to @bob\.$/),
    ]);
    expect(await folder.json("account", "aliases", "bob")).toMatchObject([{ acct: "alice" }]);
    expect(await run("move", "alice", "@bob")).toEqual([
      0,
      "",
      expect.stringMatching(
        /^@alice has moved to @bob@\S+\. The server notifies the followers now, or at its next start\.$/,
      ),
    ]);
    const moved = "SELECT m.username FROM accounts a JOIN accounts m ON m.id = a.moved_to_id";
    const jobs = `
      SELECT coalesce(payload ->> '$.event.type', kind), payload ->> '$.others[0].type' FROM jobs
      WHERE kind LIKE 'delivery%' OR kind LIKE 'account%' ORDER BY id`;
    expect(db.query(moved).values()).toEqual([["bob"]]);
    expect(db.query(jobs).values()).toEqual([
      ["account.updated", null],
      ["account.move", null],
      ["account.updated", "account.moved"],
    ]);
    expect(await run("cancel-move", "alice")).toEqual([0, "", "@alice can be used again."]);
    expect(db.query(moved).values()).toEqual([]);
    expect((await run("remove-alias", "bob", "@alice"))[0]).toBe(0);
    expect(await folder.json("account", "aliases", "bob")).toEqual([]);
  });
});

test.each([
  [["rotate-key", "nobody"], 'There is no user called "nobody".'],
  [["aliases", "nobody"], 'There is no user called "nobody".'],
  [["add-alias", "nobody", "@alice"], 'There is no user called "nobody".'],
  [
    ["add-alias", "alice", "@nobody"],
    "No account is found as @nobody: check that it is written like @name@example.org.",
  ],
  [
    ["add-alias", "alice", "nonsense nonsense"],
    "No account is found as nonsense nonsense: check that it is written like @name@example.org.",
  ],
  [["add-alias", "alice", "@alice"], "This is the account itself: name another one."],
  [["remove-alias", "alice", "@bob"], "@bob is no alias of @alice."],
  [["move", "nobody", "@alice"], 'There is no user called "nobody".'],
  [["move", "alice", "@nobody"], "No account is found as @nobody: check that it is written like @name@example.org."],
  [["move", "alice", "@alice"], "This is the account itself: name another one."],
  [
    ["move", "alice", "@bob"],
    '@bob@HOST must name @alice@HOST as an alias first: add it there (in Mastodon under Preferences, Account, "Moving from a different account"), then try again.',
  ],
  [["cancel-move", "alice"], "This account has not moved."],
  [["move", "carol", "@alice"], "@carol is suspended."],
  [["rotate-key", "dora"], "@dora is a pending sign-up."],
])("linnet account %j is refused with one sentence, and changes nothing", async (args, sentence) => {
  for (const name of ["bob", "carol", "dora"]) await folder.createUser(name);
  db.run("UPDATE accounts SET suspended_at = 1 WHERE username = 'carol'");
  db.run("UPDATE users SET approved = 0 WHERE account_id = (SELECT id FROM accounts WHERE username = 'dora')");
  const tables = ["accounts", "account_aliases", "account_keys", "jobs"];
  const state = () => JSON.stringify(tables.map((table) => db.query(`SELECT * FROM ${table}`).all()));
  const before = state();
  const { code, stdout, stderr } = await folder.run(["account", ...args]);
  const host = /@alice@(\S+)/.exec(stderr)?.[1] ?? "";
  expect([code, stdout, stderr.replaceAll(host || "\n", host ? "HOST" : "\n")]).toEqual([
    1,
    "",
    `linnet: ${sentence}\n`,
  ]);
  expect(state()).toBe(before);
});
