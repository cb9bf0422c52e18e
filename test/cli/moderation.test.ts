import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { Folder, type Outcome } from "./folder.ts";

/** Each test starts several programs. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(() => {
  // The tests poll until a change arrives.
  folder = Folder.begun({ LINNET_RATE_LIMITS: "off" });
});
afterEach(() => folder.remove());

/** The output of a command that must succeed. */
async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(args);
  expect([args, code, stderr]).toEqual([args, 0, ""]);
  return stdout;
}

/** A user with a token, and a function that calls the API of a running server. */
async function person(name: string, origin: string) {
  await folder.createUser(name);
  const token = (await done("token", "create", name, "--scopes", "read write")).trim();
  const call = async (path: string, body?: object): Promise<{ status: number; json: Json }> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = body && { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${origin}/api/v1${path}`, { headers, ...init });
    return { status: answer.status, json: await answer.json() };
  };
  return { id: (await call("/accounts/verify_credentials")).json.id as string, call };
}

test("decisions on the command line take effect at once on a running server, which notifies the user", async () => {
  const { origin } = await folder.serve();
  const [alice, bob] = [await person("alice", origin), await person("bob", origin)];
  const bobs = async () => (await alice.call(`/accounts/${bob.id}`)).json;
  expect((await bobs()).limited).toBeUndefined();
  expect(await done("moderate", "limit", "bob", "--text", "Too loud.")).toBe("@bob is now limited.\n");
  expect((await bobs()).limited).toBe(true);
  let notifications: Json[] = [];
  while (notifications.length === 0) notifications = (await bob.call("/notifications")).json;
  expect(notifications[0]).toMatchObject({ type: "moderation_warning", moderation_warning: { text: "Too loud." } });
  const handle = `@bob@localhost:${new URL(origin).port}`;
  expect(await done("moderate", "unlimit", handle)).toBe("@bob is no longer limited.\n");

  expect(await done("moderate", "freeze", "bob")).toBe("@bob is now frozen.\n");
  expect((await bob.call("/notifications")).status).toBe(403);
  expect(await done("user", "list")).toMatch(/^bob +user +frozen +\d/m);
  expect(await done("moderate", "unfreeze", "bob")).toBe("@bob is no longer frozen.\n");
  expect(await done("moderate", "suspend", "bob")).toBe("@bob is now suspended.\n");
  expect((await bobs()).suspended).toBe(true);
  expect(await done("moderate", "unsuspend", "bob")).toBe("@bob is no longer suspended.\n");
  expect(await done("moderate", "sensitive", "bob")).toBe("@bob is now marked as sensitive.\n");
  expect(await done("moderate", "unsensitive", "bob")).toBe("@bob is no longer marked as sensitive.\n");
  expect(await done("moderate", "warn", "bob", "--text", "Be kind.")).toBe("Warned @bob.\n");
});

test("text from users can neither control the terminal nor imitate output of the program", async () => {
  const { origin } = await folder.serve();
  const [alice, bob] = [await person("alice", origin), await person("bob", origin)];
  const comment = "Look.\nState:    resolved\u001b[1A\u009b2K\u202e";
  await alice.call("/reports", { account_id: bob.id, comment });
  const [shown] = /^Comment:[^]*/m.exec(await done("report", "show", "1"))!;
  expect(shown).toBe(`Comment:  Look.\n${" ".repeat(10)}State:    resolved\ufffd[1A\ufffd2K\ufffd\n`);
  await done("user", "create", "carol", "--email", "a\u001b[2J@example.org");
  expect(await done("user", "list")).toContain("a\ufffd[2J@example.org ");
  const [report] = await folder.json("report", "list");
  expect(report.comment).toBe(comment);
  for (const args of [
    ["report", "show", "1"],
    ["user", "list"],
  ]) {
    const json = await done(...args, "--json");
    for (const mark of ["\u001b", "\u009b", "\u202e"]) expect(json).not.toContain(mark);
  }
});

test("reports are listed, shown, acted on, resolved and reopened", async () => {
  const { origin } = await folder.serve();
  const [alice, bob] = [await person("alice", origin), await person("bob", origin)];
  await done("rule", "add", "Be kind.");
  const { url, id } = (await bob.call("/statuses", { status: "spam" })).json;
  const report = { account_id: bob.id, status_ids: [id], rule_ids: ["1"], comment: "Look." };
  for (const body of [report, { account_id: bob.id }]) expect((await alice.call("/reports", body)).status).toBe(200);
  const today = new Date().toISOString().slice(0, 10);
  const listed = async (...args: string[]) => (await folder.json("report", "list", ...args)) as Json[];
  const row = (id: string, state: string, category: string) => [id, today, state, category, "@bob", "@alice"];
  expect((await done("report", "list")).split("\n").map((line) => line.split(/ +/))).toEqual([
    ["ID", "DATE", "STATE", "CATEGORY", "ABOUT", "BY"],
    row("2", "open", "other"),
    row("1", "open", "violation"),
    [""],
  ]);
  expect(await done("report", "show", "1")).toBe(
    [
      "About:    @bob",
      `By:       @alice, ${today}`,
      "State:    open",
      "Category: violation",
      "Rule:     Be kind.",
      "Comment:  Look.",
      `Post:     ${url}\n`,
    ].join("\n"),
  );
  expect(await folder.json("report", "show", "1")).toEqual({
    id: "1",
    created_at: expect.stringContaining(today),
    state: "open",
    action_taken_at: null,
    category: "violation",
    comment: "Look.",
    target: "bob",
    reporter: "alice",
    rules: ["Be kind."],
    urls: [url],
  });
  expect(await done("report", "resolve", "2")).toBe("Resolved report 2.\n");
  expect((await listed()).map((report) => report.id)).toEqual(["1"]);
  expect(await done("report", "reopen", "2")).toBe("Reopened report 2.\n");
  await done("moderate", "limit", "bob", "--report", "1");
  expect(await done("report", "list")).toBe("There are no open reports.\n");
  expect((await listed("--all")).map(({ id, state }) => [id, state])).toEqual([
    ["2", "resolved"],
    ["1", "resolved"],
  ]);
});

test("domains are blocked, changed, allowed and listed", async () => {
  const { origin } = await folder.serve({ LINNET_SHOW_DOMAIN_BLOCKS: "all" });
  const shown = async () => (await fetch(`${origin}/api/v1/instance/domain_blocks`)).json() as Promise<Json[]>;
  expect(await done("domain", "list")).toBe("No domains are blocked or allowed.\n");
  expect(await done("domain", "block", "Spam.Example", "--comment", "Bots", "--note", "again")).toBe(
    "Blocked spam.example.\n",
  );
  await done("domain", "block", "loud.example", "--severity", "silence", "--obfuscate");
  expect((await shown()).map(({ domain, severity }) => [domain, severity])).toEqual([
    ["loud.****ple", "silence"],
    ["spam.example", "suspend"],
  ]);
  await done("domain", "block", "spam.example", "--severity", "noop", "--reject-media");
  await done("domain", "block", "loud.example", "--reject-media");
  await done("domain", "block", "loud.example", "--accept-media");
  expect(await done("domain", "allow", "friends.example")).toBe("Added friends.example to the allowlist.\n");
  expect(await done("domain", "list")).toBe(
    [
      "DOMAIN           ACTION   REJECTS  OBFUSCATED  COMMENT  NOTE",
      "loud.example     silence  -        yes         -        -",
      "spam.example     noop     media    no          Bots     again",
      "friends.example  allow    -        no          -        -\n",
    ].join("\n"),
  );
  expect(await done("domain", "unblock", "spam.example")).toBe("Unblocked spam.example.\n");
  expect(await done("domain", "disallow", "friends.example")).toBe("Removed friends.example from the allowlist.\n");
  expect(await folder.json("domain", "list")).toEqual([
    {
      domain: "loud.example",
      action: "silence",
      rejects: [],
      obfuscate: true,
      public_comment: "",
      private_comment: "",
    },
  ]);
});

describe("A failing command", () => {
  test.each([
    [2, ["moderate", "warn", "bob"], "--text is missing"],
    [2, ["moderate", "limit"], "ACCT is missing"],
    [2, ["moderate", "limit", "bob", "--report", "first"], '--report is "first"'],
    [2, ["report", "show", "first"], 'ID is "first"'],
    [2, ["domain", "block", "spam.example", "--severity", "hard"], '--severity is "hard"'],
    [2, ["domain", "block", "spam.example", "--reject-media", "--accept-media"], "--reject-media or --accept-media"],
    [2, ["domain", "allow", "a b"], 'DOMAIN is "a b"'],
    [1, ["moderate", "suspend", "nobody"], 'There is no account "nobody" on this server'],
    [1, ["moderate", "unsuspend", "bob"], "@bob isn't suspended"],
    [1, ["moderate", "suspend", "bob"], "@bob is the only owner of this server"],
    [1, ["moderate", "freeze", "bob"], "@bob is the only owner of this server"],
    [1, ["moderate", "limit", "bob", "--report", "7"], "There is no report 7"],
    [1, ["report", "resolve", "7"], "There is no report 7"],
    [1, ["domain", "block", "localhost:3000"], "localhost:3000 is this server itself"],
    [1, ["domain", "unblock", "spam.example"], "spam.example isn't blocked"],
    [1, ["domain", "disallow", "spam.example"], "spam.example isn't allowed"],
  ] as const)("prints the reason, with exit code %i: linnet %j", async (expected, args, words) => {
    await folder.createUser("bob");
    const { code, stdout, stderr }: Outcome = await folder.run([...args]);
    expect([code, stdout, stderr.split("\n")[0]]).toEqual([expected, "", expect.stringContaining(words)]);
  });

  test("refuses to allow a domain twice", async () => {
    await done("domain", "allow", "friends.example");
    const { code, stderr } = await folder.run(["domain", "allow", "friends.example"]);
    expect([code, stderr]).toEqual([1, "linnet: friends.example is already allowed.\n"]);
  });
});
