import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { VISIBILITIES, type Visibility } from "../../src/core/visibility.ts";
import type { Client, Json } from "../support/client.ts";
import { type Neighbour, startNeighbour } from "../support/federation.ts";
import { accountId, befriend, type HostileAccount, HostilePeer, PUBLIC, statusId } from "../support/hostile-peer.ts";
import { openInMemory, openTestContext, TestClock } from "../support/instance.ts";
import type { TestServer } from "../support/server.ts";

/*
 * Every route × visibility × reader. Each post contains a word that nothing else contains, also in its warning and in its
 * poll. Alice writes one post of each visibility, and a local-only one; rita of far.test writes one of each, too, and alice
 * follows her.
 */

const KINDS = [...VISIBILITIES, "localOnly"] as const;
type Kind = (typeof KINDS)[number];
type Word = `${Kind}Word` | `${Visibility}Faraway`;

let server: TestServer;
let peer: HostilePeer;
let alice: Neighbour;
const posts = new Map<Word, Json>();
const locals = new Map<string, Client>();
const remotes = new Map<string, HostileAccount>();

const OPEN: Word[] = ["publicWord", "unlistedWord"];
const OPEN_FAR: Word[] = ["publicFaraway", "unlistedFaraway"];
const ALL: Word[] = [
  ...KINDS.map((each): Word => `${each}Word`),
  ...VISIBILITIES.map((each): Word => `${each}Faraway`),
];

/** The posts that each user of the server may see. */
const SEEN_HERE: Record<string, Word[]> = {
  "an anonymous visitor": [...OPEN, ...OPEN_FAR],
  "another user": [...OPEN, ...OPEN_FAR, "localOnlyWord"],
  "a follower": [...OPEN, ...OPEN_FAR, "localOnlyWord", "privateWord"],
  "a mentioned user": [...OPEN, ...OPEN_FAR, "localOnlyWord", "directWord"],
  "a blocked user": OPEN_FAR,
  "the author": ALL,
};

/** The posts that each server may fetch. */
const SEEN_THERE: Record<string, Word[]> = {
  nobody: OPEN,
  stranger: OPEN,
  follower: [...OPEN, "privateWord"],
  mentioned: [...OPEN, "directWord"],
  blocked: OPEN,
  unverified: OPEN,
};

beforeAll(async () => {
  alice = await startNeighbour("alice");
  server = alice.server;
  peer = new HostilePeer();
  await addReaders();
  for (const kind of KINDS) await publish(kind);
  await publishFaraway();
  await server.drain();
});

afterAll(async () => {
  await server.stop();
  await peer.stop();
});

async function addReaders(): Promise<void> {
  locals.set("an anonymous visitor", server.stranger());
  locals.set("another user", await server.person("other"));
  locals.set("a follower", await server.person("follower"));
  locals.set("a mentioned user", await server.person("mentioned"));
  locals.set("a blocked user", await server.person("blocked"));
  locals.set("the author", alice);
  for (const name of ["a follower", "a blocked user"]) await locals.get(name)!.follow(alice);
  await alice.post(`/api/v1/accounts/${locals.get("a blocked user")!.id}/block`);
  for (const name of ["stranger", "follower", "mentioned", "blocked", "unverified"]) {
    remotes.set(name, peer.account(name, `${name}.test`));
  }
  for (const name of ["follower", "blocked", "mentioned"]) {
    const account = remotes.get(name)!;
    await account.deliver(server, account.activity("Follow", alice.uri));
  }
  const mentioned = remotes.get("mentioned")!;
  await mentioned.deliver(
    server,
    mentioned.activity("Undo", mentioned.activity("Follow", alice.uri, { id: undefined })),
  );
  await alice.post(`/api/v1/accounts/${accountId(server, remotes.get("blocked")!.uri)}/block`);
}

/** Everything that depends on a post exists: replies, favourites, boosts, pins, bookmarks and lists. */
async function publish(kind: Kind): Promise<void> {
  const word: Word = `${kind}Word`;
  const audience = kind === "localOnly" ? { local_only: true } : { visibility: kind };
  const mentions = kind === "direct" || kind === "localOnly" ? `@mentioned @${remotes.get("mentioned")!.handle}` : "";
  const root = posts.get("publicWord")?.id;
  const poll = { options: [`${word} yes`, "no"], expires_in: 3600 };
  const status = await alice.publish({
    status: `${mentions} ${word} #cats`,
    spoiler_text: word,
    ...audience,
    poll,
    in_reply_to_id: root,
  });
  posts.set(word, status);
  for (const action of ["favourite", "bookmark", "reblog", "pin"])
    await alice.post(`/api/v1/statuses/${status.id}/${action}`);
  await alice.publish({ status: `${mentions} ${word} reply`, ...audience, in_reply_to_id: status.id });
}

