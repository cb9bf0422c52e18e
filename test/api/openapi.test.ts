import { beforeAll, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Description, JsonSchema, Operation } from "../../src/lib/http/openapi.ts";
import { Nowhere, run, SOURCE } from "../support/program.ts";
import { serverForAllTests } from "../support/setup.ts";

const { server } = serverForAllTests([], { LINNET_TITLE: "Our place" });
let description: Description;
/** By method and path, as `linnet routes` prints them. */
let operations: Map<string, Operation>;

beforeAll(async () => {
  const { status, headers, json } = await server.stranger().get("/api/openapi.json");
  expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
  description = json;
  operations = new Map(
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
        operation,
      ]),
    ),
  );
});

function queryOf(route: string): Record<string, JsonSchema> {
  const { parameters = [] } = operations.get(route)!;
  return Object.fromEntries(parameters.filter((each) => each.in === "query").map(({ name, schema }) => [name, schema]));
}

test("every route is described, and nothing else", async () => {
  const nowhere = new Nowhere();
  const { stdout } = await run(SOURCE, ["routes", "--json"], nowhere);
  nowhere.remove();
  const forPrograms = (JSON.parse(stdout) as { method: string; path: string }[])
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => /^[A-Z]+ \/(?:api\/|oauth\/|nodeinfo\/|\.well|health)/.test(route));
  expect(forPrograms.length).toBeGreaterThan(200);
  expect([...operations.keys()].toSorted()).toEqual(forPrograms.toSorted());
});

test("each operation has a summary and a listed tag", () => {
  const areas = description.tags.map(({ name }) => name);
  const used = new Set([...operations.values()].flatMap(({ tags }) => tags));
  expect([...used]).toEqual(areas);
  for (const { summary, tags } of operations.values()) {
    expect(tags).toHaveLength(1);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
  }
});

test("the document is valid OpenAPI 3.1", () => {
  const { openapi, info, servers, components } = description;
  expect([openapi.slice(0, 3), info.title, servers]).toEqual(["3.1", "The API of Our place", [{ url: server.origin }]]);
  const ids = [...operations.values()].map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const ajv = new Ajv2020({ strict: true, formats: { binary: true, uuid: true } });
  const schemas = [...operations.values()].flatMap(({ parameters = [] }) => parameters.map(({ schema }) => schema));
  for (const schema of [...schemas, ...Object.values(components.schemas)]) {
    expect(ajv.validateSchema(schema)).toBe(true);
    ajv.compile(schema);
  }
  const text = JSON.stringify(description);
  for (const [, kind, name] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)) {
    expect(components[kind!]).toHaveProperty(name!);
  }
  for (const [route, { parameters = [] }] of operations) {
    const inPath = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => `:${name}`);
    expect(inPath).toEqual(route.match(/:\w+/g) ?? []);
  }
});

test("parameters have their location, limits and defaults", () => {
  const query = queryOf("GET /api/v1/notifications");
  expect(query["limit"]).toEqual({ type: "integer", minimum: 1, maximum: 80, default: 40 });
  expect(query["types[]"]).toMatchObject({ type: "array", items: { enum: expect.arrayContaining(["mention"]) } });
  expect(queryOf("DELETE /api/v1/domain_blocks")).toHaveProperty("domain");
  const { requestBody } = operations.get("POST /api/v1/lists")!;
  const encodings = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
  expect(Object.keys(requestBody!.content).toSorted()).toEqual(encodings);
  const { $ref } = requestBody!.content["application/json"]!.schema;
  const body = description.components.schemas[$ref!.split("/").at(-1)!]!;
  expect([body.required, body.properties!["replies_policy"]]).toEqual([
    ["title"],
    { type: "string", enum: ["followed", "list", "none"] },
  ]);
  expect(Object.keys(operations.get("POST /api/v2/media")!.requestBody!.content)).toEqual(["multipart/form-data"]);
});

test("operations name the required token", () => {
  const needs = (route: string) => operations.get(route)!.security;
  expect(needs("GET /api/v1/lists")).toEqual([{ oauth: ["read:lists"] }]);
  expect(needs("GET /api/v1/timelines/public")).toEqual([{}, { oauth: ["read:statuses"] }]);
  expect(needs("GET /api/v1/apps/verify_credentials")).toEqual([{ oauth: [] }]);
  expect(needs("GET /api/v2/instance")).toEqual([{}]);
  expect(operations.get("GET /api/v1/lists/:id")!.responses).toContainAllKeys(["200", "401", "403", "404", "429"]);
});
