import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type Db, openDatabase } from "../../src/db/open.ts";
import { type CacheSpec, everyEntry, ownRow, partRows, referencedRows, RowCaches } from "../../src/db/row-cache.ts";

const authors = sqliteTable("authors", { id: integer().primaryKey(), name: text(), born: integer() });
const books = sqliteTable("books", {
  id: integer().primaryKey(),
  title: text(),
  author_id: integer(),
  seen: integer(),
});
const pages = sqliteTable("pages", { id: integer().primaryKey(), book_id: integer(), words: text() });
const notes = sqliteTable("notes", { id: integer().primaryKey(), page_id: integer(), words: text() });

const BOOKS: CacheSpec<number, string> = {
  name: "books",
  max: 3,
  dependsOn: [
    ownRow(books, ["title", "author_id"], { key: "id", preload: true }),
    partRows(pages, ["words"], "book_id"),
    partRows(notes, ["words"], (row) => `SELECT book_id AS key FROM pages WHERE id = ${row}.page_id`),
    referencedRows(authors, ["name"], everyEntry),
  ],
};
/** By author, as text. */
const SHELVES: CacheSpec<string, number> = {
  name: "shelves",
  max: 3,
  dependsOn: [partRows(books, ["author_id"], (row) => `SELECT 'by ' || ${row}.author_id AS key`)],
};

