import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { accountId, befriend, count, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { acceptRemotely } from "../support/remote-rows.ts";

/* Moves that other servers claim. Alice follows bob, who says that he has moved to carol. */

const DAY = 24 * 3600_000;

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let carol: HostileAccount;
let bobId: string;

beforeEach(async () => {
  bob = peer.account("bob", "old.test");
  carol = peer.account("carol", "new.test", { alsoKnownAs: [bob.uri] });
  bobId = await befriend(alice, bob);
});

const move = (target: string = carol.uri, more: Json = {}) => bob.activity("Move", bob.uri, { target, ...more });
/** The accounts that were asked whether alice may follow them, besides bob. */
const asked = () =>
  peer.delivered.filter(({ type, object }) => type === "Follow" && object !== bob.uri).map(({ object }) => object);
const shown = async () => (await alice.get(`/api/v1/accounts/${bobId}`)).json;
const following = async () => {
  const { json } = await alice.get(`/api/v1/accounts/relationships?id[]=${bobId}`);
  return json[0].following;
};

describe("A Move", () => {
  test("whose target names the old account sends a follow, and ends the old one", async () => {
    await bob.deliver(alice.server, move());
    expect([asked(), await following()]).toEqual([[carol.uri], false]);
    expect((await shown()).moved).toMatchObject({ acct: carol.handle });
    expect(await alice.relationship(carol)).toMatchObject({ requested: true });
    const undone = peer.delivered.filter(({ type }) => type === "Undo").map(({ object }) => object);
    expect(undone).toMatchObject([{ type: "Follow", object: bob.uri }]);
    expect((await alice.post(`/api/v1/accounts/${bobId}/follow`)).status).toBe(403);
  });

  test("fetches the target again, whatever is known of it", async () => {
    carol.document.alsoKnownAs = [];
    await carol.deliver(alice.server, carol.activity("Follow", alice.uri));
    await bob.deliver(alice.server, move());
    expect(asked()).toEqual([]);
    carol.document.alsoKnownAs = bob.uri;
    await bob.deliver(alice.server, move());
    expect(asked()).toEqual([carol.uri]);
  });

  test("that arrives again has no further effect", async () => {
    await bob.deliver(alice.server, move());
    const { length } = peer.delivered;
    await bob.deliver(alice.server, move());
    expect(peer.delivered).toHaveLength(length);
  });

  test("to a local account needs no request", async () => {
    const dora = await alice.server.person("dora");
    await dora.post("/api/v1/linnet/aliases", { acct: bob.handle });
    const uri = `${alice.server.ctx.config.origin}/users/dora`;
    const before = peer.fetched("old.test").length;
    await bob.deliver(alice.server, move(uri));
    expect(peer.fetched("old.test")).toHaveLength(before);
    expect((await shown()).moved).toMatchObject({ acct: "dora" });
    const { json } = await dora.get("/api/v1/notifications");
    expect(json.map(({ type, account }: Json) => [type, account.acct])).toEqual([["follow", "alice"]]);
  });

  test("does not follow an account that blocks or is blocked", async () => {
    await carol.deliver(alice.server, carol.activity("Block", alice.uri));
    await bob.deliver(alice.server, move());
    expect([asked(), await following()]).toEqual([[], true]);
  });
});

describe("A Move is refused", () => {
  const refusals: [string, () => Json][] = [
    ["if the target names nobody", () => ((carol.document.alsoKnownAs = undefined), move())],
    ["if the target names another account", () => ((carol.document.alsoKnownAs = [carol.uri]), move())],
    ["if the target has moved itself", () => ((carol.document.movedTo = "https://third.test/users/x"), move())],
    ["if the target has moved to the old account", () => ((carol.document.movedTo = bob.uri), move())],
    ["to the account itself", () => ((bob.document.alsoKnownAs = [bob.uri]), move(bob.uri))],
    ["without a target", () => move(undefined, { target: undefined })],
    ["to an account that doesn't exist", () => move(`${carol.origin}/users/nobody`)],
    ["to something that is no account", () => (peer.serve(carol.uri, carol.note({ id: carol.uri })), move())],
    [
      "to a document of another origin",
      () => (
        peer.serve(`${bob.origin}/users/fake`, { ...carol.document, id: bob.uri }),
        move(`${bob.origin}/users/fake`)
      ),
    ],
    ["to a local account that names nobody", () => move(alice.uri)],
    ["to a local account that doesn't exist", () => move(`${alice.server.ctx.config.origin}/users/nobody`)],
  ];
  test.each(refusals)("%s", async (_, claim) => {
    await bob.deliver(alice.server, claim());
    expect([asked(), await following(), (await shown()).moved]).toEqual([[], true, undefined]);
    expect(count(alice.server, "jobs WHERE kind = 'account.move'")).toBe(0);
  });

  test("if another account claims it", async () => {
    const eve = peer.account("eve", "old.test");
    await befriend(alice, eve);
    carol.document.alsoKnownAs = [bob.uri, eve.uri];
    await eve.deliver(alice.server, eve.activity("Move", bob.uri, { target: carol.uri }));
    expect(await alice.relationship(eve)).toMatchObject({ following: true });
    const forged = { ...move(), actor: bob.uri };
    expect(await eve.send(alice.server, forged)).toBe(401);
    await alice.server.drain();
    expect([await following(), (await shown()).moved, count(alice.server, "accounts WHERE moved_at")]).toEqual([
      true,
      undefined,
      0,
    ]);
  });

  test("within a week after another one", async () => {
    await bob.deliver(alice.server, move());
    const dave = peer.account("dave", "new.test", { alsoKnownAs: [bob.uri] });
    bob.document.movedTo = carol.uri;
    const dora = await alice.server.person("dora");
    await dora.post(`/api/v1/accounts/${bobId}/mute`);
    alice.server.clock.advance(7 * DAY - 1);
    await bob.deliver(alice.server, move(dave.uri));
    const muted = async () => {
      const id = accountId(alice.server, dave.uri);
      return id !== null && (await dora.get(`/api/v1/accounts/relationships?id[]=${id}`)).json[0].muting;
    };
    expect([await muted(), (await shown()).moved.acct]).toEqual([false, carol.handle]);
    alice.server.clock.advance(1);
    bob.document.movedTo = dave.uri;
    await bob.deliver(alice.server, move(dave.uri));
    expect([await muted(), (await shown()).moved.acct]).toEqual([true, dave.handle]);
  });
});

describe("An account to which another one has moved", () => {
  test("moves on after seven days at the earliest, so that a chain doesn't send follows at each step", async () => {
    const { server } = alice;
    await bob.deliver(server, move());
    acceptRemotely(server, alice, { id: accountId(server, carol.uri)! });
    const dave = peer.account("dave", "third.test", { alsoKnownAs: [carol.uri] });
    const moveOn = () => carol.deliver(server, carol.activity("Move", carol.uri, { target: dave.uri }));
    server.clock.advance(7 * DAY - 1);
    await moveOn();
    expect([asked(), (await alice.relationship(carol)).following]).toEqual([[carol.uri], true]);
    server.clock.advance(1);
    await moveOn();
    expect([asked(), (await alice.relationship(carol)).following]).toEqual([[carol.uri, dave.uri], false]);
  });

  test("moves on at once if it is a local one, whose owner this server knows", async () => {
    const dora = await alice.server.person("dora");
    await dora.post("/api/v1/linnet/aliases", { acct: bob.handle });
    await bob.deliver(alice.server, move(`${alice.server.ctx.config.origin}/users/dora`));
    carol.document.alsoKnownAs = [`${alice.server.ctx.config.origin}/users/dora`];
    const given = { acct: carol.handle, password: "correct horse" };
    expect((await dora.post("/api/v1/linnet/move", given)).status).toBe(200);
  });
});

describe("A Move that concerns nobody here", () => {
  test("causes no request", async () => {
    const eve = peer.account("eve", "old.test");
    await eve.deliver(alice.server, eve.activity("Follow", alice.uri));
    carol.document.alsoKnownAs = [eve.uri];
    await eve.deliver(alice.server, eve.activity("Move", eve.uri, { target: carol.uri }));
    expect(peer.fetched("new.test")).toEqual([]);
  });

  test("is shown when a user opens the profile, if only the old account's document names the new one", async () => {
    bob.document.movedTo = carol.uri;
    alice.server.clock.advance(DAY);
    await shown();
    await alice.server.drain();
    expect((await shown()).moved).toMatchObject({ acct: carol.handle });
    expect(await following()).toBe(true);
  });
});

test("A follow of a local account that has moved is rejected, unless it exists", async () => {
  const dora = await alice.server.person("dora");
  await dora.post("/api/v1/linnet/aliases", { acct: "alice" });
  await alice.post("/api/v1/linnet/move", { acct: "dora", password: "correct horse" });
  await alice.server.drain();
  const answerTo = async (account: HostileAccount) => {
    await account.deliver(alice.server, account.activity("Follow", alice.uri));
    return peer.delivered.at(-1)!.type;
  };
  expect([await answerTo(carol), await answerTo(bob)]).toEqual(["Reject", "Accept"]);
});
