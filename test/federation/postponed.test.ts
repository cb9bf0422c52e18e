import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import {
  accountId,
  befriend,
  documentResponse,
  count,
  type HostileAccount,
  hostilePeerForEachTest,
  PUBLIC,
  statusId,
} from "../support/hostile-peer.ts";

/* Alice follows bob of good.test, but not beth of the same server. */

const HOUR = 3600_000;

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let beth: HostileAccount;

beforeEach(async () => {
  bob = peer.account("bob", "good.test");
  beth = peer.account("beth", "good.test");
  await befriend(alice, bob);
});

const home = async (): Promise<Json[]> => (await alice.get("/api/v1/timelines/home")).json;
const waiting = () => count(alice.server, "incoming_activities");

/** Serves a document at its id, which is unavailable until `isUp` is set. */
function serveLater(document: Json): { isUp: boolean } {
  const state = { isUp: false };
  peer.serve(document.id, () => (state.isUp ? documentResponse(document) : new Response(null, { status: 503 })));
  return state;
}

/** Lets everything that waits be tried again. */
async function laterAttempts(): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    alice.server.clock.advance(HOUR);
    await alice.server.drain();
  }
  expect(waiting()).toBe(0);
}

/** A post of another server, which is unavailable. */
function unavailablePost() {
  const note = peer.account("carol", "far.test").note();
  return { note, state: serveLater(note) };
}

describe("While a boost waits for the server of its post", () => {
  test("other activities of its sender are processed", async () => {
    const { note, state } = unavailablePost();
    await bob.deliver(alice.server, bob.activity("Announce", note.id, { to: [PUBLIC] }));
    await bob.deliver(alice.server, bob.create(bob.note({ content: "<p>meanwhile</p>" })));
    expect((await home()).map(({ content }) => content)).toEqual(["<p>meanwhile</p>"]);
    state.isUp = true;
    await laterAttempts();
    expect((await home()).map(({ reblog }) => reblog?.uri)).toContain(note.id);
  });

  test("it can be undone, by its id or by its parts", async () => {
    for (const withId of [true, false]) {
      const { note, state } = unavailablePost();
      const announce = bob.activity("Announce", note.id, { to: [PUBLIC] });
      await bob.deliver(alice.server, announce);
      expect(waiting()).toBe(1);
      await bob.deliver(alice.server, bob.activity("Undo", withId ? announce.id : { ...announce, id: undefined }));
      expect(waiting()).toBe(0);
      state.isUp = true;
      await laterAttempts();
      expect(await home()).toEqual([]);
    }
  });

  test("an Undo of another account doesn't end it, nor one of another activity", async () => {
    const { note, state } = unavailablePost();
    const announce = bob.activity("Announce", note.id, { to: [PUBLIC] });
    await bob.deliver(alice.server, announce);
    await befriend(alice, beth);
    await beth.deliver(alice.server, beth.activity("Undo", announce));
    await beth.deliver(alice.server, beth.activity("Delete", announce.id));
    await bob.deliver(alice.server, bob.activity("Undo", { type: "Like", actor: bob.uri, object: note.id }));
    state.isUp = true;
    await laterAttempts();
    expect((await home()).map(({ reblog }) => reblog?.uri)).toEqual([note.id]);
  });

  test("it can be undone and repeated", async () => {
    const { note, state } = unavailablePost();
    const [first, second] = [1, 2].map(() => bob.activity("Announce", note.id, { to: [PUBLIC] })) as [Json, Json];
    await bob.deliver(alice.server, first);
    await bob.deliver(alice.server, bob.activity("Undo", first));
    await bob.deliver(alice.server, second);
    state.isUp = true;
    await laterAttempts();
    expect(statusId(alice.server, first.id)).toBeNull();
    expect(statusId(alice.server, second.id)).not.toBeNull();
  });
});

describe("While a post can't be fetched", () => {
  test("its Delete keeps it from arriving, whether or not a user follows its author", async () => {
    for (const author of [bob, beth]) {
      const note = author.note({ to: [PUBLIC, alice.uri] });
      const state = serveLater(note);
      await author.deliver(alice.server, author.activity("Create", note.id));
      expect(waiting()).toBe(1);
      await author.deliver(alice.server, author.activity("Delete", note.id));
      expect(waiting()).toBe(0);
      state.isUp = true;
      await laterAttempts();
      expect(statusId(alice.server, note.id)).toBeNull();
    }
  });

  test("its edits wait for it", async () => {
    const now = () => new Date(alice.server.clock.now()).toISOString();
    const note = bob.note({ published: now() });
    const state = serveLater(note);
    await bob.deliver(alice.server, bob.activity("Create", note.id));
    for (const content of ["<p>one</p>", "<p>two</p>"]) {
      alice.server.clock.advance(1000);
      await bob.deliver(alice.server, bob.activity("Update", { ...note, content, updated: now() }));
    }
    await bob.deliver(alice.server, bob.create(bob.note({ content: "<p>another</p>" })));
    expect((await home()).map(({ content }) => content)).toEqual(["<p>another</p>"]);
    expect(waiting()).toBe(3);
    state.isUp = true;
    await laterAttempts();
    expect((await home()).map(({ content }) => content).toSorted()).toEqual(["<p>another</p>", "<p>two</p>"]);
  });
});

test("A profile that could not be checked doesn't replace a later one", async () => {
  const id = accountId(alice.server, bob.uri)!;
  const renamed = { ...bob.document, preferredUsername: "robert", name: "Robert" };
  const webfinger = `http://${bob.domain}/.well-known/webfinger?resource=${encodeURIComponent(`acct:robert@${bob.domain}`)}`;
  peer.serve(webfinger, () => new Response(null, { status: 503 }));
  await bob.deliver(alice.server, bob.activity("Update", renamed));
  expect(waiting()).toBe(1);
  await bob.deliver(alice.server, bob.activity("Update", { ...bob.document, name: "Bob again" }));
  peer.assign(`robert@${bob.domain}`, bob.uri);
  peer.assign(bob.handle, bob.uri);
  await laterAttempts();
  expect((await alice.get(`/api/v1/accounts/${id}`)).json).toMatchObject({
    username: "bob",
    display_name: "Bob again",
  });
});

describe("After an unexpected error", () => {
  /** Inserts into a table fail until the returned function is called. */
  function failing(table: string): () => void {
    const { db } = alice.server.ctx;
    const run = (sql: string) => db.transaction((tx) => void tx.run(sql));
    run(`CREATE TRIGGER failing BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'the test says so'); END`);
    return () => run("DROP TRIGGER failing");
  }

  test("a follow or favourite that was undone doesn't come back", async () => {
    const { id, uri } = await alice.publish("mine");
    const stranger = peer.account("stranger");
    for (const [type, table, object] of [
      ["Follow", "follows", alice.uri],
      ["Like", "favourites", uri],
    ] as const) {
      const work = failing(table);
      await stranger.deliver(alice.server, stranger.activity(type, object));
      expect(waiting()).toBe(1);
      work();
      await stranger.deliver(alice.server, stranger.activity("Undo", { type, actor: stranger.uri, object }));
      expect(waiting()).toBe(0);
    }
    await laterAttempts();
    expect((await alice.get(`/api/v1/statuses/${id}`)).json.favourites_count).toBe(0);
    expect((await alice.get(`/api/v1/accounts/${alice.id}/followers`)).json).toHaveLength(1);
  });
});
