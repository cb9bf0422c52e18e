import { beforeEach, expect, test } from "bun:test";
import { forgetHost } from "../../src/core/moderation/purge.ts";
import { moderate } from "../../src/core/moderation/moderation.ts";
import { markGone } from "../../src/core/people/remote-accounts.ts";
import { addTombstone } from "../../src/core/tombstones.ts";
import { insertRemoteMedia } from "../../src/core/remote-media/remote-attachments.ts";
import { addRemotePin, storeFavourite } from "../../src/core/statuses/interactions.ts";
import { storeRemoteVote } from "../../src/core/statuses/polls.ts";
import { heardFrom } from "../../src/federation/delivery/hosts.ts";
import type { Tx } from "../../src/db/open.ts";
import { allRows, purgeAll } from "../support/purging.ts";
import { remoteAttachment, setPictures } from "../support/remote-media.ts";
import { followRemote, profileOf, remoteAccount, type RemoteAccount, remoteFollow } from "../support/remote-rows.ts";
import { reblogFrom, rowOf, storeFrom } from "../support/remote-statuses.ts";
import { remoteEmoji } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
const write = (work: (tx: Tx) => void) => server.ctx.db.transaction(work);

/** An account with a key, a picture, an emoji of its server, and a place among the known hosts. */
function accountOf(domain: string, username: string): RemoteAccount {
  const uri = `https://${domain}/users/${username}`;
  const keys = [{ id: `${uri}#main-key`, pem: "a key" }];
  const account = remoteAccount(server, { ...profileOf({ domain, username }), keys });
  setPictures(server, account.id, { avatarUrl: `https://${domain}/${username}.png` });
  remoteEmoji(server, "blob", domain);
  write((tx) => heardFrom(server.ctx, tx, domain));
  copyOf("avatars", account.id);
  return account;
}

/** A copy of a file in the cache. */
function copyOf(kind: string, owner: string): void {
  const sql = `
    INSERT INTO remote_files (kind, owner_id, form, version, bytes, used_at) VALUES ($kind, $owner, 'original', 'v', 9, $now)`;
  write((tx) => tx.run(sql, { kind, owner: Number(owner), now: server.clock.now() }));
}

let poll: { id: string; poll: { id: string } };
let own: string;
let good: RemoteAccount;
let goodPost: string;

/** Data that stays: local posts, and another server that has to do with them. */
beforeEach(async () => {
  good = accountOf("good.example", "gina");
  own = (await alice.publish("mine #tea")).id;
  poll = (await alice.publish({ status: "a poll", poll: { options: ["yes", "no"], expires_in: 604_800 } })) as never;
  await followRemote(server, alice, good);
  remoteFollow(server, good, alice);
  goodPost = storeFrom(server, good, { tags: ["tea"] })!;
  storeFrom(server, good, { mentions: [alice], visibility: "direct" });
  reblogFrom(server, good, own);
  await alice.post(`/api/v1/statuses/${goodPost}/favourite`);
  await bob.post(`/api/v1/statuses/${goodPost}/bookmark`);
  write((tx) => {
    addTombstone(server.ctx, tx, "https://good.example/deleted");
    tx.run("UPDATE fetches SET due_at = $never", { never: 9e15 });
  });
  await server.drain();
});

