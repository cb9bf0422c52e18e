import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { aliceAndPeers, neighboursForEachTest } from "../support/federation.ts";
import type { Peer } from "../support/fedify-peer.ts";

const HOUR = 3600_000;
const poll = (changes: object = {}) => ({ options: ["tea", "coffee", "milk"], expires_in: 3600, ...changes });
/** The votes for each option. */
const votesIn = (status: Json): number[] => status.poll.options.map(({ votes_count }: Json) => votes_count);

describe("Between two servers", () => {
  const { alice, bob, drain, befriend, advance } = neighboursForEachTest(["alice", "bob"]);
  beforeEach(() => befriend(alice, bob));

  test("votes in a poll are counted, and everyone sees the results at its end", async () => {
    const post = await alice.publish({ status: "What do you drink?", poll: poll() });
    await drain();
    const { poll: asked } = await bob.copyOf(post);
    expect(asked).toMatchObject({ expired: false, multiple: false, voted: false, votes_count: 0, voters_count: 0 });
    expect((await bob.post(`/api/v1/polls/${asked.id}/votes`, { choices: [1] })).json).toMatchObject({
      voted: true,
      own_votes: [1],
    });
    await drain();
    const counted = await alice.copyOf(post);
    expect(votesIn(counted)).toEqual([0, 1, 0]);
    expect(counted.poll).toMatchObject({ votes_count: 1, voters_count: 1 });
    expect((await bob.post(`/api/v1/polls/${asked.id}/votes`, { choices: [0] })).status).toBe(422);

    const dave = await alice.server.person("dave");
    await dave.post(`/api/v1/polls/${counted.poll.id}/votes`, { choices: [1] });
    advance(HOUR + 1000);
    await drain();
    const over = await bob.copyOf(post);
    expect(votesIn(over)).toEqual([0, 2, 0]);
    expect(over.poll).toMatchObject({ expired: true, votes_count: 2, voters_count: 2, own_votes: [1] });
    expect(over.edited_at).toBeNull();
    expect((await bob.news())[0]).toEqual(["poll", alice.handle]);
    expect((await alice.news())[0]).toEqual(["poll", "alice"]);
  });

  test("several choices of one voter count as one voter", async () => {
    const post = await alice.publish({ status: "Which ones?", poll: poll({ multiple: true }) });
    await drain();
    const { poll: asked } = await bob.copyOf(post);
    expect(asked).toMatchObject({ multiple: true });
    await bob.post(`/api/v1/polls/${asked.id}/votes`, { choices: [0, 2] });
    await drain();
    const counted = await alice.copyOf(post);
    expect(votesIn(counted)).toEqual([1, 0, 1]);
    expect(counted.poll).toMatchObject({ votes_count: 2, voters_count: 1 });
  });

  test("a vote that arrives after the end does not count", async () => {
    const post = await alice.publish({ status: "What do you drink?", poll: poll() });
    await drain();
    const { poll: asked } = await bob.copyOf(post);
    await bob.post(`/api/v1/polls/${asked.id}/votes`, { choices: [1] });
    alice.server.clock.advance(HOUR);
    await drain();
    expect(votesIn(await alice.copyOf(post))).toEqual([0, 0, 0]);
  });

  test("an edit that changes the options starts the poll again", async () => {
    const post = await alice.publish({ status: "What do you drink?", poll: poll() });
    await drain();
    const { poll: asked } = await bob.copyOf(post);
    await bob.post(`/api/v1/polls/${asked.id}/votes`, { choices: [1] });
    await drain();
    advance(60_000);
    await alice.put(`/api/v1/statuses/${post.id}`, {
      status: "What do you drink?",
      poll: { options: ["tea", "water"], expires_in: 3600 },
    });
    await drain();
    const copy = await bob.copyOf(post);
    expect(copy.poll.options).toEqual([
      { title: "tea", votes_count: 0 },
      { title: "water", votes_count: 0 },
    ]);
    expect(copy.poll).toMatchObject({ voted: false, own_votes: [] });
  });
});

describe("With a server by others", () => {
  const { alice, drain, advance, newFriend } = aliceAndPeers();
  let fern: Peer;
  beforeEach(async () => {
    fern = await newFriend("fern");
  });

  test("a user votes, and sees the results", async () => {
    const question = await fern.post({
      to: "public",
      content: "<p>tea?</p>",
      poll: { options: ["yes", "no"], closesIn: HOUR },
    });
    await drain();
    const { poll: asked } = await alice.copyOf(question);
    expect(asked.options.map(({ title }: Json) => title)).toEqual(["yes", "no"]);
    await alice.post(`/api/v1/polls/${asked.id}/votes`, { choices: [0] });
    await drain();
    expect(fern.received.at(-1)!.json).toMatchObject({
      type: "Create",
      to: [fern.uri],
      object: { type: "Note", name: "yes", inReplyTo: question.uri, to: [fern.uri] },
    });
    expect(fern.received.at(-1)!.inbox).toBe("/actors/fern/inbox");
    advance(HOUR);
    await fern.publishResults(question, { closed: true });
    await drain();
    const copy = await alice.copyOf(question);
    expect(votesIn(copy)).toEqual([1, 0]);
    expect(copy.poll).toMatchObject({ expired: true, votes_count: 1, voters_count: 1 });
    expect(fern.refused).toEqual([]);
  });

  test("votes for a local poll count, and the results are published", async () => {
    const post = await alice.publish({ status: "Which ones?", poll: poll({ multiple: true }) });
    await drain();
    expect(fern.received.at(-1)!.json).toMatchObject({ object: { type: "Question", votersCount: 0 } });
    await fern.vote(post.uri, "tea");
    await fern.vote(post.uri, "milk");
    await fern.vote(post.uri, "milk");
    await fern.vote(post.uri, "beer");
    await drain();
    expect(votesIn(await alice.copyOf(post))).toEqual([1, 0, 1]);
    advance(HOUR);
    await drain();
    expect(fern.received.at(-1)!.json).toMatchObject({
      type: "Update",
      object: {
        type: "Question",
        closed: expect.any(String),
        votersCount: 1,
        anyOf: [
          { name: "tea", replies: { totalItems: 1 } },
          { name: "coffee", replies: { totalItems: 0 } },
          { name: "milk", replies: { totalItems: 1 } },
        ],
      },
    });
  });
});
