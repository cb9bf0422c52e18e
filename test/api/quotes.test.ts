import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { idsOf, linksOf, pagesOf, turn } from "../support/reading.ts";
import { block, mute, remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { listening, Socket } from "../support/streams.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const quote = (who: Client, id: string, body: object = {}): Promise<Answer> =>
  who.post("/api/v1/statuses", { status: "well said", quoted_status_id: id, ...body });
const read = async (who: Client, id: string): Promise<Json> => (await who.get(`/api/v1/statuses/${id}`)).json;
const revoke = (who: Client, id: string, quoting: string): Promise<Answer> =>
  who.post(`/api/v1/statuses/${id}/quotes/${quoting}/revoke`);
const approve = (who: Client, id: string, quoting: string): Promise<Answer> =>
  who.post(`/api/v1/linnet/statuses/${id}/quotes/${quoting}/approve`);
const waiting = (who: Client, id: string): Promise<Answer> => who.get(`/api/v1/linnet/statuses/${id}/quotes/pending`);
const setPolicy = (who: Client, id: string, policy: string): Promise<Answer> =>
  who.put(`/api/v1/statuses/${id}/interaction_policy`, { quote_approval_policy: policy });
const toldOf = async (who: Client, type: string): Promise<Json[]> =>
  (await who.get(`/api/v1/notifications?types[]=${type}`)).json;

const NOT_THERE = "The post you are trying to quote does not appear to exist.";

describe("A quote", () => {
  test("contains the quoted status, as documented", async () => {
    const original = await alice.publish("original");
    const { status, json } = await quote(bob, original.id);
    expect(status).toBe(200);
    expectShape(json, "Status");
    expectShape(json.quote, "Quote");
    expect(json.quote).toMatchObject({
      state: "accepted",
      quoted_status: { id: original.id, content: "<p>original</p>" },
    });
    expect(json.quote.quoted_status).toMatchObject({ quotes_count: 1, quote: null, reblog: null, favourited: false });
    expect((await read(alice, original.id)).quotes_count).toBe(1);
    expect((await read(server.stranger(), json.id)).quote.quoted_status.id).toBe(original.id);
  });

  test("starts with a link only while it waits for approval, unless the text contains the link", async () => {
    const original = await alice.publish({ status: "original", quote_approval_policy: "manual" });
    const { id, content } = (await quote(bob, original.id)).json;
    expect(content).toStartWith(`<p class="quote-inline">RE: <a href="${original.url}" target="_blank"`);
    expect(content).toEndWith("</a></p><p>well said</p>");
    const linked = (await quote(bob, original.id, { status: `see ${original.url}` })).json;
    expect(linked.content).not.toContain("quote-inline");
    expect((await bob.get(`/api/v1/statuses/${linked.id}/source`)).json.text).toBe(`see ${original.url}`);
    await approve(alice, original.id, id);
    expect((await read(bob, id)).content).toBe("<p>well said</p>");
    const { json: versions } = await bob.get(`/api/v1/statuses/${id}/history`);
    expect(versions.map((version: Json) => version.content)).toEqual(["<p>well said</p>"]);
  });

  test("needs no text", async () => {
    const original = await alice.publish("original");
    const { json } = await quote(bob, original.id, { status: "", spoiler_text: "strong words" });
    expect([json.spoiler_text, json.quote.state]).toEqual(["strong words", "accepted"]);
  });

  test("of a quote contains only the id of the inner quote", async () => {
    const first = await alice.publish("first");
    const second = (await quote(bob, first.id)).json;
    const third = (await quote(carol, second.id)).json;
    expectShape(third.quote.quoted_status.quote, "ShallowQuote");
    expect(third.quote.quoted_status.quote).toEqual({ state: "accepted", quoted_status_id: first.id });
  });

  test("of a boost quotes the original, and a boosted quote appears only in the original", async () => {
    const original = await alice.publish("original");
    const boost = (await carol.post(`/api/v1/statuses/${original.id}/reblog`)).json;
    const quoting = (await quote(bob, boost.id)).json;
    expect(quoting.quote.quoted_status.id).toBe(original.id);
    const wrapper = (await carol.post(`/api/v1/statuses/${quoting.id}/reblog`)).json;
    expect([wrapper.quote, wrapper.reblog.quote.quoted_status.id]).toEqual([null, original.id]);
  });

  test("contains the viewer's own flags of the quoted status", async () => {
    const original = await alice.publish("original");
    const { id } = (await quote(bob, original.id)).json;
    await carol.post(`/api/v1/statuses/${original.id}/favourite`);
    expect((await read(carol, id)).quote.quoted_status).toMatchObject({ favourited: true, favourites_count: 1 });
    expect((await read(bob, id)).quote.quoted_status).toMatchObject({ favourited: false, favourites_count: 1 });
  });

  test("shows the current version of the quoted status", async () => {
    const original = await alice.publish("original");
    const { id } = (await quote(bob, original.id)).json;
    await alice.put(`/api/v1/statuses/${original.id}`, { status: "changed" });
    expect((await read(carol, id)).quote.quoted_status.content).toBe("<p>changed</p>");
  });

  test("is part of its edit history", async () => {
    const original = await alice.publish("original");
    const { id } = (await quote(bob, original.id)).json;
    expect((await bob.put(`/api/v1/statuses/${id}`, { status: "" })).status).toBe(200);
    const { json } = await carol.get(`/api/v1/statuses/${id}/history`);
    expectShape(json, ["StatusEdit"]);
    expect(json.map((version: Json) => version.quote.quoted_status.id)).toEqual([original.id, original.id]);
  });

  test("of a missing status is refused, and nothing is published", async () => {
    for (const id of ["1", "x"]) {
      const { status, json } = await quote(bob, id);
      expect([status, json.error]).toEqual([404, NOT_THERE]);
    }
    expect((await read(alice, bob.id)).error).toBe("Record not found");
    expect((await alice.get(`/api/v1/accounts/${bob.id}`)).json.statuses_count).toBe(0);
  });

  test("decreases the count when it is deleted", async () => {
    const original = await alice.publish("original");
    const { id } = (await quote(bob, original.id)).json;
    await bob.delete(`/api/v1/statuses/${id}`);
    expect((await read(alice, original.id)).quotes_count).toBe(0);
    expect((await alice.get(`/api/v1/statuses/${original.id}/quotes`)).json).toEqual([]);
  });
});

describe("The quote policy", () => {
  test.each([
    ["public", ["public"], "automatic", "automatic"],
    ["followers", ["followers"], "automatic", "denied"],
    ["nobody", [], "denied", "denied"],
  ])("is set by the author: %s", async (policy, automatic, follower, other) => {
    await bob.follow(alice);
    const { id, quote_approval } = await alice.publish({ status: "original", quote_approval_policy: policy });
    expect(quote_approval).toEqual({ automatic, manual: [], current_user: "automatic" });
    expect((await read(bob, id)).quote_approval.current_user).toBe(follower);
    expect((await read(carol, id)).quote_approval.current_user).toBe(other);
    expect((await read(server.stranger(), id)).quote_approval.current_user).toBe("denied");
    expect((await quote(bob, id)).status).toBe(follower === "denied" ? 404 : 200);
    expect((await quote(carol, id)).status).toBe(other === "denied" ? 404 : 200);
    expect((await quote(alice, id)).status).toBe(200);
  });

  test("defaults to the author's preference", async () => {
    const changed = await alice.patch("/api/v1/accounts/update_credentials", { source: { quote_policy: "nobody" } });
    expect(changed.json.source.quote_policy).toBe("nobody");
    expect((await alice.get("/api/v1/preferences")).json["posting:default:quote_policy"]).toBe("nobody");
    expect((await alice.publish("original")).quote_approval.automatic).toEqual([]);
    const wrong = await alice.patch("/api/v1/accounts/update_credentials", { source: { quote_policy: "some" } });
    expect(wrong.status).toBe(422);
  });

  test("can be changed, even in an edit, without marking the post as edited", async () => {
    const { id } = await alice.publish("original");
    const { status, json } = await setPolicy(alice, id, "nobody");
    expect(status).toBe(200);
    expectShape(json, "Status");
    expect([json.quote_approval.automatic, json.edited_at]).toEqual([[], null]);
    expect((await quote(bob, id)).status).toBe(404);
    const edited = await alice.put(`/api/v1/statuses/${id}`, { quote_approval_policy: "followers" });
    expect([edited.json.quote_approval.automatic, edited.json.edited_at]).toEqual([["followers"], null]);
  });

  test("can ask for the author's approval", async () => {
    const { id, quote_approval } = await alice.publish({ status: "original", quote_approval_policy: "manual" });
    expect(quote_approval).toEqual({ automatic: [], manual: ["public"], current_user: "automatic" });
    expect((await read(bob, id)).quote_approval.current_user).toBe("manual");
    const quoting = (await quote(bob, id)).json;
    expect(quoting.quote).toEqual({ state: "pending", quoted_status: null });
    expect((await toldOf(alice, "quote")).map(({ status }) => status.id)).toEqual([quoting.id]);
    expect(idsOf(await waiting(alice, id))).toEqual([quoting.id]);
    expect(idsOf(await alice.get(`/api/v1/statuses/${id}/quotes`))).toEqual([]);
    const { status, json } = await approve(alice, id, quoting.id);
    expect(status).toBe(200);
    expectShape(json, "Status");
    expect([json.quote.state, json.quote.quoted_status.quotes_count]).toEqual(["accepted", 1]);
    expect((await approve(alice, id, quoting.id)).status).toBe(200);
    expect((await read(alice, id)).quotes_count).toBe(1);
    expect(idsOf(await waiting(alice, id))).toEqual([]);
    expect(await toldOf(alice, "quote")).toHaveLength(1);
  });

  test("can ask for the author's approval, who may refuse it for good", async () => {
    const { id } = await alice.publish({ status: "original", quote_approval_policy: "manual" });
    const quoting = (await quote(bob, id)).json;
    expect((await revoke(alice, id, quoting.id)).json.quote.state).toBe("rejected");
    expect((await approve(alice, id, quoting.id)).status).toBe(404);
    expect((await read(bob, quoting.id)).content).toBe("<p>well said</p>");
  });

  test("lets only the author approve, with the scope", async () => {
    const { id } = await alice.publish({ status: "original", quote_approval_policy: "manual" });
    const quoting = (await quote(bob, id)).json;
    expect((await approve(bob, id, quoting.id)).status).toBe(404);
    expect((await approve(alice, id, id)).status).toBe(404);
    expect((await approve(alice, id, "x")).status).toBe(404);
    expect((await approve(server.stranger(), id, quoting.id)).status).toBe(401);
    const reader = await server.person("reader", { scopes: "read" });
    expect((await approve(reader, id, quoting.id)).status).toBe(403);
    expect((await waiting(bob, id)).status).toBe(404);
    expect((await waiting(server.stranger(), id)).status).toBe(401);
    expect((await read(bob, quoting.id)).quote.state).toBe("pending");
  });

  test("with manual approval is no default", async () => {
    const { status } = await alice.patch("/api/v1/accounts/update_credentials", { source: { quote_policy: "manual" } });
    expect(status).toBe(422);
  });

  test("keeps existing quotes", async () => {
    const { id } = await alice.publish("original");
    const quoting = (await quote(bob, id)).json;
    await setPolicy(alice, id, "nobody");
    expect((await read(carol, quoting.id)).quote.state).toBe("accepted");
  });

  test("is changed only by the author, to a valid value, with the scope", async () => {
    const { id } = await alice.publish("original");
    expect((await setPolicy(bob, id, "nobody")).status).toBe(404);
    expect((await setPolicy(alice, "1", "nobody")).status).toBe(404);
    const boost = (await alice.post(`/api/v1/statuses/${id}/reblog`)).json;
    expect((await setPolicy(alice, boost.id, "nobody")).status).toBe(404);
    const wrong = await setPolicy(alice, id, "some");
    expect([wrong.status, wrong.json.error]).toEqual([422, "'some' is not a valid quote_approval_policy"]);
    expect((await alice.put(`/api/v1/statuses/${id}/interaction_policy`)).status).toBe(422);
    expect((await setPolicy(server.stranger(), id, "nobody")).status).toBe(401);
    expect((await setPolicy(await server.person("reader", { scopes: "read" }), id, "nobody")).status).toBe(403);
    const odd = await alice.post("/api/v1/statuses", { status: "original", quote_approval_policy: "some" });
    expect(odd.status).toBe(422);
  });

  test("excludes accounts that block or are blocked", async () => {
    const { id } = await alice.publish("original");
    block(server, alice, bob);
    block(server, carol, alice);
    expect((await quote(bob, id)).status).toBe(404);
    expect((await quote(carol, id)).status).toBe(404);
  });

  test("requires consent for remote posts, which stay hidden until then", async () => {
    const elsewhere = remoteStatus(server, remoteAccount(server, "dan", "elsewhere.example"), "hello");
    expect((await quote(bob, elsewhere)).status).toBe(404);
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE statuses SET quote_automatic = $quoteAutomatic WHERE id = $elsewhere", {
        quoteAutomatic: '["public"]',
        elsewhere: Number(elsewhere),
      }),
    );
    const { json } = await quote(bob, elsewhere);
    expect(json.quote).toEqual({ state: "pending", quoted_status: null });
    expect((await read(bob, elsewhere)).quotes_count).toBe(0);
  });
});

