import { beforeEach, describe, expect, test } from "bun:test";
import { OutboundError, type OutboundRequest } from "../../src/lib/http/outbound.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import {
  befriend,
  count,
  documentResponse,
  type HostileAccount,
  hostilePeerForEachTest,
  statusId,
} from "../support/hostile-peer.ts";
import { remoteAccount } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";

/* Limits of what is fetched from other servers and stored of their documents. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;

beforeEach(async () => {
  bob = peer.account("bob", "good.test");
  await befriend(alice, bob);
});

const resolved = async (address: string): Promise<Json> => (await alice.resolve(address)).statuses;
const statusOf = async (uri: string): Promise<Json> =>
  (await alice.get(`/api/v1/statuses/${statusId(alice.server, uri)}`)).json;
const many = <T>(length: number, each: (at: number) => T): T[] => Array.from({ length }, (_, at) => each(at));
const url = (path: string) => `${bob.origin}${path}`;

describe("A fetched document", () => {
  const ofSize = (id: string, size: number) => {
    const note = { ...bob.note({ id }), padding: "" };
    return { ...note, padding: "x".repeat(size - JSON.stringify(note).length) };
  };

  test("has at most 1 MB", async () => {
    peer.serve(url("/fits"), ofSize(url("/fits"), 1024 * 1024));
    expect(await resolved(url("/fits"))).toHaveLength(1);
    peer.serve(url("/long"), ofSize(url("/long"), 1024 * 1024 + 1));
    expect(await resolved(url("/long"))).toEqual([]);
  });

  test("is not waited for when its bytes never end", async () => {
    const { promise: isCancelled, resolve: cancel } = Promise.withResolvers<void>();
    const chunk = new TextEncoder().encode(" ".repeat(64 * 1024));
    peer.serve(url("/endless"), () => {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(chunk),
        cancel,
      });
      return new Response(body, { headers: { "content-type": "application/activity+json" } });
    });
    expect(await resolved(url("/endless"))).toEqual([]);
    await isCancelled;
  });

  test("is found by up to three redirects", async () => {
    const note = bob.note({ id: url("/0") });
    peer.serve(url("/0"), note);
    for (const n of [1, 2, 3, 4]) peer.serve(url(`/${n}`), () => Response.redirect(url(`/${n - 1}`)));
    expect(await resolved(url("/4"))).toEqual([]);
    expect(await resolved(url("/3"))).toHaveLength(1);
    peer.serve(url("/loop"), () => Response.redirect(url("/loop")));
    expect(await resolved(url("/loop"))).toEqual([]);
  });

  test("is a JSON object with an id and at most 32 levels", async () => {
    const nested = (depth: number): unknown => (depth === 0 ? {} : [nested(depth - 1)]);
    const note = bob.note({ id: url("/note") });
    const malformed = [
      [note],
      { ...note, id: undefined },
      { ...note, id: 7 },
      { ...note, deep: nested(31) },
      "note",
      null,
    ];
    for (const each of malformed) {
      peer.serve(url("/note"), () => documentResponse(each as object));
      expect(await resolved(url("/note"))).toEqual([]);
    }
    peer.serve(url("/note"), () => documentResponse({ ...note, deep: nested(30) }));
    expect(await resolved(url("/note"))).toHaveLength(1);
  });

  // The port is replaced, because a request that takes ten seconds would have to be waited for.
  inProcess("gets ten seconds, as test/lib/outbound.test.ts shows for any request", async () => {
    const { ctx } = alice.server;
    const requests: [url: string, OutboundRequest][] = [];
    ctx.fetchOutside = (address, request) => {
      requests.push([address, request]);
      return Promise.reject(new OutboundError("timeout", "too slow"));
    };
    const reply = bob.note({ inReplyTo: url("/slow") });
    await bob.deliver(alice.server, bob.create(reply));
    expect(await resolved(url("/slow"))).toEqual([]);
    for (const [, request] of requests) {
      expect(request).toMatchObject({ timeout: 10_000, maxBytes: 1024 * 1024, redirects: 3 });
      expect(request.accept.map((type) => type.split(";")[0])).toEqual([
        "application/activity+json",
        "application/ld+json",
      ]);
    }
    expect(requests.map(([address]) => address)).toEqual([url("/slow"), url("/slow")]);
    expect(await statusOf(reply.id)).toMatchObject({ content: "<p>Hello</p>" });
  });
});

describe("A document that is too long", () => {
  test("loses the end of its text", async () => {
    const note = bob.note({ content: `<p>${"x".repeat(200_000)}</p>`, summary: "y".repeat(50_000) });
    await bob.deliver(alice.server, bob.create(note));
    const { content, spoiler_text } = await statusOf(note.id);
    expect(content).toMatch(/^<p>x+<\/p>$/);
    expect(content.length).toBeLessThanOrEqual(100_010);
    expect(content.length).toBeGreaterThan(99_000);
    expect(spoiler_text).toHaveLength(10_000);
  });

  test("loses all but 500 mentions and 500 hashtags", async () => {
    const known = many(600, (at) => remoteAccount(alice.server, { username: `m${at}` }));
    const mentions = known.map(({ uri }) => ({ type: "Mention", href: uri, name: "@x" }));
    const hashtags = many(700, (at) => ({ type: "Hashtag", name: `#tag${at}` }));
    const note = bob.note({ tag: [...hashtags, ...mentions] });
    await bob.deliver(alice.server, bob.create(note));
    expect((await statusOf(note.id)).tags).toHaveLength(500);
    expect(count(alice.server, "status_tags")).toBe(500);
    expect(count(alice.server, "mentions")).toBe(500);
  });

  test("causes at most ten requests for the accounts that it mentions", async () => {
    const mentions = many(700, (at) => ({ type: "Mention", href: `http://m${at}.test:1/users/m`, name: "@m" }));
    const others = many(700, (at) => ({ type: "Mention", href: `${peer.origin("many.test")}/${at}`, name: "@m" }));
    await bob.deliver(alice.server, bob.create(bob.note({ tag: mentions })));
    await bob.deliver(alice.server, bob.create(bob.note({ tag: others })));
    expect(peer.fetched("many.test")).toHaveLength(10);
  });

  test("loses all but 16 attachments", async () => {
    const attachment = many(40, (at) => ({ type: "Document", mediaType: "image/png", url: url(`/${at}.png`) }));
    const note = bob.note({ attachment });
    await bob.deliver(alice.server, bob.create(note));
    expect((await statusOf(note.id)).media_attachments).toHaveLength(16);
  });

  test("loses all but 100 poll options, and the end of their titles", async () => {
    const oneOf = many(300, (at) => ({ type: "Note", name: `${at}${"x".repeat(2100)}` }));
    const note = bob.note({ type: "Question", oneOf });
    await bob.deliver(alice.server, bob.create(note));
    const { poll } = await statusOf(note.id);
    expect(poll.options).toHaveLength(100);
    for (const { title } of poll.options) expect(title.length).toBeLessThanOrEqual(2048);
  });

  test("loses all but 50 profile fields, and the end of names", async () => {
    const attachment = many(60, (at) => ({
      type: "PropertyValue",
      name: `${at}${"n".repeat(2100)}`,
      value: "v".repeat(10_100),
    }));
    const more = {
      name: "x".repeat(5000),
      summary: "y".repeat(101_000),
      attachment,
      alsoKnownAs: many(500, (at) => url(`/${at}`)),
    };
    await bob.deliver(alice.server, bob.activity("Update", { ...bob.document, ...more }));
    const { json } = await alice.get(`/api/v1/accounts/lookup?acct=${bob.handle}`);
    expect(json.display_name).toBe("x".repeat(2048));
    expect(json.note.length).toBeLessThanOrEqual(100_000);
    expect(json.fields).toHaveLength(50);
    for (const { name, value } of json.fields) {
      expect(name.length).toBeLessThanOrEqual(2048);
      expect(value.length).toBeLessThanOrEqual(10_000);
    }
  });

  test("adds a row of bounded size, whatever its lists and texts contain", async () => {
    const long = "z".repeat(200_000);
    const note = bob.note({
      content: long,
      contentMap: { en: long },
      name: long,
      url: `http://good.test/${long}`,
      updated: long,
    });
    await bob.deliver(alice.server, bob.create(note));
    const { size } = alice.server.ctx.db.get<{ size: number }>(
      "SELECT max(length(content) + length(url) + length(spoiler_text) + length(uri)) AS size FROM statuses",
    )!;
    expect(size).toBeLessThan(110_000);
  });
});

describe("A thread", () => {
  const chain = (length: number) => {
    const notes = many(length, (at) =>
      bob.note({ id: url(`/chain/${at}`), inReplyTo: at === 0 ? null : url(`/chain/${at - 1}`) }),
    );
    for (const note of notes) peer.serve(note.id, note);
    return notes;
  };
  const asked = () => peer.fetched("good.test").filter((each) => each.includes("/chain/"));

  test("is followed up to twenty parents", async () => {
    const notes = chain(40);
    await bob.deliver(alice.server, bob.create(notes.at(-1)));
    expect(asked()).toHaveLength(20);
    expect(count(alice.server, "statuses")).toBe(21);
  });

  test("is followed up to twenty parents when a post is pasted or boosted", async () => {
    const notes = chain(60);
    expect(await resolved(notes[59].id)).toHaveLength(1);
    expect(count(alice.server, "statuses")).toBe(21);
    await bob.deliver(alice.server, bob.activity("Announce", notes[30].id, { to: ["as:Public"] }));
    expect(count(alice.server, "statuses WHERE reblog_of_id IS NULL")).toBe(42);
  });

  test("is followed for half a minute", async () => {
    const notes = chain(10);
    for (const parent of notes.slice(0, -1)) {
      peer.serve(parent.id, () => {
        alice.server.clock.advance(9000);
        return documentResponse(parent);
      });
    }
    await bob.deliver(alice.server, bob.create(notes[9]!));
    expect(asked()).toHaveLength(4);
    expect(count(alice.server, "statuses")).toBe(5);
  });

  test("causes no requests for the accounts that its parents mention", async () => {
    const [parent, reply] = chain(2);
    const tag = many(10, (at) => ({ type: "Mention", href: `${peer.origin("victim.test")}/${at}`, name: "@m" }));
    peer.serve(parent!.id, { ...parent, tag });
    await bob.deliver(alice.server, bob.create(reply!));
    expect(statusId(alice.server, parent!.id)).not.toBeNull();
    expect(peer.fetched("victim.test")).toEqual([]);
  });

  test("that leads back to itself ends", async () => {
    const [first, second] = [url("/chain/a"), url("/chain/b")];
    peer.serve(first, bob.note({ id: first, inReplyTo: second }));
    peer.serve(second, bob.note({ id: second, inReplyTo: first }));
    await bob.deliver(alice.server, bob.create(bob.note({ inReplyTo: first })));
    const own = url("/chain/own");
    await bob.deliver(alice.server, bob.create(bob.note({ id: own, inReplyTo: own })));
    expect(count(alice.server, "statuses")).toBe(4);
    expect(asked()).toEqual([first, second]);
  });
});
