import { describe, expect, test } from "bun:test";
import { contextWithin } from "../../src/core/fetches.ts";
import { fetchDocument } from "../../src/federation/fetching/fetch.ts";
import type { Json } from "../support/client.ts";
import { type Known, neighboursForEachTest, type Neighbour } from "../support/federation.ts";
import { hostilePeerForEachTest, PUBLIC } from "../support/hostile-peer.ts";
import { inProcess } from "../support/server.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const HEADER = "mastodon-async-refresh";

/** The statuses on an account's profile, newest first, as URIs, with the header of a refresh. */
async function profileOf(user: Neighbour, other: Known, query = "") {
  const id = await user.idOf(other);
  const { json, headers } = await user.get(`/api/v1/accounts/${id}/statuses?limit=40&exclude_replies=true${query}`);
  return { uris: json.map(({ uri }: Json) => uri) as string[], refresh: headers.get(HEADER) };
}

async function stateOf(user: Neighbour, refresh: string | null): Promise<string> {
  const [, id] = /^id="([^"]+)"/.exec(refresh ?? "")!;
  const { json } = await user.get(`/api/v1_alpha/async_refreshes/${id}`);
  return json.async_refresh.status;
}

describe("The profile of an account that nobody follows", () => {
  const { alice, bob, carol, drain, advance } = neighboursForEachTest(["alice", "bob", "carol"]);

  test("has its newest posts, boosts and pins after it was opened", async () => {
    const first = await bob.publish("First");
    advance(SECOND);
    const boosted = await carol.publish("By Carol");
    await bob.resolve(boosted.uri);
    await bob.react("reblog", boosted);
    advance(SECOND);
    const latest = await bob.publish("Latest");
    await bob.post(`/api/v1/statuses/${first.id}/pin`);
    await bob.publish({ status: "Only for followers", visibility: "private" });
    const empty = await profileOf(alice, bob);
    expect(empty.uris).toEqual([]);
    expect(await stateOf(alice, empty.refresh)).toBe("running");
    await drain();
    expect(await stateOf(alice, empty.refresh)).toBe("finished");
    const { uris, refresh } = await profileOf(alice, bob);
    expect(uris.length).toBe(3);
    expect([uris[0], uris[2]]).toEqual([latest.uri, first.uri]);
    expect(refresh).toBeNull();
    expect((await profileOf(alice, bob, "&pinned=true")).uris).toEqual([first.uri]);
    expect((await alice.copyOf(boosted))?.account.acct).toBe(carol.handle);
    expect([await alice.home(), await alice.news()]).toEqual([[], []]);
  });

  test("is fetched again after an hour, with pins and counts as they are then", async () => {
    const one = await bob.publish("One");
    advance(SECOND);
    const two = await bob.publish("Two");
    await bob.post(`/api/v1/statuses/${one.id}/pin`);
    await profileOf(alice, bob);
    await drain();
    await bob.post(`/api/v1/statuses/${one.id}/unpin`);
    await bob.post(`/api/v1/statuses/${two.id}/pin`);
    await bob.react("favourite", two);
    advance(SECOND);
    const three = await bob.publish("Three");
    advance(HOUR - 61_000);
    await profileOf(alice, bob);
    await drain();
    expect((await profileOf(alice, bob)).uris).toEqual([two.uri, one.uri]);
    advance(60_000);
    await profileOf(alice, bob);
    await drain();
    expect((await profileOf(alice, bob)).uris).toEqual([three.uri, two.uri, one.uri]);
    expect((await profileOf(alice, bob, "&pinned=true")).uris).toEqual([two.uri]);
    expect((await alice.copyOf(two))?.favourites_count).toBe(1);
  });

  test("fills the home timeline of a new follower", async () => {
    const old = await bob.publish("Before the follow");
    await alice.act("follow", bob);
    await drain();
    expect((await alice.home()).map(({ uri }) => uri)).toEqual([old.uri]);
    expect(await alice.news()).toEqual([]);
  });

  test("is forgotten to have been fetched when it may be fetched again", async () => {
    const { server } = alice;
    await profileOf(alice, bob);
    await drain();
    const rows = () => server.ctx.db.all("SELECT subject FROM fetches").length;
    await server.cleanUpAfter(HOUR - SECOND);
    expect(rows()).toBe(1);
    await server.cleanUpAfter(2 * SECOND);
    expect(rows()).toBe(0);
  });

  test("is not fetched for visitors", async () => {
    await bob.publish("One");
    const id = await alice.idOf(bob);
    const { headers } = await alice.server.stranger().get(`/api/v1/accounts/${id}/statuses`);
    expect(headers.get(HEADER)).toBeNull();
    await drain();
    expect((await profileOf(alice, bob)).uris).toEqual([]);
  });
});