describe("A post that isn't public", () => {
  test("can be quoted only by its author, with at most the same visibility", async () => {
    await bob.follow(alice);
    const secret = await alice.publish({ status: "secret", visibility: "private", quote_approval_policy: "public" });
    expect(secret.quote_approval).toEqual({ automatic: [], manual: [], current_user: "automatic" });
    expect((await read(bob, secret.id)).quote_approval.current_user).toBe("denied");
    expect((await quote(bob, secret.id)).status).toBe(404);
    expect((await quote(alice, secret.id, { visibility: "public" })).json.visibility).toBe("private");
    expect((await quote(alice, secret.id, { visibility: "direct" })).json.visibility).toBe("direct");
  });

  test("is hidden in quotes from users who may not see it", async () => {
    const secret = await alice.publish({ status: "secret", visibility: "private" });
    const { id } = (await quote(alice, secret.id, { status: "@bob look", visibility: "direct" })).json;
    expect((await read(bob, id)).quote).toEqual({ state: "unauthorized", quoted_status: null });
  });

  test("can't be quoted at all if it is direct", async () => {
    const { id, quote_approval } = await alice.publish({ status: "@bob psst", visibility: "direct" });
    expect(quote_approval.current_user).toBe("denied");
    expect((await quote(alice, id)).json.error).toBe(NOT_THERE);
    expect((await quote(bob, id)).json.error).toBe(NOT_THERE);
  });

  test("can quote a user in private only with a mention", async () => {
    const { id } = await alice.publish("original");
    const { status, json } = await quote(bob, id, { status: "@carol look", visibility: "direct" });
    expect([status, json.error]).toEqual([
      422,
      "Validation failed: Cannot quote a non-mentioned user in a Private Mention post.",
    ]);
    expect((await quote(bob, id, { status: "@alice look", visibility: "direct" })).status).toBe(200);
  });

  test("is visible to the quoted user without a mention", async () => {
    const original = await alice.publish("original");
    const { id, mentions } = (await quote(bob, original.id, { visibility: "private" })).json;
    expect(mentions).toEqual([]);
    expect((await read(alice, id)).id).toBe(id);
    expect((await carol.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    await bob.put(`/api/v1/statuses/${id}`, { status: "@alice well said" });
    expect((await read(alice, id)).mentions).toHaveLength(1);
    expect(await toldOf(alice, "mention")).toHaveLength(1);
    await bob.put(`/api/v1/statuses/${id}`, { status: "well said" });
    expect((await read(bob, id)).mentions).toEqual([]);
  });
});

describe("The quoted status", () => {
  let original: Json;
  let quoting: Json;
  beforeEach(async () => {
    original = await alice.publish("original");
    quoting = (await quote(bob, original.id)).json;
  });
  const seenBy = async (who: Client) => {
    const { quote } = await read(who, quoting.id);
    return [quote.state, quote.quoted_status?.id ?? null];
  };

  test("is marked for users who block or mute its author", async () => {
    block(server, carol, alice);
    expect(await seenBy(carol)).toEqual(["blocked_account", original.id]);
    mute(server, bob, alice, { until: server.clock.now() + 1000 });
    expect(await seenBy(bob)).toEqual(["muted_account", original.id]);
    server.clock.advance(2000);
    expect(await seenBy(bob)).toEqual(["accepted", original.id]);
  });

  test("is marked for users who block its domain", async () => {
    const elsewhere = remoteStatus(server, remoteAccount(server, "dan", "elsewhere.example"), "hello");
    const { db } = server.ctx;
    db.transaction((tx) =>
      tx.run("UPDATE statuses SET quote_automatic = $quoteAutomatic WHERE id = $elsewhere", {
        quoteAutomatic: '["public"]',
        elsewhere: Number(elsewhere),
      }),
    );
    const { id } = (await quote(bob, elsewhere)).json;
    db.transaction((tx) => tx.run("UPDATE quotes SET state = 'accepted' WHERE status_id = $id", { id: Number(id) }));
    await carol.post("/api/v1/domain_blocks", { domain: "elsewhere.example" });
    const { state, quoted_status } = (await read(carol, id)).quote;
    expect([state, quoted_status.id]).toEqual(["blocked_domain", elsewhere]);
    expect((await read(alice, id)).quote.state).toBe("accepted");
  });

  test("is filtered like any other status", async () => {
    await carol.post("/api/v2/filters", {
      title: "no originals",
      context: ["home"],
      keywords_attributes: [{ keyword: "original" }],
    });
    const shown = await read(carol, quoting.id);
    expect(shown.filtered).toEqual([]);
    expect(shown.quote.quoted_status.filtered).toMatchObject([{ keyword_matches: ["original"] }]);
  });

  test("is hidden from users that its author blocks", async () => {
    block(server, alice, carol);
    expect(await seenBy(carol)).toEqual(["unauthorized", null]);
    const deeper = (await quote(bob, quoting.id)).json;
    const inner = (await read(carol, deeper.id)).quote.quoted_status.quote;
    expect(inner).toEqual({ state: "unauthorized", quoted_status_id: null });
  });

  test("disappears when it is deleted", async () => {
    await alice.delete(`/api/v1/statuses/${original.id}`);
    expect(await seenBy(carol)).toEqual(["deleted", null]);
    expect((await read(carol, quoting.id)).content).toBe("<p>well said</p>");
  });

  test("can be removed from the quote by its author", async () => {
    const { status, json } = await revoke(alice, original.id, quoting.id);
    expect(status).toBe(200);
    expectShape(json, "Status");
    expect(json).toMatchObject({ id: quoting.id, quote: { state: "revoked", quoted_status: null } });
    expect(await seenBy(bob)).toEqual(["revoked", null]);
    expect((await read(alice, original.id)).quotes_count).toBe(0);
    expect((await alice.get(`/api/v1/statuses/${original.id}/quotes`)).json).toEqual([]);
    expect((await revoke(alice, original.id, quoting.id)).json.quote.state).toBe("revoked");
    await bob.delete(`/api/v1/statuses/${quoting.id}`);
    expect((await read(alice, original.id)).quotes_count).toBe(0);
  });

  test("can be removed from the quote even when its author has a block", async () => {
    block(server, bob, alice);
    expect((await revoke(alice, original.id, quoting.id)).status).toBe(200);
    expect(await seenBy(bob)).toEqual(["revoked", null]);
  });

  test("can't be removed by other users, nor if there is no quote", async () => {
    expect((await revoke(bob, original.id, quoting.id)).status).toBe(403);
    expect((await revoke(alice, original.id, original.id)).status).toBe(404);
    expect((await revoke(alice, original.id, "x")).status).toBe(404);
    expect((await revoke(alice, "1", quoting.id)).status).toBe(404);
    expect((await revoke(server.stranger(), original.id, quoting.id)).status).toBe(401);
    expect((await revoke(await server.person("reader", { scopes: "read" }), original.id, quoting.id)).status).toBe(403);
    expect(await seenBy(carol)).toEqual(["accepted", original.id]);
  });
});

describe("The quotes of a status", () => {
  test("are listed on consistent pages, latest first", async () => {
    const { id } = await alice.publish("original");
    const quotes: string[] = [];
    for (let at = 0; at < 5; at++) quotes.unshift((await quote(bob, id, { status: `${at}` })).json.id);
    const first = await carol.get(`/api/v1/statuses/${id}/quotes?limit=2`);
    expectShape(first.json, ["Status"]);
    expect(linksOf(first).rels).toEqual(["next", "prev"]);
    const pages = await pagesOf(carol, `/api/v1/statuses/${id}/quotes?limit=2`);
    expect(pages.flatMap((page) => idsOf(page))).toEqual(quotes);
    const newer = (await quote(bob, id)).json;
    const { prev } = linksOf(first);
    expect(idsOf(await turn(carol, prev))).toEqual([newer.id]);
  });

  test("are only those that the viewer may and wants to see", async () => {
    const { id } = await alice.publish("original");
    const open = (await quote(bob, id)).json.id;
    const closed = (await quote(bob, id, { visibility: "private" })).json.id;
    const list = async (who: Client) => idsOf(await who.get(`/api/v1/statuses/${id}/quotes`));
    expect(await list(alice)).toEqual([closed, open]);
    expect(await list(carol)).toEqual([open]);
    mute(server, carol, bob);
    expect(await list(carol)).toEqual([]);
  });

  test("require a token with the scope, and a visible status", async () => {
    const { id } = await alice.publish({ status: "secret", visibility: "private" });
    expect((await bob.get(`/api/v1/statuses/${id}/quotes`)).status).toBe(404);
    expect((await bob.get("/api/v1/statuses/x/quotes")).status).toBe(404);
    expect((await server.stranger().get(`/api/v1/statuses/${id}/quotes`)).status).toBe(401);
    const writer = await server.person("writer", { scopes: "write" });
    expect((await writer.get(`/api/v1/statuses/${id}/quotes`)).status).toBe(403);
  });

  inProcess("need a constant number of statements", async () => {
    const { db } = server.ctx;
    const cost = async (limit: number) => {
      // Empties the cache.
      db.raw.run("UPDATE statuses SET language = 'en'");
      const before = db.statements;
      const { json } = await carol.get(`/api/v1/accounts/${bob.id}/statuses?limit=${limit}`);
      return [json.length, db.statements - before];
    };
    for (let at = 0; at < 8; at++) {
      const { id } = await alice.publish({ status: "?", poll: { options: ["a", "b"], expires_in: 300 } });
      await quote(bob, (await quote(carol, id)).json.id);
    }
    // The first request of a kind runs additional statements.
    await cost(1);
    const [, one] = await cost(1);
    expect(await cost(8)).toEqual([8, one]);
  });
});

describe("Users are notified", () => {
  test("of quotes of their posts by others", async () => {
    const { id } = await alice.publish("original");
    await quote(alice, id);
    const quoting = (await quote(bob, id)).json;
    const told = await toldOf(alice, "quote");
    expectShape(told, ["Notification"]);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ type: "quote", account: { id: bob.id }, status: { id: quoting.id } });
  });

  test("of edits of posts that they quote", async () => {
    const { id } = await alice.publish("original");
    const quoting = (await quote(bob, id)).json;
    const revoked = (await quote(carol, id)).json;
    await revoke(alice, id, revoked.id);
    await alice.put(`/api/v1/statuses/${id}`, { status: "changed" });
    const told = await toldOf(bob, "quoted_update");
    expectShape(told, ["Notification"]);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ account: { id: alice.id }, status: { id: quoting.id } });
    expect(await toldOf(carol, "quoted_update")).toEqual([]);
  });

  test("of nothing by accounts that they mute", async () => {
    const { id } = await alice.publish("original");
    mute(server, alice, bob);
    await quote(bob, id);
    expect(await toldOf(alice, "quote")).toEqual([]);
  });

  test("on their stream when a quote or the permission to quote is removed", async () => {
    const { id } = await alice.publish("original");
    const quoting = (await quote(bob, id)).json;
    const socket = await Socket.open(bob, "?stream=user");
    await listening(server, 2);
    await revoke(alice, id, quoting.id);
    expect(await socket.next()).toMatchObject({
      event: "status.update",
      payload: { id: quoting.id, quote: { state: "revoked" } },
    });
    await setPolicy(bob, quoting.id, "nobody");
    expect(await socket.next()).toMatchObject({
      event: "status.update",
      payload: { id: quoting.id, quote_approval: { automatic: [] } },
    });
    await socket.close();
  });
});
