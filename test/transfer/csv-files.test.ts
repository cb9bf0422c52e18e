import { beforeAll, describe, expect, test } from "bun:test";
import { Transfer } from "../support/imports.ts";
import { serverForAllTests } from "../support/setup.ts";

/* Which files are read, and as what. */

const { server, alice } = serverForAllTests(["alice", "bob"]);
let transfer: Transfer;

beforeAll(() => (transfer = new Transfer(() => server, alice)));

/** Reads a file and cancels its import. Returns its kind, with the cells of its rows. */
async function read(file: string | Uint8Array, given?: Parameters<Transfer["begin"]>[1]) {
  const id = await transfer.begin(file, given);
  const { db } = server.ctx;
  const rows = db.all<{ cells: string }>("SELECT cells FROM import_rows WHERE import_id = $id ORDER BY id", { id });
  const { kind } = transfer.latest;
  db.transaction((tx) => tx.run("DELETE FROM imports"));
  return [kind, ...rows.map(({ cells }) => JSON.parse(cells))];
}

/** The message about a file that is refused. Nothing of it is stored. */
async function refusal(file: string | Uint8Array, given?: Parameters<Transfer["begin"]>[1]): Promise<string> {
  const outcome = await transfer.begin(file, given).catch((error: Error) => error.message);
  const { db } = server.ctx;
  expect(db.get("SELECT (SELECT count(*) FROM imports) + (SELECT count(*) FROM import_rows) AS count")).toEqual({
    count: 0,
  });
  return String(outcome);
}

describe("A file", () => {
  test.each<[string, string]>([
    ["follows", "Account address,Show boosts,Notify on new posts,Languages\na@x.test,true,false,\n"],
    ["follows", "Account address,Show boosts\na@x.test,true\n"],
    ["mutes", "Account address,Hide notifications\na@x.test,true\n"],
    ["lists", "Friends,a@x.test\n"],
    ["lists", "Languages,a@x.test\n"],
    ["lists", "List name,Account address\nFriends,a@x.test\n"],
    ["domain_blocks", "spam.test\n"],
    ["domain_blocks", "#domain\nspam.test\n"],
    ["bookmarks", "https://x.test/1\n"],
    ["bookmarks", "#uri\nhttps://x.test/1\n"],
    ["filters", '{"custom_filters":[{"title":"Noise","context":["home"],"keywords_attributes":[]}]}'],
  ])("of %s is recognised by its first line", async (kind, text) => {
    expect((await read(text))[0]).toBe(kind as never);
  });

  test("that is a plain list of accounts is recognised by its name, or has to be described", async () => {
    expect(await read("a@x.test\n", { name: "blocked_accounts.csv" })).toEqual(["blocks", ["a@x.test"]]);
    expect(await read("Account address\na@x.test\n", { name: "muted_accounts.csv" })).toEqual([
      "mutes",
      ["a@x.test", ""],
    ]);
    expect(await read("a@x.test\n", { kind: "follows" })).toEqual(["follows", ["a@x.test", "", "", ""]]);
    expect(await refusal("a@x.test\n")).toContain("choose what it contains");
    expect(await refusal("a@x.test\n", { kind: "lists" })).toContain("something else than you chose");
    expect(await refusal("Account address,Show boosts\na@x.test,true\n", { kind: "blocks" })).toContain(
      "something else than you chose",
    );
  });

  test("may have other columns, in another order, with other separators and line ends", async () => {
    const expected = ["follows", ["a@x.test", "true", "", "de, en"]];
    expect(await read('Reason,Languages,Show boosts,Account address\r\nnone,"de, en",true,a@x.test\r\n')).toEqual(
      expected,
    );
    expect(await read("Account address;Show boosts;Languages\ra@x.test;true;de, en\r")).toEqual(expected);
    expect(await read('"Account address"\t"Show boosts"\t"Languages"\n\n"a@x.test"\t"true"\t"de, en"\n\t\t\n')).toEqual(
      expected,
    );
  });

  test("may be in UTF-8, UTF-16 or Latin-1, with a byte order mark", async () => {
    const text = "Bücher,a@x.test\n";
    const expected = ["lists", ["Bücher", "a@x.test"]];
    expect(await read(`\uFEFF${text}`)).toEqual(expected);
    expect(await read(Buffer.from(text, "latin1"))).toEqual(expected);
    expect(await read(Buffer.from(`\uFEFF${text}`, "utf16le"))).toEqual(expected);
  });

  test("that is empty, something else or damaged is refused with one sentence, and nothing is stored", async () => {
    expect(await refusal("")).toStartWith("The file is empty.");
    expect(await refusal(" \r\n\n")).toStartWith("The file is empty.");
    expect(await refusal("Account address,Show boosts\n")).toStartWith("The file is empty.");
    expect(await refusal('{"custom_filters":[]}')).toStartWith("The file is empty.");
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAIAAAUAAeImBZsAAAAASUVORK5CYII=",
      "base64",
    );
    for (const other of [
      png,
      "<!doctype html>\n<p>Hello, world</p>",
      '{"orderedItems":[]}',
      "{",
      "name,age\nAda,36\n",
    ]) {
      expect(await refusal(other)).toStartWith("This is no file of Mastodon's export");
    }
    expect(await refusal("name,age\nAda,36\n", { kind: "blocks" })).toStartWith("This is no file of Mastodon's export");
    expect(await refusal("hello\nworld\n", { name: "blocks.csv", kind: "blocks" })).toStartWith("This is no file");
    expect(await refusal("Account address,Show boosts\nhello,true\n,\n")).toStartWith("This is no file");
    const endless = `Friends,a@x.test\nFriends,"${"b@x.test\n".repeat(5000)}`;
    expect(await refusal(endless)).toMatch(/^The file can't be read near line \d+\./);
    const long = `Friends,a@x.test\nFriends,"${"b@x.test\n".repeat(5000)}"\nFriends,c@x.test\n`;
    expect(await refusal(long)).toMatch(/^The file can't be read near line \d+\./);
  });

  test("has at most 20,000 rows and 10 MB", async () => {
    const rows = (count: number) => `#domain\n${"spam.test\n".repeat(count)}`;
    expect(await read(rows(20_000))).toHaveLength(20_001);
    expect(await refusal(rows(20_001))).toStartWith("The file is too large");
    expect(await refusal(rows(1_000_000))).toStartWith("The file is too large");
    expect(await refusal(`#domain\n${"x".repeat(10_000_000)}`)).toStartWith("The file is too large");
    expect(await refusal('{"custom_filters":['.padEnd(10_000_001))).toStartWith("The file is too large");
  });
});
