import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { pruneStatuses } from "../../src/core/statuses/old-statuses.ts";
import { mergeIndex, withoutMerging } from "../../src/core/discovery/search-index.ts";
import { openMigrated } from "../../src/db/migrate.ts";
import type { Tx } from "../../src/db/open.ts";
import { pruneElsewhere } from "../../src/jobs/recurring/prune-elsewhere.ts";
import { idAt } from "../../src/lib/ids.ts";
import { openTestContext, TestClock } from "../support/instance.ts";

const WORDS = 200;
const DAY = 24 * 3600_000;

let folder: string;
let ctx: Context;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-pruning-"));
  const db = openMigrated(join(folder, "linnet.db"), "NORMAL");
  ctx = openTestContext(readConfig({ LINNET_DATA: folder, LINNET_REMOTE_POSTS_DAYS: "30" }), db, {
    clock: new TestClock(),
  });
  db.neverBlock();
  db.transaction((tx) => {
    addStatus(tx, "young", Date.now() - DAY);
    addStatus(tx, "old", Date.now() - 31 * DAY);
    for (let id = 1; id <= WORDS; id += 1) {
      const words = `word${id} ${crypto.randomUUID().repeat(20)}`;
      tx.run("INSERT INTO status_search (rowid, words, marks) VALUES ($id, $words, 'public')", { id, words });
    }
  });
  db.transaction((tx) => withoutMerging(tx, () => tx.run("DELETE FROM status_search WHERE rowid > 1")));
});

function addStatus(tx: Tx, name: string, at: number, content = ""): void {
  tx.run(
    `INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at)
     VALUES (7, 'rita', 'far.example', 'https://far.example/rita', '', 1, 1) ON CONFLICT DO NOTHING`,
  );
  tx.run(
    `INSERT INTO statuses (id, account_id, uri, url, local, visibility, content, conversation_id, created_at)
     VALUES ($id, 7, $uri, '', 0, 'public', $content, $id, $at)`,
    { id: idAt(at), uri: `https://far.example/${name}`, content, at },
  );
}

afterEach(() => {
  ctx.db.close();
  rmSync(folder, { recursive: true });
});

const indexSize = () =>
  ctx.db.get<{ bytes: number }>("SELECT sum(length(block)) AS bytes FROM status_search_data")!.bytes;
const found = () => ctx.db.all("SELECT rowid AS id FROM status_search WHERE status_search MATCH 'public'");

test("Another process prunes the database, with all the steps of this one", async () => {
  const before = indexSize();
  await pruneElsewhere(ctx, 0);
  expect(ctx.db.all("SELECT uri FROM statuses")).toEqual([{ uri: "https://far.example/young" }]);
  expect(indexSize()).toBeLessThan(before / 10);
  expect(found()).toEqual([{ id: 1 }]);
  expect(ctx.db.transaction(mergeIndex)).toBe(false);
  expect(ctx.db.get("PRAGMA freelist_count")).toEqual({ freelist_count: 0 });
});

test("The statuses that stay between pruned ones fill their pages", () => {
  const day = ctx.clock.now() - 90 * DAY;
  ctx.db.transaction((tx) => {
    for (let at = 0; at < 1500; at += 1) {
      addStatus(tx, `post${at}`, day + at, "x".repeat(500 + ((at * 37) % 300)));
      if (at % 5 < 2)
        tx.run("INSERT INTO status_pins (status_id, account_id, created_at) VALUES ($id, 7, 1)", {
          id: idAt(day + at),
        });
    }
  });
  for (let before: number | null = null; ;) {
    before = ctx.db.transaction((tx) => pruneStatuses(ctx, tx, before)).before;
    if (before === null) break;
  }
  expect(ctx.db.get("SELECT count(*) AS count FROM statuses WHERE uri LIKE '%/post%'")).toEqual({ count: 600 });
  const pages = () =>
    ctx.db.get<{ used: number }>(
      "SELECT page_count - freelist_count AS used FROM pragma_page_count, pragma_freelist_count",
    )!.used;
  const pruned = pages();
  ctx.db.alone("VACUUM");
  // Deletions alone leave 163 pages more than there would be in a new file.
  expect(pruned - pages()).toBeLessThan(130);
});

test("When the server stops, that process ends, and the database stays whole", async () => {
  const pruning = pruneElsewhere(ctx);
  ctx.stopping.abort();
  const error = await pruning.catch((thrown: Error) => thrown.message);
  expect(error).toEndWith("ended with SIGKILL");
  expect(ctx.db.get("PRAGMA quick_check")).toEqual({ quick_check: "ok" });
  expect(found()).toEqual([{ id: 1 }]);
});
