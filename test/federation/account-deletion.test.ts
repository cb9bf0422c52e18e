import { beforeEach, describe, expect, test } from "bun:test";
import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { storeBlock } from "../../src/core/people/blocks.ts";
import { parseSignature, readPublicKey, verifySignature } from "../../src/lib/signatures.ts";
import type { Client, Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { count, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { followRemote, profileOf, remoteAccount, type RemoteAccount, remoteFollow } from "../support/remote-rows.ts";
import { reblogFrom, storeFrom } from "../support/remote-statuses.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let dora: Client;

beforeEach(async () => {
  dora = await alice.server.person("dora");
});

/** An account on a host of its own. */
function accountOn(host: string): RemoteAccount {
  const origin = peer.origin(host);
  const uri = `${origin}/users/rita`;
  const addresses = { ...profileOf().addresses, inbox: `${uri}/inbox`, sharedInbox: null };
  return remoteAccount(alice.server, { username: "rita", domain: new URL(origin).host, uri, addresses });
}

const handleOf = ({ uri }: RemoteAccount) => `@rita@${new URL(uri).host}`;
const run = (sql: string, params: Record<string, number>) =>
  alice.server.ctx.db.transaction((tx) => void tx.run(sql, params));
const write = (work: Parameters<typeof alice.server.ctx.db.transaction>[0]) => alice.server.ctx.db.transaction(work);
const post = async (more: Json = {}) => Number((await dora.publish({ status: "Hello", ...more })).id);
const poll = { options: ["yes", "no"], expires_in: 3600 };
const QUOTE = "INSERT INTO quotes (status_id, quoted_status_id, state, created_at) VALUES ($by, $of, 'accepted', 0)";
const VOTE = "INSERT INTO poll_votes (poll_id, account_id, choice, created_at) VALUES ($poll, $by, 0, 0)";

/** That a follow was sent is only remembered for a month. */
const forgetSent = ({ id }: RemoteAccount) =>
  run("DELETE FROM sent_follows WHERE target_account_id = +$id", { id: Number(id) });

/** How a server comes to know an account. */
const WAYS: Record<string, (other: RemoteAccount) => unknown> = {
  follower: (other) => remoteFollow(alice.server, other, dora),
  requester: async (other) => {
    await dora.patch("/api/v1/accounts/update_credentials", { locked: true });
    remoteFollow(alice.server, other, dora);
  },
  followed: async (other) => {
    await followRemote(alice.server, dora, other);
    forgetSent(other);
  },
  asked: async (other) => {
    await dora.follow(other);
    forgetSent(other);
  },
  unfollowed: async (other) => {
    await dora.follow(other);
    await dora.post(`/api/v1/accounts/${other.id}/unfollow`);
  },
  mentioned: (other) => post({ status: `${handleOf(other)} hello` }),
  mentioning: (other) => storeFrom(alice.server, other, { mentions: [dora] }),
  answered: (other) => post({ in_reply_to_id: storeFrom(alice.server, other) }),
  answering: async (other) => {
    const { uri } = await dora.publish("Hello");
    storeFrom(alice.server, other, { inReplyToUri: uri });
  },
  boosted: (other) => dora.post(`/api/v1/statuses/${storeFrom(alice.server, other)}/reblog`),
  boosting: async (other) => reblogFrom(alice.server, other, String(await post())),
  favourited: (other) => dora.post(`/api/v1/statuses/${storeFrom(alice.server, other)}/favourite`),
  favouriting: async ({ id }) =>
    run("INSERT INTO favourites (status_id, account_id, created_at) VALUES ($post, $by, 0)", {
      post: await post(),
      by: Number(id),
    }),
  quoted: async (other) => run(QUOTE, { by: await post(), of: Number(storeFrom(alice.server, other)) }),
  quoting: async (other) => run(QUOTE, { by: Number(storeFrom(alice.server, other)), of: await post() }),
  voter: async ({ id }) => {
    const { poll: made } = await dora.publish({ status: "?", poll });
    run(VOTE, { poll: Number(made.id), by: Number(id) });
  },
  asker: (other) => {
    const statusId = Number(storeFrom(alice.server, other));
    run("INSERT INTO polls (status_id, multiple, hide_totals) VALUES ($statusId, 0, 0)", { statusId });
    const { id } = alice.server.ctx.db.get<{ id: number }>("SELECT max(id) AS id FROM polls")!;
    run(VOTE, { poll: id, by: Number(dora.id) });
  },
  blocked: (other) => dora.post(`/api/v1/accounts/${other.id}/block`),
  blocking: (other) => {
    const block = { accountId: Number(other.id), targetId: Number(dora.id), uri: `${other.uri}#block` };
    write((tx) => storeBlock(alice.server.ctx, tx, block));
  },
  predecessor: ({ id }) =>
    run("UPDATE accounts SET moved_to_id = $to WHERE id = +$id", { id: Number(id), to: Number(dora.id) }),
  alias: (other) => dora.post("/api/v1/linnet/aliases", { acct: handleOf(other) }),
};

describe("A deletion", () => {
  test("reaches every server that knew the account, and no other", async () => {
    for (const [name, meet] of Object.entries(WAYS)) await meet(accountOn(`${name}.test`));
    accountOn("stranger.test");
    await alice.server.drain();
    deleteAccount(alice.server.ctx, Number(dora.id));
    await alice.server.drain();
    const told = peer.asked
      .filter(({ body }) => body.includes('"Delete"') && JSON.parse(body).object === JSON.parse(body).actor)
      .map(({ url }) => new URL(url).hostname.replace(".test", ""));
    expect(told.toSorted()).toEqual(Object.keys(WAYS).toSorted());
    expect(count(alice.server, `statuses WHERE account_id = ${dora.id}`)).toBe(0);
  });

  test("reaches a server that is down for days, signed with a key that outlives everything else", async () => {
    const other = accountOn("later.test");
    remoteFollow(alice.server, other, dora);
    await alice.server.drain();
    let status = 503;
    peer.serve(`${other.uri}/inbox`, () => new Response(null, { status }));
    const { public_key: pem } = alice.server.ctx.db.get<Json>(
      "SELECT public_key FROM account_keys WHERE account_id = $id",
      { id: Number(dora.id) },
    )!;
    deleteAccount(alice.server.ctx, Number(dora.id));
    await alice.server.drain();
    for (let day = 0; day < 6; day += 1) await alice.server.cleanUpAfter(DAY);
    expect(count(alice.server, `follows WHERE target_account_id = ${dora.id}`)).toBe(0);
    status = 202;
    alice.server.clock.advance(8 * HOUR);
    await alice.server.drain();
    const { method, url, headers, body } = peer.asked.at(-1)!;
    expect(JSON.parse(body)).toMatchObject({ type: "Delete" });
    const request = { method, url, headers, body: new TextEncoder().encode(body) };
    const signature = parseSignature(request, alice.server.clock.now());
    if ("problem" in signature) throw new Error(signature.problem);
    expect(verifySignature(request, signature, readPublicKey(pem)!)).toBeNull();
    expect(count(alice.server, "deliveries")).toBe(0);
  });

  test("leaves 410 at every address of the account", async () => {
    const { origin, handleDomain } = alice.server.ctx.config;
    const hello = await dora.publish("Hello");
    deleteAccount(alice.server.ctx, Number(dora.id));
    const finger = (resource: string) => `/.well-known/webfinger?resource=${encodeURIComponent(resource)}`;
    const statusOf = async (path: string, accept: string) =>
      (await fetch(alice.server.origin + path, { headers: { accept } })).status;
    const documents = ["", "/outbox", "/followers", "/following", "/collections/featured", "/collections/tags"];
    const isGone = async () => {
      for (const part of documents) expect(await statusOf(`/users/dora${part}`, "application/activity+json")).toBe(410);
      for (const path of ["/@dora", "/users/dora", new URL(hello.url).pathname]) {
        expect([path, await statusOf(path, "text/html")]).toEqual([path, 410]);
      }
      for (const resource of [`acct:dora@${handleDomain}`, `acct:DORA@${handleDomain}`, `${origin}/users/dora`]) {
        expect(await statusOf(finger(resource), "*/*")).toBe(410);
      }
      expect((await fetch(`${alice.server.origin}/users/dora/inbox`, { method: "POST", body: "{}" })).status).toBe(410);
    };
    await isGone();
    await alice.server.drain();
    await isGone();
    expect(await statusOf(finger(`acct:nobody@${handleDomain}`), "*/*")).toBe(404);
    expect(await statusOf(finger("acct:dora@elsewhere.test"), "*/*")).toBe(404);
    expect(await statusOf(finger(`acct:alice@${handleDomain}`), "*/*")).toBe(200);
  });
});
