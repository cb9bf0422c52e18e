import { beforeEach, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { Transfer } from "../support/imports.ts";
import { remoteStatus, remoteAccount } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";

/* Imports, also after a crash. Accounts of this server need no requests. */

const { server, alice, bob, carol, dave } = serverForEachTest(["alice", "bob", "carol", "dave"]);
let transfer: Transfer;
let domain: string;

beforeEach(() => {
  transfer = new Transfer(() => server, alice);
  domain = server.ctx.config.handleDomain;
});

const at = (...names: string[]) => names.map((name) => `${name}@${domain}`);
const listed = async (who: Client, path: string): Promise<string[]> =>
  (await who.get(path)).json.map(({ acct }: Json) => acct).toSorted();
const following = () => listed(alice, `/api/v1/accounts/${alice.id}/following`);

describe("An import of follows", () => {
  const file = (...rows: string[]) => ["Account address,Show boosts,Notify on new posts,Languages", ...rows].join("\n");

  test("follows the accounts with their options, and counts", async () => {
    const [one, two] = at("bob", "Carol");
    expect(await transfer.run(file(`${one},false,true,"de, pt_BR"`, `@${two},true,false,`))).toMatchObject({
      kind: "follows",
      state: "finished",
      total: 2,
      done: 2,
      failed: 0,
    });
    expect(await following()).toEqual(["bob", "carol"]);
    expect(await transfer.exported("follows")).toEqual([
      "Account address,Show boosts,Notify on new posts,Languages",
      `carol@${domain},true,false,`,
      `bob@${domain},false,true,"de, pt"`,
    ]);
  });

  test("keeps the others unless it replaces them, also if a row fails", async () => {
    for (const one of [bob, carol]) await alice.follow(one);
    const rows = file(`dave@${domain}`, `nobody@${domain}`, `alice@${domain}`, "not an address,true");
    expect(await transfer.run(rows)).toMatchObject({ state: "finished", total: 4, done: 1, failed: 3 });
    expect(await following()).toEqual(["bob", "carol", "dave"]);
    expect(transfer.reasons).toEqual([
      expect.stringContaining(`No account is found as nobody@${domain}`),
      expect.stringContaining("This is the account itself"),
      expect.stringContaining("No account is found as not an address"),
    ]);
    await transfer.run(file(...at("carol", "nobody")), { mode: "replace" });
    expect(await following()).toEqual(["carol"]);
  });

  test("that replaces keeps an account whose row fails, and what was followed since it began", async () => {
    await alice.follow(bob);
    await bob.post(`/api/v1/accounts/${alice.id}/block`);
    server.ctx.db.transaction((tx) =>
      tx.run("INSERT INTO follows (account_id, target_account_id, created_at) VALUES ($one, $other, 1)", {
        one: Number(alice.id),
        other: Number(bob.id),
      }),
    );
    await transfer.begin(file(...at("bob", "dave")), { mode: "replace" });
    server.clock.advance(1);
    await alice.follow(carol);
    expect(await transfer.finish()).toMatchObject({ done: 1, failed: 1 });
    expect(await transfer.exported("follows")).toHaveLength(4);
  });
});

test("Mutes, blocks and domain blocks are imported, replaced and exported", async () => {
  await transfer.run(`Account address,Hide notifications\nbob@${domain},true\ncarol@${domain},false\n`);
  expect(await transfer.exported("mutes")).toEqual([
    "Account address,Hide notifications",
    `carol@${domain},false`,
    `bob@${domain},true`,
  ]);
  await transfer.run(`Account address,Hide notifications\ncarol@${domain},true\n`, { mode: "replace" });
  expect(await transfer.exported("mutes")).toEqual(["Account address,Hide notifications", `carol@${domain},true`]);

  await transfer.run(at("bob", "carol").join("\n"), { kind: "blocks" });
  expect(await listed(alice, "/api/v1/blocks")).toEqual(["bob", "carol"]);
  await transfer.run(at("dave").join("\n"), { kind: "blocks", mode: "replace" });
  expect(await transfer.exported("blocks")).toEqual(at("dave"));

  await transfer.run("spam.test\nBÜCHER.test\n");
  expect(await transfer.exported("domain_blocks")).toEqual(["spam.test", "xn--bcher-kva.test"]);
  expect(await transfer.run("spam.test\nnot a domain\n", { mode: "replace" })).toMatchObject({ done: 1, failed: 1 });
  expect(await transfer.exported("domain_blocks")).toEqual(["spam.test"]);
});

test("Lists are created with their members, which the user then follows", async () => {
  await alice.follow(dave);
  await alice.post("/api/v1/lists", { title: "Old" });
  const rows = [`Friends,bob@${domain}`, `"A, B",carol@${domain}`, `Friends,alice@${domain}`, `Friends,bob@${domain}`];
  expect(await transfer.run(rows.join("\n"))).toMatchObject({ total: 4, done: 4 });
  expect(await following()).toEqual(["bob", "carol", "dave"]);
  expect(await transfer.exported("lists")).toEqual([
    `Friends,bob@${domain}`,
    `Friends,alice@${domain}`,
    `"A, B",carol@${domain}`,
  ]);
  await transfer.run(`Friends,bob@${domain}\nFriends,dave@${domain}\n"A, B",nobody@${domain}`, { mode: "replace" });
  expect(await transfer.exported("lists")).toEqual([`Friends,bob@${domain}`, `Friends,dave@${domain}`]);
  const { json } = await alice.get("/api/v1/lists");
  expect(json.map(({ title }: Json) => title)).toEqual(["Friends", "A, B"]);
});

test("Bookmarks are imported by the address of the post, if the user may see it", async () => {
  const open = await bob.publish("hello");
  const hidden = await bob.publish({ status: "hidden", visibility: "private" });
  const remote = remoteStatus(server, remoteAccount(server, "eve", "elsewhere.example"), "far");
  const far = `https://elsewhere.example/${remote}`;
  const rows = [open.uri, hidden.uri, far, `${open.uri}0`, "https://"];
  expect(await transfer.run(rows.join("\n"))).toMatchObject({ total: 5, done: 2, failed: 3 });
  expect(await transfer.exported("bookmarks")).toEqual([far, open.uri]);
  await transfer.run(open.uri, { mode: "replace" });
  expect(await transfer.exported("bookmarks")).toEqual([open.uri]);
});

test("Filters are imported with keywords and posts, and added to those with the same title and contexts", async () => {
  const { uri } = await bob.publish("noise");
  const noise = {
    title: "Noise",
    expires_at: "2030-01-01T00:00:00.000Z",
    expire_at: "2030-01-01T00:00:00.000Z",
    context: ["home", "public"],
    action: "hide",
    keywords_attributes: [{ keyword: "bang", whole_word: false }],
    statuses: [uri],
  };
  const file = (...custom_filters: object[]) => JSON.stringify({ custom_filters });
  expect(
    await transfer.run(file(noise, { title: "", context: ["home"] }, { title: "Bad", context: ["moon"] })),
  ).toMatchObject({ done: 1, failed: 2 });
  expect(await transfer.exportedFilters()).toEqual([noise]);
  const more = { ...noise, context: ["public", "home"], keywords_attributes: [{ keyword: "boom", whole_word: true }] };
  await transfer.run(file(more, { title: "Other", context: ["home"] }));
  expect(await transfer.exportedFilters()).toMatchObject([
    { title: "Noise", keywords_attributes: [{ keyword: "bang" }, { keyword: "boom" }] },
    { title: "Other", action: "warn", expires_at: null },
  ]);
  await transfer.run(file({ ...noise, expires_at: null, expire_at: null }), { mode: "replace" });
  expect(await transfer.exportedFilters()).toMatchObject([
    { title: "Noise", expires_at: null, keywords_attributes: [{ keyword: "bang" }] },
  ]);
});

describe("An import", () => {
  const many = () => Array.from({ length: 50 }, (_, row) => `spam${row}.test`).join("\n");
  const rows = () => server.ctx.db.get<{ count: number }>("SELECT count(*) AS count FROM import_rows")!.count;

  test("works in slices, with a rest after each", async () => {
    await transfer.begin(many());
    await server.drain();
    expect(transfer.latest).toMatchObject({ state: "running", done: 20 });
    await server.drain();
    expect(transfer.latest).toMatchObject({ state: "running", done: 20 });
    server.clock.advance(100);
    await server.drain();
    expect(transfer.latest).toMatchObject({ state: "running", done: 40 });
  });

  test("is refused while another one of the kind runs, and can be cancelled", async () => {
    await transfer.begin(many());
    await server.drain();
    expect(transfer.begin("other.test")).rejects.toThrow("An import of this kind is running already");
    await transfer.begin(`Friends,bob@${domain}`);
    const { cancelImport } = await import("../../src/core/transfer/imports.ts");
    const { id } = server.ctx.db.get<{ id: number }>("SELECT id FROM imports WHERE kind = 'domain_blocks'")!;
    await expect(cancelImport(server.ctx, Number(bob.id), id)).rejects.toThrow("Record not found");
    await cancelImport(server.ctx, Number(alice.id), id);
    await transfer.finish();
    expect(await transfer.exported("domain_blocks")).toHaveLength(20);
    expect(await transfer.run("other.test")).toMatchObject({ done: 1 });
  });

  test("keeps only the rows that failed, and is forgotten after 30 days", async () => {
    await transfer.run("spam.test\nnot a domain\n");
    server.clock.advance(100);
    await server.drain();
    expect(rows()).toBe(1);
    await server.cleanUpAfter(30 * 24 * 3600_000 - 200);
    expect(rows()).toBe(1);
    await server.cleanUpAfter(200);
    expect([rows(), transfer.latest]).toEqual([0, undefined as never]);
  });

  test("ends with the account", async () => {
    await transfer.begin(many());
    const { deleteAccount } = await import("../../src/core/people/account-deletion.ts");
    deleteAccount(server.ctx, Number(alice.id));
    for (let slices = 0; slices < 5; slices++) {
      await server.drain();
      server.clock.advance(100);
    }
    expect([rows(), transfer.latest]).toEqual([0, undefined as never]);
  });
});