let folder: string;
let db: Db;
let caches: RowCaches;
/** The books that were loaded, in order. */
let loaded: number[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-caches-"));
  db = openDatabase(join(folder, "books.db"), "NORMAL");
  db.raw.run(`
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, born INTEGER);
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors (id), seen INTEGER);
    CREATE TABLE pages (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books (id) ON DELETE CASCADE, words TEXT);
    CREATE TABLE notes (id INTEGER PRIMARY KEY, page_id INTEGER REFERENCES pages (id) ON DELETE CASCADE, words TEXT);
    INSERT INTO authors VALUES (1, 'Ada', 1815);
    INSERT INTO books VALUES (1, 'One', 1, 0), (2, 'Two', 1, 0);
    INSERT INTO pages VALUES (1, 1, 'a'), (2, 1, 'b');
    INSERT INTO notes VALUES (1, 1, 'n'), (2, 2, 'n')`);
  caches = new RowCaches(db);
  loaded = [];
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

function titles(...ids: number[]): Map<number, string> {
  return caches.of(BOOKS).getMany(ids, (missing) => {
    loaded.push(...missing);
    const rows = db.all<{ id: number; title: string }>("SELECT id, title FROM books");
    return rows.filter(({ id }) => missing.has(id)).map(({ id, title }) => [id, title]);
  });
}

/** Runs the statements with books 1 and 2 in the cache; the books that were loaded again afterwards. */
function loadedAfter(...statements: string[]): number[] {
  titles(1, 2);
  loaded = [];
  db.transaction((tx) => {
    for (const statement of statements) tx.run(statement);
  });
  titles(1, 2);
  return loaded;
}

describe("A cached value is loaded again", () => {
  test.each([
    ["its row is updated", "UPDATE books SET title = 'Eins' WHERE id = 1"],
    ["its row is deleted", "DELETE FROM books WHERE id = 1"],
    ["a part is inserted", "INSERT INTO pages VALUES (3, 1, 'c')"],
    ["a part is updated", "UPDATE pages SET words = 'c' WHERE id = 1"],
    ["a part is deleted", "DELETE FROM pages WHERE id = 1"],
    ["a part of a part is inserted", "INSERT INTO notes VALUES (3, 1, 'c')"],
    ["a part of a part is updated", "UPDATE notes SET words = 'c' WHERE id = 1"],
    ["a part of a part is deleted", "DELETE FROM notes WHERE id = 1"],
    ["parts are ignored if they exist", "INSERT OR IGNORE INTO pages VALUES (1, 1, 'a'), (3, 1, 'b'), (4, 1, 'c')"],
  ])("after %s", (_, statement) => {
    expect(loadedAfter(statement)).toEqual([1]);
  });

  test("with both entries if a part moves from one to the other", () => {
    expect(loadedAfter("UPDATE pages SET book_id = 2 WHERE id = 1")).toEqual([1, 2]);
  });

  test("with every entry if any may be affected", () => {
    expect(loadedAfter("UPDATE authors SET name = 'A. L.'")).toEqual([1, 2]);
  });

  test("after it was changed by another process, with all others", async () => {
    titles(1, 2);
    loaded = [];
    await Promise.resolve();
    const other = openDatabase(join(folder, "books.db"), "NORMAL");
    other.transaction((tx) => tx.run("UPDATE books SET title = 'Eins' WHERE id = 1"));
    other.close();
    expect(titles(1, 2)).toEqual(
      new Map([
        [1, "Eins"],
        [2, "Two"],
      ]),
    );
    expect(loaded).toEqual([1, 2]);
  });

  test("if it is no longer valid", () => {
    const shelf = (isValid: boolean, count: number) =>
      caches.of(SHELVES).get(
        "by 1",
        () => count,
        () => isValid,
      );
    expect([shelf(true, 2), shelf(true, 3), shelf(false, 4), shelf(true, 5)]).toEqual([2, 2, 4, 4]);
  });
});

describe("A cached value stays", () => {
  test.each([
    ["columns that it does not depend on", "UPDATE books SET seen = 1"],
    ["columns of other rows that it does not depend on", "UPDATE authors SET born = 1816"],
    ["a column that gets the value it has", "UPDATE books SET title = title"],
    ["rows of other entries", "INSERT INTO pages VALUES (3, NULL, 'c')"],
  ])("after changes of %s", (_, statement) => {
    expect(loadedAfter(statement)).toEqual([]);
  });

  test("when a transaction that changed it is rolled back", () => {
    titles(1);
    const work = () =>
      db.transaction((tx) => {
        tx.run("UPDATE books SET title = 'Eins' WHERE id = 1");
        expect(titles(1).get(1)).toBe("Eins");
        throw new Error("no");
      });
    expect(work).toThrow("no");
    expect(titles(1).get(1)).toBe("One");
  });

  test("in each cache by its own keys", () => {
    const shelf = (id: number) => caches.of(SHELVES).get(`by ${id}`, () => loaded.push(id));
    shelf(1);
    titles(1);
    db.transaction((tx) => tx.run("INSERT INTO books VALUES (3, 'Three', NULL, 0)"));
    expect([shelf(1), titles(1).get(1)]).toEqual([1, "One"]);
    db.transaction((tx) => tx.run("INSERT INTO books VALUES (4, 'Four', 1, 0)"));
    expect(shelf(1)).toBe(3);
  });
});

describe("A cache", () => {
  test("first used in a transaction works after its rollback", () => {
    const work = () =>
      db.transaction(() => {
        titles(1);
        throw new Error("no");
      });
    expect(work).toThrow("no");
    expect(loadedAfter("UPDATE books SET title = 'Eins' WHERE id = 1")).toEqual([1]);
  });

  test("loads new rows together with the first that is asked for", () => {
    titles(1);
    db.transaction((tx) => tx.run("INSERT INTO books VALUES (3, 'Three', 1, 0), (4, 'Four', 1, 0)"));
    loaded = [];
    titles(3);
    titles(4);
    expect(loaded).toEqual([3, 4]);
  });

  test("drops the oldest entry when it is full", () => {
    db.transaction((tx) => tx.run("INSERT INTO books VALUES (3, 'Three', 1, 0), (4, 'Four', 1, 0)"));
    for (const id of [1, 2, 3, 4]) titles(id);
    loaded = [];
    titles(2, 3, 4);
    expect(loaded).toEqual([]);
    titles(1);
    expect(loaded).toEqual([1]);
  });

  test("gives related values, too, and loads those that are missing", () => {
    const related = (id: number) =>
      caches.of(BOOKS).getMany(
        [id],
        (missing) => [...missing].map((id) => [id, `loaded ${id}`]),
        () => 2,
      );
    titles(1);
    expect(related(1)).toEqual(
      new Map([
        [1, "One"],
        [2, "loaded 2"],
      ]),
    );
  });

  test("looks for changes once per snapshot", async () => {
    titles(1);
    await Promise.resolve();
    const before = db.statements;
    for (let at = 0; at < 10; at += 1) titles(1);
    expect(db.statements - before).toBe(1);
  });
});
