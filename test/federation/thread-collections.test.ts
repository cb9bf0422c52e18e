import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { type HostileAccount, hostilePeerForEachTest, PUBLIC } from "../support/hostile-peer.ts";

/* Collections that don't say the truth, or too much of it. */

const MINUTE = 60_000;
const { alice, drain, advance } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();

/** Serves a post, and returns its document. */
function post(author: HostileAccount, name: string, more: Json = {}): Json {
  const note = {
    id: `${author.origin}/notes/${name}`,
    type: "Note",
    attributedTo: author.uri,
    content: `<p>${name}</p>`,
    to: [PUBLIC],
    published: "2026-01-02T03:04:05Z",
    ...more,
  };
  peer.serve(note.id, note);
  return note;
}

function collection(id: string, items: unknown[]): string {
  peer.serve(id, { id, type: "Collection", items });
  return id;
}

/** Opens the thread of a post, and returns the contents of the posts below it after the rest was fetched. */
async function opened({ id: uri }: Json): Promise<string[]> {
  const { statuses } = await alice.resolve(uri);
  const path = `/api/v1/statuses/${statuses[0].id}/context`;
  await alice.get(path);
  await drain();
  return (await alice.get(path)).json.descendants.map(({ content }: Json) => content.replaceAll(/<[^>]*>/g, ""));
}

const fetchesOf = (url: string) => peer.fetched(new URL(url).hostname).filter((each) => each === url).length;

describe("The collection of a thread", () => {
  test("brings the whole thread with one request if it embeds its server's posts", async () => {
    const bob = peer.account("bob");
    const context = `${bob.origin}/context`;
    const root = post(bob, "root", { context });
    const one = post(bob, "one", { inReplyTo: root.id });
    const two = post(bob, "two", { inReplyTo: one.id });
    const create = { id: `${one.id}/activity`, type: "Create", actor: bob.uri, object: one };
    collection(context, [two, create]);
    expect(await opened(root)).toEqual(["one", "two"]);
    expect([fetchesOf(context), fetchesOf(one.id), fetchesOf(two.id)]).toEqual([1, 0, 0]);
  });

  test("brings posts of other servers only as these have them", async () => {
    const [bob, eve] = [peer.account("bob"), peer.account("eve", "other.test")];
    const context = `${bob.origin}/context`;
    const root = post(bob, "root", { context });
    const reply = post(eve, "reply", { inReplyTo: root.id });
    const forged = { ...reply, id: `${eve.origin}/notes/forged`, content: "<p>forged</p>" };
    collection(context, [{ ...reply, content: "<p>changed</p>" }, forged]);
    expect(await opened(root)).toEqual(["reply"]);
  });

  test("brings nothing that is not in the thread", async () => {
    const bob = peer.account("bob");
    const context = `${bob.origin}/context`;
    const root = post(bob, "root", { context });
    const stray = post(bob, "stray", { inReplyTo: `${bob.origin}/notes/elsewhere` });
    const other = post(bob, "other");
    collection(context, [stray, other, post(bob, "reply", { inReplyTo: root.id })]);
    expect(await opened(root)).toEqual(["reply"]);
    expect([await alice.copyOf({ uri: stray.id }), await alice.copyOf({ uri: other.id })]).toEqual([null, null]);
  });

  test("of another server than the first post's doesn't keep replies from being found", async () => {
    const [bob, eve] = [peer.account("bob"), peer.account("eve", "other.test")];
    const context = `${eve.origin}/context`;
    const replies = `${bob.origin}/replies`;
    const root = post(bob, "root", { context, replies });
    const [one, two] = [post(bob, "one", { inReplyTo: root.id }), post(eve, "two", { inReplyTo: root.id })];
    collection(context, [two]);
    collection(replies, [one.id]);
    expect((await opened(root)).toSorted()).toEqual(["one", "two"]);
  });
});

