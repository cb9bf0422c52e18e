import { describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { expectGuarded } from "../support/guards.ts";
import { invalid, idsOf, NOT_FOUND, refusal } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { EventReader, Socket } from "../support/streams.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

/** Creates a filter for Alice. */
async function newFilter(...keywords: string[]): Promise<Json> {
  const settings = {
    title: "Spoilers",
    context: ["home"],
    keywords_attributes: keywords.map((keyword) => ({ keyword })),
  };
  const { status, json } = await alice.post("/api/v2/filters", settings);
  expect(status).toBe(200);
  return json;
}

const update = (filter: Json, changes: object): Promise<Answer> => alice.put(`/api/v2/filters/${filter.id}`, changes);
const keywordsOf = async ({ id }: Json): Promise<[string, boolean][]> =>
  (await alice.get(`/api/v2/filters/${id}`)).json.keywords.map((row: Json) => [row.keyword, row.whole_word]);

describe("A filter", () => {
  test("is created with a title and a context; by default it warns and never expires", async () => {
    const { status, json } = await alice.post("/api/v2/filters", { title: "Spoilers", context: ["home", "thread"] });
    expect(status).toBe(200);
    expectShape(json, "Filter");
    expect(json).toEqual({
      id: json.id,
      title: "Spoilers",
      context: ["home", "thread"],
      expires_at: null,
      filter_action: "warn",
      keywords: [],
      statuses: [],
    });
    expect((await alice.get("/api/v2/filters")).json).toEqual([json]);
    expect((await alice.get(`/api/v2/filters/${json.id}`)).json).toEqual(json);
  });

  test("can be created with all its values in a form with nested parameters", async () => {
    const form = new URLSearchParams([
      ["title", "Spoilers"],
      ["context[]", "home"],
      ["context[]", "public"],
      ["filter_action", "hide"],
      ["expires_in", "3600"],
      ["keywords_attributes[][keyword]", "season two"],
      ["keywords_attributes[][whole_word]", "false"],
      ["keywords_attributes[][keyword]", "finale"],
      ["keywords_attributes[][keyword]", ""],
    ]);
    const { json } = await alice.post("/api/v2/filters", form);
    expectShape(json, "Filter");
    expect(json).toMatchObject({
      context: ["home", "public"],
      filter_action: "hide",
      expires_at: "2026-11-21T13:00:00.000Z",
      keywords: [
        { keyword: "season two", whole_word: false },
        { keyword: "finale", whole_word: true },
      ],
    });
  });

  test("supports three actions and five contexts", async () => {
    const context = ["home", "notifications", "public", "thread", "account"];
    for (const filter_action of ["warn", "hide", "blur"]) {
      const { json } = await alice.post("/api/v2/filters", { title: "A", context, filter_action });
      expect(json).toMatchObject({ context, filter_action });
    }
  });

  test("is refused without a title, and with an invalid context or action", async () => {
    const invalidContext = "Context None or invalid context supplied";
    const sent = [
      [{}, invalid("Title can't be blank", "Context can't be blank", invalidContext)],
      [{ title: " ", context: ["home"] }, invalid("Title can't be blank")],
      [{ title: "A", context: [] }, invalid("Context can't be blank", invalidContext)],
      [{ title: "A", context: ["home", "nowhere"] }, invalid(invalidContext)],
      [{ title: "a".repeat(257), context: ["home"] }, invalid("Title is too long (maximum is 256 characters)")],
      [
        { title: "A", context: ["home"], filter_action: "burn" },
        { status: 422, json: { error: "'burn' is not a valid filter_action" } },
      ],
      [{ title: "A", context: ["home"], expires_in: "soon" }, invalid("Expires in is not a number")],
    ] as const;
    for (const [body, answer] of sent) expect(refusal(await alice.post("/api/v2/filters", body))).toEqual(answer);
    const filter = await newFilter();
    for (const [changes, answer] of [
      [{ title: "" }, invalid("Title can't be blank")],
      [{ context: [] }, invalid("Context can't be blank", invalidContext)],
      [{ context: ["nowhere"] }, invalid(invalidContext)],
    ] as const) {
      expect(refusal(await update(filter, changes))).toEqual(answer);
    }
    expect((await alice.get("/api/v2/filters")).json).toEqual([filter]);
  });

  test("can be updated with PUT and PATCH, and keeps the values that the request doesn't contain", async () => {
    const filter = await newFilter("one");
    const renamed = await update(filter, { title: "Others" });
    expect(renamed.json).toEqual({ ...filter, title: "Others" });
    const changes = { context: ["account"], filter_action: "blur" };
    const { json } = await alice.patch(`/api/v2/filters/${filter.id}`, changes);
    expect(json).toEqual({ ...filter, title: "Others", ...changes });
  });

  test("can expire, and its expiry can be removed", async () => {
    const filter = await newFilter();
    const endsAt = async (changes: object) => (await update(filter, changes)).json.expires_at;
    expect(await endsAt({ expires_in: 60 })).toBe("2026-11-21T12:01:00.000Z");
    expect(await endsAt({ title: "A" })).toBe("2026-11-21T12:01:00.000Z");
    expect(await endsAt({ expires_in: "120" })).toBe("2026-11-21T12:02:00.000Z");
    expect(await endsAt({ expires_in: "" })).toBeNull();
  });

  test("can update, add and remove keywords in one request", async () => {
    const filter = await newFilter("one", "two", "three");
    const [one, two] = filter.keywords;
    const { json } = await update(filter, {
      keywords_attributes: [
        { id: one.id, keyword: "1", whole_word: false },
        { id: two.id, _destroy: true },
        { keyword: "four" },
        { keyword: "never", _destroy: true },
        { keyword: "", whole_word: false },
      ],
    });
    expectShape(json, "Filter");
    expect(json.keywords.map((row: Json) => [row.keyword, row.whole_word])).toEqual([
      ["1", false],
      ["three", true],
      ["four", true],
    ]);
    await update(filter, { keywords_attributes: [{ id: one.id, whole_word: true }] });
    expect((await keywordsOf(filter))[0]).toEqual(["1", true]);
  });

  test("is updated completely or not at all", async () => {
    const filter = await newFilter("one");
    const other = await newFilter("of another filter");
    const good = { id: filter.keywords[0].id, keyword: "changed" };
    const sent = [
      [{ id: other.keywords[0].id, keyword: "A" }, NOT_FOUND],
      [{ id: "999999", _destroy: true }, NOT_FOUND],
      [{ id: "nonsense", keyword: "A" }, NOT_FOUND],
      [{ id: filter.keywords[0].id, keyword: " " }, invalid("Keywords keyword can't be blank")],
      [{ keyword: "", whole_word: true }, invalid("Keywords keyword can't be blank")],
      [{ keyword: "a".repeat(513) }, invalid("Keywords keyword is too long (maximum is 512 characters)")],
    ] as const;
    for (const [bad, answer] of sent) {
      const changes = { title: "Changed", keywords_attributes: [good, { keyword: "new" }, bad] };
      expect(refusal(await update(filter, changes))).toEqual(answer);
    }
    expect((await alice.get(`/api/v2/filters/${filter.id}`)).json).toEqual(filter);
    const made = { title: "A", context: ["home"], keywords_attributes: [{ id: good.id, keyword: "A" }] };
    expect(refusal(await alice.post("/api/v2/filters", made))).toEqual(NOT_FOUND);
    expect(idsOf(await alice.get("/api/v2/filters"))).toEqual([filter.id, other.id]);
  });

  test("is deleted with its keywords", async () => {
    const filter = await newFilter("one");
    const answer = await alice.delete(`/api/v2/filters/${filter.id}`);
    expect(refusal(answer)).toEqual({ status: 200, json: {} });
    expect((await alice.get("/api/v2/filters")).json).toEqual([]);
    expect(refusal(await alice.get(`/api/v2/filters/keywords/${filter.keywords[0].id}`))).toEqual(NOT_FOUND);
    expect(refusal(await alice.delete(`/api/v2/filters/${filter.id}`))).toEqual(NOT_FOUND);
  });

  test("of another user is not found, like one that doesn't exist", async () => {
    const filter = await newFilter("one");
    const { id } = await alice.publish("hello");
    const added = await alice.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: id });
    const paths: [Client, string, string, string][] = [
      [bob, filter.id, filter.keywords[0].id, added.json.id],
      [alice, "999999", "999999", "999999"],
      [alice, "nonsense", "nonsense", "nonsense"],
    ];
    for (const [who, group, keyword, status] of paths) {
      const answers = [
        await who.get(`/api/v2/filters/${group}`),
        await who.put(`/api/v2/filters/${group}`, { title: "Mine" }),
        await who.delete(`/api/v2/filters/${group}`),
        await who.get(`/api/v2/filters/${group}/keywords`),
        await who.post(`/api/v2/filters/${group}/keywords`, { keyword: "A" }),
        await who.get(`/api/v2/filters/keywords/${keyword}`),
        await who.put(`/api/v2/filters/keywords/${keyword}`, { keyword: "A" }),
        await who.delete(`/api/v2/filters/keywords/${keyword}`),
        await who.get(`/api/v2/filters/${group}/statuses`),
        await who.post(`/api/v2/filters/${group}/statuses`, { status_id: id }),
        await who.get(`/api/v2/filters/statuses/${status}`),
        await who.delete(`/api/v2/filters/statuses/${status}`),
        await who.get(`/api/v1/filters/${keyword}`),
        await who.put(`/api/v1/filters/${keyword}`, { phrase: "A", context: ["home"] }),
        await who.delete(`/api/v1/filters/${keyword}`),
      ];
      expect(answers.map(refusal)).toEqual(answers.map(() => NOT_FOUND));
    }
    expect((await bob.get("/api/v2/filters")).json).toEqual([]);
    expect((await alice.get(`/api/v2/filters/${filter.id}`)).json).toEqual({ ...filter, statuses: [added.json] });
  });

  test("needs the scopes for filters", async () => {
    const filter = await newFilter("one");
    const keyword = filter.keywords[0].id;
    await expectGuarded(server, alice, "read:filters", [
      ["get", "/api/v2/filters"],
      ["get", `/api/v2/filters/${filter.id}`],
      ["get", `/api/v2/filters/${filter.id}/keywords`],
      ["get", `/api/v2/filters/keywords/${keyword}`],
      ["get", `/api/v2/filters/${filter.id}/statuses`],
      ["get", "/api/v2/filters/statuses/1"],
      ["get", "/api/v1/filters"],
      ["get", `/api/v1/filters/${keyword}`],
    ]);
    await expectGuarded(server, alice, "write:filters", [
      ["post", "/api/v2/filters", { title: "A", context: ["home"] }],
      ["put", `/api/v2/filters/${filter.id}`, { title: "A" }],
      ["patch", `/api/v2/filters/${filter.id}`, { title: "A" }],
      ["post", `/api/v2/filters/${filter.id}/keywords`, { keyword: "A" }],
      ["put", `/api/v2/filters/keywords/${keyword}`, { keyword: "A" }],
      ["post", `/api/v2/filters/${filter.id}/statuses`, { status_id: "1" }],
      ["delete", "/api/v2/filters/statuses/1"],
      ["post", "/api/v1/filters", { phrase: "A", context: ["home"] }],
      ["put", `/api/v1/filters/${keyword}`, { phrase: "A", context: ["home"] }],
      ["delete", `/api/v1/filters/${keyword}`],
      ["delete", `/api/v2/filters/keywords/${keyword}`],
      ["delete", `/api/v2/filters/${filter.id}`],
    ]);
  });
});

