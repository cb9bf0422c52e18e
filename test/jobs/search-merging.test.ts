import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { mergeIndex, withoutMerging } from "../../src/core/discovery/search-index.ts";
import { openMigrated } from "../../src/db/migrate.ts";
import { mergeElsewhere } from "../../src/jobs/recurring/search-merging.ts";
import { openTestContext, TestClock } from "../support/instance.ts";

const WORDS = 200;

let folder: string;
let ctx: Context;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-merging-"));
  const db = openMigrated(join(folder, "linnet.db"), "NORMAL");
  ctx = openTestContext(readConfig({ LINNET_DATA: folder }), db, { clock: new TestClock() });
  db.neverBlock();
  db.transaction((tx) => {
    for (let id = 1; id <= WORDS; id += 1) {
      const words = `word${id} ${crypto.randomUUID().repeat(20)}`;
      tx.run("INSERT INTO status_search (rowid, words, marks) VALUES ($id, $words, 'public')", { id, words });
    }
  });
  db.transaction((tx) => withoutMerging(tx, () => tx.run("DELETE FROM status_search WHERE rowid > 1")));
});

afterEach(() => {
  ctx.db.close();
  rmSync(folder, { recursive: true });
});

const indexSize = () =>
  ctx.db.get<{ bytes: number }>("SELECT sum(length(block)) AS bytes FROM status_search_data")!.bytes;
const found = () => ctx.db.all("SELECT rowid AS id FROM status_search WHERE status_search MATCH 'public'");

test("Another process removes deleted statuses from the search index", async () => {
  const before = indexSize();
  await mergeElsewhere(ctx);
  expect(indexSize()).toBeLessThan(before / 10);
  expect(found()).toEqual([{ id: 1 }]);
  expect(ctx.db.transaction((tx) => mergeIndex(tx))).toBe(false);
});

test("When the server stops, that process ends, and the index stays whole", async () => {
  const merging = mergeElsewhere(ctx);
  ctx.stopping.abort();
  const error = await merging.catch((thrown: Error) => thrown.message);
  expect(error).toEndWith("ended with SIGKILL");
  expect(ctx.db.get("PRAGMA quick_check")).toEqual({ quick_check: "ok" });
  expect(found()).toEqual([{ id: 1 }]);
});
