import { beforeEach, describe, expect, test } from "bun:test";
import { forgetHost } from "../../src/core/moderation/purge.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { accountId, befriend, type HostileAccount, hostilePeerForEachTest, statusId } from "../support/hostile-peer.ts";
import { purgeAll } from "../support/purging.ts";

/* Accounts that users blocked keep their row in a purge, without inbox and keys. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let blocked: HostileAccount;
let good: HostileAccount;
let id: string;

beforeEach(async () => {
  blocked = peer.account("eve", "evil.test");
  good = peer.account("gina", "good.test");
  await befriend(alice, good);
  await blocked.deliver(alice.server, blocked.activity("Follow", alice.uri));
  id = accountId(alice.server, blocked.uri)!;
  await alice.post(`/api/v1/accounts/${id}/block`);
  await alice.server.drain();
});

async function purge(): Promise<void> {
  forgetHost(alice.server.ctx, blocked.domain);
  await purgeAll(alice.server);
}

const inboxes = () =>
  alice.server.ctx.db.all("SELECT inbox_url FROM remote_accounts WHERE account_id = $id", { id: Number(id) });

describe("An account whose row a purge has kept", () => {
  beforeEach(purge);

  test("is fetched again as the author of a parent, so that a reply of another server arrives", async () => {
    expect(inboxes()).toEqual([]);
    const parent = blocked.note();
    peer.serve(parent.id, parent);
    const reply = good.note({ inReplyTo: parent.id });
    await good.deliver(alice.server, good.create(reply));
    expect(statusId(alice.server, reply.id)).not.toBeNull();
    expect(statusId(alice.server, parent.id)).not.toBeNull();
    expect(inboxes()).toHaveLength(1);
  });

  test("is fetched again if a status mentions it", async () => {
    const tag = [{ type: "Mention", href: blocked.uri, name: blocked.handle }];
    await good.deliver(alice.server, good.create(good.note({ tag, cc: [blocked.uri] })));
    expect(inboxes()).toHaveLength(1);
  });

  test("is fetched again when a user follows it, and gets the follow", async () => {
    await alice.post(`/api/v1/accounts/${id}/unblock`);
    await alice.post(`/api/v1/accounts/${id}/follow`);
    await alice.server.drain();
    expect(peer.delivered.filter(({ type, object }) => type === "Follow" && object === blocked.uri)).toHaveLength(1);
  });

  test("is fetched again when a user opens the profile", async () => {
    await alice.get(`/api/v1/accounts/${id}`);
    await alice.server.drain();
    expect(inboxes()).toHaveLength(1);
  });

  test("is fetched again when it follows a user, who answers", async () => {
    await alice.post(`/api/v1/accounts/${id}/unblock`);
    const follow = blocked.activity("Follow", alice.uri);
    await blocked.deliver(alice.server, follow);
    expect(peer.delivered.at(-1)).toMatchObject({ type: "Accept", object: { id: follow.id } });
  });
});

test("An activity that waits while a purge empties its sender's row is processed", async () => {
  const note = blocked.note({ cc: [alice.uri], tag: [{ type: "Mention", href: alice.uri, name: alice.handle }] });
  await alice.post(`/api/v1/accounts/${id}/unblock`);
  expect(await blocked.send(alice.server, blocked.create(note))).toBe(202);
  alice.server.ctx.db.transaction((tx) =>
    tx.run("DELETE FROM remote_accounts WHERE account_id = $id", { id: Number(id) }),
  );
  await alice.server.drain();
  expect(statusId(alice.server, note.id)).not.toBeNull();
});
