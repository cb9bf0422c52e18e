import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase, type Db } from "../../src/db/open.ts";
import { Folder } from "./folder.ts";

let folder: Folder;
let db: Db;

beforeEach(() => {
  folder = Folder.begun();
  db = openDatabase(join(folder.path, "linnet-data", "linnet.db"), "NORMAL");
});
afterEach(async () => {
  db.close();
  await folder.remove();
});

/** A host that is down, for which one activity waits. */
function addPeer(): void {
  db.transaction((tx) => {
    tx.run(
      `INSERT INTO hosts (domain, software, last_received_at, last_reached_at, down_since, next_attempt_at, problem)
       VALUES ('far.example', 'mastodon 4.5.0', 60000, 120000, 180000, 240000, 'no response')`,
    );
    tx.run("INSERT INTO outgoing_activities (body, created_at) VALUES ('{}', 0)");
    tx.run(
      "INSERT INTO deliveries (activity_id, inbox) SELECT id, 'https://far.example/inbox' FROM outgoing_activities",
    );
    tx.run(
      `INSERT INTO jobs (kind, lane, host, key, payload, run_at, created_at, attempts)
       VALUES ('delivery.send', 'deliveries', 'far.example', 'delivery.send far.example https://far.example/inbox', '{}', 9e15, 0, 3)`,
    );
  });
}

describe("linnet peer list", () => {
  test("shows each host in a line, or says that there is none", async () => {
    expect((await folder.run(["peer", "list"])).stdout).toBe("No other server is known.\n");
    addPeer();
    const { stdout } = await folder.run(["peer", "list"]);
    const [head, row] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^HOST +SOFTWARE +LAST RECEIVED +LAST REACHED +WAITING +DOWN SINCE$/);
    expect(row).toMatch(/^far\.example +mastodon 4\.5\.0 +1970-01-01T00:01Z +1970-01-01T00:02Z +1 +1970-01-01T00:03Z$/);
    expect(await folder.json("peer", "list")).toEqual([
      {
        domain: "far.example",
        software: "mastodon 4.5.0",
        last_received_at: "1970-01-01T00:01:00.000Z",
        last_reached_at: "1970-01-01T00:02:00.000Z",
        waiting: 1,
        down_since: "1970-01-01T00:03:00.000Z",
      },
    ]);
  });
});

describe("linnet peer retry", () => {
  test("makes the deliveries to a host due", async () => {
    addPeer();
    const { code, stdout } = await folder.run(["peer", "retry", "FAR.example"]);
    expect([code, stdout]).toEqual([0, "1 delivery is due now.\n"]);
    const now = Date.now();
    const due = "SELECT attempts, run_at <= $now AS is_due FROM jobs";
    expect(db.all(due, { now })).toEqual([{ attempts: 0, is_due: 1 }]);
    expect(db.all("SELECT next_attempt_at <= $now AS is_due FROM hosts", { now })).toEqual([{ is_due: 1 }]);
    db.transaction((tx) => tx.run("DELETE FROM deliveries"));
    expect((await folder.run(["peer", "retry", "far.example"])).stdout).toBe("Nothing waits for far.example.\n");
  });

  test.each([
    ["nowhere.example", 'The host nowhere.example is unknown. "linnet peer list" lists the known ones.'],
    ["https://far.example/", '"https://far.example/" is no host. Write it like example.org.'],
  ])("refuses %s with one sentence and exit code 1", async (host, sentence) => {
    const { code, stdout, stderr } = await folder.run(["peer", "retry", host]);
    expect([code, stdout, stderr]).toEqual([1, "", `linnet: ${sentence}\n`]);
  });
});

