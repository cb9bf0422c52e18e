import { beforeEach, describe, expect } from "bun:test";
import type { Apply, Sender } from "../../src/federation/activities/handler.ts";
import { handlerOf } from "../../src/federation/activities/index.ts";
import { FetchError } from "../../src/federation/fetching/fetch.ts";
import { readActivity } from "../../src/federation/read/activity.ts";
import { Refusal } from "../../src/errors.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { accountId, befriend, type HostileAccount, hostilePeerForEachTest, PUBLIC } from "../support/hostile-peer.ts";
import { inProcess } from "../support/server.ts";

/* A refusal ends an activity without undoing what it has written, since activities share a transaction. */

/** The types that end a relation are last. */
const TYPES = [
  "Like",
  "EmojiReact",
  "Announce",
  "Create",
  "Update",
  "QuoteRequest",
  "Accept",
  "Follow",
  "Undo",
  "Reject",
  "Block",
  "Delete",
];

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let sender: Sender;

beforeEach(async () => {
  bob = peer.account("bob", "good.test");
  sender = { id: Number(await befriend(alice, bob)), uri: bob.uri, host: bob.domain };
});

/** Null if something doesn't exist that would have to be fetched. */
async function handled(handle: () => Promise<Apply | null>): Promise<Apply | null> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof FetchError) return null;
    throw error;
  }
}

/** Processes an activity of bob's. Returns whether it was refused, and how many rows it changed. */
async function outcome(activity: Json): Promise<{ isRefused: boolean; changes: number }> {
  const { ctx } = alice.server;
  const read = readActivity(activity, ctx.clock.now())!;
  const apply = await handled(async () => handlerOf(read.type)!(ctx, sender, read));
  return ctx.db.transaction((tx) => {
    const changed = () => tx.get<{ n: number }>("SELECT total_changes() AS n")!.n;
    const before = changed();
    let isRefused = false;
    try {
      apply?.(tx);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      isRefused = true;
    }
    return { isRefused, changes: changed() - before };
  });
}

/** Local statuses and accounts in every state in which an activity may be refused. */
async function objects(): Promise<string[]> {
  const poll = { options: ["yes", "no"], expires_in: 600 };
  const ended = await alice.publish({ status: "ended", poll });
  alice.server.clock.advance(601_000);
  const posts = [
    ended,
    await alice.publish({ status: "open", poll }),
    await alice.publish({ status: "one of us", poll, visibility: "direct" }),
    await alice.publish({ status: "public" }),
    await alice.publish({ status: "followers", visibility: "private" }),
    await alice.publish({ status: "nobody", visibility: "direct" }),
  ];
  const boost = (await alice.post(`/api/v1/statuses/${posts[3].id}/reblog`)).json;
  return [...[...posts, boost].map(({ uri }) => uri), alice.uri, bob.uri, `${alice.server.ctx.config.origin}/nothing`];
}

/** Every form of an activity about an object. */
function activitiesAbout(uri: string, type: string): Json[] {
  const vote = (name: string) => ({ ...bob.note({ to: [alice.uri] }), content: undefined, name, inReplyTo: uri });
  const inner = ["Follow", "Block", "Announce", "Like"].map((each) => bob.activity(each, uri));
  const answered = { id: `${alice.uri}/follows/1`, type: "Follow", actor: alice.uri, object: bob.uri };
  const notes = [vote("yes"), vote("no"), vote("maybe"), bob.note({ inReplyTo: uri, to: [alice.uri] })];
  return [uri, ...inner, ...notes, answered, bob.document].map((object) =>
    bob.activity(type, object, { to: [PUBLIC], instrument: bob.note({ quote: uri }) }),
  );
}

describe("A refused activity", () => {
  inProcess(
    "has written nothing, whatever it is about, also when it is repeated and its author is blocked",
    async () => {
      const uris = await objects();
      const all = TYPES.flatMap((type) => uris.flatMap((uri) => activitiesAbout(uri, type)));
      const refused = new Set<string>();
      const run = async () => {
        for (const activity of [...all, ...all]) {
          const { isRefused, changes } = await outcome(activity);
          if (!isRefused) continue;
          refused.add(activity.type);
          expect({ activity, changes }).toEqual({ activity, changes: 0 });
        }
      };
      await run();
      await alice.post(`/api/v1/accounts/${accountId(alice.server, bob.uri)}/block`);
      await run();
      expect([...refused].toSorted()).toEqual(["Announce", "Create", "EmojiReact", "Like"]);
    },
  );
});