describe("A filter's keywords", () => {
  test("can be added, read, updated and removed", async () => {
    const filter = await newFilter("one");
    const { status, json: added } = await alice.post(`/api/v2/filters/${filter.id}/keywords`, {
      keyword: "two",
      whole_word: false,
    });
    expect(status).toBe(200);
    expectShape(added, "FilterKeyword");
    expect(added).toEqual({ id: added.id, keyword: "two", whole_word: false });
    const listed = await alice.get(`/api/v2/filters/${filter.id}/keywords`);
    expectShape(listed.json, ["FilterKeyword"]);
    expect(listed.json).toEqual([filter.keywords[0], added]);
    const path = `/api/v2/filters/keywords/${added.id}`;
    expect((await alice.get(path)).json).toEqual(added);
    expect((await alice.put(path, { keyword: "three" })).json).toEqual({ ...added, keyword: "three" });
    expect((await alice.patch(path, { keyword: "four", whole_word: true })).json).toEqual({
      id: added.id,
      keyword: "four",
      whole_word: true,
    });
    expect(refusal(await alice.delete(path))).toEqual({ status: 200, json: {} });
    expect(refusal(await alice.delete(path))).toEqual(NOT_FOUND);
    expect(await keywordsOf(filter)).toEqual([["one", true]]);
  });

  test("cannot be blank or too long", async () => {
    const filter = await newFilter("one");
    const path = `/api/v2/filters/keywords/${filter.keywords[0].id}`;
    const tooLong = { keyword: "a".repeat(513) };
    for (const answer of [
      await alice.post(`/api/v2/filters/${filter.id}/keywords`, { keyword: " " }),
      await alice.post(`/api/v2/filters/${filter.id}/keywords`),
      await alice.put(path, { keyword: "" }),
    ]) {
      expect(refusal(answer)).toEqual(invalid("Keyword can't be blank"));
    }
    for (const answer of [
      await alice.post(`/api/v2/filters/${filter.id}/keywords`, tooLong),
      await alice.put(path, tooLong),
    ]) {
      expect(refusal(answer)).toEqual(invalid("Keyword is too long (maximum is 512 characters)"));
    }
    expect(await keywordsOf(filter)).toEqual([["one", true]]);
  });
});

