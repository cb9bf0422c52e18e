import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Json } from "../support/client.ts";
import { type Neighbour, neighboursForEachTest } from "../support/federation.ts";
import { count } from "../support/hostile-peer.ts";

/* Alice is quoted by Bob, whose post Carol reads: each on a server of their own. */

const { alice, bob, carol, drain, advance, befriend } = neighboursForEachTest(["alice", "bob", "carol"]);

beforeEach(() => befriend(bob, carol));

/** A quote as a user sees it: its state, and the text of the quoted post if it is shown. */
async function seenBy(viewer: Neighbour, post: { uri: string }): Promise<[string, string | null] | null> {
  const copy = await viewer.copyOf(post);
  return copy?.quote ? [copy.quote.state, copy.quote.quoted_status?.content ?? null] : null;
}

const SHOWN: [string, string] = ["accepted", "<p>original</p>"];

/** Alice publishes a post, which Bob's server knows. */
async function published(more: object = {}): Promise<Json> {
  const post = await alice.publish({ status: "original", ...more });
  await bob.resolve(post.uri);
  return post;
}

async function quote(who: Neighbour, post: { uri: string }, more: object = {}): Promise<Answer> {
  const { id } = (await who.copyOf(post))!;
  return who.post("/api/v1/statuses", { status: "well said", quoted_status_id: id, ...more });
}

const approve = async (post: Json, quoting: Json): Promise<Answer> => {
  const { id } = (await alice.copyOf(quoting))!;
  return alice.post(`/api/v1/linnet/statuses/${post.id}/quotes/${id}/approve`);
};
const revoke = async (post: Json, quoting: { uri: string }): Promise<Answer> => {
  const { id } = (await alice.copyOf(quoting))!;
  return alice.post(`/api/v1/statuses/${post.id}/quotes/${id}/revoke`);
};

async function documentAt(uri: string): Promise<Json | number> {
  const { origin } = [alice, bob].find(({ server }) => uri.startsWith(server.ctx.config.origin))!.server;
  const response = await fetch(origin + new URL(uri).pathname, { headers: { accept: "application/activity+json" } });
  return response.status === 200 ? response.json() : response.status;
}

test("A quote in Markdown has the link for apps without quotes, unless it links to the post itself", async () => {
  const post = await published();
  const format = { content_type: "text/markdown" };
  const { json } = await quote(bob, post, { status: "**well** said", ...format });
  expect(json.content).toMatch(/^<p class="quote-inline">RE: .*<\/p><p><strong>well<\/strong> said<\/p>$/);
  const linking = (await quote(bob, post, { status: `[well](${post.url}) said`, ...format })).json;
  expect(linking.content).toStartWith(`<p><a href="${post.url}"`);
});

