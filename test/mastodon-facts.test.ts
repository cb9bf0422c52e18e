import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { factsOf } from "./fixtures/mastodon-facts.ts";
import { mastodon } from "./support/mastodon.ts";

const FILE = join(import.meta.dir, "fixtures/mastodon-facts.json");

describe("The facts about Mastodon's API", () => {
  test("contain no prose", () => {
    const strings = [...readFileSync(FILE, "utf8").matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => text.slice(1, -1));
    expect(strings.length).toBeGreaterThan(5000);
    expect(strings.filter((text) => /\s/.test(text.replace(/^(?:GET|POST|PUT|PATCH|DELETE) /, "")))).toEqual([]);
  });

  test("are an OpenAPI document without its descriptions", () => {
    const ref = { $ref: "#/components/schemas/Error", description: "words" };
    const json = (schema: object) => ({ description: "words", content: { "application/json": { schema } } });
    const schema = {
      type: "object",
      description: "words",
      example: { at: "words" },
      required: ["at"],
      properties: {
        at: { type: ["string", "null"], format: "date-time", description: "words" },
        kind: { type: "string", enum: ["a", "b"] },
        parts: { type: "array", items: { oneOf: [ref, { type: "null" }] } },
      },
    };
    const responses = {
      200: json(schema),
      202: { description: "Empty" },
      206: { description: "words" },
      404: json(ref),
      410: { description: "words" },
      422: json({ type: "object", additionalProperties: ref }),
    };
    const get = { summary: "words", description: "words\n\n2.8.0 - added\n3.1.0 - words", responses };
    const facts = {
      type: "object",
      required: ["at"],
      properties: {
        at: { type: ["string", "null"], format: "date-time" },
        kind: { type: "string", enum: ["a", "b"] },
        parts: { type: "array", items: { oneOf: [{ $ref: "#/entities/Error" }, { type: "null" }] } },
      },
    };
    expect(
      factsOf({
        info: { version: "4.7.0" },
        paths: { "/x/{id}": { get } },
        components: { schemas: { Thing: schema } },
      }),
    ).toEqual({
      source: expect.any(String),
      version: "4.7.0",
      entities: { Thing: facts },
      methods: {
        "GET /x/{id}": {
          since: "2.8.0",
          answers: {
            200: facts,
            202: "empty",
            206: "unknown",
            422: { type: "object", additionalProperties: { $ref: "#/entities/Error" } },
          },
        },
      },
    });
  });
});

describe("A response", () => {
  const poll = {
    id: "1",
    expires_at: "2026-11-21T12:00:00.000Z",
    expired: false,
    multiple: false,
    votes_count: 0,
    voters_count: null,
    options: [{ title: "a", votes_count: 0 }],
    emojis: [],
  };
  const problems = (answer: unknown, status = 200) => mastodon.answerProblems("GET", "/api/v1/polls/7", status, answer);

  test("passes if it matches Mastodon's documentation of the method", () => {
    expect(problems(poll)).toEqual([]);
    expect(problems({ error: "Record not found" }, 404)).toEqual([]);
    expect(mastodon.answerProblems("DELETE", "/api/v1/lists/7", 200, {})).toEqual([]);
    expect(mastodon.answerProblems("GET", "/api/v1/not_documented", 200, { a: 1 })).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["a field is missing", { ...poll, votes_count: undefined }],
    ["a field has another type", { ...poll, votes_count: "0" }],
    ["a field is null but must not be", { ...poll, options: null }],
    ["a nested field is wrong", { ...poll, options: [{ title: 1, votes_count: 0 }] }],
    ["a time is not a time", { ...poll, expires_at: "soon" }],
    ["it is a list", [poll]],
  ])("fails if %s", (_, answer) => {
    expect(problems(JSON.parse(JSON.stringify(answer)))).not.toEqual([]);
  });

  test("fails if it must be empty but isn't, or has an undocumented value", () => {
    expect(problems({}, 404)).not.toEqual([]);
    expect(mastodon.answerProblems("DELETE", "/api/v1/lists/7", 200, { id: "7" })).not.toEqual([]);
    expect(mastodon.entityProblems({ visibility: "secret" }, "Status").join()).toContain("visibility");
  });

  test("cannot be checked against an entity that Mastodon doesn't have", () => {
    expect(() => mastodon.entityProblems({}, "Nonsense")).toThrow();
  });
});
