import { beforeEach, expect } from "bun:test";
import type { Answer, Json } from "../support/client.ts";
import { collectLog } from "../support/log.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Socket } from "../support/streams.ts";

/*
 * A write and its consequences share a transaction. These tests make the last insert fail, which is that of a
 * notification.
 */

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
let post: Json;

beforeEach(async () => {
  await alice.follow(bob);
  await bob.post("/api/v1/tags/tea/follow");
  const list = (await alice.post("/api/v1/lists", { title: "Friends" })).json.id;
  await alice.post(`/api/v1/lists/${list}/accounts`, { account_ids: [bob.id] });
  post = await alice.publish("hello");
  await server.drain();
  // The tests cause these errors on purpose.
  collectLog(server);
});

const run = (sql: string): void => void server.ctx.db.transaction((tx) => tx.run(sql));

/** All rows of the database. */
function everything(): string {
  const { db } = server.ctx;
  const tables = db.all<{ name: string }>(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  return JSON.stringify(tables.map(({ name }) => [name, db.all(`SELECT * FROM ${name}`)]));
}

const WRITES: [string, () => Promise<Answer>][] = [
  [
    "a post with a mention, a hashtag, a link and a poll",
    () =>
      bob.post("/api/v1/statuses", {
        status: "@alice #tea https://example.org/",
        poll: { options: ["a", "b"], expires_in: 300 },
      }),
  ],
  [
    "a direct reply",
    () => bob.post("/api/v1/statuses", { status: "@alice hi", visibility: "direct", in_reply_to_id: post.id }),
  ],
  ["a quote", () => bob.post("/api/v1/statuses", { status: "look", quoted_status_id: post.id })],
  ["a favourite", () => bob.post(`/api/v1/statuses/${post.id}/favourite`)],
  ["a boost", () => bob.post(`/api/v1/statuses/${post.id}/reblog`)],
  ["a follow", () => bob.follow(alice)],
  ["an edit that mentions a user", () => alice.put(`/api/v1/statuses/${post.id}`, { status: "hello @bob #tea" })],
];

for (const [name, write] of WRITES) {
  inProcess(`${name} is stored with all its consequences, or not at all and without events`, async () => {
    const socket = await Socket.open(alice, "?stream=user");
    await socket.subscribe("public");
    run("CREATE TRIGGER fail BEFORE INSERT ON notifications BEGIN SELECT RAISE(ABORT, 'as wished'); END");
    const before = everything();
    expect((await write()).status).toBe(500);
    expect(everything()).toBe(before);
    run("DROP TRIGGER fail");
    const { id } = await alice.publish("the first event");
    expect(await socket.next()).toMatchObject({ event: "update", payload: { id } });
    await socket.close();
    expect((await write()).status).toBe(200);
    expect(everything()).not.toBe(before);
  });
}
