import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import type { TObject, TSchema } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import type { Config } from "../config.ts";
import { object, oneOf, optional, text } from "../lib/http/input.ts";
import type { Description, JsonSchema, Operation } from "../lib/http/openapi.ts";
import { RESPONSE_MODES } from "../oauth/redirects.ts";
import { SCOPES } from "../oauth/scopes.ts";
import { VERSION } from "../version.ts";
import type { RouteOptions } from "./route.ts";
import { AREAS } from "./summaries.ts";

export interface DescribedRoute {
  method: string;
  path: string;
  /** Null for routes that `Router` doesn't add: pages and the OAuth endpoints. */
  options: RouteOptions | null;
}

/** Paths for API clients; all others are pages and files. */
const FOR_PROGRAMS = /^\/(?:api|oauth|nodeinfo|\.well-known)\/|^\/health$/;

const client = { client_id: text({ max: 200 }), client_secret: text({ max: 200 }) };

/** Parameters of the OAuth endpoints, which parse them by their own rules instead of an `input` schema. */
const SIGN_IN: Record<string, RouteOptions> = {
  "GET /oauth/authorize": {
    open: "always",
    input: object({
      response_type: oneOf(["code"]),
      client_id: client.client_id,
      redirect_uri: text({ max: 2000 }),
      scope: optional(text({ max: 2000 })),
      state: optional(text({ max: 2000 })),
      code_challenge: optional(text({ max: 200 })),
      code_challenge_method: optional(oneOf(["S256"])),
      response_mode: optional(oneOf(RESPONSE_MODES)),
      lang: optional(text({ max: 20 })),
      force_login: optional(text({ max: 10 })),
    }),
  },
  "POST /oauth/token": {
    open: "always",
    input: object({
      grant_type: oneOf(["authorization_code", "client_credentials"]),
      ...client,
      code: optional(text({ max: 200 })),
      redirect_uri: optional(text({ max: 2000 })),
      code_verifier: optional(text({ max: 200 })),
      scope: optional(text({ max: 2000 })),
    }),
  },
  "POST /oauth/revoke": { open: "always", input: object({ ...client, token: text({ max: 512 }) }) },
};

/** Builds an OpenAPI 3.1 description of the API from its routes. */
export function describe(routes: readonly DescribedRoute[], config: Config): Description {
  const shown = routes.filter(({ path }) => FOR_PROGRAMS.test(path)).map((route) => ({ ...route, ...wordsOf(route) }));
  const elysia = shown.toSorted((a, b) => a.place - b.place).map(asElysiaHasIt);
  const app = { getGlobalRoutes: () => elysia, getGlobalDefinitions: () => ({ type: {} }) };
  const made = toOpenAPISchema(app as unknown as AnyElysia, { staticFile: false });
  const paths = made.paths as Description["paths"];
  const schemas: Description["components"]["schemas"] = {};
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    nameAsRails(operation);
    shareBody(operation, schemas);
  }
  return {
    openapi: "3.1.2",
    info: {
      title: `The API of ${config.title}`,
      version: VERSION,
      description: "Methods, parameters and entities are Mastodon's, as https://docs.joinmastodon.org has them.",
    },
    servers: [{ url: config.origin }],
    tags: AREAS.map(({ name }) => ({ name })),
    paths,
    components: components(config, schemas),
  };
}

interface MethodDescription {
  tags: [area: string];
  summary: string;
  /** Sort key: methods are listed in this order. */
  place: number;
}

const WORDS = new Map<string, MethodDescription>(
  AREAS.flatMap(({ name, methods }, area) =>
    Object.entries(methods).map(([method, summary], at): [string, MethodDescription] => [
      method,
      { tags: [name], summary, place: area * 1000 + at },
    ]),
  ),
);

function wordsOf({ method, path }: DescribedRoute): MethodDescription {
  const name = `${method === "PATCH" ? "PUT" : method} ${path}`;
  return WORDS.get(name) ?? { tags: ["Others"], summary: name, place: Number.MAX_SAFE_INTEGER };
}