describe("A filter's statuses", () => {
  test("can be added, read and removed", async () => {
    const filter = await newFilter();
    const { id } = await bob.publish("hello");
    const { status, json: added } = await alice.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: id });
    expect(status).toBe(200);
    expectShape(added, "FilterStatus");
    expect(added).toEqual({ id: added.id, status_id: id });
    const listed = await alice.get(`/api/v2/filters/${filter.id}/statuses`);
    expectShape(listed.json, ["FilterStatus"]);
    expect(listed.json).toEqual([added]);
    expect((await alice.get(`/api/v2/filters/${filter.id}`)).json.statuses).toEqual([added]);
    expect((await alice.get(`/api/v2/filters/statuses/${added.id}`)).json).toEqual(added);
    expect(refusal(await alice.delete(`/api/v2/filters/statuses/${added.id}`))).toEqual({ status: 200, json: {} });
    expect(refusal(await alice.delete(`/api/v2/filters/statuses/${added.id}`))).toEqual(NOT_FOUND);
    expect((await alice.get(`/api/v2/filters/${filter.id}`)).json.statuses).toEqual([]);
  });

  test("can be added once, and only if the owner may see them", async () => {
    const filter = await newFilter();
    const path = `/api/v2/filters/${filter.id}/statuses`;
    const { id } = await bob.publish("hello");
    const hidden = await bob.publish({ status: "hidden", visibility: "private" });
    await alice.post(path, { status_id: id });
    expect(refusal(await alice.post(path, { status_id: id }))).toEqual(invalid("Status has already been taken"));
    for (const status_id of [hidden.id, "999999", "nonsense"]) {
      expect(refusal(await alice.post(path, { status_id }))).toEqual(NOT_FOUND);
    }
    expect(refusal(await alice.post(path))).toEqual(invalid("Status can't be blank"));
  });

  test("disappear with the status itself", async () => {
    const filter = await newFilter();
    const { id } = await bob.publish("hello");
    await alice.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: id });
    await bob.delete(`/api/v1/statuses/${id}`);
    expect((await alice.get(`/api/v2/filters/${filter.id}/statuses`)).json).toEqual([]);
  });
});

