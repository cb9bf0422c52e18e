import { beforeEach, describe, expect, test } from "bun:test";
import { allowDomain } from "../../src/core/moderation/domain-blocks.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest, startNeighbour } from "../support/federation.ts";
import { befriend, count, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";

/* Quotes by servers that lie about the consent of the quoted author, or know nothing of it. */

const { alice, drain, advance } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
/** Bob quotes Ines, or Alice. Alice follows Bob. */
let bob: HostileAccount;
let ines: HostileAccount;
let original: Json;

const everyone = { interactionPolicy: { canQuote: { automaticApproval: ["as:Public"] } } };

beforeEach(async () => {
  bob = peer.account("bob", "good.test");
  ines = peer.account("ines", "gallery.test");
  await befriend(alice, bob);
  original = posted(ines, everyone);
});

/** Serves a post. */
function posted(author: HostileAccount, more: Json = {}): Json {
  const note = author.note({ content: "<p>original</p>", ...more });
  peer.serve(note.id, note);
  return note;
}

function authorized(quoting: string, more: Json = {}, by = ines): string {
  const id = more.id ?? `${by.uri}/quote_authorizations/${quoting.split("/").at(-1)}`;
  const parts = { interactingObject: quoting, interactionTarget: original.id };
  peer.serve(id, { id, type: "QuoteAuthorization", attributedTo: by.uri, ...parts, ...more });
  return id;
}

const deliver = (note: Json) => bob.deliver(alice.server, bob.create(note));
/** Delivers a new state of a post, edited now. */
function update(note: Json): Promise<void> {
  advance(60_000);
  const updated = new Date(alice.server.clock.now()).toISOString();
  return bob.deliver(alice.server, bob.activity("Update", { ...note, updated }, { to: note.to, cc: note.cc }));
}

type Seen = [state: string, quoted: string | null];

/** The quote in a post as Alice sees it: its state, and the id of the quoted post if that is shown. */
async function quoteIn({ id: uri }: Json): Promise<Seen | null> {
  const { quote } = (await alice.copyOf({ uri }))!;
  return quote && [quote.state, quote.quoted_status?.uri ?? null];
}

const SHOWN = (): Seen => ["accepted", original.id];
const WAITING: Seen = ["pending", null];
const REVOKED: Seen = ["revoked", null];

/** Delivers a quote that its author authorized. */
async function quoted(): Promise<Json> {
  const note = bob.note({ quote: original.id });
  note.quoteAuthorization = authorized(note.id);
  await deliver(note);
  expect(await quoteIn(note)).toEqual(SHOWN());
  return note;
}

describe("An authorization", () => {
  test.each<[string, (uri: string) => string | null]>([
    ["that is missing", () => null],
    ["that is gone", () => `${ines.uri}/quote_authorizations/404`],
    ["for another quote", (uri) => authorized(uri, { interactingObject: `${uri}0` })],
    ["for another post", (uri) => authorized(uri, { interactionTarget: `${ines.uri}/notes/99` })],
    ["by another account of the same server", (uri) => authorized(uri, { attributedTo: `${ines.uri}2` })],
    ["of another origin", (uri) => authorized(uri, { attributedTo: ines.uri }, bob)],
    ["of another type", (uri) => authorized(uri, { type: "LikeAuthorization" })],
    ["of a server that is down", (uri) => down(`${ines.uri}/quote_authorizations/${uri.split("/").at(-1)}`)],
  ])("%s doesn't show the quote", async (_, make) => {
    const note = bob.note({ quote: original.id });
    await deliver({ ...note, quoteAuthorization: make(note.id) });
    expect(await quoteIn(note)).toEqual(WAITING);
    expect((await alice.copyOf({ uri: original.id }))!.quotes_count).toBe(0);
  });

  const down = (id: string): string => {
    peer.serve(id, () => new Response(null, { status: 503 }));
    return id;
  };

  test("that couldn't be checked is checked when the thread is opened", async () => {
    const note = bob.note({ quote: original.id });
    note.quoteAuthorization = down(`${ines.uri}/quote_authorizations/1`);
    peer.serve(note.id, note);
    await deliver(note);
    expect(await quoteIn(note)).toEqual(WAITING);
    authorized(note.id, { id: note.quoteAuthorization });
    advance(3600_000);
    await alice.get(`/api/v1/statuses/${(await alice.copyOf({ uri: note.id }))!.id}/context`);
    await drain();
    expect(await quoteIn(note)).toEqual(SHOWN());
  });

  test("is fetched once", async () => {
    const note = await quoted();
    await update({ ...note, content: "<p>Hello again</p>" });
    expect(await quoteIn(note)).toEqual(SHOWN());
    expect(peer.fetched("gallery.test").filter((url) => url === note.quoteAuthorization)).toHaveLength(1);
  });

  test("that its author deletes ends the quote, without a request", async () => {
    const note = await quoted();
    const before = peer.asked.length;
    const object = { id: note.quoteAuthorization, type: "QuoteAuthorization" };
    await ines.deliver(alice.server, ines.activity("Delete", object));
    expect(await quoteIn(note)).toEqual(REVOKED);
    expect(peer.asked.slice(before).filter(({ url }) => url === note.quoteAuthorization)).toEqual([]);
    expect((await alice.copyOf({ uri: original.id }))!.quotes_count).toBe(0);
  });

  test("that another account says to be deleted ends the quote only if it is gone", async () => {
    const note = await quoted();
    await bob.deliver(alice.server, bob.activity("Delete", note.quoteAuthorization));
    expect(await quoteIn(note)).toEqual(SHOWN());
    down(note.quoteAuthorization);
    await bob.deliver(alice.server, bob.activity("Delete", note.quoteAuthorization));
    expect(await quoteIn(note)).toEqual(SHOWN());
    peer.serve(note.quoteAuthorization, () => new Response(null, { status: 410 }));
    advance(3600_000);
    await drain();
    expect(await quoteIn(note)).toEqual(REVOKED);
  });
});

describe("The authorization of a quote that isn't for everyone", () => {
  /** The answers to Bob's server, to another one and without a signature. */
  async function answers(): Promise<number[]> {
    const { id } = alice.server.ctx.db.get<{ id: number }>("SELECT id FROM quotes WHERE state = 'accepted'")!;
    const path = `/users/alice/quote_authorizations/${id}`;
    const responses = await Promise.all([
      bob.fetch(alice.server, path),
      ines.fetch(alice.server, path),
      bob.fetch(alice.server, path, null),
    ]);
    for (const response of responses) {
      if (response.status === 200) expect(response.headers.get("cache-control")).toBe("private, no-store");
    }
    return responses.map(({ status }) => status);
  }

  test("is served to the servers of the local author's followers", async () => {
    const dora = await alice.server.person("dora");
    await bob.deliver(alice.server, bob.activity("Follow", `${alice.server.ctx.config.origin}/users/dora`));
    const { id } = await alice.publish("open");
    await dora.post("/api/v1/statuses", { status: "well said", visibility: "private", quoted_status_id: id });
    expect(await answers()).toEqual([200, 404, 404]);
  });

  test.each<[string, () => object, number]>([
    ["to the server of a remote author who wrote a direct post", () => ({ to: [alice.uri] }), 404],
    ["to any server if only the remote author's knows the followers", () => ({ to: [bob.document.followers] }), 200],
  ])("is served %s, and never without a signature", async (_, audience, toOthers) => {
    const post = await alice.publish("open");
    const note = bob.note({ quote: post.uri, cc: [], ...audience() });
    await bob.deliver(alice.server, bob.activity("QuoteRequest", post.uri, { instrument: note }));
    expect(await answers()).toEqual([200, toOthers, 404]);
  });
});

test("In limited federation, an authorization is served to allowed domains only", async () => {
  const dora = await startNeighbour("dora", { LINNET_LIMITED_FEDERATION: "on" });
  const { server } = dora;
  try {
    allowDomain(server.ctx, "good.test");
    const post = await dora.publish("open");
    const body = { status: "well said", quoted_status_id: post.id };
    await (await server.person("emil")).post("/api/v1/statuses", body);
    const { id } = server.ctx.db.get<{ id: number }>("SELECT id FROM quotes")!;
    const path = `/users/dora/quote_authorizations/${id}`;
    const allowed = await bob.fetch(server, path);
    expect([allowed.status, allowed.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect((await ines.fetch(server, path)).status).toBe(403);
    expect((await bob.fetch(server, path, null)).status).toBe(401);
  } finally {
    await server.stop();
  }
});

describe("An edit", () => {
  test("can add a quote, and drop it", async () => {
    const note = bob.note();
    await deliver(note);
    await update({ ...note, quote: original.id, quoteAuthorization: authorized(note.id) });
    expect(await quoteIn(note)).toEqual(SHOWN());
    await update(note);
    expect(await quoteIn(note)).toBeNull();
    expect((await alice.copyOf({ uri: original.id }))!.quotes_count).toBe(0);
  });

  test("can't change a quote to one of another post", async () => {
    const note = await quoted();
    const other = posted(ines, everyone);
    await update({ ...note, quote: other.id });
    expect(await quoteIn(note)).toEqual(SHOWN());
  });

  test("that drops a refused quote and one that adds it again leave it refused", async () => {
    const refused: [string, object, string][] = [
      ["revoked", { status: "open" }, "quoteUrl"],
      ["rejected", { status: "asks", quote_approval_policy: "manual" }, "quote"],
    ];
    for (const [state, more, property] of refused) {
      const post = await alice.publish(more);
      const plain = bob.note();
      const note = { ...plain, [property]: post.uri };
      await deliver(note);
      const { id } = (await alice.copyOf({ uri: note.id }))!;
      await alice.post(`/api/v1/statuses/${post.id}/quotes/${id}/revoke`);
      for (const version of [plain, note]) {
        await update(version);
        expect(await quoteIn(note)).toEqual([state, null]);
      }
      await bob.deliver(alice.server, bob.activity("QuoteRequest", post.uri, { instrument: note }));
      expect(await quoteIn(note)).toEqual([state, null]);
      expect(peer.delivered.at(-1)!.type).toBe("Reject");
      expect((await alice.copyOf(post))!.quotes_count).toBe(0);
    }
  });

  test("without the authorization ends the quote", async () => {
    const note = await quoted();
    await update({ ...note, quoteAuthorization: undefined });
    expect(await quoteIn(note)).toEqual(REVOKED);
  });

  test("with another authorization keeps the quote unless its server denies it", async () => {
    const note = await quoted();
    const id = `${ines.uri}/quote_authorizations/new`;
    peer.serve(id, () => new Response(null, { status: 503 }));
    await update({ ...note, quoteAuthorization: id });
    expect(await quoteIn(note)).toEqual(SHOWN());
    peer.serve(id, () => new Response(null, { status: 404 }));
    await update({ ...note, quoteAuthorization: id });
    expect(await quoteIn(note)).toEqual(REVOKED);
    authorized(note.id, { id });
    await update({ ...note, quoteAuthorization: id });
    expect(await quoteIn(note)).toEqual(SHOWN());
  });
});

describe("A quote without consent", () => {
  test("of a remote post is shown only if the post's policy allows everyone", async () => {
    const followers = { canQuote: { automaticApproval: [ines.document.followers] } };
    const manual = { canQuote: { manualApproval: ["as:Public"] } };
    const policies = [everyone, {}, { interactionPolicy: followers }, { interactionPolicy: manual }];
    const states: unknown[] = [];
    for (const policy of policies) {
      const note = bob.note({ quoteUrl: posted(ines, policy).id });
      await deliver(note);
      states.push((await quoteIn(note))![0]);
    }
    expect(states).toEqual(["accepted", "pending", "pending", "pending"]);
  });

  test("of a local post is decided by its policy, and its author is notified once", async () => {
    const [open, closed] = [
      await alice.publish("open"),
      await alice.publish({ status: "closed", quote_approval_policy: "followers" }),
    ];
    const states: unknown[] = [];
    for (const { uri, url } of [open, closed]) {
      const notes = [bob.note({ _misskey_quote: uri }), bob.note({ quoteUrl: url })];
      for (const note of notes) {
        await deliver(note);
        await update(note);
        states.push((await quoteIn(note))![0]);
      }
    }
    expect(states).toEqual(["accepted", "accepted", "pending", "pending"]);
    expect((await alice.news()).filter(([type]) => type === "quote")).toHaveLength(2);
  });

  test("of a local post is not shown if its author blocks the account, or has revoked it", async () => {
    const post = await alice.publish("open");
    const note = bob.note({ quoteUrl: post.uri });
    await deliver(note);
    const { id } = (await alice.copyOf({ uri: note.id }))!;
    await alice.post(`/api/v1/statuses/${post.id}/quotes/${id}/revoke`);
    await update(note);
    expect(await quoteIn(note)).toEqual(REVOKED);
    await alice.post(`/api/v1/accounts/${await alice.idOf(bob)}/block`);
    const second = bob.note({ quoteUrl: post.uri });
    await deliver(second);
    const rows = alice.server.ctx.db.all<{ state: string }>("SELECT state FROM quotes ORDER BY id");
    expect(rows.map(({ state }) => state)).toEqual(["revoked", "pending"]);
  });

  test("of a local post is stored for any author, and notifies nobody if it was only fetched", async () => {
    const post = await alice.publish("open");
    const note = ines.note({ quoteUrl: post.uri });
    await ines.deliver(alice.server, ines.create(note));
    expect(await quoteIn(note)).toEqual(["accepted", post.uri]);
    const old = posted(ines, { quoteUrl: post.uri });
    await alice.resolve(old.id);
    expect(await quoteIn(old)).toEqual(["accepted", post.uri]);
    const quotes = (await alice.news()).filter(([type]) => type === "quote");
    expect(quotes).toEqual([["quote", ines.handle]]);
  });

  test("of an own post needs none", async () => {
    const own = posted(bob);
    const note = bob.note({ quote: own.id });
    await deliver(note);
    await update(note);
    expect(await quoteIn(note)).toEqual(["accepted", own.id]);
  });
});

describe("The content", () => {
  const link = '<a href="http://gallery.test/1"><span class="invisible">http://</span>gallery.test/1</a>';
  const FALLBACKS = [`<p class="quote-inline">RE: ${link}</p>`, `<span class="quote-inline">RE: ${link}</span>`];

  test("loses the link to the quoted post while that is shown", async () => {
    for (const fallback of FALLBACKS) {
      const note = bob.note({ quote: original.id, content: `<p>before</p>${fallback}<p><span>after</span></p>` });
      await deliver(note);
      expect((await alice.copyOf({ uri: note.id }))!.content).toContain("RE: ");
      await update({ ...note, quoteAuthorization: authorized(note.id) });
      expect((await alice.copyOf({ uri: note.id }))!.content).toBe("<p>before</p><p><span>after</span></p>");
    }
    await ines.deliver(alice.server, ines.activity("Delete", original.id));
    const [{ content, quote }] = (await alice.home()) as [Json];
    expect([quote.state, content]).toEqual(["deleted", expect.stringContaining("RE: ")]);
  });

  test("keeps the link if the quoted post can't be had", async () => {
    const note = bob.note({ quote: `${ines.uri}/notes/404`, content: `${FALLBACKS[0]}<p>after</p>` });
    await deliver(note);
    expect(await quoteIn(note)).toBeNull();
    expect((await alice.copyOf({ uri: note.id }))!.content).toContain("RE: ");
  });
});

describe("A quoted post", () => {
  test("is fetched, but not what it quotes itself", async () => {
    const third = posted(ines);
    const second = posted(ines, { quote: third.id });
    const note = bob.note({ quote: second.id });
    await deliver(note);
    expect(await alice.copyOf({ uri: second.id })).not.toBeNull();
    expect(await alice.copyOf({ uri: third.id })).toBeNull();
    const { statuses } = await alice.resolve(second.id);
    expect(statuses).toHaveLength(1);
  });

  test("that quotes the post that quotes it is fetched, also at the same time", async () => {
    const ann = peer.account("ann", "other.test");
    await befriend(alice, ann);
    const [one, two] = [ines.note(), ines.note()];
    peer.serve(one.id, { ...one, quote: two.id });
    peer.serve(two.id, { ...two, quote: one.id });
    for (const [by, { id }] of [[bob, one] as const, [ann, two] as const]) {
      await by.send(alice.server, by.activity("Announce", id, { to: one.to, cc: [by.document.followers] }));
    }
    await drain();
    expect((await alice.home()).map(({ reblog }) => reblog?.uri).toSorted()).toEqual([one.id, two.id].toSorted());
  });

  test("is never the quoting one", async () => {
    const note = bob.note();
    await deliver(note);
    await update({ ...note, quote: note.id });
    expect(await quoteIn(note)).toBeNull();
  });

  test("that is private can't be quoted, whatever its policy says", async () => {
    const note = bob.note({ ...everyone, to: [bob.document.followers], cc: [] });
    await deliver(note);
    const { visibility, quote_approval } = (await alice.copyOf({ uri: note.id }))!;
    expect([visibility, quote_approval.current_user]).toEqual(["private", "denied"]);
    const { id } = (await alice.copyOf({ uri: note.id }))!;
    const { status } = await alice.post("/api/v1/statuses", { status: "look", quoted_status_id: id });
    expect(status).toBe(404);
  });
});

describe("A request", () => {
  const REQUEST = "QuoteRequest";
  /** The answers to requests. */
  const answers = () =>
    peer.delivered
      .filter(({ object }) => object?.type === REQUEST)
      .map(({ type, object, result }) => [type, object.id, typeof result]);

  test("may name the quoting post, which is then fetched", async () => {
    const post = await alice.publish("open");
    const note = posted(bob, { quote: post.uri });
    const request = bob.activity(REQUEST, post.uri, { instrument: note.id });
    await bob.deliver(alice.server, request);
    expect(answers()).toEqual([["Accept", request.id, "string"]]);
    expect(await quoteIn(note)).toEqual(["accepted", post.uri]);
    expect((await alice.home()).map(({ uri }) => uri)).toContain(note.id);
  });

  test("is answered again when it is repeated, and refused after a revocation", async () => {
    const post = await alice.publish("open");
    const note = bob.note({ quote: post.uri });
    const ask = async (more: Json = {}) => {
      const request = bob.activity(REQUEST, post.uri, { instrument: note, ...more });
      await bob.deliver(alice.server, request);
      return request.id;
    };
    const ids = [await ask(), await ask()];
    const { id } = (await alice.copyOf({ uri: note.id }))!;
    await alice.post(`/api/v1/statuses/${post.id}/quotes/${id}/revoke`);
    await drain();
    ids.push(await ask());
    expect(answers()).toEqual([
      ["Accept", ids[0], "string"],
      ["Accept", ids[1], "string"],
      ["Reject", ids[2], "undefined"],
    ]);
    expect((await alice.news()).filter(([type]) => type === "quote")).toHaveLength(1);
    expect(await quoteIn(note)).toEqual(REVOKED);
  });

  test("for a post that arrived before grants it", async () => {
    const post = await alice.publish("open");
    const note = bob.note({ quote: post.uri });
    await deliver(note);
    expect(await quoteIn(note)).toEqual(WAITING);
    const { id } = (await alice.copyOf({ uri: note.id }))!;
    expect((await alice.get(`/api/v1/linnet/statuses/${post.id}/quotes/pending`)).json).toEqual([]);
    expect((await alice.post(`/api/v1/linnet/statuses/${post.id}/quotes/${id}/approve`)).status).toBe(404);
    await bob.deliver(alice.server, bob.activity(REQUEST, post.uri, { instrument: note.id }));
    await update(note);
    expect(await quoteIn(note)).toEqual(["accepted", post.uri]);
  });

  test("for another quoted post than before is refused", async () => {
    const [post, other] = [await alice.publish("open"), await alice.publish("other")];
    const note = bob.note({ quote: post.uri });
    await deliver(note);
    await bob.deliver(alice.server, bob.activity(REQUEST, other.uri, { instrument: note.id }));
    expect(answers().map(([type]) => type)).toEqual(["Reject"]);
    expect(await quoteIn(note)).toEqual(WAITING);
  });

  test("that is no author's own has no effect", async () => {
    const post = await alice.publish("open");
    const secret = await alice.publish({ status: "secret", visibility: "direct" });
    const far = posted(ines, { quote: post.uri });
    const others = posted(peer.account("mallory", "good.test"), { quote: post.uri });
    const plain = posted(bob);
    const forged = bob.note({ attributedTo: others.attributedTo, quote: post.uri });
    const elsewhere = bob.note({ id: `${ines.uri}/notes/new`, quote: post.uri });
    for (const instrument of [elsewhere, far, far.id, others, others.id, plain, plain.id, forged, null, {}, 7]) {
      await bob.deliver(alice.server, bob.activity(REQUEST, post.uri, { instrument }));
    }
    const known = bob.note();
    await deliver(known);
    for (const object of [secret.uri, original.id, `${post.uri}0`]) {
      await bob.deliver(alice.server, bob.activity(REQUEST, object, { instrument: known.id }));
    }
    expect([answers(), count(alice.server, "quotes")]).toEqual([[], 0]);
  });
});

describe("An answer", () => {
  let mine: Json;
  let request: Json;
  beforeEach(async () => {
    const { statuses } = await alice.resolve(original.id);
    mine = (await alice.post("/api/v1/statuses", { status: "mine", quoted_status_id: statuses[0].id })).json;
    await drain();
    request = peer.delivered.find(({ type }) => type === "QuoteRequest")!;
  });
  const state = async () => (await alice.get(`/api/v1/statuses/${mine.id}`)).json.quote.state;
  const answer = (type: string, by: HostileAccount, more: Json = {}, object: unknown = request) =>
    by.deliver(alice.server, by.activity(type, object, more));

  test("names the request, which has the quoting post", async () => {
    expect(request).toMatchObject({
      actor: alice.uri,
      object: original.id,
      instrument: { id: mine.uri, quote: original.id, attributedTo: alice.uri },
    });
    const result = authorized(mine.uri);
    await answer("Accept", ines, { result }, request.id);
    expect(await state()).toBe("accepted");
    const sent = peer.delivered.findLast(({ type }) => type === "Update")!;
    expect(sent.object).toMatchObject({ id: mine.uri, quote: original.id, quoteAuthorization: result });
  });

  test("by another account, without an authorization or with another origin's changes nothing", async () => {
    const result = authorized(mine.uri);
    await answer("Accept", bob, { result: authorized(mine.uri, {}, bob) });
    await answer("Accept", bob, { result });
    await answer("Reject", bob);
    await answer("Accept", ines);
    await answer("Accept", ines, { result: authorized(mine.uri, {}, bob) });
    expect(await state()).toBe("pending");
  });

  test("may be taken back, and then no earlier one counts", async () => {
    const result = authorized(mine.uri);
    await answer("Reject", ines);
    expect(await state()).toBe("rejected");
    await answer("Accept", ines, { result });
    expect(await state()).toBe("accepted");
    await answer("Reject", ines);
    expect(await state()).toBe("revoked");
    await answer("Accept", ines, { result });
    expect(await state()).toBe("revoked");
    const sent = peer.delivered.findLast(({ type }) => type === "Update")!;
    expect(sent.object).not.toHaveProperty("quoteAuthorization");
  });

  test("is taken back by deleting the authorization", async () => {
    const result = authorized(mine.uri);
    await answer("Accept", ines, { result });
    await ines.deliver(alice.server, ines.activity("Delete", result));
    expect(await state()).toBe("revoked");
  });
});