/** A route in Elysia's own form, as if Elysia parsed the parameters. In fact `lib/http/params.ts` does. */
function asElysiaHasIt({ method, path, options, tags, summary }: DescribedRoute & MethodDescription) {
  const known = options ?? SIGN_IN[`${method} ${path}`] ?? { open: "always" };
  const input = known.input && plain(known.input);
  const hasBody = method !== "GET" && method !== "DELETE";
  return {
    method,
    path,
    hooks: {
      ...(input && (hasBody ? { body: input } : { query: input })),
      ...(known.storeFiles && { parse: [{ fn: "multipart/form-data" }] }),
      detail: { tags, summary, security: securityOf(known), responses: responsesOf(path, known) },
    },
  };
}

function securityOf({ open, scope, app }: RouteOptions): Operation["security"] {
  const scopes = scope === undefined ? [[]] : [scope].flat().map((one) => [one]);
  const ways: Operation["security"] = scopes.map((oauth) => ({ oauth }));
  return open === "always" && scope === undefined ? [{}] : open ? [{}, ...ways] : app ? [{ oauth: [] }] : ways;
}

function responsesOf(path: string, { open, scope, input }: RouteOptions): Operation["responses"] {
  const refusal = (name: string) => ({ $ref: `#/components/responses/${name}` });
  return {
    200: { description: "What was asked for" },
    ...(open !== "always" && { 401: refusal("unauthorized") }),
    ...(scope !== undefined && { 403: refusal("forbidden") }),
    ...(path.includes(":") && { 404: refusal("missing") }),
    ...(input && { 422: refusal("invalid") }),
    429: refusal("tooMany"),
  };
}

/** A schema without Linnet's own keywords; properties with a default are not required. */
function plain(schema: TSchema): JsonSchema {
  const { lenient: _lenient, clamp: _clamp, ...rest } = schema as TSchema & { lenient?: boolean; clamp?: boolean };
  if (rest.type === "array") return { ...rest, items: plain(rest.items as TSchema) };
  if (rest.type !== "object") return rest;
  const { properties, required = [], ...others } = rest as unknown as TObject;
  const needed = required.filter((name) => properties[name]!.default === undefined);
  return {
    ...others,
    properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, plain(property)])),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** Appends `[]` to the names of list parameters in a query string. */
function nameAsRails({ parameters = [] }: Operation): void {
  for (const parameter of parameters) {
    if (parameter.in === "query" && parameter.schema.type === "array") parameter.name += "[]";
  }
}

/** A body is accepted in three encodings; its schema is described once, under the operation's name. */
function shareBody({ operationId, requestBody }: Operation, schemas: Description["components"]["schemas"]): void {
  if (!requestBody) return;
  for (const content of Object.values(requestBody.content)) {
    schemas[operationId] = content.schema;
    content.schema = { $ref: `#/components/schemas/${operationId}` };
  }
  requestBody.required = schemas[operationId]?.required !== undefined;
}

function components({ origin }: Config, schemas: Description["components"]["schemas"]): Description["components"] {
  const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, ""]));
  const tokenUrl = `${origin}/oauth/token`;
  const error = { type: "object", properties: { error: { type: "string" } }, required: ["error"] };
  const refusal = (description: string) => ({
    description,
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  });
  return {
    securitySchemes: {
      oauth: {
        type: "oauth2",
        flows: {
          authorizationCode: { authorizationUrl: `${origin}/oauth/authorize`, tokenUrl, scopes },
          clientCredentials: { tokenUrl, scopes },
        },
      },
    },
    schemas: { Error: error, ...schemas },
    responses: {
      unauthorized: refusal("No access token, or one that isn't valid"),
      forbidden: refusal("The token may not do this"),
      missing: refusal("There is no such thing, or it isn't for you to see"),
      invalid: refusal("A parameter is missing or makes no sense"),
      tooMany: refusal("Too many calls: the headers say when to come back"),
    },
  };
}
