import { afterEach, beforeEach, describe, expect } from "bun:test";
import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { block } from "../../src/core/people/blocks.ts";
import type { Draft } from "../../src/core/statuses/drafts.ts";
import { publish } from "../../src/core/statuses/publishing.ts";
import { removeStatus } from "../../src/core/statuses/removal.ts";
import { ownStatus } from "../../src/core/visibility.ts";
import type { Tx } from "../../src/db/open.ts";
import type { Client, Json } from "../support/client.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { uploaded } from "../support/uploads.ts";

/* A post is checked and rendered first, and written in a later tick of the event loop. */

let server: TestServer;
let alice: Client;
let bob: Client;
let carol: Client;
let post: Json;

beforeEach(async () => {
  server = await startServer();
  [alice, bob, carol] = [await server.person("alice"), await server.person("bob"), await server.person("carol")];
  post = await alice.publish("hello");
});
afterEach(() => server.stop());

const NOTHING: Draft = {
  text: "",
  contentType: null,
  spoilerText: "",
  sensitive: null,
  visibility: null,
  localOnly: null,
  language: "en",
  inReplyToId: null,
  mediaIds: [],
  poll: null,
  quotedStatusId: null,
  quotePolicy: null,
  policy: {},
  allowedMentions: null,
};

const send = (draft: Partial<Draft>, key: string | null = null) =>
  publish(server.ctx, { accountId: Number(bob.id), appId: null }, { ...NOTHING, text: "hi", ...draft }, key);

const posts = async () => (await carol.get(`/api/v1/accounts/${bob.id}/statuses`)).json as Json[];

inProcess("A post is parsed and its mentions are looked up before the transaction", async () => {
  const { db } = server.ctx;
  const steps: string[] = [];
  let phase = "before";
  const groupCommit = db.groupCommit.bind(db);
  db.groupCommit = <T>(work: (tx: Tx) => T) =>
    groupCommit((tx) => {
      phase = "within";
      return work(tx);
    });
  const all = db.all.bind(db);
  db.all = (sql, params) => {
    if (sql.includes("$handles")) steps.push(`mentions ${phase}`);
    return all(sql, params);
  };
  const text = "hi @alice #tea https://example.org/";
  await publish(
    server.ctx,
    { accountId: Number(bob.id), appId: null },
    {
      ...NOTHING,
      get text() {
        steps.push(`text ${phase}`);
        return text;
      },
    },
    null,
  );
  expect([...new Set(steps)]).toEqual(["text before", "mentions before"]);
  expect(phase).toBe("within");
  const [shown] = await posts();
  expect(shown).toMatchObject({ mentions: [{ acct: "alice" }], tags: [{ name: "tea" }] });
});

describe("If something changes between the checks and the transaction of a post", () => {
  inProcess("a deleted author's post is refused", async () => {
    const sending = send({});
    deleteAccount(server.ctx, Number(bob.id));
    await expect(sending).rejects.toThrow("The access token is invalid");
    expect(server.ctx.db.all("SELECT 1 FROM statuses WHERE account_id = $id", { id: Number(bob.id) })).toEqual([]);
  });

  inProcess("a deleted account isn't mentioned", async () => {
    const sending = send({ text: "hi @alice and @carol" });
    deleteAccount(server.ctx, Number(alice.id));
    await sending;
    const [shown] = await posts();
    expect(shown.mentions.map(({ acct }: Json) => acct)).toEqual(["carol"]);
    expect(shown.content).toStartWith("<p>hi @alice and <span");
  });

  inProcess.each<[string, Partial<Draft>]>([
    ["replies to", { inReplyToId: 0 }],
    ["quotes", { quotedStatusId: 0 }],
  ])("a post that %s a deleted post or an author who now blocks the account is refused", async (_, draft) => {
    const about = (id: string) => Object.fromEntries(Object.keys(draft).map((name) => [name, Number(id)]));
    const other = await alice.publish("another");
    const [first, second] = [send(about(post.id)), send(about(other.id))];
    removeStatus(server.ctx, ownStatus(server.ctx, Number(alice.id), Number(post.id)), true);
    const settled = await Promise.allSettled([first, second]);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    const third = send(about(other.id));
    block(server.ctx, Number(alice.id), Number(bob.id));
    const [refused] = await Promise.allSettled([third]);
    expect(refused).toMatchObject({
      reason: { kind: "not_found", message: expect.stringMatching(/^The post you are trying/) },
    });
    expect(await posts()).toHaveLength(1);
  });

  inProcess("a post whose upload another post took is refused", async () => {
    const { id } = await uploaded(bob);
    const settled = await Promise.allSettled([send({ mediaIds: [Number(id)] }), send({ mediaIds: [Number(id)] })]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await posts()).toHaveLength(1);
  });

  inProcess("a repeated request returns the same post", async () => {
    const { id } = await uploaded(bob);
    const draft = { mediaIds: [Number(id)] };
    const [first, second] = await Promise.all([send(draft, "key"), send(draft, "key")]);
    expect(second).toEqual(first);
    expect(await send(draft, "key")).toEqual(first);
    expect(await posts()).toHaveLength(1);
  });
});

inProcess("A post mentions no account that appears between its check and its transaction", async () => {
  const { db } = server.ctx;
  const zoe = Number((await server.person("zoe")).id);
  const run = (sql: string, id: number) => db.transaction((tx) => tx.run(sql, { id }));
  run("UPDATE users SET approved = 0 WHERE account_id = $id", zoe);
  const sending = send({
    text: "@carol @zoe hello",
    visibility: "direct",
    allowedMentions: [Number(carol.id)],
  });
  run("UPDATE accounts SET suspended_at = 1 WHERE id = $id", Number(carol.id));
  run("UPDATE users SET approved = 1 WHERE account_id = $id", zoe);
  await sending;
  expect(db.all("SELECT account_id FROM mentions WHERE account_id = $zoe", { zoe })).toEqual([]);
});
