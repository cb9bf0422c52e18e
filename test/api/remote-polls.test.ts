import { describe, expect, test } from "bun:test";
import { type RemotePoll, storeRemoteVote } from "../../src/core/statuses/polls.ts";
import { Refusal } from "../../src/errors.ts";
import type { Client, Json } from "../support/client.ts";
import { followRow, notificationsOf, remoteAuthor, storeFrom, updateFrom } from "../support/remote-statuses.ts";
import { deliveryEvents, type RemoteAccount } from "../support/remote-rows.ts";
import { block } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const poll = (changes: Partial<RemotePoll> = {}): RemotePoll => ({
  options: ["yes", "no"],
  multiple: false,
  hideTotals: false,
  expiresAt: server.clock.now() + HOUR,
  tallies: { votes: [3, 1], voters: 4 },
  ...changes,
});

/** A poll that a remote account asked a minute ago. */
function asked(changes: Partial<RemotePoll> = {}): string {
  return storeFrom(server, remoteAuthor(server, "rob"), {
    poll: poll(changes),
    createdAt: server.clock.now() - MINUTE,
  })!;
}

const pollOf = async (statusId: string, who: Client = alice): Promise<Json> =>
  (await who.get(`/api/v1/statuses/${statusId}`)).json.poll;
const resultsOf = async (statusId: string): Promise<[votes: number[], voters: number | null]> => {
  const { options, voters_count } = await pollOf(statusId);
  return [options.map((option: Json) => option.votes_count), voters_count];
};
const vote = async (who: Client, statusId: string, choices: number[]) =>
  who.post(`/api/v1/polls/${(await pollOf(statusId)).id}/votes`, { choices });

describe("A remote poll", () => {
  test("has the results of its server", async () => {
    const id = asked({ options: ["a", "b", "c"], tallies: { votes: [1, 2], voters: null }, multiple: true });
    expect(await pollOf(id)).toMatchObject({
      expires_at: "2026-11-21T13:00:00.000Z",
      expired: false,
      multiple: true,
      votes_count: 3,
      voters_count: null,
      options: [
        { title: "a", votes_count: 1 },
        { title: "b", votes_count: 2 },
        { title: "c", votes_count: 0 },
      ],
      voted: false,
    });
  });

  test("may have no end", async () => {
    const id = asked({ expiresAt: null });
    server.clock.advance(1000 * HOUR);
    expect(await pollOf(id)).toMatchObject({ expires_at: null, expired: false });
    expect((await vote(alice, id, [0])).status).toBe(200);
  });

  test("counts a vote at once, until its server reports new results", async () => {
    const id = asked();
    expect((await vote(alice, id, [0])).status).toBe(200);
    expect(await resultsOf(id)).toEqual([[4, 1], 5]);
    updateFrom(server, id, { editedAt: null, poll: poll({ tallies: { votes: [9, 5], voters: 14 } }) });
    expect(await resultsOf(id)).toEqual([[9, 5], 14]);
    expect(await pollOf(id)).toMatchObject({ voted: true, own_votes: [0] });
  });

  test("gets the votes of local users", async () => {
    const id = asked({ multiple: true });
    await vote(alice, id, [0, 1]);
    expect((await vote(alice, id, [0])).status).toBe(422);
    const pollId = Number((await pollOf(id)).id);
    expect(deliveryEvents(server)).toEqual([
      { type: "vote.created", accountId: Number(alice.id), pollId, choices: [0, 1] },
    ]);
  });

  test("notifies local voters of its end, also if it ends early", async () => {
    const [soon, later] = [
      asked(),
      storeFrom(server, remoteAuthor(server, "ann"), { poll: poll({ expiresAt: null }) })!,
    ];
    for (const id of [soon, later]) await vote(alice, id, [0]);
    await server.drain();
    expect(await notificationsOf(alice)).toEqual([]);
    updateFrom(server, later, { editedAt: null, poll: poll({ expiresAt: server.clock.now() }) });
    await server.drain();
    expect(await notificationsOf(alice)).toEqual([["poll", later]]);
    server.clock.advance(HOUR);
    await server.drain();
    expect(await notificationsOf(alice)).toEqual([
      ["poll", soon],
      ["poll", later],
    ]);
    expect(await notificationsOf(bob)).toEqual([]);
    expect(deliveryEvents(server)).toEqual([]);
  });

  test("notifies local voters again if it is extended after its end", async () => {
    const id = asked();
    await vote(alice, id, [0]);
    server.clock.advance(HOUR);
    await server.drain();
    updateFrom(server, id, { editedAt: null, poll: poll() });
    expect(await pollOf(id)).toMatchObject({ expired: false });
    server.clock.advance(HOUR);
    await server.drain();
    expect(await notificationsOf(alice)).toEqual([
      ["poll", id],
      ["poll", id],
    ]);
  });

  test("loses its votes when an edit changes the options", async () => {
    const id = asked();
    await vote(alice, id, [0]);
    updateFrom(server, id, { poll: poll({ options: ["yes", "never"], tallies: { votes: [0, 0], voters: 0 } }) });
    expect(await resultsOf(id)).toEqual([[0, 0], 0]);
    expect(await pollOf(id)).toMatchObject({ voted: false, options: [{ title: "yes" }, { title: "never" }] });
    const { json } = await alice.get(`/api/v1/statuses/${id}/history`);
    expect(json.map((version: Json) => version.poll.options[1].title)).toEqual(["no", "never"]);
  });

  test("keeps its votes when an edit changes only the text", async () => {
    const id = asked();
    await vote(alice, id, [0]);
    updateFrom(server, id, { content: "<p>other</p>", poll: poll({ tallies: { votes: [4, 1], voters: 5 } }) });
    expect(await pollOf(id)).toMatchObject({ voted: true, votes_count: 5 });
  });

  test("can be removed and added by an edit", async () => {
    const id = asked();
    updateFrom(server, id, { content: "<p>other</p>", poll: null });
    expect(await pollOf(id)).toBeNull();
    server.clock.advance(MINUTE);
    updateFrom(server, id, { content: "<p>again</p>", poll: poll() });
    expect(await resultsOf(id)).toEqual([[3, 1], 4]);
  });
});