describe("A quote of a post on another server", () => {
  test("is requested, granted and shown everywhere", async () => {
    const post = await published();
    const { json } = await quote(bob, post);
    expect([json.quote.state, json.content]).toEqual(["pending", expect.stringContaining("quote-inline")]);
    await drain();
    for (const reader of [alice, bob, carol]) {
      expect(await seenBy(reader, json)).toEqual(SHOWN);
      expect((await reader.copyOf(json))!.content).toBe("<p>well said</p>");
      expect((await reader.copyOf(post))!.quotes_count).toBe(1);
    }
    expect(await alice.news()).toEqual([["quote", bob.handle]]);
    expect((await carol.home()).map(({ uri }) => uri)).toEqual([json.uri]);
    const { json: quotes } = await alice.get(`/api/v1/statuses/${post.id}/quotes`);
    expect(quotes.map(({ uri }: Json) => uri)).toEqual([json.uri]);
  });

  test("carries the consent, which its author's server serves", async () => {
    const post = await published();
    const { json } = await quote(bob, post);
    const before = (await documentAt(json.uri)) as Json;
    expect(before).toMatchObject({ quote: post.uri, content: expect.stringContaining(`href="${post.url}"`) });
    for (const name of ["quoteAuthorization", "quoteUrl", "quoteUri", "_misskey_quote"]) {
      expect(before).not.toHaveProperty(name);
    }
    expect(before.tag).toEqual([]);
    await drain();
    const after = (await documentAt(json.uri)) as Json;
    expect(after).toMatchObject({ quote: post.uri, quoteUrl: post.uri, quoteUri: post.uri, _misskey_quote: post.uri });
    expect(after.tag).toMatchObject([
      { type: "Link", href: post.uri, rel: "https://misskey-hub.net/ns#_misskey_quote" },
    ]);
    expect(after.content).toStartWith('<p class="quote-inline">RE: ');
    expect(await documentAt(after.quoteAuthorization)).toMatchObject({
      id: after.quoteAuthorization,
      type: "QuoteAuthorization",
      attributedTo: alice.uri,
      interactingObject: json.uri,
      interactionTarget: post.uri,
    });
  });

  test("is shown to nobody once its author revokes the consent", async () => {
    const post = await published();
    const { json } = await quote(bob, post);
    await drain();
    const { quoteAuthorization } = (await documentAt(json.uri)) as Json;
    expect((await revoke(post, json)).json.quote.state).toBe("revoked");
    await drain();
    for (const reader of [alice, bob, carol]) expect(await seenBy(reader, json)).toEqual(["revoked", null]);
    expect(await documentAt(quoteAuthorization)).toBe(404);
    const document = (await documentAt(json.uri)) as Json;
    expect(document).not.toHaveProperty("quoteAuthorization");
    expect(document.content).toBe("<p>well said</p>");
    expect((await bob.copyOf(post))!.quotes_count).toBe(0);
  });

  test("waits until its author approves", async () => {
    const post = await published({ quote_approval_policy: "manual" });
    expect((await bob.copyOf(post))!.quote_approval).toEqual({
      automatic: [],
      manual: ["public"],
      current_user: "manual",
    });
    const { json } = await quote(bob, post);
    await drain();
    for (const reader of [alice, bob, carol]) expect(await seenBy(reader, json)).toEqual(["pending", null]);
    expect(await alice.news()).toEqual([["quote", bob.handle]]);
    expect((await approve(post, json)).status).toBe(200);
    await drain();
    for (const reader of [alice, bob, carol]) expect(await seenBy(reader, json)).toEqual(SHOWN);
    expect(await alice.news()).toHaveLength(1);
  });

  test("is refused by its author", async () => {
    const post = await published({ quote_approval_policy: "manual" });
    const { json } = await quote(bob, post);
    await drain();
    await revoke(post, json);
    await drain();
    for (const reader of [alice, bob]) expect(await seenBy(reader, json)).toEqual(["rejected", null]);
    expect(await seenBy(carol, json)).toEqual(["pending", null]);
    expect((await approve(post, json)).status).toBe(404);
  });

  test("is refused if the policy has changed meanwhile", async () => {
    const post = await published();
    await alice.put(`/api/v1/statuses/${post.id}/interaction_policy`, { quote_approval_policy: "nobody" });
    const { json } = await quote(bob, post);
    await drain();
    expect(await seenBy(bob, json)).toEqual(["rejected", null]);
    expect([await alice.copyOf(json), await alice.news()]).toEqual([null, []]);
  });

  test("is refused if its author blocks the account", async () => {
    const post = await published();
    const { json: block } = await alice.act("block", bob);
    expect(block.blocking).toBe(true);
    const { json } = await quote(bob, post);
    await drain();
    expect(await seenBy(bob, json)).toEqual(["rejected", null]);
    expect(await alice.news()).toEqual([]);
  });

  test("for followers reaches the quoted author, and nobody else", async () => {
    const post = await published();
    const { json } = await quote(bob, post, { visibility: "private" });
    await drain();
    expect(await seenBy(alice, json)).toEqual(SHOWN);
    expect(await seenBy(carol, json)).toEqual(SHOWN);
    const dora = await alice.server.person("dora");
    const { id } = (await alice.copyOf(json))!;
    expect((await dora.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    advance(60_000);
    await bob.put(`/api/v1/statuses/${json.id}`, { status: "rather well said" });
    await drain();
    expect((await alice.copyOf(json))!.content).toBe("<p>rather well said</p>");
    await bob.delete(`/api/v1/statuses/${json.id}`);
    await drain();
    expect(await alice.copyOf(json)).toBeNull();
  });

  test("disappears with the quoted post, and its count with the quote", async () => {
    const [one, two] = [await published(), await published()];
    const [ofOne, ofTwo] = [(await quote(bob, one)).json, (await quote(bob, two)).json];
    await drain();
    await alice.delete(`/api/v1/statuses/${one.id}`);
    await bob.delete(`/api/v1/statuses/${ofTwo.id}`);
    await drain();
    expect(await seenBy(bob, ofOne)).toEqual(["deleted", null]);
    expect((await alice.copyOf(two))!.quotes_count).toBe(0);
    expect(count(alice.server, "quotes")).toBe(1);
  });

  test("may be of an own post, without asking", async () => {
    const post = await bob.publish({ status: "original", quote_approval_policy: "nobody" });
    const { json } = await bob.post("/api/v1/statuses", { status: "again", quoted_status_id: post.id });
    await drain();
    expect(await seenBy(carol, json)).toEqual(SHOWN);
    expect((await documentAt(json.uri)) as Json).not.toHaveProperty("quoteAuthorization");
    const { id } = bob.server.ctx.db.get<{ id: number }>("SELECT id FROM quotes")!;
    expect(await documentAt(`${bob.uri}/quote_authorizations/${id}`)).toBe(404);
  });

  test("of a post on the same server is shown on others, until it is revoked", async () => {
    const post = await alice.publish("original");
    const dora = await alice.server.person("dora");
    await carol.post(
      `/api/v1/accounts/${await carol.idOf({ handle: `dora@${alice.server.ctx.config.handleDomain}`, uri: "" })}/follow`,
    );
    await drain();
    const { json } = await dora.post("/api/v1/statuses", { status: "well said", quoted_status_id: post.id });
    await drain();
    expect(await seenBy(carol, json)).toEqual(SHOWN);
    await revoke(post, json);
    await drain();
    expect(await seenBy(carol, json)).toEqual(["revoked", null]);
  });

  test("never shows a private post to others than its audience", async () => {
    const secret = await bob.publish({ status: "secret", visibility: "private" });
    const { json } = await bob.post("/api/v1/statuses", { status: "look", quoted_status_id: secret.id });
    expect(json.visibility).toBe("private");
    await drain();
    expect(await seenBy(carol, json)).toEqual(["accepted", "<p>secret</p>"]);
    const dora = await carol.server.person("dora");
    const direct = await bob.post("/api/v1/statuses", {
      status: `@${`dora@${carol.server.ctx.config.handleDomain}`} look`,
      visibility: "direct",
      quoted_status_id: secret.id,
    });
    await drain();
    const { json: mentions } = await dora.get("/api/v1/notifications?types[]=mention");
    expect(mentions.map(({ status }: Json) => [status.uri, status.quote])).toEqual([
      [direct.json.uri, { state: "unauthorized", quoted_status: null }],
    ]);
  });
});

describe("The quote policy", () => {
  test("is known on other servers", async () => {
    const dora = await carol.server.person("dora");
    const policies: [string, string[], string[], string, string][] = [
      ["public", ["public"], [], "automatic", "automatic"],
      ["followers", ["followers"], [], "automatic", "denied"],
      ["nobody", [], [], "denied", "denied"],
      ["manual", [], ["public"], "manual", "manual"],
    ];
    for (const [policy, automatic, manual, follower, other] of policies) {
      const post = await bob.publish({ status: "original", quote_approval_policy: policy });
      await drain();
      const { id, quote_approval } = (await carol.copyOf(post))!;
      expect(quote_approval).toEqual({ automatic, manual, current_user: follower });
      expect((await dora.get(`/api/v1/statuses/${id}`)).json.quote_approval.current_user).toBe(other);
    }
  });

  test("changes on other servers, too, without an edit", async () => {
    const post = await bob.publish("original");
    await drain();
    await bob.put(`/api/v1/statuses/${post.id}/interaction_policy`, { quote_approval_policy: "nobody" });
    await drain();
    const copy = (await carol.copyOf(post))!;
    expect([copy.quote_approval.current_user, copy.edited_at]).toEqual(["denied", null]);
    await bob.put(`/api/v1/statuses/${post.id}`, { quote_approval_policy: "manual" });
    await drain();
    expect((await carol.copyOf(post))!.quote_approval.current_user).toBe("manual");
  });

  test("of a private post allows nobody", async () => {
    const post = await bob.publish({ status: "secret", visibility: "private", quote_approval_policy: "public" });
    await drain();
    expect((await carol.copyOf(post))!.quote_approval).toEqual({ automatic: [], manual: [], current_user: "denied" });
  });
});
