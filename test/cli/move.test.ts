import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { knowingServers } from "../../src/core/server/knowing-servers.ts";
import { rewriteAddress } from "../../src/core/server/new-address.ts";
import { Client, type Json } from "../support/client.ts";
import { linkHtml } from "../../src/lib/text/text.ts";
import { everyTable, fillEveryTable } from "../support/full-database.ts";
import { openInMemory } from "../support/instance.ts";
import { uploaded } from "../support/uploads.ts";
import { Folder } from "./folder.ts";

/** Each test starts programs, possibly on a busy machine. */
setDefaultTimeout(60_000);

const OLD = "http://localhost:3000";
const NEW = "https://social.example";

let folder: Folder;

const database = () => join(folder.path, "linnet-data", "linnet.db");
const grep = (text: string) => readFileSync(database()).includes(text);

function withDatabase<T>(work: (db: Database) => T): T {
  const db = new Database(database());
  try {
    return work(db);
  } finally {
    db.close();
  }
}

async function tokenOf(name: string): Promise<string> {
  return (await folder.run(["token", "create", name, "--scopes", "read write follow push"])).stdout.trim();
}

describe("linnet move", () => {
  let tokens: string[];
  let post: Json;

  /** Runs the server and calls its API. */
  async function using<T>(work: (alice: Client, bob: Client) => Promise<T>): Promise<T> {
    const served = await folder.serve({ LINNET_PORT: "3000" }).catch(() => folder.serve());
    const [alice, bob] = tokens.map((token) => new Client(served.origin, token));
    const result = await work(alice!, bob!);
    await served.stop();
    return result;
  }

  beforeAll(async () => {
    folder = Folder.begun({ LINNET_RATE_LIMITS: "off", LINNET_URL: OLD, LINNET_PORT: "0" });
    await folder.createUser("alice");
    await folder.createUser("bob");
    delete (folder.settings as Record<string, string>)["LINNET_URL"];
    tokens = [await tokenOf("alice"), await tokenOf("bob")];
    post = await using(async (alice, bob) => {
      const first = await alice.publish("first #tea");
      const media = await uploaded(alice);
      const status = `@bob@localhost:3000 see ${first.url} and #tea, not ${OLD}1/x or @eve@localhost:3000`;
      const published = await alice.publish({ status, media_ids: [media.id], in_reply_to_id: first.id });
      await alice.put(`/api/v1/statuses/${first.id}`, { status: `first @bob ${OLD}/about` });
      await bob.publish({ status: "a quote", quoted_status_id: first.id });
      await bob.post(`/api/v1/statuses/${first.id}/reblog`);
      await alice.publish({ status: "@bob psst", visibility: "direct" });
      await alice.delete(`/api/v1/statuses/${(await alice.publish("gone")).id}`);
      await alice.patch("/api/v1/accounts/update_credentials", {
        note: `I am @alice@localhost:3000, ${OLD}/@alice`,
        fields_attributes: [{ name: "Here", value: `${OLD}/@bob` }],
      });
      return published;
    });
  });
  afterAll(() => folder.remove());

  test("is refused while the server runs, for no address, for the same one, and with the number of servers that know this one", async () => {
    const refused = async (...args: string[]) => {
      const { code, stderr, stdout } = await folder.run(["move", ...args]);
      expect([code > 0, stdout]).toEqual([true, ""]);
      return stderr;
    };
    const served = await folder.serve();
    expect(await refused(NEW)).toContain("Another Linnet is running");
    await served.stop();
    expect(await refused("social.example")).toContain('URL is "social.example", but should be');
    expect(await refused(`${NEW}/blog`)).toContain("should be");
    expect(await refused(OLD)).toContain(`The address is ${OLD} (@localhost:3000) already.`);
    withDatabase((db) => {
      db.run("INSERT INTO hosts (domain, last_used_at, last_received_at) VALUES ('b.example', 1, 1)");
      db.run(
        "INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at) VALUES (1, 'x', 'a.example', 'https://a.example/x', '', 1, 1), (2, 'y', 'c.example', 'https://c.example/y', '', 1, 1)",
      );
      db.run(
        "INSERT INTO follows (account_id, target_account_id, created_at) SELECT 1, id, 1 FROM accounts WHERE username = 'alice'",
      );
    });
    expect(await refused(NEW)).toContain(`2 servers may know ${OLD}: a.example, b.example.`);
    withDatabase((db) => db.run("DELETE FROM follows WHERE account_id = 1"));
    withDatabase((db) => db.run("DELETE FROM hosts"));
    // In a network without public addresses, others may have fetched something.
    const { stderr } = await folder.run(["move", NEW], { settings: { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" } });
    expect(stderr).toContain(`2 servers may know ${OLD}: a.example, c.example.`);
    withDatabase((db) => db.run("DELETE FROM accounts WHERE domain IS NOT NULL"));
    expect(grep(`${OLD}/users/alice`)).toBe(true);
  });

  test("is named by the server that is started with another address", async () => {
    const settings = { LINNET_URL: NEW, LINNET_HANDLE_DOMAIN: "example.org" };
    const { code, stderr } = await folder.run(["serve"], { settings });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`"linnet move ${NEW} --handle-domain example.org"`)]);
  });

  test("leaves nothing of the old address but in what users wrote, after a copy of the database", async () => {
    withDatabase((db) =>
      db.run(`INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, name, created_at)
        SELECT id, 'x', 'x', 0, '[]', 'Key', 1 FROM users LIMIT 1`),
    );
    const { code, stdout, stderr } = await folder.run(["move", NEW, "--handle-domain", "example.org"], {
      settings: { LINNET_URL: OLD },
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`The server was ${OLD} (@localhost:3000) and is ${NEW} (@example.org) now`);
    expect(stdout).toContain(`Set LINNET_URL=${NEW}, or remove the setting.`);
    expect(stdout).toContain("Passkeys are for the old address. @alice can sign in with other codes");
    expect(readFileSync(`${database()}.before-move`).includes(`${OLD}/users/alice`)).toBe(true);
    expect([grep(`${OLD}/users/alice`), grep(`${OLD}/@bob" class=`)]).toEqual([false, false]);
    const written = withDatabase((db) => {
      db.run("UPDATE statuses SET text = ''");
      db.run("UPDATE accounts SET note = '', fields = json_remove(fields, '$[0].value')");
      db.run("VACUUM");
      db.run("PRAGMA wal_checkpoint(TRUNCATE)");
      return db.query("SELECT json_extract(fields, '$[0].html') AS html FROM accounts WHERE username = 'alice'").get();
    });
    expect(written).toMatchObject({ html: `${NEW}/@bob` });
    const left = readFileSync(database(), "latin1").replaceAll(`${OLD}1/x`, "").replaceAll("@eve@localhost:3000", "");
    expect([left.includes(OLD), left.includes("@localhost:3000"), left.includes(NEW)]).toEqual([false, false, true]);
  });

  test("keeps sessions, threads and media, under the new names", async () => {
    const instance = await using(async (alice, bob) => {
      const { json } = await alice.get(`/api/v1/statuses/${post.id}`);
      expect(json).toMatchObject({
        uri: `${NEW}/users/alice/statuses/${post.id}`,
        url: `${NEW}/@alice/${post.id}`,
        account: { url: `${NEW}/@alice` },
        mentions: [{ acct: "bob", url: `${NEW}/@bob` }],
        tags: [{ url: `${NEW}/tags/tea` }],
      });
      expect(json.content).toContain(`<a href="${NEW}/@bob" class="u-url mention">`);
      expect(json.content).toContain(`see ${NEW}/@alice/`);
      expect(json.content).toContain("localhost:30001/x");
      expect(json.content).toContain("@eve@localhost:3000");
      const { pathname } = new URL(json.media_attachments[0].url);
      expect((await fetch(alice.origin + pathname)).status).toBe(200);
      expect((await bob.get("/api/v1/conversations")).json).toHaveLength(1);
      const found = await bob.get(`/api/v2/search?resolve=true&q=${encodeURIComponent(json.uri)}`);
      expect(found.json.statuses).toMatchObject([{ id: post.id }]);
      const resource = encodeURIComponent("acct:alice@example.org");
      expect((await alice.get(`/.well-known/webfinger?resource=${resource}`)).json).toMatchObject({
        subject: "acct:alice@example.org",
        aliases: expect.arrayContaining([`${NEW}/users/alice`]),
      });
      return (await alice.get("/api/v2/instance")).json;
    });
    expect(instance).toMatchObject({ domain: "example.org" });
  });
});

test("A new address is written to every text of every table, except for those by users", () => {
  const db = openInMemory();
  fillEveryTable(db);
  const from = { origin: "https://old.example", handleDomain: "old.example" };
  const text = `https://old.example/x`;
  const columns: [table: string, column: string][] = everyTable(db).flatMap((table) =>
    db
      .all<{ name: string }>("SELECT name FROM pragma_table_info($table) WHERE type = 'TEXT'", { table })
      .map(({ name }): [string, string] => [table, name]),
  );
  const filled = columns.filter(([table, column]) => {
    const isFields = column === "fields";
    const value = isFields ? JSON.stringify([{ name: "", value: "", html: text }]) : JSON.stringify(text);
    try {
      db.transaction((tx) => tx.run(`UPDATE "${table}" SET "${column}" = $value`, { value }));
      return true;
    } catch {
      // A fixed set of words.
      return false;
    }
  });
  expect(filled.length).toBeGreaterThan(100);
  db.transaction((tx) => rewriteAddress(tx, from, { origin: "https://new.example", handleDomain: "new.example" }));
  const left = filled
    .filter(([table, column]) => db.get(`SELECT 1 FROM "${table}" WHERE instr("${column}", $text)`, { text }) !== null)
    .map(([table, column]) => `${table}.${column}`);
  expect(left).toMatchInlineSnapshot(`
    [
      "account_notes.comment",
      "account_warnings.text",
      "accounts.display_name",
      "accounts.note",
      "accounts.avatar_description",
      "accounts.header_description",
      "announcements.text",
      "domain_blocks.public_comment",
      "domain_blocks.private_comment",
      "filter_keywords.keyword",
      "filters.title",
      "imports.file_name",
      "lists.title",
      "media_attachments.description",
      "pages.text",
      "poll_options.title",
      "reports.comment",
      "rules.text",
      "rules.hint",
      "rules.translations",
      "scheduled_statuses.draft",
      "status_edits.spoiler_text",
      "status_edits.poll_options",
      "statuses.text",
      "statuses.spoiler_text",
      "terms_of_service.text",
      "users.reason",
    ]
  `);
  db.close();
});

test("A link that shows its address shows the new one; similar addresses and handles stay", () => {
  const db = openInMemory();
  fillEveryTable(db);
  const long = "/@alice/115000000000000001?and=more";
  const html = (host: string, handles: string) =>
    `<p>${linkHtml(`https://${host}${long}`, "nofollow")} <a href="https://${host}/">my page</a></p>
     <p>https://old.example.org https://old.example:8080 https://old.example-x.test</p><p>${handles}</p>`;
  const others = "@eve@old.example @alice@old.example.org x@alice@old.example";
  db.transaction((tx) => {
    tx.run("UPDATE accounts SET username = 'alice', domain = NULL");
    tx.run("UPDATE statuses SET content = $html, text = $text", {
      html: html("old.example", `@Alice@old.example, ${others}`),
      text: `@alice@old.example https://old.example/ ${others}`,
    });
    const from = { origin: "https://old.example", handleDomain: "old.example" };
    rewriteAddress(tx, from, { origin: "https://a-much-longer-name.example", handleDomain: "new.example" });
  });
  expect(db.get("SELECT content, text FROM statuses")).toEqual({
    content: html("a-much-longer-name.example", `@Alice@new.example, ${others}`),
    text: `@alice@new.example https://old.example/ ${others}`,
  });
  db.close();
});

describe("A server knows this one", () => {
  const config = readConfig({});
  const PUBLIC = "https://social.example";
  const account = `INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at) VALUES
    (1, 'alice', NULL, 'x', '', 1, 1), (2, 'bob', 'far.example', 'y', '', 1, 1);`;
  const tie = (table: string, from: number, to: number) =>
    `${account} INSERT INTO ${table} (account_id, target_account_id, created_at) VALUES (${from}, ${to}, 1)`;
  const relay = (state: string) =>
    `INSERT INTO relays (address, kind, inbox, follow_uri, state, created_at)
     VALUES ('x', 'mastodon', 'https://far.example/inbox', 'y', '${state}', 1)`;
  const follow = (columns: string, values: string) =>
    `${account} INSERT INTO sent_follows (account_id, target_account_id, uri, created_at, ${columns}) VALUES (1, 2, 'x', 1, ${values})`;
  const post = `${account} INSERT INTO statuses (id, account_id, uri, url, local, visibility, conversation_id, created_at)
    VALUES (1, 1, 'x', '', 1, 'public', 1, 1);`;
  const delivered = (refused: number) =>
    `${post} INSERT INTO status_deliveries (activity_id, status_id, is_edit, created_at, servers, refused, last_host)
     VALUES (1, 1, 0, 1, 1, ${refused}, 'far.example');`;

  function knowing(sql: string, origin: string): string[] {
    const db = openInMemory();
    for (const each of sql.split(";")) if (each.trim()) db.transaction((tx) => tx.run(each));
    const found = knowingServers(db, origin, config);
    db.close();
    return found;
  }

  test.each([
    [
      "that has sent something",
      "INSERT INTO hosts (domain, last_used_at, last_received_at) VALUES ('far.example', 1, 1)",
    ],
    ["with a follower", tie("follows", 2, 1)],
    ["with a follower who waits", tie("follow_requests", 2, 1)],
    ["with an account that is followed", tie("follows", 1, 2)],
    ["that has got a follow", follow("delivered_at", "1")],
    ["that has got a post", delivered(0)],
    ["that is a relay", relay("accepted")],
  ])("(%s), wherever this one is", (_, sql) => {
    expect(knowing(sql, PUBLIC)).toEqual(["far.example"]);
    expect(knowing(sql, "http://localhost:3000")).toEqual(["far.example"]);
  });

  test.each([
    ["was reached", "INSERT INTO hosts (domain, last_used_at, last_reached_at) VALUES ('far.example', 1, 1)"],
    ["was asked for an account", account],
    ["has refused a follow", follow("problem", "'401'")],
    [
      "has refused a post",
      `${delivered(1)} INSERT INTO refused_deliveries (activity_id, host, response, created_at) VALUES (1, 'far.example', '401', 1)`,
    ],
    [
      "is to get something",
      "INSERT INTO outgoing_activities (id, body, created_at) VALUES (1, '', 1); INSERT INTO deliveries (activity_id, inbox) VALUES (1, 'https://far.example/inbox')",
    ],
    ["is a relay that has not answered", relay("pending")],
  ])("unless this one is at localhost, where it can fetch nothing, if it %s", (_, sql) => {
    expect(knowing(sql, PUBLIC)).toEqual(["far.example"]);
    for (const here of [
      "http://localhost:3000",
      "http://linnet.localhost",
      "http://127.0.0.1:3000",
      "http://[::1]:3000",
    ]) {
      expect(knowing(sql, here)).toEqual([]);
    }
  });
});