describe("A vote by a remote account", () => {
  const HOUR_LATER = { options: ["yes", "no"], expires_in: 3600 };
  const voteFrom = (who: RemoteAccount, statusId: string, title: string) => {
    const { ctx } = server;
    ctx.db.transaction((tx) => storeRemoteVote(ctx, tx, Number(who.id), Number(statusId), title));
  };

  test("counts, one option at a time", async () => {
    const rob = remoteAuthor(server, "rob");
    const { id } = await alice.publish({ status: "tea?", poll: { ...HOUR_LATER, multiple: true } });
    voteFrom(rob, id, "yes");
    voteFrom(rob, id, "no");
    expect(await resultsOf(id)).toEqual([[1, 1], 1]);
  });

  test("is refused if it is repeated or late, or if there is no such option or poll", async () => {
    const rob = remoteAuthor(server, "rob");
    const { id } = await alice.publish({ status: "tea?", poll: HOUR_LATER });
    const { id: other } = await alice.publish("no poll");
    voteFrom(rob, id, "no");
    for (const title of ["no", "yes"]) expect(() => voteFrom(rob, id, title)).toThrow(Refusal);
    const ann = remoteAuthor(server, "ann");
    expect(() => voteFrom(ann, id, "maybe")).toThrow(Refusal);
    expect(() => voteFrom(ann, other, "yes")).toThrow(Refusal);
    block(server, alice, ann);
    expect(() => voteFrom(ann, id, "yes")).toThrow(Refusal);
    server.clock.advance(HOUR);
    expect(() => voteFrom(remoteAuthor(server, "late"), id, "yes")).toThrow(Refusal);
    expect(await resultsOf(id)).toEqual([[0, 1], 1]);
  });

  test("makes the server deliver new results: all votes of three minutes at once, and the last at the end", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, rob, alice);
    const { id } = await alice.publish({ status: "tea?", poll: HOUR_LATER });
    await server.drain();
    voteFrom(rob, id, "yes");
    await vote(bob, id, [0]);
    const update = { type: "status.updated", statusId: Number(id) } as const;
    expect(deliveryEvents(server)).toEqual([update]);
    await server.drain();
    expect(deliveryEvents(server)).toEqual([update]);
    server.clock.advance(3 * MINUTE);
    await server.drain();
    expect(deliveryEvents(server)).toEqual([]);
    server.clock.advance(56 * MINUTE);
    voteFrom(remoteAuthor(server, "ann"), id, "yes");
    expect(deliveryEvents(server)).toEqual([update]);
    server.clock.advance(MINUTE);
    const before = countDelivered();
    await server.drain();
    expect(deliveryEvents(server)).toEqual([]);
    expect(countDelivered()).toBeGreaterThan(before);
    expect(await notificationsOf(alice)).toEqual([["poll", id]]);
  });

  /** The number of jobs so far. */
  function countDelivered(): number {
    return server.ctx.db.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'")!.seq;
  }

  test("is not delivered if nobody elsewhere has the poll", async () => {
    const { id } = await alice.publish({ status: "tea?", poll: HOUR_LATER });
    await vote(bob, id, [0]);
    expect(deliveryEvents(server)).toEqual([]);
  });
});
