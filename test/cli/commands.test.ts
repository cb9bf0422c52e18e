import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { helpOf } from "../../src/cli/command.ts";
import { NOUNS } from "../../src/cli/commands.ts";
import type { Json } from "../support/client.ts";
import { Folder } from "./folder.ts";

/** Each test starts several programs. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

/** The lines of an output, without the final line break. */
function lines(text: string): string[] {
  return text.trimEnd().split("\n");
}

test("--help lists every command, and each command has a help page", async () => {
  const { code, stdout, stderr } = await folder.run(["--help"]);
  expect([code, stderr]).toEqual([0, ""]);
  for (const { load } of Object.values(NOUNS)) {
    for (const [name, command] of Object.entries(await load())) {
      expect(stdout).toContain(`  ${name} `);
      expect(helpOf(name, command)).toStartWith(`Usage: linnet ${name}`);
    }
  }
});

test("the documentation covers every command", async () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/commands.md"), "utf8");
  const rows = page.matchAll(/^\| `linnet (\w+)([^`]*)` \|(.*)\|$/gm);
  const named = new Set(
    [...rows].flatMap(([, noun, rest, meaning]) => {
      const first = /^ ([a-z][\w-]*)/.exec(rest!)?.[1];
      if (first === undefined) return [noun!];
      const verbs = [...meaning!.matchAll(/`([a-z][a-z-]+)`/g)].map(([, word]) => word!);
      return [first, ...verbs].map((verb) => `${noun} ${verb}`);
    }),
  );
  const loaded = await Promise.all(Object.values(NOUNS).map(({ load }) => load()));
  const commands = loaded.flatMap((all) => Object.keys(all));
  expect(commands.filter((name) => !named.has(name))).toEqual([]);
});

test("help for a noun lists exactly its commands", async () => {
  for (const args of [
    ["token", "--help"],
    ["token", "-h"],
    ["help", "token"],
  ]) {
    const { code, stdout } = await folder.run(args);
    const listed = [...stdout.matchAll(/^  (\w+ [\w-]+) /gm)].map(([, name]) => name);
    expect([code, listed]).toEqual([0, ["token create", "token list", "token revoke"]]);
  }
});

test("the version is that of the package", async () => {
  for (const args of [["version"], ["--version"], ["-v"], ["-V"]]) {
    expect(await folder.run(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  }
});

test.each([
  [["nonsense"], 'There is no command "nonsense". Run "linnet --help" for a list.'],
  [["usr", "create", "a"], 'There is no command "usr create". Did you mean "linnet user create"?'],
  [["uesr"], 'There is no command "uesr". Did you mean "linnet user"?'],
  [["setpu"], 'There is no command "setpu". Did you mean "linnet setup"?'],
  [["user"], '"linnet user" needs a command. The commands of "linnet user" are create, list'],
  [["user", "creat", "a"], 'There is no command "user creat". Did you mean "linnet user create"?'],
  [["user", "frobnicate"], 'There is no command "user frobnicate". The commands of "linnet user" are create, list'],
])("linnet %j names the unknown word and suggests a command, with exit code 2", async (args, words) => {
  const { code, stdout, stderr } = await folder.run(args);
  expect([code, stdout, lines(stderr)]).toEqual([2, "", [expect.stringContaining(words)]]);
});

test.each([
  ["backup", [], "FOLDER is missing"],
  ["user create", [], "NAME is missing"],
  ["user create", ["a", "b"], 'Unexpected argument "b"'],
  ["user create", ["a", "--frob"], 'Unknown option "--frob". If it is a value, write -- before it.'],
  ["user create", ["a", "--rol", "owner"], 'Unknown option "--rol". Did you mean --role?'],
  ["user create", ["a", "-x"], 'Unknown option "-x"'],
  ["user create", ["a", "--role", "king"], '--role is "king"'],
  ["user create", ["a", "--role"], "--role needs a value"],
  [
    "user create",
    ["a", "--email", "--role", "user"],
    '--email needs a value. If it is "--role", write --email=--role.',
  ],
  ["user create", ["a", "--password-stdin=secret"], "--password-stdin takes no value"],
  ["user create", ["a", "--password-stdin"], "standard input is empty"],
  ["token create", ["a"], "--scopes is missing"],
  ["token create", ["a", "--scopes", "everything"], '"everything" is not a scope'],
  ["token create", ["a", "--scopes", "read write:all"], '"write:all" is not a scope'],
  ["token create", ["a", "--scopes", " "], "--scopes is missing"],
  ["token create", ["a", "--scopes", "read", "--expires", "soon"], '--expires is "soon"'],
  ["token create", ["a", "--scopes", "read", "--name", " "], '--name is " "'],
  ["announcement create", [], "TEXT is missing"],
  ["announcement create", ["a", "--ends-at", "soon"], '--ends-at is "soon"'],
  ["announcement edit", ["1"], "There is nothing to change"],
  ["announcement edit", ["1", "--publish-at", ""], '--publish-at is ""'],
  ["announcement edit", ["1", "--all-day", "--not-all-day"], "Use either --all-day or --not-all-day"],
  ["announcement delete", ["first"], 'ID is "first"'],
  ["emoji add", ["blob"], "FILE is missing"],
  ["emoji import", [], "FOLDER is missing"],
  ["emoji remove", [], "SHORTCODE is missing"],
  ["token revoke", ["it"], 'ID is "it"'],
  ["rule add", [], "TEXT is missing"],
  ["rule edit", ["1", "Be kind"], 'Unexpected argument "Be kind"'],
  ["rule edit", ["1"], "There is nothing to change"],
  ["rule edit", ["1", "--place", "0"], '--place is "0"'],
  ["rule remove", ["first"], 'ID is "first"'],
  ["trends approve", ["tag"], "ID is missing"],
  ["trends approve", ["person", "1"], 'KIND is "person"'],
  ["trends reject", ["tag", "one"], 'ID is "one"'],
  ["setup", [], "Use --name and --password-stdin"],
  ["setup", ["--name", "a"], "--name also needs --password-stdin"],
  ["serve", ["--frob"], 'Unknown option "--frob".'],
])("linnet %s %j fails with the mistake, the usage line and exit code 2", async (command, args, words) => {
  const { code, stdout, stderr } = await folder.run([...command.split(" "), ...args]);
  const usage = new RegExp(`^Usage: linnet ${command}( |$)`);
  expect([code, stdout, lines(stderr)]).toEqual([
    2,
    "",
    [expect.stringContaining(words), expect.stringMatching(usage)],
  ]);
});

test("exactly the commands that delete permanently require --yes without a terminal", async () => {
  const loaded = await Promise.all(Object.values(NOUNS).map(({ load }) => load()));
  const commands = loaded.flatMap((all) => Object.entries(all));
  const asking = commands.filter(([, { options }]) => Object.hasOwn(options, "yes")).map(([name]) => name);
  expect(asking).toEqual(
    commands
      .map(([name]) => name)
      .filter((name) => / (delete|remove|revoke|forget)$|^user (reject|remove-second-factors)$/.test(name)),
  );
  await folder.createUser("alice");
  await folder.run(["rule", "add", "Be kind."]);
  const { code, stdout, stderr } = await folder.run(["rule", "remove", "1"]);
  expect([code, stdout, lines(stderr)]).toEqual([
    2,
    "",
    [
      "linnet: This can't be undone, and there is no terminal to ask for confirmation. Add --yes to confirm.",
      "Usage: linnet rule remove ID [--yes]",
    ],
  ]);
  expect(await folder.json("rule", "list")).toHaveLength(1);
});

test.each([
  ["n", 1, 1],
  ["", 1, 1],
  ["\u0003", 1, 1],
  ["y", 0, 0],
  ["YES", 0, 0],
])("in a terminal they ask for confirmation, and %j results in exit code %i", async (typed, code, left) => {
  await folder.createUser("alice");
  await folder.run(["rule", "add", "Be kind."]);
  const terminal = folder.inTerminal(["rule", "remove", "1"]);
  await terminal.answer("Remove rule 1? This can't be undone. [y/N] ", typed);
  expect(await terminal.child.exited).toBe(code);
  expect(terminal.screen).toContain(code === 0 ? "Removed rule 1." : "linnet: Cancelled. Nothing was changed.");
  expect(await folder.json("rule", "list")).toHaveLength(left);
});

test("a word after -- is an argument, even if it begins with a dash", async () => {
  await folder.createUser("alice");
  await folder.run(["rule", "add", "--hint=-- and more", "--", "--help"]);
  expect((await folder.run(["rule", "list"])).stdout).toMatch(/^1 +--help\n +-- and more\n$/m);
});

test("help explains every argument of a command", async () => {
  const { stdout } = await folder.run(["help", "trends", "approve"]);
  expect(stdout).toMatch(/^Usage: linnet trends approve KIND ID\n[^]*^  KIND +tag, status or link$/m);
  const { stdout: create } = await folder.run(["user", "create", "--help"]);
  expect(create).toContain("Usage: linnet user create NAME [--email ADDRESS] [--password-stdin] [--role ROLE]\n");
  expect(create).toMatch(/^  --role ROLE +owner, admin, moderator or user$/m);
});

test.each([
  ["LINNET_PORT", "http", "LINNET_PORT"],
  ["LINNET_SQLITE_SYNCHRONOUS", "off", "LINNET_SQLITE_SYNCHRONOUS"],
  ["LINNET_PROT", "3000", "There is no setting LINNET_PROT."],
])("with %s=%s nothing starts, and the message names the setting", async (name, value, words) => {
  for (const args of [[], ["user", "list"]]) {
    const { code, stderr } = await folder.run(args, { settings: { [name]: value } });
    expect([code, lines(stderr)]).toEqual([2, [expect.stringContaining(words)]]);
  }
});

test("a generated password is the last line of the output", async () => {
  const { code, stdout } = await folder.run(["user", "create", "alice"]);
  expect([code, lines(stdout)[0]]).toEqual([0, "Created @alice@localhost:3000 with the role owner."]);
  const password = lines(stdout).at(-1)!;
  expect(password).toMatch(/^(?:[a-z2-9]{4}-){4}[a-z2-9]{4}$/);
  const again = await folder.run(["user", "reset-password", "alice"]);
  expect(lines(again.stdout).at(-1)).toMatch(/^(?:[a-z2-9]{4}-){4}[a-z2-9]{4}$/);
  expect(lines(again.stdout).at(-1)).not.toBe(password);
});

test("a password from stdin is not printed", async () => {
  const given = { stdin: "correct horse\n" };
  const made = await folder.run(["user", "create", "alice", "--password-stdin"], given);
  expect(made).toEqual({ code: 0, stdout: "Created @alice@localhost:3000 with the role owner.\n", stderr: "" });
  const reset = await folder.run(["user", "reset-password", "alice", "--password-stdin"], given);
  expect([reset.code, lines(reset.stdout)]).toEqual([0, [expect.stringContaining("Set a new password for @alice")]]);
});

test("the first user becomes the owner, and later users have the given role", async () => {
  await folder.run(["user", "create", "alice", "--email", "alice@example.org"]);
  await folder.run(["user", "create", "bob"]);
  await folder.run(["user", "create", "carol", "--role", "moderator"]);
  const { code, stdout } = await folder.run(["user", "list"]);
  expect(code).toBe(0);
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  expect(lines(stdout).map((line) => line.split(/ +/))).toEqual([
    ["NAME", "ROLE", "STATE", "SINCE", "E-MAIL", "REASON"],
    ["alice", "owner", "active", day, "alice@example.org", "-"],
    ["bob", "user", "active", day, "-", "-"],
    ["carol", "moderator", "active", day, "-", "-"],
  ]);
  const [alice] = await folder.json("user", "list");
  expect(alice).toEqual({
    username: "alice",
    role: "owner",
    state: "active",
    created_at: expect.stringMatching(/^20.*Z$/),
    email: "alice@example.org",
    unconfirmed_email: null,
    reason: null,
  });
});

test("the owner can create users with names that are reserved at sign-up", async () => {
  for (const [name, role] of [
    ["admin", "owner"],
    ["support", "user"],
  ]) {
    const { code, stdout } = await folder.run(["user", "create", name!]);
    expect([code, lines(stdout)[0]]).toEqual([0, `Created @${name}@localhost:3000 with the role ${role}.`]);
  }
});

test.each([
  [["user", "create", "Alice"], "linnet: The name belongs to a current or deleted user"],
  [["user", "create", "not a name"], "The name may only contain letters"],
  [["user", "create", "bob", "--email", "nonsense"], "The e-mail address is invalid."],
  [["user", "create", "bob", "--email", "alice@localhost:3000"], "must not use the domain of this server's handles"],
  [["user", "reset-password", "nobody"], 'no user called "nobody"'],
  [["user", "rebuild-home", "nobody"], 'no user called "nobody"'],
  [["user", "approve", "nobody"], 'no user called "nobody"'],
  [["user", "reject", "alice", "--yes"], "@alice is not a pending sign-up"],
  [["token", "list", "nobody"], 'no user called "nobody"'],
  [["token", "revoke", "7", "--yes"], "There is no token 7"],
  [["rule", "remove", "1", "--yes"], "There is no rule 1"],
  [["rule", "add", " "], "The rule is empty"],
  [["rule", "add", "x".repeat(301)], "The rule is too long"],
  [["token", "create", "nobody", "--scopes", "read"], 'no user called "nobody"'],
  [["setup", "--name", "bob", "--password-stdin"], "already has an owner"],
  [["setup"], "already has an owner"],
])("linnet %j fails with a one-line reason and exit code 1", async (args, words) => {
  await folder.createUser("alice");
  const { code, stdout, stderr } = await folder.run(args, { stdin: "correct horse" });
  expect([code, stdout, lines(stderr)]).toEqual([1, "", [expect.stringContaining(words)]]);
});

test.each(["user list", "token create alice --scopes read", "rule add Kindness", "moderate suspend bob"])(
  "linnet %s fails without a database, names its path, and creates none",
  async (command) => {
    const { code, stdout, stderr } = await folder.run(command.split(" "));
    const words = /no database in .*linnet-data\. Set LINNET_DATA/;
    expect([code, stdout, lines(stderr)]).toEqual([1, "", [expect.stringMatching(words)]]);
    expect(existsSync(join(folder.path, "linnet-data"))).toBe(false);
  },
);

test("a token can't expire in the past", async () => {
  await folder.createUser("alice");
  const { code, stderr } = await folder.run([
    "token",
    "create",
    "alice",
    "--scopes",
    "read",
    "--expires",
    "2001-01-31",
  ]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--expires is in the past")]);
  expect(await folder.json("token", "list")).toEqual([]);
});

test("a short password is refused", async () => {
  const { code, stderr } = await folder.run(["user", "create", "alice", "--password-stdin"], { stdin: "short" });
  expect([code, stderr]).toEqual([1, expect.stringContaining("The password is too short")]);
  expect((await folder.run(["user", "list"])).stdout).toBe("There are no users.\n");
});

test("setup creates the owner from options, and prints the address to enter in an app", async () => {
  const args = ["setup", "--name", "alice", "--display-name", "Alice L.", "--password-stdin"];
  const { code, stdout } = await folder.run(args, {
    stdin: "correct horse\n",
    settings: { LINNET_URL: "https://social.example", LINNET_HANDLE_DOMAIN: "example.org" },
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining("@alice@example.org is the owner of this server")]);
  expect(stdout).toContain("enter social.example in your app");
  expect((await folder.run(["user", "list"])).stdout).toMatch(/^alice +owner/m);
});

test("setup doesn't suggest starting a server that runs already", async () => {
  await folder.serve();
  const { code, stdout } = await folder.run(["setup", "--name", "alice", "--password-stdin"], {
    stdin: "correct horse",
  });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Enter localhost:\d+ in your app\.$/m)]);
  expect(stdout).not.toContain("linnet serve");
});

test("setup asks in a terminal, reports mistakes at once, and hides the password", async () => {
  const terminal = folder.inTerminal(["setup"]);
  for (const typed of ["not a name", "", "alice"]) await terminal.answer("Name: ", typed);
  await terminal.answer("Display name", "Alice L.");
  for (const typed of ["short", "correct horse"]) await terminal.answer("Password (hidden): ", typed);
  for (const typed of ["correct house", "correct horse"]) await terminal.answer("Repeat password: ", typed);
  expect(await terminal.child.exited).toBe(0);
  const { screen } = terminal;
  for (const words of ["Use only letters", "Choose a username.", "This is too short", "The passwords don't match."]) {
    expect(screen).toContain(words);
  }
  expect(screen).toContain("@alice@localhost:3000 is the owner of this server");
  expect(screen).not.toContain("correct ho");
  expect((await folder.run(["user", "list"])).stdout).toMatch(/^alice +owner/m);
});

test("an interrupted setup creates no user", async () => {
  const terminal = folder.inTerminal(["setup"]);
  await terminal.answer("Name: ", "alice");
  await terminal.answer("Display name", "\u0003");
  expect(await terminal.child.exited).toBe(1);
  expect((await folder.run(["user", "list"])).stdout).toBe("There are no users.\n");
});

test("the owner approves or rejects pending sign-ups while the server runs", async () => {
  await folder.createUser("alice");
  const { origin } = await folder.serve({ LINNET_REGISTRATIONS: "approval" });
  const post = async (path: string, body: object, token?: string) => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, string>;
  };
  const app = { client_name: "App", redirect_uris: "urn:ietf:wg:oauth:2.0:oob", scopes: "read write" };
  const client = await post("/api/v1/apps", app);
  const grant = { ...client, grant_type: "client_credentials", scope: "read write", redirect_uri: undefined };
  const { access_token: appToken } = await post("/oauth/token", grant);
  const register = (username: string) => {
    const email = `${username}@mail.example`;
    const reason = "I like birds";
    return post(
      "/api/v1/accounts",
      { username, email, password: "correct horse", agreement: true, locale: "en", reason },
      appToken,
    );
  };
  const [bob, carol] = [await register("bob"), await register("carol")];
  const statusOf = async (token: Record<string, string>) => {
    const headers = { authorization: `Bearer ${token["access_token"]}` };
    return (await fetch(`${origin}/api/v1/accounts/verify_credentials`, { headers })).status;
  };
  expect([await statusOf(bob), await statusOf(carol)]).toEqual([403, 403]);
  expect((await folder.run(["user", "list"])).stdout).toMatch(
    /^bob +user +pending +[\d-]+ +bob@mail.example +I like birds$/m,
  );
  expect((await folder.run(["user", "approve", "bob"])).stdout).toBe("Approved @bob.\n");
  expect((await folder.run(["user", "reject", "carol", "--yes"])).stdout).toBe("Rejected and deleted @carol.\n");
  expect([await statusOf(bob), await statusOf(carol)]).toEqual([200, 401]);
  expect((await folder.run(["user", "list"])).stdout).not.toMatch(/pending|carol|birds/);
});

test("a created token is printed without any other text", async () => {
  await folder.createUser("alice");
  const { code, stdout, stderr } = await folder.run(["token", "create", "alice", "--scopes", "read write follow push"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^[\w-]{43}\n$/);
});

test("tokens are listed with their scopes and last use, and revoking one makes it invalid", async () => {
  for (const name of ["alice", "bob"]) await folder.createUser(name);
  const create = ["token", "create", "alice", "--scopes", "read push"];
  const token = (await folder.run([...create, "--name", "Bridge", "--expires", "2090-01-31"])).stdout.trim();
  await folder.run(create);
  await folder.run(["token", "create", "bob", "--scopes", "read"]);
  const listed = async (...names: string[]) =>
    lines((await folder.run(["token", "list", ...names])).stdout).map((line) => line.split(/ {2,}/));
  const day = expect.stringMatching(/^20\d\d-\d\d-\d\d$/);
  const head = ["ID", "USER", "NAME", "CREATED", "LAST USED", "EXPIRES", "SCOPES"];
  const second = ["2", "alice", "Linnet", day, "-", "-", "read push"];
  const first = ["1", "alice", "Bridge", day, "-", "2090-01-31T23:59Z", "read push"];
  expect(await listed("alice")).toEqual([head, second, first]);
  expect(await listed()).toEqual([head, ["3", "bob", "Linnet", day, "-", "-", "read"], second, first]);
  const { origin } = await folder.serve();
  const ask = async () =>
    (await fetch(`${origin}/api/v1/preferences`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await ask()).toBe(200);
  expect((await folder.json("token", "list", "alice"))[1]).toEqual({
    id: "1",
    username: "alice",
    name: "Bridge",
    created_at: expect.any(String),
    last_used_at: expect.stringMatching(/^20.*Z$/),
    expires_at: "2090-01-31T23:59:59.999Z",
    scopes: ["read", "push"],
  });
  const revoked = await folder.run(["token", "revoke", "1", "--yes"]);
  expect([revoked.stdout, await listed("alice"), await ask()]).toEqual(["Revoked token 1.\n", [head, second], 401]);
});

test("all routes are listed once and in order", async () => {
  const [head, ...routes] = lines((await folder.run(["routes"])).stdout).map((line) => line.split(/ +/));
  expect(head).toEqual(["METHOD", "PATH"]);
  const names = routes.map(([method, path]) => `${path} ${method}`);
  expect(names).toEqual([...new Set(names)].sort());
  for (const name of ["/api/v1/apps POST", "/oauth/authorize GET", "/oauth/token POST", "/health GET"]) {
    expect(names).toContain(name);
  }
  expect((await folder.json("routes")).map(({ method, path }: Json) => [method, path])).toEqual(routes);
});

test("only the owner can read the data folder", async () => {
  await folder.run(["user", "create", "alice"]);
  const mode = (path: string) => (statSync(join(folder.path, path)).mode & 0o777).toString(8);
  expect([mode("linnet-data"), mode("linnet-data/linnet.db")]).toEqual(["700", "600"]);
});

test("settings can come from .env", async () => {
  await Bun.write(join(folder.path, ".env"), "LINNET_DATA=elsewhere\nLINNET_HANDLE_DOMAIN=example.org\n");
  const { stdout } = await folder.run(["user", "create", "alice"]);
  expect(stdout).toContain("@alice@example.org");
  expect(await Bun.file(join(folder.path, "elsewhere/linnet.db")).exists()).toBe(true);
});

test("a data folder that can't be created fails with a one-line reason", async () => {
  await Bun.write(join(folder.path, "file"), "");
  const { code, stderr } = await folder.run([], { settings: { LINNET_DATA: join(folder.path, "file/data") } });
  expect([code, lines(stderr)]).toEqual([
    1,
    [expect.stringMatching(/the folder \/.*\/file\/data \(\w+\)\. .*, or set LINNET_DATA/)],
  ]);
});

test.each([
  ["a folder", (path: string) => mkdirSync(path, { recursive: true }), "can't be opened"],
  ["a letter", (path: string) => Bun.write(path, "Dear linnet, ".repeat(500)), "is damaged or not a database"],
])("if %s is called linnet.db, the message names it and the remedy", async (_, lay, words) => {
  const path = join(folder.path, "linnet-data", "linnet.db");
  await lay(path);
  for (const args of [[], ["user", "list"]]) {
    const { code, stderr } = await folder.run(args);
    expect([code, lines(stderr)]).toEqual([1, [expect.stringContaining(`${path} ${words}`)]]);
  }
});

test("trends are listed with their state, and approved or rejected by kind and id", async () => {
  await folder.createUser("alice");
  expect(await folder.run(["trends", "list"])).toEqual({ code: 0, stdout: "There are no trends.\n", stderr: "" });
  const db = new Database(join(folder.path, "linnet-data", "linnet.db"));
  db.run("INSERT INTO tags (id, name, display_name, created_at) VALUES (7, 'birds', 'Birds', 0)");
  db.run("INSERT INTO trends (kind, subject_id, score) VALUES ('tag', 7, 2.5)");
  db.close();
  const listed = async () => lines((await folder.run(["trends", "list"])).stdout).map((line) => line.split(/\s+/));
  const head = ["KIND", "ID", "SCORE", "STATE", "TITLE"];
  expect(await listed()).toEqual([head, ["tag", "7", "2.50", "new", "#birds"]]);
  const json = { kind: "tag", id: "7", score: 2.5, state: "new", title: "#birds" };
  expect(await folder.json("trends", "list")).toEqual([json]);
  for (const [verb, done] of [
    ["approve", "approved"],
    ["reject", "rejected"],
  ] as const) {
    const { code, stdout } = await folder.run(["trends", verb, "tag", "7"]);
    expect([code, stdout]).toEqual([0, `${verb === "approve" ? "Approved" : "Rejected"} tag 7.\n`]);
    expect(await listed()).toEqual([head, ["tag", "7", "2.50", done, "#birds"]]);
  }
  const unknown = await folder.run(["trends", "approve", "status", "8"]);
  expect([unknown.code, lines(unknown.stderr)]).toEqual([1, ["linnet: There is no status with the id 8."]]);
});