describe("linnet peer check", () => {
  test("prints a line for each check", async () => {
    const settings = { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" };
    const { code, stdout, stderr } = await folder.run(["peer", "check", "eve@localhost:1"], { settings });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^OK       Name resolution: localhost:1 has an address\.\nPROBLEM  Connection: .+\n$/);
  });

  test.each(["a b", "@eve", "https://far.example/@eve"])(
    "refuses %j with one sentence and exit code 1",
    async (target) => {
      const { code, stdout, stderr } = await folder.run(["peer", "check", target]);
      const sentence = `"${target}" is neither a host like example.org nor a handle like @name@example.org.`;
      expect([code, stdout, stderr]).toEqual([1, "", `linnet: ${sentence}\n`]);
    },
  );
});

describe("linnet peer forget", () => {
  const forget = (...args: string[]) => folder.run(["peer", "forget", ...args]);

  test("asks first, and then has the accounts of a host removed by the server", async () => {
    addPeer();
    db.transaction((tx) => {
      tx.run(
        `INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at)
         VALUES (7, 'eve', 'far.example', 'https://far.example/eve', 'https://far.example/@eve', 0, 0)`,
      );
    });
    const unconfirmed = await forget("far.example");
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([2, expect.stringContaining("Add --yes to confirm.")]);
    expect(db.all("SELECT kind FROM jobs")).toEqual([{ kind: "delivery.send" }]);
    const { code, stdout } = await forget("far.example", "--yes");
    const sentence =
      "Forgetting far.example: a running Linnet removes 1 account and 0 posts now, otherwise at its next start.";
    expect([code, stdout]).toEqual([0, `${sentence}\n`]);
    expect(db.all("SELECT kind FROM jobs ORDER BY id")).toEqual([
      { kind: "delivery.send" },
      { kind: "delivery.prepare" },
    ]);
  });

  test.each([
    ["nowhere.example", 'The host nowhere.example is unknown. "linnet peer list" lists the known ones.'],
    ["a b", '"a b" is no host. Write it like example.org.'],
  ])("refuses %s with one sentence and exit code 1", async (host, sentence) => {
    const { code, stdout, stderr } = await forget(host, "--yes");
    expect([code, stdout, stderr]).toEqual([1, "", `linnet: ${sentence}\n`]);
  });
});

describe("linnet federation follows", () => {
  test("shows when each follow was delivered, and the response", async () => {
    const nothing = "No follow waits for an answer, and none was answered lately.\n";
    expect((await folder.run(["federation", "follows"])).stdout).toBe(nothing);
    await folder.createUser("alice");
    db.transaction((tx) => {
      tx.run(
        `INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at)
         VALUES (7, 'eve', 'far.example', 'https://far.example/eve', 'https://far.example/@eve', 0, 0)`,
      );
      tx.run(
        `INSERT INTO sent_follows (account_id, target_account_id, uri, created_at, deliveries, delivered_at, answer, answered_at)
         SELECT id, 7, 'https://here.example/1', 0, 2, 60000, 'accepted', 120000 FROM accounts WHERE domain IS NULL`,
      );
    });
    const { stdout } = await folder.run(["federation", "follows"]);
    const [head, row] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^USER +ACCOUNT +REQUESTED +DELIVERED +TIMES +RESPONSE$/);
    expect(row).toMatch(
      /^alice +eve@far\.example +1970-01-01T00:00Z +1970-01-01T00:01Z +2 +accepted 1970-01-01T00:02Z$/,
    );
    expect(await folder.json("federation", "follows")).toMatchObject([
      { username: "alice", acct: "eve@far.example", deliveries: 2, answer: "accepted", problem: null },
    ]);
  });
});

