import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { Folder, type Outcome } from "./folder.ts";

// Each test starts several processes one after the other.
setDefaultTimeout(60_000);

const HERE: Record<string, string> = { LINNET_URL: "https://social.example", LINNET_HANDLE_DOMAIN: "example.org" };
const ELSEWHERE = { LINNET_URL: "https://other.example" };

let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

/** Reads or changes the database directly. */
function withDatabase<T>(work: (db: Database) => T): T {
  const db = new Database(join(folder.path, "linnet-data", "linnet.db"));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function uris(): string[] {
  const rows = withDatabase((db) => db.query<{ uri: string }, []>("SELECT uri FROM accounts ORDER BY id").all());
  return rows.map(({ uri }) => uri);
}

/** Makes the database look like one of a version that didn't store the address. */
function forgetAddress(): void {
  withDatabase((db) => db.run("DELETE FROM server_state WHERE name LIKE '%address'"));
}

function createUser(name: string, settings: Record<string, string> = {}): Promise<Outcome> {
  return folder.run(["user", "create", name], { settings });
}

/** Opens the setup link of a server and creates the owner. */
async function setUp(origin: string, output: string): Promise<void> {
  const token = /setup\?token=([\w-]+)/.exec(output)![1]!;
  const body = new URLSearchParams({ username: "alice", password: "correct horse", token });
  const { status } = await fetch(`${origin}/setup`, { method: "POST", body, redirect: "manual" });
  expect(status).toBe(303);
}

describe("The address of a server", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["user create", () => createUser("alice", HERE)],
    [
      "setup",
      () => folder.run(["setup", "--name", "alice", "--password-stdin"], { stdin: "correct horse", settings: HERE }),
    ],
    [
      "the setup page",
      async () => {
        const served = await folder.serve(HERE);
        await setUp(served.origin, served.output);
        await served.stop();
      },
    ],
  ])(
    "is fixed by the first account, created with %s, so that later starts need no settings",
    async (_, createFirst) => {
      await createFirst();
      expect((await createUser("bob")).stdout).toContain("@bob@example.org");
      expect(uris()).toEqual(["https://social.example/users/alice", "https://social.example/users/bob"]);
      const served = await folder.serve();
      expect(served.output).toContain("is running at https://social.example (");
      const instance = (await (await fetch(`${served.origin}/api/v2/instance`)).json()) as { domain: string };
      expect(instance.domain).toBe("example.org");
    },
  );

  test("is localhost if the first account is created without settings", async () => {
    expect((await createUser("alice")).stdout).toContain("@alice@localhost:3000");
    expect((await createUser("bob", { LINNET_PORT: "4000" })).stdout).toContain("@bob@localhost:3000");
    expect(uris()).toEqual(["http://localhost:3000/users/alice", "http://localhost:3000/users/bob"]);
  });

  test("is that of the server's last start if a command creates the first account", async () => {
    await (await folder.serve(ELSEWHERE)).stop();
    const served = await folder.serve(HERE);
    expect((await createUser("alice")).stdout).toContain("@alice@example.org");
    expect(uris()).toEqual(["https://social.example/users/alice"]);
    expect((await fetch(`${served.origin}/@alice`)).status).toBe(200);
  });

  test("comes from the settings until there is an account", async () => {
    await (await folder.serve(ELSEWHERE)).stop();
    const served = await folder.serve();
    expect(served.output).toContain(`is running at http://localhost:${new URL(served.origin).port} (`);
  });

  test("can't be fixed by a command while a server with another address is running", async () => {
    const served = await folder.serve(HERE);
    for (const [settings, address] of [
      [ELSEWHERE, "https://other.example (@other.example)"],
      [{ LINNET_URL: HERE["LINNET_URL"]! }, "https://social.example (@social.example)"],
    ] as const) {
      for (const outcome of [
        await createUser("alice", settings),
        await folder.run(["setup", "--name", "alice", "--password-stdin"], { stdin: "correct horse", settings }),
      ]) {
        expect([outcome.code, outcome.stderr]).toEqual([
          2,
          `linnet: The running server is https://social.example (@example.org), but with these settings the first account would permanently belong to ${address}. Use the server's LINNET_URL and LINNET_HANDLE_DOMAIN, or stop the server first.\n`,
        ]);
      }
    }
    expect(uris()).toEqual([]);
    await setUp(served.origin, served.output);
    expect(uris()).toEqual(["https://social.example/users/alice"]);
  });

  test("can't be fixed by setup if a server with another address starts meanwhile", async () => {
    const other = new Folder({ LINNET_URL: ELSEWHERE.LINNET_URL });
    try {
      const terminal = other.inTerminal(["setup"]);
      await terminal.answer("Name: ", "alice");
      await other.serve(HERE);
      await terminal.answer("Display name (optional): ", "");
      await terminal.answer("Password (hidden): ", "correct horse");
      await terminal.answer("Repeat password: ", "correct horse");
      expect(await terminal.child.exited).toBe(2);
      expect(terminal.screen).toContain("The running server is https://social.example (@example.org)");
    } finally {
      await other.remove();
    }
  });

  test("can be fixed by a command after a server with another address has stopped", async () => {
    await (await folder.serve(HERE)).stop();
    expect((await createUser("alice", ELSEWHERE)).stdout).toContain("@alice@other.example");
  });

  test("can't be another one when a running server creates accounts later", async () => {
    const served = await folder.serve({ ...ELSEWHERE, LINNET_REGISTRATIONS: "open" });
    await createUser("alice");
    const { stdout } = await folder.run(["token", "create", "alice", "--scopes", "write"]);
    // As if a command had fixed its own address just when the server started.
    const fixed = JSON.stringify({ origin: "https://social.example", handleDomain: "example.org" });
    withDatabase((db) =>
      db.query("UPDATE server_state SET value = $value WHERE name = 'address'").run({ value: fixed }),
    );
    const { status, json } = await register(served.origin, stdout.trim());
    expect([status, json.error]).toEqual([409, expect.stringContaining("https://social.example")]);
    expect(uris()).toEqual(["https://other.example/users/alice"]);
  });
});