async function publishFaraway(): Promise<void> {
  const rita = peer.account("rita", "far.test");
  await befriend(alice, rita);
  const audiences: Record<Visibility, Json> = {
    public: { to: [PUBLIC], cc: [] },
    unlisted: { to: [], cc: [PUBLIC] },
    private: { to: [rita.document.followers], cc: [] },
    direct: { to: [alice.uri], cc: [], tag: [{ type: "Mention", href: alice.uri, name: "@alice" }] },
  };
  for (const visibility of VISIBILITIES) {
    const word: Word = `${visibility}Faraway`;
    const inReplyTo = posts.get("publicWord").uri;
    const note = rita.note({ content: `<p>${word}</p>`, summary: word, inReplyTo, ...audiences[visibility] });
    await rita.deliver(server, rita.create(note));
    posts.set(word, (await alice.get(`/api/v1/statuses/${statusId(server, note.id)}`)).json);
  }
}

const wordsIn = (text: string) => ALL.filter((word) => text.includes(word));
const hidden = (all: Record<string, Word[]>, name: string) => ALL.filter((word) => !all[name]!.includes(word));
/** Only the API knows users by their token: other routes treat all alike. */
const readerOf = (path: string, name: string) => (/^\/api\/v\d/.test(path) ? name : "an anonymous visitor");

/** Streams never end; test/api/streaming-audience.test.ts has them. */
const ENDLESS = /^\/api\/v1\/streaming/;

/** The values of the parameters of all routes. */
function valuesOf(path: string, post: Json): Record<string, string> {
  const id = /^\/(?:api\/v1\/accounts)\//.test(path) ? alice.id : path.includes("/polls/") ? post.poll?.id : post.id;
  return {
    id: id ?? "1",
    name: path.includes("tags/") ? "cats" : "alice",
    hashtag: "cats",
    group_key: "ungrouped-1",
    date: "x",
  };
}

async function pathsOfRoutes(): Promise<string[]> {
  const ctx = openTestContext(readConfig({}), openInMemory(), { clock: new TestClock() });
  const { routes } = await createApp(ctx);
  ctx.db.close();
  return [...new Set(routes.filter(({ method }) => method === "GET").map(({ path }) => path))];
}

/** The addresses of all routes for a post. */
function addressesFor(path: string, post: Json): string[] {
  const values = valuesOf(path, post);
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "1").replace("*", "x");
  const search = new URLSearchParams({ limit: "40", url: post.url, uri: post.uri, "id[]": post.id, acct: "alice" });
  const words = path === "/api/v2/search" ? ALL : ["publicWord"];
  return words.map((q) => `${filled}?${search}&q=${q}&page=true`);
}

describe("On no route", () => {
  test.each(Object.keys(SEEN_HERE))(
    "%s sees what is hidden from them",
    async (name) => {
      const { token } = locals.get(name)!;
      const headers = token ? { authorization: `Bearer ${token}` } : undefined;
      const leaks = [];
      const seen = new Set<Word>();
      for (const path of await pathsOfRoutes()) {
        if (ENDLESS.test(path)) continue;
        const addresses = new Set([...posts.values()].flatMap((post) => addressesFor(path, post)));
        for (const address of addresses) {
          const response = await fetch(server.origin + address, { headers, redirect: "manual" });
          // The response may repeat the question.
          const asked = new URL(server.origin + address).searchParams.get("q")!;
          const text = (await response.text()).replaceAll(`q=${asked}`, "");
          expect([address, response.status]).not.toEqual([address, 500]);
          if (readerOf(path, name) === name) for (const word of wordsIn(text)) seen.add(word);
          const isHidden = hidden(SEEN_HERE, readerOf(path, name));
          const found = wordsIn(text).filter((word) => isHidden.includes(word));
          if (found.length > 0) leaks.push({ address, found });
        }
      }
      expect(leaks).toEqual([]);
      expect([...seen].sort()).toEqual([...SEEN_HERE[name]!].sort());
    },
    120_000,
  );
});

/** A document as a server gets it: signed by an account there, by another key, or not at all. */
async function fetchAs(name: string, path: string): Promise<{ status: number; text: string; cache: string | null }> {
  const account = remotes.get(name === "nobody" ? "stranger" : name)!;
  const { privateKey } = remotes.get("follower")!.key;
  const signing = name === "unverified" ? { key: { ...account.key, privateKey } } : {};
  const response = await account.fetch(server, path, name === "nobody" ? null : signing);
  return { status: response.status, text: await response.text(), cache: response.headers.get("cache-control") };
}