describe("linnet federation status", () => {
  const status = (...args: string[]) => folder.run(["federation", "status", ...args]);

  test("shows what waits for each host, since when and why", async () => {
    expect((await status()).stdout).toBe("Nothing waits for other servers.\n");
    addPeer();
    const [head, row] = (await status()).stdout.trimEnd().split("\n");
    expect(head).toMatch(/^HOST +WAITING +SINCE +NEXT ATTEMPT +LAST RESPONSE$/);
    expect(row).toMatch(/^far\.example +1 +1970-01-01T00:03Z +1970-01-01T00:04Z +no response$/);
    expect(await folder.json("federation", "status")).toEqual([
      {
        domain: "far.example",
        waiting: 1,
        since: "1970-01-01T00:03:00.000Z",
        last_response: "no response",
        next_attempt_at: "1970-01-01T00:04:00.000Z",
      },
    ]);
  });

  test("shows which servers have a post, wait for it or refused it", async () => {
    await folder.createUser("alice");
    db.transaction((tx) =>
      tx.run(
        `INSERT INTO statuses (id, account_id, uri, url, local, text, content, visibility, conversation_id, created_at)
         SELECT 7, id, 'http://localhost:3000/users/alice/statuses/7', '', 1, 'Hi', '<p>Hi</p>', 'public', 7, 0 FROM accounts`,
      ),
    );
    expect((await status("7")).stdout).toBe("No delivery of this post to another server is known.\n");
    addPeer();
    db.transaction((tx) => {
      tx.run(
        `INSERT INTO status_deliveries (activity_id, status_id, is_edit, created_at, servers, refused)
         SELECT id, 7, 0, 0, 4, 1 FROM outgoing_activities`,
      );
      tx.run(
        `INSERT INTO refused_deliveries (activity_id, host, response, created_at)
         SELECT activity_id, 'no.example', 'it answered 403', 60000 FROM status_deliveries`,
      );
    });
    const lines = (await status("http://localhost:3000/@alice/7")).stdout.trimEnd().split("\n");
    expect(lines).toEqual([
      "Delivered to 2 servers, 1 waiting, 1 refused.",
      expect.stringMatching(/^WAITING HOST +SINCE +NEXT ATTEMPT +LAST RESPONSE$/),
      expect.stringMatching(/^far\.example +1970-01-01T00:03Z +1970-01-01T00:04Z +no response$/),
      expect.stringMatching(/^REFUSING HOST +AT +RESPONSE$/),
      expect.stringMatching(/^no\.example +1970-01-01T00:01Z +it answered 403$/),
    ]);
    expect(await folder.json("federation", "status", "7")).toMatchObject({
      published: { accepted: 2, waiting: 1, refused_servers: [{ domain: "no.example" }] },
      edited: null,
    });
  });

  test.each(["8", "http://localhost:3000/@alice", "https://far.example/@alice/7", "hello"])(
    "refuses %j with one sentence and exit code 1",
    async (post) => {
      const { code, stdout, stderr } = await status(post);
      const sentence = `"${post}" is no post of this server. Use the address of its page, or its id.`;
      expect([code, stdout, stderr]).toEqual([1, "", `linnet: ${sentence}\n`]);
    },
  );
});

describe("linnet federation resync", () => {
  test("sends the follows of a user again, and has the followers compared", async () => {
    await folder.createUser("alice");
    db.transaction((tx) => {
      tx.run(
        `INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at)
         VALUES (7, 'eve', 'far.example', 'https://far.example/eve', 'https://far.example/@eve', 0, 0)`,
      );
      tx.run(
        `INSERT INTO follows (account_id, target_account_id, created_at, uri)
         SELECT id, 7, 0, 'http://localhost:3000/users/alice#follows/1' FROM accounts WHERE domain IS NULL`,
      );
    });
    const { code, stdout } = await folder.run(["federation", "resync", "alice"]);
    expect([code, stdout]).toEqual([
      0,
      "1 follow is sent again, and the servers of 0 followers compare their lists.\n",
    ]);
    const events = "SELECT payload ->> '$.event.type' AS first, payload ->> '$.others[0].type' AS second FROM jobs";
    expect(db.all<object>(events)).toEqual([{ first: "follow.created", second: "account.updated" }]);
  });

  test("refuses an unknown name with one sentence and exit code 1", async () => {
    const { code, stdout, stderr } = await folder.run(["federation", "resync", "nobody"]);
    expect([code, stdout, stderr]).toEqual([1, "", 'linnet: There is no user called "nobody".\n']);
  });
});