describe("The replies of a post", () => {
  test("are followed down the thread, also where one can't be had", async () => {
    const [bob, eve] = [peer.account("bob"), peer.account("eve", "other.test")];
    const root = post(bob, "root", { replies: `${bob.origin}/replies` });
    const one = post(eve, "one", { inReplyTo: root.id, replies: `${eve.origin}/replies` });
    const two = post(bob, "two", { inReplyTo: one.id });
    const stray = post(bob, "stray", { inReplyTo: `${bob.origin}/notes/elsewhere` });
    collection(root.replies, [`${bob.origin}/notes/missing`, one.id, stray.id]);
    collection(one.replies, [two.id]);
    expect(await opened(root)).toEqual(["one", "two"]);
  });

  test("are followed for 200 posts, and no deeper than 20 levels", async () => {
    const bob = peer.account("bob");
    const root = post(bob, "root", { replies: `${bob.origin}/replies` });
    let parent = root;
    for (let depth = 1; depth <= 25; depth += 1) {
      const child = post(bob, `deep-${depth}`, { inReplyTo: parent.id, replies: `${bob.origin}/replies/${depth}` });
      const others = Array.from({ length: 15 }, (_, n) => post(bob, `${depth}-${n}`, { inReplyTo: parent.id }));
      collection(parent.replies, [child.id, ...others.map(({ id }) => id)]);
      parent = child;
    }
    const found = await opened(root);
    expect(found.length).toBeGreaterThan(100);
    expect(found.length).toBeLessThanOrEqual(200);
    expect(found).not.toContain("deep-21");
  });

  test("that name each other end", async () => {
    const bob = peer.account("bob");
    const root = post(bob, "root", { replies: `${bob.origin}/replies` });
    const one = post(bob, "one", { inReplyTo: root.id, replies: `${bob.origin}/replies/1` });
    collection(root.replies, [one.id, root.id]);
    collection(one.replies, [root.id, one.id]);
    expect(await opened(root)).toEqual(["one"]);
    expect(fetchesOf(one.id)).toBe(1);
  });
});

describe("A host that asked to wait", () => {
  test("gets no request for other profiles until then", async () => {
    const accounts = ["bob", "ann"].map((name) => {
      const account = peer.account(name);
      account.document = { ...account.document, outbox: `${account.uri}/outbox` };
      return account;
    });
    const [bob, ann] = accounts as [HostileAccount, HostileAccount];
    const outbox = `${bob.uri}/outbox`;
    peer.serve(outbox, () => new Response(null, { status: 429, headers: { "retry-after": "600" } }));
    const open = async ({ name, domain, uri }: HostileAccount) => {
      const id = await alice.idOf({ handle: `${name}@${domain}`, uri });
      await alice.get(`/api/v1/accounts/${id}/statuses`);
      await drain();
    };
    const asked = () => fetchesOf(`${ann.uri}/outbox`);
    await open(bob);
    await open(ann);
    // The search has asked for the total, and a user waited for it.
    expect(asked()).toBe(1);
    advance(61 * MINUTE);
    await open(ann);
    expect(asked()).toBe(2);
  });
});

test("A total that is no number, negative or above 2^31 leaves the count of a post as it was", async () => {
  const bob = peer.account("bob");
  const totals = (likes: unknown, shares: unknown, replies: unknown) => {
    const of = (totalItems: unknown) => ({ type: "Collection", totalItems });
    return { likes: of(likes), shares: of(shares), replies: of(replies) };
  };
  const shown = async () => {
    await opened({ id: `${bob.origin}/notes/root` });
    advance(61 * MINUTE);
    const copy = (await alice.copyOf({ uri: `${bob.origin}/notes/root` }))!;
    return [copy.favourites_count, copy.reblogs_count, copy.replies_count];
  };
  post(bob, "root", totals(3, 4, 5));
  expect(await shown()).toEqual([3, 4, 5]);
  post(bob, "root", totals("9", -1, 2 ** 31));
  expect(await shown()).toEqual([3, 4, 5]);
  post(bob, "root", totals(1e300, 1.5, null));
  expect(await shown()).toEqual([3, 4, 5]);
  post(bob, "root", totals(6, 2 ** 31 - 1, 0));
  expect(await shown()).toEqual([6, 2 ** 31 - 1, 0]);
});