describe("An outbox", () => {
  const { alice, drain } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();

  /** An account whose outbox is one page with these items. */
  function accountWith(items: (bob: { uri: string; origin: string }) => unknown[], more: Json = {}) {
    const bob = peer.account("bob", "evil.test", {});
    bob.document = { ...bob.document, outbox: `${bob.uri}/outbox`, featured: `${bob.uri}/featured` };
    const page = { id: `${bob.uri}/outbox`, type: "OrderedCollection", orderedItems: items(bob), ...more };
    peer.serve(page.id, page);
    return bob;
  }

  function note(author: string, id: string): Json {
    return {
      id,
      type: "Note",
      attributedTo: author,
      content: "<p>tea</p>",
      to: [PUBLIC],
      published: "2026-01-02T03:04:05Z",
    };
  }

  test("brings only the account's own posts", async () => {
    const other = peer.account("mallory", "other.test");
    const bob = accountWith(({ uri, origin }) => [
      { id: `${uri}/1/activity`, type: "Create", actor: uri, object: note(uri, `${origin}/1`) },
      { id: `${uri}/2/activity`, type: "Create", actor: uri, object: note(other.uri, `${origin}/2`) },
      { id: `${uri}/3/activity`, type: "Create", actor: other.uri, object: note(other.uri, `${other.origin}/3`) },
      { id: `${uri}/4/activity`, type: "Create", actor: uri, object: note(uri, `${other.origin}/4`) },
      note(uri, `${origin}/5`),
      42,
      { type: "Delete", id: `${uri}/6`, actor: uri, object: `${origin}/1` },
    ]);
    const known = { handle: `bob@${bob.domain}`, uri: bob.uri };
    await profileOf(alice, known);
    await drain();
    expect((await profileOf(alice, known)).uris.toSorted()).toEqual([`${bob.origin}/1`, `${bob.origin}/5`]);
  });

  test("that leads to itself, in circles, or to other servers ends", async () => {
    const bob = accountWith(() => [], { orderedItems: undefined, first: "", next: "" });
    const outbox = `${bob.uri}/outbox`;
    peer.serve(outbox, { id: outbox, type: "OrderedCollection", first: `${outbox}?a` });
    peer.serve(`${outbox}?a`, {
      id: `${outbox}?a`,
      type: "OrderedCollectionPage",
      orderedItems: [],
      next: `${outbox}?b`,
    });
    peer.serve(`${outbox}?b`, {
      id: `${outbox}?b`,
      type: "OrderedCollectionPage",
      orderedItems: [],
      next: `${outbox}?a`,
    });
    const known = { handle: `bob@${bob.domain}`, uri: bob.uri };
    await profileOf(alice, known);
    await drain();
    const asked = peer.fetched().filter((url) => url.startsWith(outbox));
    expect(asked.toSorted()).toEqual([outbox, outbox, `${outbox}?a`, `${outbox}?b`]);
  });

  describe("that is reached by redirects over another host", () => {
    const hopFor = (last: string | null): string => {
      const hop = `${peer.origin("other.test")}/hop`;
      peer.serve(hop, () => (last === null ? new Response(null, { status: 503 }) : Response.redirect(last)));
      return hop;
    };
    const read = async (isDown: boolean) => {
      const last = `${peer.origin()}/outbox`;
      const bob = accountWith(({ uri, origin }) => [note(uri, `${origin}/1`)], { id: last });
      const hop = hopFor(last);
      peer.serve(`${bob.uri}/outbox`, () => Response.redirect(hop));
      const { db, clock } = alice.server.ctx;
      const down = { host: new URL(hop).host, since: clock.now(), next: clock.now() + HOUR };
      const add = "INSERT INTO hosts (domain, down_since, next_attempt_at) VALUES ($host, $since, $next)";
      if (isDown) db.transaction((tx) => tx.run(add, down));
      const known = { handle: `bob@${bob.domain}`, uri: bob.uri };
      await profileOf(alice, known);
      // The search for the account has asked for the outbox, too, for the number of posts.
      const before = peer.fetched("other.test").length;
      await drain();
      return { uris: (await profileOf(alice, known)).uris, hops: peer.fetched("other.test").length - before };
    };

    test("is read", async () => expect(await read(false)).toEqual({ uris: [`${peer.origin()}/1`], hops: 1 }));

    test("is not read while that host is down, which gets no request", async () =>
      expect(await read(true)).toEqual({ uris: [], hops: 0 }));

    test("uses up the budget with each redirect", async () => {
      const bob = peer.account("bob", "evil.test");
      const hop = hopFor(bob.uri);
      peer.serve(`${bob.origin}/start`, () => Response.redirect(hop));
      const fetchWith = (requests: number) =>
        fetchDocument(contextWithin(alice.server.ctx, { requests, bytes: 100_000 }), `${bob.origin}/start`);
      expect(await fetchWith(3)).toMatchObject({ id: bob.uri });
      await expect(fetchWith(2)).rejects.toThrow("used up");
    });

    inProcess("is blamed on the host that failed", async () => {
      const bob = accountWith(({ uri, origin }) => [note(uri, `${origin}/1`)]);
      const hop = hopFor(null);
      peer.serve(`${bob.uri}/featured`, () => Response.redirect(hop));
      const known = { handle: `bob@${bob.domain}`, uri: bob.uri };
      await profileOf(alice, known);
      await drain();
      expect([...alice.server.ctx.background.pausedUntil.keys()]).toEqual([peer.origin("other.test")]);
    });
  });

  test("of a million pages is read up to forty posts", async () => {
    const bob = accountWith(() => []);
    const outbox = `${bob.uri}/outbox`;
    const pageAt = (n: number): Json => ({
      id: n === 0 ? outbox : `${outbox}?page=${n}`,
      type: n === 0 ? "OrderedCollection" : "OrderedCollectionPage",
      orderedItems: Array.from({ length: 15 }, (_, at) => note(bob.uri, `${bob.origin}/${n}-${at}`)),
      next: `${outbox}?page=${n + 1}`,
    });
    for (let n = 0; n < 10; n += 1) peer.serve(pageAt(n).id, pageAt(n));
    const known = { handle: `bob@${bob.domain}`, uri: bob.uri };
    await profileOf(alice, known);
    await drain();
    expect((await profileOf(alice, known)).uris.length).toBe(40);
    expect(peer.fetched().filter((url) => url.startsWith(`${outbox}?page=`)).length).toBe(2);
  });
});
