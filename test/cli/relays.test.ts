import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase, type Db } from "../../src/db/open.ts";
import { Folder } from "./folder.ts";

const ADDRESS = "https://relay.example/inbox";

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

const addresses = () => db.all<{ address: string }>("SELECT address FROM relays").map(({ address }) => address);

describe("linnet relay", () => {
  test("adds and removes a relay, and the server delivers that", async () => {
    const { stdout } = await folder.run(["relay", "add", ADDRESS]);
    expect(stdout).toContain("The relay is asked for posts.");
    expect(addresses()).toEqual([ADDRESS]);
    const removed = await folder.run(["relay", "remove", ADDRESS, "--yes"]);
    expect(removed.stdout).toBe(`Removed the relay ${ADDRESS}.\n`);
    expect(addresses()).toEqual([]);
    const events = db.all<{ type: string }>("SELECT payload ->> '$.event.type' AS type FROM jobs ORDER BY id");
    expect(events.map(({ type }) => type)).toEqual(["relay.followed", "relay.left"]);
  });

  test("lists relays with their posts of a day", async () => {
    db.transaction((tx) => {
      tx.run(
        `INSERT INTO relays (address, kind, inbox, follow_uri, state, paused_at, created_at)
         VALUES ('${ADDRESS}', 'mastodon', '${ADDRESS}', 'urn:1', 'accepted', 60000, 0)`,
      );
      const count = "INSERT INTO relay_counts (relay_id, since, posts) SELECT id, $since, 7 FROM relays";
      for (const since of [Date.now(), Date.now() - 25 * 3600_000]) tx.run(count, { since });
    });
    const { stdout } = await folder.run(["relay", "list"]);
    const [head, row] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^ADDRESS +KIND +STATE +POSTS +PAUSED$/);
    expect(row).toMatch(/^https:\/\/relay\.example\/inbox +mastodon +accepted +7 +1970-01-01T00:01Z$/);
    expect(await folder.json("relay", "list")).toEqual([
      { address: ADDRESS, kind: "mastodon", state: "accepted", posts: 7, paused_at: "1970-01-01T00:01:00.000Z" },
    ]);
  });

  test.each([
    [["add", "relay.example"], '"relay.example" is no address. Write it like https://relay.example/inbox.'],
    [["add", "http://localhost:3000/inbox"], "localhost:3000 is this server. Name the address of a relay."],
    [["add", "http://127.0.0.1:9/actor"], "No relay was found ("],
    [["remove", ADDRESS, "--yes"], `There is no relay ${ADDRESS}. "linnet relay list" lists them.`],
  ])("refuses %j in one sentence, and changes nothing", async (words, sentence) => {
    const { code, stdout, stderr } = await folder.run(["relay", ...words]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toStartWith(`linnet: ${sentence}`);
    expect([addresses(), db.all("SELECT 1 FROM jobs")]).toEqual([[], []]);
  });
});