/** An account of a host does all that accounts do, also to `others`. */
async function actAs(account: RemoteAccount, others: readonly RemoteAccount[]): Promise<void> {
  const { ctx, clock } = server;
  const host = new URL(account.uri).host;
  const accountId = Number(account.id);
  remoteFollow(server, account, bob);
  await followRemote(server, bob, account);
  const first = storeFrom(server, account, { mentions: [alice], tags: ["tea"], links: ["https://news.example/"] })!;
  const media = [remoteAttachment(`https://${host}/a.png`)];
  const attachMedia = (id: number) => write((tx) => insertRemoteMedia(ctx, tx, id, accountId, media));
  storeFrom(server, account, { mentions: [bob], visibility: "direct" });
  const second = storeFrom(server, account, { inReplyToUri: `${account.uri}/statuses/none` })!;
  attachMedia(Number(second));
  const sql = "SELECT max(id) AS id FROM media_attachments WHERE account_id = $accountId";
  copyOf("attachments", String(server.ctx.db.get<{ id: number }>(sql, { accountId })!.id));
  storeFrom(server, account, { inReplyToUri: rowOf(server, own).uri, visibility: "unlisted" });
  storeFrom(server, account, { inReplyToUri: rowOf(server, goodPost).uri });
  for (const status of [own, goodPost]) reblogFrom(server, account, status);
  for (const other of others) reblogFrom(server, account, storeFrom(server, other));
  write((tx) => {
    for (const id of [own, goodPost, first]) {
      const uri = `${account.uri}#likes/${id}`;
      storeFavourite(ctx, tx, { accountId, status: rowOf(server, id), uri, emoji: null, isQuiet: false });
    }
    storeRemoteVote(ctx, tx, accountId, Number(poll.id), "yes");
    addRemotePin(ctx, tx, rowOf(server, first));
    addTombstone(ctx, tx, `https://${host}/deleted`);
    tx.run("INSERT INTO missing_inboxes (url, since) VALUES ($url, 1)", { url: `${account.uri}/old` });
    tx.run("INSERT INTO fetches (subject, due_at) VALUES ($subject, $now)", {
      subject: `thread.fetch ${first}`,
      now: clock.now(),
    });
    tx.run("UPDATE fetches SET due_at = $never", { never: 9e15 });
  });
  await bob.post(`/api/v1/statuses/${first}/bookmark`);
  await bob.post(`/api/v1/accounts/${account.id}/note`, { comment: "a note" });
}

test("A purge removes everything of a host and nothing of other hosts", async () => {
  const before = allRows(server);
  const [eve, mallory] = [accountOf("evil.example", "eve"), accountOf("evil.example", "mallory")];
  await actAs(eve, [mallory]);
  await actAs(mallory, [eve]);
  forgetHost(server.ctx, "evil.example");
  await purgeAll(server);
  await server.cleanUpAfter(25 * 3600_000);
  const after = allRows(server);
  // A page that no post links to any more was not used that day.
  after.trend_days = after.trend_days!.filter((row) => !row.includes('"uses":0'));
  // The poll had new results, which the other server was to learn.
  expect(after.status_deliveries!.join()).not.toContain("evil.example");
  expect(after.refused_deliveries!.join()).not.toContain("evil.example");
  const { status_deliveries, refused_deliveries } = before;
  expect<unknown>({ ...after, status_deliveries, refused_deliveries }).toEqual(before);
});

test("Activities that wait for a forgotten host, or came from it, are removed, too", async () => {
  const { ctx } = server;
  accountOf("evil.example", "eve");
  const uri = "https://evil.example/users/eve";
  write((tx) => {
    tx.run("INSERT INTO outgoing_activities (id, body, created_at) VALUES (9, '{}', 1)");
    for (const inbox of [`${uri}/inbox`, "https://good.example/inbox"]) {
      tx.run("INSERT INTO deliveries (activity_id, inbox) VALUES (9, $inbox)", { inbox });
    }
    tx.run(
      "INSERT INTO incoming_activities (host, sender, uri, body, run_at) VALUES ('evil.example', $uri, 'x', '{}', $at)",
      {
        uri,
        at: ctx.clock.now() + 3600_000,
      },
    );
  });
  forgetHost(ctx, "evil.example");
  await purgeAll(server);
  expect(ctx.db.all("SELECT inbox FROM deliveries")).toEqual([{ inbox: "https://good.example/inbox" }]);
  expect(ctx.db.all("SELECT id FROM outgoing_activities")).toEqual([{ id: 9 }]);
  expect(ctx.db.all("SELECT 1 FROM incoming_activities")).toEqual([]);
});