async function register(origin: string, userToken: string) {
  const app = await postForm(`${origin}/api/v1/apps`, userToken, {
    client_name: "Test",
    redirect_uris: "urn:ietf:wg:oauth:2.0:oob",
    scopes: "read write",
  });
  const { client_id, client_secret } = app.json;
  const client = { client_id: client_id!, client_secret: client_secret!, scope: "read write" };
  const token = await postForm(`${origin}/oauth/token`, "", { grant_type: "client_credentials", ...client });
  return postForm(`${origin}/api/v1/accounts`, token.json.access_token!, {
    username: "bob",
    email: "bob@example.com",
    password: "correct horse",
    agreement: "true",
    locale: "en",
  });
}

async function postForm(url: string, token: string, form: Record<string, string>) {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(url, { method: "POST", headers, body: new URLSearchParams(form) });
  return { status: response.status, json: (await response.json()) as Record<string, string | undefined> };
}

describe("A different address", () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ["LINNET_URL", ELSEWHERE, /LINNET_URL is https:\/\/other\.example, but .* https:\/\/social\.example/],
    ["LINNET_HANDLE_DOMAIN", { LINNET_HANDLE_DOMAIN: "other.example" }, /LINNET_HANDLE_DOMAIN is .* @example\.org/],
    ["the scheme", { LINNET_URL: "http://social.example" }, /LINNET_URL is http:\/\/social\.example, but/],
  ])("is refused by the server and by commands, with instructions (%s)", async (_, settings, words) => {
    await createUser("alice", HERE);
    for (const args of [["serve"], ["user", "create", "bob"], ["user", "list"]]) {
      const { code, stdout, stderr } = await folder.run(args, { settings });
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(words)]);
      expect(stderr).toMatch(
        /^linnet: .*Set it back, or remove the setting\. .*"linnet move https?:.*" gives it the new address\.\n$/,
      );
    }
    expect(uris()).toEqual(["https://social.example/users/alice"]);
    expect((await folder.run(["user", "list"], { settings: HERE })).stdout).toMatch(/^alice /m);
  });

  test("is refused by a database without a stored address, based on its oldest account", async () => {
    await createUser("alice", { LINNET_URL: "https://social.example" });
    forgetAddress();
    expect((await folder.run(["serve"], { settings: ELSEWHERE })).stderr).toContain("https://social.example");
    expect((await createUser("bob")).stdout).toContain("@bob@social.example");
    const served = await folder.serve();
    expect(served.output).toContain("is running at https://social.example (");
    await served.stop();
    withDatabase((db) => db.run("UPDATE accounts SET uri = 'https://third.example/' || id"));
    expect((await createUser("carol")).stdout).toContain("@carol@social.example");
  });

  test("on localhost is refused if only the port differs, unless LINNET_URL is set", async () => {
    await createUser("alice");
    const { code, stderr } = await folder.run(["serve"], { settings: { LINNET_PORT: "4000" } });
    expect([code, stderr]).toEqual([
      2,
      "linnet: The address of this server is http://localhost:3000, but LINNET_PORT is 4000. Set LINNET_PORT=3000. If " +
        "something else passes port 3000 on to Linnet, set LINNET_URL=http://localhost:3000, too.\n",
    ]);
    const free = String(freePort());
    const served = await folder.serve({ LINNET_PORT: free, LINNET_URL: "http://localhost:3000" });
    expect(served.output).toContain("is running at http://localhost:3000 (");
  });
});

test("A public http:// address prints a warning at the start", async () => {
  const plain = await folder.serve({ LINNET_URL: "http://social.example" });
  expect(plain.output).toContain("Warning: most apps refuse addresses that begin with http://");
  await plain.stop();
  for (const url of ["https://social.example", "http://127.0.0.1:3000", ""]) {
    const served = await folder.serve({ LINNET_URL: url });
    expect(served.output).not.toContain("Warning");
    await served.stop();
  }
});