describe("A change of a filter", () => {
  test("causes an event in the owner's stream", async () => {
    const socket = await Socket.open(alice, "?stream=user");
    const others = await Socket.open(bob, "?stream=user");
    const changed = async (change: Promise<Answer>): Promise<Json> => {
      const { status, json } = await change;
      expect(status).toBe(200);
      expect(await socket.raw()).toEqual({ stream: ["user"], event: "filters_changed" });
      return json;
    };
    const { id: statusId } = await bob.publish("hello");
    const filter = await changed(alice.post("/api/v2/filters", { title: "A", context: ["home"] }));
    await changed(update(filter, { title: "B" }));
    const keyword = await changed(alice.post(`/api/v2/filters/${filter.id}/keywords`, { keyword: "A" }));
    await changed(alice.put(`/api/v2/filters/keywords/${keyword.id}`, { keyword: "B" }));
    await changed(alice.delete(`/api/v2/filters/keywords/${keyword.id}`));
    const status = await changed(alice.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: statusId }));
    await changed(alice.delete(`/api/v2/filters/statuses/${status.id}`));
    const old = await changed(alice.post("/api/v1/filters", { phrase: "A", context: ["home"] }));
    await changed(alice.put(`/api/v1/filters/${old.id}`, { phrase: "B", context: ["home"] }));
    await changed(alice.delete(`/api/v1/filters/${old.id}`));
    await changed(alice.delete(`/api/v2/filters/${filter.id}`));
    expect(await others.next()).toMatchObject({ event: "update" });
    const { id } = await bob.publish("nothing in between");
    expect(await others.next()).toMatchObject({ event: "update", payload: { id } });
    await Promise.all([socket.close(), others.close()]);
  });

  test("causes a server-sent event with Mastodon's placeholder as data", async () => {
    const events = await EventReader.open(alice, "user");
    await newFilter();
    expect(await events.block()).toBe("event: filters_changed\ndata: undefined");
    await events.close();
  });

  test("that is refused causes no event", async () => {
    const filter = await newFilter();
    const socket = await Socket.open(alice, "?stream=user");
    await update(filter, { title: "A", keywords_attributes: [{ id: "999999", keyword: "A" }] });
    const { id } = await alice.publish("after it");
    expect(await socket.next()).toMatchObject({ event: "update", payload: { id } });
    await socket.close();
  });
});
