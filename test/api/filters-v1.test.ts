import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { invalid, refusal } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { alice } = serverForEachTest(["alice"]);

const make = async (settings: object): Promise<Json> => (await alice.post("/api/v1/filters", settings)).json;
const listV2 = async (): Promise<Json[]> => (await alice.get("/api/v2/filters")).json;

describe("A v1 filter", () => {
  test("is a v2 filter with one keyword", async () => {
    const { status, json } = await alice.post("/api/v1/filters", {
      phrase: "spoiler",
      context: ["home", "notifications"],
      irreversible: true,
      whole_word: true,
      expires_in: 3600,
    });
    expect(status).toBe(200);
    expectShape(json, "V1Filter");
    expect(json).toEqual({
      id: json.id,
      phrase: "spoiler",
      context: ["home", "notifications"],
      whole_word: true,
      expires_at: "2026-11-21T13:00:00.000Z",
      irreversible: true,
    });
    expect((await alice.get(`/api/v1/filters/${json.id}`)).json).toEqual(json);
    expect((await alice.get("/api/v1/filters")).json).toEqual([json]);
    expect(await listV2()).toMatchObject([
      {
        title: "spoiler",
        context: ["home", "notifications"],
        filter_action: "hide",
        expires_at: "2026-11-21T13:00:00.000Z",
        keywords: [{ id: json.id, keyword: "spoiler", whole_word: true }],
      },
    ]);
  });

  test("by default warns, never expires and matches inside of words", async () => {
    const json = await make({ phrase: "spoiler", context: ["home"] });
    expect(json).toMatchObject({ whole_word: false, irreversible: false, expires_at: null });
    expect(await listV2()).toMatchObject([{ filter_action: "warn" }]);
  });

  test("needs a phrase and valid contexts", async () => {
    const invalidContext = "Context None or invalid context supplied";
    const sent = [
      [{ context: ["home"] }, invalid("Phrase can't be blank")],
      [{ phrase: " ", context: ["home"] }, invalid("Phrase can't be blank")],
      [{ phrase: "a".repeat(513), context: ["home"] }, invalid("Phrase is too long (maximum is 512 characters)")],
      [{ phrase: "A" }, invalid("Context can't be blank", invalidContext)],
      [{ phrase: "A", context: ["nowhere"] }, invalid(invalidContext)],
    ] as const;
    for (const [body, answer] of sent) expect(refusal(await alice.post("/api/v1/filters", body))).toEqual(answer);
    expect(await listV2()).toEqual([]);
    const { id } = await make({ phrase: "A".repeat(512), context: ["home"] });
    for (const [body, answer] of [
      [{ phrase: "", context: ["home"] }, invalid("Phrase can't be blank")],
      [{ phrase: "A", context: [] }, invalid("Context can't be blank", invalidContext)],
      [{ phrase: "A", context: ["nowhere"] }, invalid(invalidContext)],
    ] as const) {
      expect(refusal(await alice.put(`/api/v1/filters/${id}`, body))).toEqual(answer);
    }
  });

  test("updates its v2 filter", async () => {
    const { id } = await make({ phrase: "one", context: ["home"], expires_in: 60 });
    const { json } = await alice.put(`/api/v1/filters/${id}`, {
      phrase: "two",
      context: ["public"],
      irreversible: true,
      whole_word: true,
      expires_in: "",
    });
    expectShape(json, "V1Filter");
    expect(json).toEqual({
      id,
      phrase: "two",
      context: ["public"],
      whole_word: true,
      expires_at: null,
      irreversible: true,
    });
    expect(await listV2()).toMatchObject([{ title: "two", context: ["public"], filter_action: "hide" }]);
    const kept = await alice.patch(`/api/v1/filters/${id}`, { context: ["thread"] });
    expect(kept.json).toEqual({ ...json, context: ["thread"] });
  });

  test("that shares its v2 filter with other keywords can only change its phrase", async () => {
    const { json: filter } = await alice.post("/api/v2/filters", {
      title: "Both",
      context: ["home"],
      filter_action: "hide",
      keywords_attributes: [{ keyword: "one" }, { keyword: "two" }],
    });
    expect((await alice.get("/api/v1/filters")).json).toMatchObject([
      { id: filter.keywords[0].id, phrase: "one", context: ["home"], irreversible: true },
      { id: filter.keywords[1].id, phrase: "two", context: ["home"], irreversible: true },
    ]);
    const path = `/api/v1/filters/${filter.keywords[0].id}`;
    const same = { context: ["home"], irreversible: true };
    expect((await alice.put(path, { phrase: "three", whole_word: false, ...same })).status).toBe(200);
    for (const changes of [{ context: ["public"] }, { irreversible: false }, { expires_in: 60 }]) {
      const answer = await alice.put(path, { phrase: "four", ...same, ...changes });
      expect(answer.status).toBe(422);
      expect(answer.json.error).toStartWith("These parameters cannot be changed from this application");
    }
    expect(await listV2()).toMatchObject([
      { title: "Both", context: ["home"], keywords: [{ keyword: "three", whole_word: false }, { keyword: "two" }] },
    ]);
  });

  test("is deleted as a keyword, and its v2 filter remains", async () => {
    const { id } = await make({ phrase: "spoiler", context: ["home"] });
    expect(refusal(await alice.delete(`/api/v1/filters/${id}`))).toEqual({ status: 200, json: {} });
    expect(refusal(await alice.get(`/api/v1/filters/${id}`))).toEqual({
      status: 404,
      json: { error: "Record not found" },
    });
    expect(await listV2()).toMatchObject([{ title: "spoiler", keywords: [] }]);
  });
});
