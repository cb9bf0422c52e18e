import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { Folder } from "./folder.ts";

/** Each test starts programs, possibly on a busy machine. */
setDefaultTimeout(60_000);

let folder: Folder;

beforeEach(async () => {
  folder = Folder.begun({ LINNET_RATE_LIMITS: "off" });
  await folder.createUser("alice");
});
afterEach(() => folder.remove());

async function user(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(["user", ...args]);
  expect([args, code, stderr]).toEqual([args, 0, ""]);
  return stdout;
}

test("user remove-second-factors lets a user in with the password alone", async () => {
  const db = new Database(join(folder.path, "linnet-data", "linnet.db"));
  db.run(`INSERT INTO one_time_codes SELECT id, 'sealed', 0, 0 FROM users;
    INSERT INTO recovery_codes SELECT 'hash', id, 0 FROM users`);
  expect(await folder.json("user", "show", "alice")).toMatchObject({ passkeys: 0, one_time_codes: true });
  expect(await user("remove-second-factors", "alice", "--yes")).toStartWith("Removed all second factors of @alice.");
  expect(db.query("SELECT 1 FROM one_time_codes UNION ALL SELECT 1 FROM recovery_codes").all()).toEqual([]);
  db.close();
  const { code, stderr } = await folder.run(["user", "remove-second-factors", "alice", "--yes"]);
  expect([code, stderr]).toEqual([1, "linnet: @alice has no second factor.\n"]);
});

test("user show prints everything the owner may need", async () => {
  await user("set", "alice", "--email", "alice@mail.example", "--display-name", "Alice L.");
  const lines = (await user("show", "Alice")).trimEnd().split("\n");
  const today = new Date().toISOString().slice(0, 10);
  expect(lines.map((line) => line.split(/: +/))).toEqual([
    ["Handle", expect.stringMatching(/^@alice@/)],
    ["Display name", "Alice L."],
    ["Role", "owner"],
    ["State", "active"],
    ["E-mail", "alice@mail.example"],
    ["Since", today],
    ["Last use", "-"],
    ["Posts", "0"],
    ["Followers", "0"],
    ["Following", "0"],
    ["Uploads", "0, 0.0 MB"],
    ["Tokens", "0"],
    ["Passkeys", "0"],
    ["One-time codes", "off"],
  ]);
  expect(await folder.json("user", "show", "alice")).toMatchObject({
    username: "alice",
    display_name: "Alice L.",
    email: "alice@mail.example",
    tokens: 0,
    last_used_at: null,
  });
});

describe("user set", () => {
  test("changes only the given options", async () => {
    await user("create", "bob", "--email", "bob@mail.example");
    expect(await user("set", "bob", "--role", "moderator")).toBe("Changed @bob.\n");
    expect(await folder.json("user", "show", "bob")).toMatchObject({ role: "moderator", email: "bob@mail.example" });
    await user("set", "bob", "--email", "");
    expect(await folder.json("user", "show", "bob")).toMatchObject({ role: "moderator", email: null });
  });

  test.each([
    [["set", "bob"], 2, "There is nothing to change"],
    [["set", "alice", "--role", "user"], 1, "@alice is the only owner"],
    [["set", "bob", "--email", "nonsense"], 1, "The e-mail address is invalid."],
    [["set", "bob", "--email", "alice@mail.example"], 1, "Another user already has this e-mail address."],
    [["set", "bob", "--role", "admin", "--display-name", "x".repeat(31)], 1, "isplay name is too long"],
    [["set", "nobody", "--role", "user"], 1, 'no user called "nobody"'],
    [["delete", "nobody", "--yes"], 1, 'no user called "nobody"'],
    [["delete", "alice", "--yes"], 1, "@alice is the only owner"],
    [["delete", "bob"], 2, "Add --yes"],
  ])("refuses %j and changes nothing", async (args, code, words) => {
    await user("set", "alice", "--email", "alice@mail.example");
    await user("create", "bob");
    const before = await folder.json("user", "list");
    const { code: exit, stdout, stderr } = await folder.run(["user", ...args]);
    expect([exit, stdout, stderr.split("\n")[0]]).toEqual([code, "", expect.stringContaining(words)]);
    expect(await folder.json("user", "list")).toEqual(before);
  });
});

describe("user delete", () => {
  test("confirms what will be deleted, and reserves the name", async () => {
    await user("create", "bob");
    const terminal = folder.inTerminal(["user", "delete", "bob"]);
    await terminal.answer("Delete @bob with 0 posts and 0 uploads? This can't be undone. [y/N] ", "y");
    expect(await terminal.child.exited).toBe(0);
    expect(terminal.screen).toContain("Deleted @bob.");
    expect(await folder.json("user", "list")).toHaveLength(1);
    const { code, stderr } = await folder.run(["user", "create", "bob"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("The name belongs to a current or deleted user")]);
  });

  test("takes effect at once on a running server, which finishes the deletion even after being killed", async () => {
    await user("create", "bob");
    const token = (await folder.run(["token", "create", "bob", "--scopes", "read write"])).stdout.trim();
    const served = await folder.serve();
    const bob = new Client(served.origin, token);
    const { id } = await bob.publish("the first of many");
    const db = new Database(join(folder.path, "linnet-data", "linnet.db"));
    // The server writes at the same time: the first start generates its key and then begins its jobs.
    db.run("PRAGMA busy_timeout = 5000");
    addPosts(db, Number(id), 4000);
    const left = () => db.query<{ count: number }, []>("SELECT count(*) AS count FROM statuses").get()!.count;
    const begun = left();
    await user("delete", "bob", "--yes");
    expect((await bob.get("/api/v1/accounts/verify_credentials")).status).toBe(401);
    expect((await fetch(`${served.origin}/@bob`)).status).toBe(410);
    while (left() === begun) await fetch(`${served.origin}/health`);
    await served.stop("SIGKILL");
    expect(left()).toBeGreaterThan(0);
    const again = await folder.serve();
    while (left() > 0) await fetch(`${again.origin}/health`);
    expect(db.query("SELECT statuses_count AS count FROM accounts WHERE username = 'bob'").get()).toEqual({ count: 0 });
    db.close();
  });
});

/** Adds many posts by the author of the post `id`. */
function addPosts(db: Database, id: number, count: number): void {
  const columns = "uri, url, local, visibility, text, content, conversation_id, created_at";
  db.query(
    `INSERT INTO statuses (id, account_id, ${columns})
     SELECT ?1 + n.value, account_id, uri || n.value, url, local, visibility, text, content, ?1 + n.value, created_at
     FROM statuses, json_each(?2) n WHERE statuses.id = ?1`,
  ).run(id, JSON.stringify(Array.from({ length: count }, (_, at) => at + 1)));
  db.run("UPDATE accounts SET statuses_count = statuses_count + ? WHERE username = 'bob'", [count]);
}