describe("The documents of a post", () => {
  const cases = KINDS.flatMap((kind) => Object.keys(SEEN_THERE).map((name) => [kind, name] as const));

  test.each(cases)("that is %s are what the server of %s may fetch", async (kind, name) => {
    const post = posts.get(`${kind}Word`)!;
    const mayFetch = SEEN_THERE[name]!.includes(`${kind}Word`);
    const path = new URL(post.uri).pathname;
    const refusal = name === "unverified" ? 401 : 404;
    for (const each of [
      path,
      `/@alice/${post.id}`,
      `${path}/activity`,
      `${path}/replies?page=true`,
      `${path}/likes`,
      `${path}/shares`,
    ]) {
      const { status, text, cache } = await fetchAs(name, each);
      // Documents for everyone need no signature; their replies do.
      const isRefused = each.includes("replies") && (name === "unverified" || name === "blocked");
      const expected = mayFetch && !isRefused ? 200 : refusal;
      expect([each, status]).toEqual([each, expected]);
      if (expected !== 200) expect(wordsIn(text)).toEqual([]);
      else if (!OPEN.includes(`${kind}Word`)) expect(cache).toBe("private, no-store");
    }
  });
});

describe("The collections of an account", () => {
  const collections = () => [
    "/users/alice/outbox",
    "/users/alice/outbox?page=true",
    "/users/alice/collections/featured",
    "/users/alice/collections/tags",
    "/users/alice/followers?page=true",
    "/users/alice/following?page=true",
    ...[...posts.values()].flatMap(({ uri }) => {
      const path = new URL(uri).pathname;
      return [`${path}/replies?page=true`, `${path}/context`, `${path}/context?page=true`];
    }),
  ];

  test.each(Object.keys(SEEN_THERE))("show the server of %s only what it may fetch", async (name) => {
    const isHidden = hidden(SEEN_THERE, name);
    const seen = new Set<Word>();
    for (const path of collections()) {
      const { text } = await fetchAs(name, path);
      const found = wordsIn(text);
      for (const word of found) seen.add(word);
      expect([path, found.filter((word) => isHidden.includes(word))]).toEqual([path, []]);
      const addresses = isHidden.map((word) => posts.get(word).uri).filter((uri) => text.includes(`"${uri}"`));
      expect([path, addresses.filter((uri) => !isFaraway(uri))]).toEqual([path, []]);
    }
    const isRefused = name === "unverified" || name === "blocked";
    expect([...seen].sort()).toEqual(isRefused ? [] : [...SEEN_THERE[name]!].sort());
  });

  const isFaraway = (uri: string) => OPEN_FAR.some((word) => posts.get(word).uri === uri);

  test("list no replies of other servers that are not for everyone", async () => {
    const root = new URL(posts.get("publicWord").uri).pathname;
    for (const name of Object.keys(SEEN_THERE)) {
      for (const path of [`${root}/replies?page=true`, `${root}/context`]) {
        const { text } = await fetchAs(name, path);
        expect(text).not.toContain(posts.get("privateFaraway").uri);
        expect(text).not.toContain(posts.get("directFaraway").uri);
      }
    }
  });
});

/** The tables with a row that contains a text. */
function tablesWith(text: string): string[] {
  const { db } = server.ctx;
  const tables = db.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return tables
    .map(({ name }) => name)
    .filter((name) => JSON.stringify(db.all(`SELECT * FROM "${name}"`)).includes(text));
}

describe("bto and bcc", () => {
  test("are in nothing that leaves the server", () => {
    expect(peer.delivered.length).toBeGreaterThan(0);
    for (const activity of peer.delivered) expect(JSON.stringify(activity)).not.toMatch(/"b(?:to|cc)"/);
  });

  test("of another server's post are not stored", async () => {
    const rita = peer.account("rosa", "secrets.test");
    await befriend(alice, rita);
    const secret = "http://secret.test/users/secret";
    const hiddenFrom = { bto: [secret], bcc: [{ id: secret }] };
    const note = rita.note({ ...hiddenFrom, content: "<p>for someone</p>" });
    await rita.deliver(server, { ...rita.create(note), ...hiddenFrom });
    await rita.deliver(server, { ...rita.activity("Update", { ...note, content: "<p>edited</p>" }), ...hiddenFrom });
    const id = statusId(server, note.id)!;
    await alice.post(`/api/v1/statuses/${id}/reblog`);
    await alice.publish({ status: `@${rita.handle} yes`, in_reply_to_id: id });
    await server.drain();
    expect(tablesWith("secret.test")).toEqual([]);
    expect(JSON.stringify(peer.delivered)).not.toContain(secret);
    expect(peer.fetched("secret.test")).toEqual([]);
  });

  test("make nothing relevant: a post that is only addressed that way is ignored", async () => {
    const eve = peer.account("eve");
    const note = eve.note({ to: [], cc: [], bto: [alice.uri], bcc: [alice.uri] });
    await eve.deliver(server, { ...eve.create(note), bto: [alice.uri] });
    expect(statusId(server, note.id)).toBeNull();
  });
});
