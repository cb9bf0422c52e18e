import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import type { TObject, TSchema } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import type { Config } from "../config.ts";
import type { Description, JsonSchema, Operation } from "../lib/http/openapi.ts";
import { SCOPES } from "../oauth/scopes.ts";
import { VERSION } from "../version.ts";
import type { DescribedRoute, RouteOptions } from "./route.ts";

/** Builds an OpenAPI 3.1 description of the API. Areas and methods keep the order in which the routes were added. */
export function describe(routes: readonly DescribedRoute[], config: Config): Description {
  const elysiaRoutes = routes.map(toElysiaRoute);
  const app = { getGlobalRoutes: () => elysiaRoutes, getGlobalDefinitions: () => ({ type: {} }) };
  const generated = toOpenAPISchema(app as unknown as AnyElysia, { staticFile: false });
  const paths = generated.paths as Description["paths"];
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
      description: "This server implements the Mastodon API, which https://docs.joinmastodon.org documents.",
    },
    servers: [{ url: config.origin }],
    tags: [...new Set(routes.map(({ area }) => area))].map((name) => ({ name })),
    paths,
    components: components(config, schemas),
  };
}

/** A route in Elysia's own form, as if Elysia parsed the parameters. In fact `lib/http/params.ts` does. */
function toElysiaRoute({ method, path, area, route }: DescribedRoute) {
  const { summary, input: schema, storeFiles } = route;
  const input = schema && plain(schema);
  const hasBody = method !== "GET" && method !== "DELETE";
  return {
    method,
    path,
    hooks: {
      ...(input && (hasBody ? { body: input } : { query: input })),
      ...(storeFiles && { parse: [{ fn: "multipart/form-data" }] }),
      detail: { tags: [area], summary, security: securityOf(route), responses: responsesOf(path, route) },
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
    200: { description: "Success" },
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
      unauthorized: refusal("The access token is missing or invalid"),
      forbidden: refusal("The token's scopes or the user's permissions don't allow this"),
      missing: refusal("The record doesn't exist, or you may not see it"),
      invalid: refusal("A parameter is missing or invalid"),
      tooMany: refusal(
        "Too many requests; the header X-RateLimit-Reset or Retry-After, if present, says when to try again",
      ),
    },
  };
}
