import { expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/db/open.ts";

const PAGE = 4096;

test("A read of a damaged page fails, and the reads and writes after it don't", async () => {
  const folder = mkdtempSync(join(tmpdir(), "linnet-damage-"));
  const file = join(folder, "words.db");
  const before = openDatabase(file, "FULL");
  before.transaction((tx) => {
    tx.run("CREATE TABLE whole (word TEXT) STRICT");
    tx.run("CREATE TABLE words (word TEXT) STRICT");
    for (let n = 0; n < 1000; n += 1) tx.run("INSERT INTO words (word) VALUES ($word)", { word: "word ".repeat(60) });
  });
  before.close();
  const handle = openSync(file, "r+");
  writeSync(
    handle,
    new Uint8Array(PAGE * 4).fill(0xff),
    0,
    PAGE * 4,
    Math.floor(statSync(file).size / PAGE / 2) * PAGE,
  );
  closeSync(handle);
  const db = openDatabase(file, "FULL");
  // An error outside of the call would end the server.
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on("uncaughtException", note);
  try {
    expect(() => db.all("SELECT max(length(word)) FROM words")).toThrow("malformed");
    await Bun.sleep(0);
    expect(db.all("SELECT word FROM whole")).toEqual([]);
    expect(() => db.all("SELECT max(length(word)) FROM words")).toThrow("malformed");
    db.transaction((tx) => tx.run("INSERT INTO whole (word) VALUES ('new')"));
    expect(db.all("SELECT word FROM whole")).toEqual([{ word: "new" }]);
    await Bun.sleep(0);
    expect(uncaught).toEqual([]);
  } finally {
    process.off("uncaughtException", note);
    db.close();
    rmSync(folder, { recursive: true });
  }
});
