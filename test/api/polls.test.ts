import { describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { invalid, refusal } from "../support/reading.ts";
import { block, mute } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { uploaded } from "../support/uploads.ts";

const HOUR = 3600;

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const ask = (poll: object = {}, status: object = {}): Promise<Json> =>
  alice.publish({ status: "tea?", poll: { options: ["yes", "no"], expires_in: HOUR, ...poll }, ...status });
const vote = (who: Client, poll: Json, choices: unknown[]): Promise<Answer> =>
  who.post(`/api/v1/polls/${poll.id}/votes`, { choices });
const read = async (who: Client, poll: Json): Promise<Json> => (await who.get(`/api/v1/polls/${poll.id}`)).json;
const votesOf = (poll: Json): (number | null)[] => poll.options.map((option: Json) => option.votes_count);
const pollsToldOf = async (who: Client): Promise<Json[]> => (await who.get("/api/v1/notifications?types[]=poll")).json;

describe("A status with a poll", () => {
  test("contains it, as documented", async () => {
    const status = await ask();
    expectShape(status, "Status");
    expect(status.poll).toEqual({
      id: expect.stringMatching(/^\d+$/),
      expires_at: "2026-11-21T13:00:00.000Z",
      expired: false,
      multiple: false,
      votes_count: 0,
      voters_count: 0,
      options: [
        { title: "yes", votes_count: 0 },
        { title: "no", votes_count: 0 },
      ],
      emojis: [],
      voted: true,
      own_votes: [],
    });
  });

  test.each<[string, (fields: [string, string][]) => object]>([
    ["a form", (fields) => new URLSearchParams(fields)],
    [
      "a multipart form",
      (fields) => {
        const form = new FormData();
        for (const [name, value] of fields) form.append(name, value);
        return form;
      },
    ],
  ])("can be sent as %s", async (_, encode) => {
    const body = encode([
      ["status", "tea?"],
      ["poll[options][]", "yes"],
      ["poll[options][]", " no "],
      ["poll[options][]", ""],
      ["poll[expires_in]", "300"],
      ["poll[multiple]", "true"],
      ["poll[hide_totals]", "true"],
    ]);
    const { json } = await alice.post("/api/v1/statuses", body);
    expect(json.poll).toMatchObject({ multiple: true, expires_at: "2026-11-21T12:05:00.000Z" });
    expect(json.poll.options).toEqual([
      { title: "yes", votes_count: null },
      { title: "no", votes_count: null },
    ]);
  });

  test.each<[string, object, string]>([
    ["no options", { options: [] }, "Choices can't be blank, Choices must have more than one item"],
    ["one option", { options: ["yes", " "] }, "Choices must have more than one item"],
    ["five options", { options: ["a", "b", "c", "d", "e"] }, "Choices can't contain more than 4 items"],
    ["a repeated option", { options: ["yes", "yes "] }, "Choices contain duplicate items"],
    ["a long option", { options: ["a", "ü".repeat(51)] }, "Choices cannot be longer than 50 characters each"],
    ["no end", { expires_in: null }, "Deadline can't be blank"],
    ["an early end", { expires_in: 299 }, "Deadline is too soon"],
    ["a late end", { expires_in: 2_629_747 }, "Deadline is too far into the future"],
    ["an invalid end", { expires_in: "soon" }, "Poll expires in is not a number"],
  ])("is refused with %s, and nothing is published", async (_, poll, sentence) => {
    const body = { status: "tea?", poll: { options: ["yes", "no"], expires_in: HOUR, ...poll } };
    const { status, json } = await alice.post("/api/v1/statuses", body);
    expect([status, json.error]).toEqual([422, `Validation failed: ${sentence}`]);
    expect((await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json).toEqual([]);
  });

  test.each<[string, object]>([
    ["the shortest duration", { expires_in: 300 }],
    ["the longest duration", { expires_in: 2_629_746 }],
    ["four options of fifty characters", { options: ["a", "b", "c", "👩‍👩‍👧"].map((sign) => sign.repeat(50)) }],
  ])("is accepted with %s", async (_, poll) => {
    expect((await ask(poll)).poll.expired).toBe(false);
  });

  test("requires text, and excludes attachments", async () => {
    const poll = { options: ["yes", "no"], expires_in: HOUR };
    const bare = await alice.post("/api/v1/statuses", { poll });
    expect([bare.status, bare.json.error]).toEqual([422, "Validation failed: Text can't be blank"]);
    const picture = await uploaded(alice);
    const full = await alice.post("/api/v1/statuses", { status: "tea?", poll, media_ids: [picture.id] });
    expect([full.status, full.json.error]).toEqual([
      422,
      "Validation failed: Cannot attach files to a post with a poll",
    ]);
  });

  test("respects the limits in the instance document", async () => {
    const bounds = { max_options: 4, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 };
    expect((await alice.get("/api/v2/instance")).json.configuration.polls).toEqual(bounds);
    expect((await alice.get("/api/v1/instance")).json.configuration.polls).toEqual(bounds);
  });

  test("has its poll in the original when boosted, not in the boost", async () => {
    const { id, poll } = await ask();
    await vote(bob, poll, [1]);
    const { json } = await bob.post(`/api/v1/statuses/${id}/reblog`);
    expect(json.poll).toBeNull();
    expect(json.reblog.poll).toMatchObject({ voted: true, own_votes: [1] });
  });

  test("is found by its options and by has:poll", async () => {
    const { id } = await ask({ options: ["oolong", "coffee"] });
    await alice.publish("oolong without a question");
    const found = async (q: string) => {
      const { json } = await alice.get(`/api/v2/search?type=statuses&q=${encodeURIComponent(q)}`);
      return json.statuses.map((status: Json) => status.id);
    };
    expect(await found("oolong has:poll")).toEqual([id]);
    expect(await found("coffee")).toEqual([id]);
  });

  test("is filtered by its options", async () => {
    const { id } = await ask({ options: ["oolong", "coffee"] });
    await bob.post("/api/v2/filters", { title: "x", context: ["home"], keywords_attributes: [{ keyword: "coffee" }] });
    const { filtered } = (await bob.get(`/api/v1/statuses/${id}`)).json;
    expect(filtered).toMatchObject([{ keyword_matches: ["coffee"] }]);
  });

  test("is deleted with its poll", async () => {
    const { id, poll } = await ask();
    const deleted = await alice.delete(`/api/v1/statuses/${id}`);
    expect(deleted.json).toMatchObject({ text: "tea?", poll: { options: [{ title: "yes" }, { title: "no" }] } });
    expect((await alice.get(`/api/v1/polls/${poll.id}`)).status).toBe(404);
    server.clock.advance(HOUR * 1000);
    await server.drain();
    expect(await pollsToldOf(alice)).toEqual([]);
  });
});

describe("A vote", () => {
  test("is counted, and visible only to its voter", async () => {
    const { id, poll } = await ask();
    const { status, json } = await vote(bob, poll, [1]);
    expect(status).toBe(200);
    expectShape(json, "Poll");
    expect(json).toMatchObject({ votes_count: 1, voters_count: 1, voted: true, own_votes: [1] });
    expect(votesOf(json)).toEqual([0, 1]);
    expect(await read(carol, poll)).toMatchObject({ votes_count: 1, voted: false, own_votes: [] });
    const shown = (await bob.get(`/api/v1/statuses/${id}`)).json;
    expect(shown.poll).toEqual(json);
    const stranger = await read(server.stranger(), poll);
    expect(stranger.votes_count).toBe(1);
    expect(stranger).not.toContainAnyKeys(["voted", "own_votes"]);
  });

  test("may have several choices if allowed, and counts one voter", async () => {
    const { poll } = await ask({ options: ["a", "b", "c"], multiple: true });
    await vote(bob, poll, [0, 2]);
    const { json } = await vote(carol, poll, ["2"]);
    expect(json).toMatchObject({ votes_count: 3, voters_count: 2, own_votes: [2] });
    expect(votesOf(json)).toEqual([1, 0, 2]);
  });

  test("can add choices if several are allowed, but not repeat one", async () => {
    const { poll } = await ask({ options: ["a", "b", "c"], multiple: true });
    expect((await vote(bob, poll, [0])).status).toBe(200);
    const again = await vote(bob, poll, [2]);
    expect([again.status, again.json.own_votes, votesOf(again.json)]).toEqual([200, [0, 2], [1, 0, 1]]);
    expect([again.json.voters_count, again.json.votes_count]).toEqual([1, 2]);
    for (const choices of [[2], [1, 2], [1, 1]]) {
      expect(refusal(await vote(bob, poll, choices))).toEqual(invalid("You have already voted on this poll"));
    }
    expect(votesOf(await read(bob, poll))).toEqual([1, 0, 1]);
    await vote(carol, poll, [0, 1, 2]);
    expect((await read(bob, poll)).voters_count).toBe(2);
  });

  test("can be sent as a form", async () => {
    const { poll } = await ask({ multiple: true });
    const form = new URLSearchParams([
      ["choices[]", "0"],
      ["choices[]", "1"],
    ]);
    expect((await bob.post(`/api/v1/polls/${poll.id}/votes`, form)).json.own_votes).toEqual([0, 1]);
  });

  test("shows no results while totals are hidden, and shows them afterwards", async () => {
    const { id, poll } = await ask({ hide_totals: true });
    expect(votesOf((await vote(bob, poll, [0])).json)).toEqual([null, null]);
    expect(votesOf(await read(alice, poll))).toEqual([null, null]);
    server.clock.advance(HOUR * 1000);
    const shown = (await carol.get(`/api/v1/statuses/${id}`)).json.poll;
    expect(shown).toMatchObject({ expired: true, votes_count: 1 });
    expect(votesOf(shown)).toEqual([1, 0]);
  });

  test.each<[string, unknown[], string]>([
    ["for no choice", [], "Choices can't be blank"],
    ["for an unknown choice", [2], "The chosen vote option does not exist"],
    ["for a negative choice", [-1], "The chosen vote option does not exist"],
    ["for a word", ["tea"], "The chosen vote option does not exist"],
    ["for both choices of a single-choice poll", [0, 1], "You have already voted on this poll"],
  ])("%s is refused and not counted", async (_, choices, sentence) => {
    const { poll } = await ask();
    const { status, json } = await vote(bob, poll, choices);
    expect([status, json.error]).toEqual([422, `Validation failed: ${sentence}`]);
    expect(await read(bob, poll)).toMatchObject({ votes_count: 0, voters_count: 0, voted: false });
  });

  test.each([
    ["the same choice", false, [0]],
    ["another choice", false, [1]],
    ["the same choice of several", true, [0]],
  ])("for %s a second time is refused", async (_, multiple, choices) => {
    const { poll } = await ask({ multiple });
    await vote(bob, poll, [0]);
    const { status, json } = await vote(bob, poll, choices);
    expect([status, json.error]).toEqual([422, "Validation failed: You have already voted on this poll"]);
    expect(votesOf(await read(bob, poll))).toEqual([1, 0]);
  });

  test("is refused from the moment the poll ends", async () => {
    const { poll } = await ask();
    server.clock.advance(HOUR * 1000 - 1);
    expect((await vote(bob, poll, [0])).status).toBe(200);
    server.clock.advance(1);
    const { status, json } = await vote(carol, poll, [0]);
    expect([status, json.error]).toEqual([422, "Validation failed: The poll has already ended"]);
  });

  test("by the author is refused", async () => {
    const { poll } = await ask();
    const { status, json } = await vote(alice, poll, [0]);
    expect([status, json.error]).toEqual([422, "Validation failed: You cannot vote in your own polls"]);
  });

  test("is refused for hidden statuses and blocked accounts", async () => {
    const { poll } = await ask({}, { visibility: "private" });
    expect((await vote(bob, poll, [0])).status).toBe(404);
    expect((await bob.get(`/api/v1/polls/${poll.id}`)).status).toBe(404);
    expect((await server.stranger().get(`/api/v1/polls/${poll.id}`)).status).toBe(404);
    const open = (await ask()).poll;
    block(server, bob, alice);
    expect((await vote(bob, open, [0])).status).toBe(403);
    block(server, alice, carol);
    expect((await vote(carol, open, [0])).status).toBe(404);
  });

  test("requires a token with the scope, and an existing poll", async () => {
    const { poll } = await ask();
    expect((await vote(server.stranger(), poll, [0])).status).toBe(401);
    const reader = await server.person("reader", { scopes: "read" });
    expect((await vote(reader, poll, [0])).status).toBe(403);
    const writer = await server.person("writer", { scopes: "write" });
    expect((await writer.get(`/api/v1/polls/${poll.id}`)).status).toBe(403);
    for (const id of ["999", "x", "0"]) {
      expect((await vote(bob, { id }, [0])).status).toBe(404);
      expect((await bob.get(`/api/v1/polls/${id}`)).status).toBe(404);
    }
  });
});

describe("The end of a poll", () => {
  test("notifies the author and local voters once", async () => {
    const { id, poll } = await ask();
    await vote(bob, poll, [0]);
    server.clock.advance(HOUR * 1000 - 1);
    await server.drain();
    expect(await pollsToldOf(alice)).toEqual([]);
    server.clock.advance(1);
    await server.drain();
    for (const who of [alice, bob]) {
      const told = await pollsToldOf(who);
      expectShape(told, ["Notification"]);
      expect(told).toHaveLength(1);
      expect(told[0]).toMatchObject({
        type: "poll",
        account: { id: alice.id },
        status: { id, poll: { expired: true } },
      });
    }
    expect(await pollsToldOf(carol)).toEqual([]);
  });

  test("notifies once even if the job runs again", async () => {
    const { poll } = await ask();
    const again = () =>
      server.ctx.db.transaction((tx) =>
        tx.run("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ('poll.close', $payload, 0, 0)", {
          payload: JSON.stringify({ pollId: Number(poll.id) }),
        }),
      );
    again();
    await server.drain();
    expect(await pollsToldOf(alice)).toEqual([]);
    server.clock.advance(HOUR * 1000);
    again();
    await server.drain();
    expect(await pollsToldOf(alice)).toHaveLength(1);
  });

  test("doesn't notify users who mute the author", async () => {
    const { poll } = await ask();
    await vote(bob, poll, [0]);
    mute(server, bob, alice);
    server.clock.advance(HOUR * 1000);
    await server.drain();
    expect(await pollsToldOf(bob)).toEqual([]);
  });
});

describe("An edit", () => {
  const edit = async (id: string, body: object): Promise<Json> =>
    (await alice.put(`/api/v1/statuses/${id}`, body)).json;

  test("of the text alone keeps the poll and its votes", async () => {
    const { id, poll } = await ask();
    await vote(bob, poll, [0]);
    expect((await edit(id, { status: "coffee?" })).poll).toMatchObject({ id: poll.id, votes_count: 1 });
  });

  test("with the same options keeps the votes and moves the end", async () => {
    const { id, poll } = await ask();
    await vote(bob, poll, [0]);
    server.clock.advance(1000);
    const same = { options: ["yes", "no"], expires_in: 600 };
    const { poll: next, edited_at } = await edit(id, { status: "tea?", poll: same });
    expect(next).toMatchObject({ id: poll.id, votes_count: 1, expires_at: "2026-11-21T12:10:01.000Z" });
    expect(edited_at).toBe("2026-11-21T12:00:01.000Z");
    server.clock.advance(600_000);
    await server.drain();
    expect(await pollsToldOf(bob)).toHaveLength(1);
    server.clock.advance(HOUR * 1000);
    await server.drain();
    expect(await pollsToldOf(bob)).toHaveLength(1);
  });

  test.each([
    ["other options", { options: ["yes", "maybe"] }],
    ["another order", { options: ["no", "yes"] }],
    ["multiple choices", { multiple: true }],
  ])("with %s resets the votes", async (_, change) => {
    const { id, poll } = await ask();
    await vote(bob, poll, [0]);
    const next = await edit(id, { poll: { options: ["yes", "no"], expires_in: HOUR, ...change } });
    expect(next.poll).toMatchObject({ id: poll.id, votes_count: 0, voters_count: 0 });
    expect((await vote(bob, poll, [1])).json.votes_count).toBe(1);
  });

  test("can replace attachments with a poll, and remove the poll", async () => {
    const picture = await uploaded(alice);
    const { id } = await alice.publish({ status: "look", media_ids: [picture.id] });
    const asked = await edit(id, { poll: { options: ["a", "b"], expires_in: HOUR } });
    expect([asked.media_attachments, asked.poll.options.length]).toEqual([[], 2]);
    const bare = await edit(id, { status: "look", media_ids: [] });
    expect([bare.media_attachments, bare.poll]).toEqual([[], null]);
    expect((await alice.get(`/api/v1/polls/${asked.poll.id}`)).status).toBe(404);
  });

  test("keeps the options of every version in the history", async () => {
    const { id } = await ask();
    await edit(id, { poll: { options: ["a", "b", "c"], expires_in: HOUR } });
    await edit(id, { status: "tea!", media_ids: [] });
    const { json } = await bob.get(`/api/v1/statuses/${id}/history`);
    expectShape(json, ["StatusEdit"]);
    const offered = json.map((version: Json) => version.poll?.options.map((option: Json) => option.title));
    expect(offered).toEqual([["yes", "no"], ["a", "b", "c"], undefined]);
  });
});