test("A host with many posts and accounts goes slice by slice, without the accounts that arrive meanwhile", async () => {
  const { ctx } = server;
  const eve = accountOf("evil.example", "eve");
  for (let at = 0; at < 60; at += 1) storeFrom(server, eve);
  for (let at = 0; at < 60; at += 1) remoteAccount(server, { domain: "evil.example", username: `e${at}` });
  forgetHost(ctx, "evil.example");
  await server.drain();
  const newer = remoteAccount(server, { domain: "evil.example", username: "newer" });
  expect(ctx.db.get("SELECT count(*) AS n FROM statuses WHERE account_id = $id", { id: Number(eve.id) })).toEqual({
    n: 35,
  });
  await purgeAll(server);
  expect(ctx.db.all("SELECT id FROM accounts WHERE domain = 'evil.example'")).toEqual([{ id: Number(newer.id) }]);
});

test("A forgotten host is that of addresses or of handles, without its subdomains", async () => {
  const { ctx } = server;
  const uri = "https://social.evil.example/users/hank";
  remoteAccount(server, { domain: "evil.example", username: "hank", uri });
  remoteAccount(server, { domain: "sub.social.evil.example", username: "sam" });
  forgetHost(ctx, "social.evil.example");
  await purgeAll(server);
  const names = ctx.db.all<{ username: string }>("SELECT username FROM accounts WHERE domain LIKE '%evil.example'");
  expect(names).toEqual([{ username: "sam" }]);
});

test("Accounts that users or moderators restricted keep an empty row, and the restriction", async () => {
  const { ctx } = server;
  const names = ["blocked", "muted", "reported", "suspended", "silenced", "sensitive", "free", "gone"];
  const ids = Object.fromEntries(names.map((name) => [name, accountOf("evil.example", name)]));
  for (const account of Object.values(ids)) storeFrom(server, account, { mentions: [alice] });
  await alice.post(`/api/v1/accounts/${ids.blocked!.id}/block`);
  await alice.post(`/api/v1/accounts/${ids.muted!.id}/mute`);
  await alice.post("/api/v1/reports", { account_id: ids.reported!.id });
  for (const [name, action] of [
    ["suspended", "suspend"],
    ["silenced", "silence"],
    ["sensitive", "sensitive"],
  ] as const) {
    moderate(ctx, Number(ids[name]!.id), action, { by: null, text: "", reportId: null });
  }
  write((tx) => markGone(ctx, tx, Number(ids.gone!.id)));
  forgetHost(ctx, "evil.example");
  await purgeAll(server);
  const left = ctx.db.all<{ username: string }>(
    "SELECT username FROM accounts WHERE domain = 'evil.example' AND avatar_remote_url IS NULL ORDER BY id",
  );
  expect(left.map(({ username }) => username)).toEqual(names.slice(0, 6));
  expect(ctx.db.all("SELECT id FROM statuses WHERE uri LIKE 'https://evil.example/%'")).toEqual([]);
  expect(ctx.db.all("SELECT key_id FROM remote_keys WHERE key_id LIKE 'https://evil.example/%'")).toEqual([]);
  const { json } = await alice.get(
    `/api/v1/accounts/relationships?id[]=${ids.blocked!.id}&id[]=${ids.muted!.id}&with_suspended=true`,
  );
  expect(json).toMatchObject([{ blocking: true }, { muting: true }]);
  expect(ctx.db.all("SELECT id FROM reports")).toHaveLength(1);
});

test("Replies of others to removed posts stay, and find their place again when the posts come back", async () => {
  const eve = accountOf("evil.example", "eve");
  const uri = `${eve.uri}/statuses/root`;
  const root = storeFrom(server, eve, { uri })!;
  const reply = (await alice.publish({ status: "no", in_reply_to_id: root })).id;
  const other = storeFrom(server, good, { inReplyToUri: uri })!;
  forgetHost(server.ctx, "evil.example");
  await purgeAll(server);
  expect((await alice.get(`/api/v1/statuses/${root}`)).status).toBe(404);
  expect((await alice.get(`/api/v1/statuses/${reply}`)).json.in_reply_to_id).toBeNull();
  const again = storeFrom(server, accountOf("evil.example", "eve"), { uri }, "fetched")!;
  const { descendants } = (await alice.get(`/api/v1/statuses/${again}/context`)).json;
  expect(descendants.map(({ id }: { id: string }) => id).sort()).toEqual([reply, other].sort());
});
