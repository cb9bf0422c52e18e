import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import type { Json } from "./client.ts";

/** As much of JSON Schema as the description of Mastodon's API uses. */
interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
  items?: Schema;
}

/** Mastodon's API as the community's OpenAPI document describes it. It is not ours to carry along, so it may be missing. */
const DOCUMENT = join(import.meta.dir, "../../../shared/mastodon-openapi.json");
const schemas: Record<string, Schema> | null = existsSync(DOCUMENT)
  ? JSON.parse(readFileSync(DOCUMENT, "utf8")).components.schemas
  : null;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const FORMATS: Record<string, (text: string) => boolean> = {
  "date-time": (text) => MOMENT.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
  uri: (text) => URL.canParse(text),
};

/**
 * Fails unless an answer is what Mastodon documents under this name (`["Status"]`: a list of them): every required field
 * there, types, null only where it may be. Ids and times are checked even where the document is missing.
 */
export function expectShape(value: Json, shape: string | [string]): void {
  const schema = typeof shape === "string" ? named(shape) : { type: "array", items: named(shape[0]) };
  expect([...plainProblems(value, "answer"), ...(schemas ? problems(value, schema, "answer") : [])]).toEqual([]);
}

function named(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function resolve(schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const name = schema.$ref.split("/").at(-1)!;
  const found = schemas?.[name];
  if (!found) throw new Error(`The document knows no ${name}`);
  return found;
}

function problems(value: Json, given: Schema, at: string): string[] {
  const schema = resolve(given);
  if (schema.allOf) return schema.allOf.flatMap((part) => problems(value, part, at));
  if (schema.oneOf) {
    const tried = schema.oneOf.map((part) => problems(value, part, at));
    return tried.some((found) => found.length === 0) ? [] : tried[0]!;
  }
  const type = typeOf(value);
  const allowed = [schema.type ?? type].flat();
  if (!allowed.includes(type) && !(type === "integer" && allowed.includes("number"))) {
    return [`${at} is ${type}, not ${allowed.join(" or ")}`];
  }
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is ${JSON.stringify(value)}, not of the enum`];
  if (type === "string" && value !== "" && FORMATS[schema.format ?? ""]?.(value) === false) {
    return [`${at} is ${JSON.stringify(value)}, not a ${schema.format}`];
  }
  if (type === "array")
    return value.flatMap((item: Json, at_: number) => problems(item, schema.items ?? {}, `${at}[${at_}]`));
  return type === "object" ? memberProblems(value, schema, at) : [];
}

function memberProblems(value: Record<string, Json>, schema: Schema, at: string): string[] {
  const missing = (schema.required ?? []).filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const known = schema.properties?.[name] ?? schema.additionalProperties;
    return known ? problems(member, known, `${at}.${name}`) : [];
  });
  return [...missing, ...wrong];
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** What no document is needed for: ids are strings of digits, times have three decimals, and nothing is undefined. */
function plainProblems(value: Json, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => plainProblems(item, `${at}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Record<string, Json>).flatMap(([name, member]) => {
    const where = `${at}.${name}`;
    // What a status was scheduled with has ids that are numbers, and a group of notifications one; the document knows which.
    if (name === "params" || name === "most_recent_notification_id") return [];
    if (/^id$|_id$/.test(name) && member !== null && !/^-?\d+$/.test(typeof member === "string" ? member : "?")) {
      return [`${where} is ${JSON.stringify(member)}, not a string of digits`];
    }
    if (name.endsWith("_at") && name !== "last_status_at" && member !== null && !MOMENT.test(String(member))) {
      return [`${where} is ${JSON.stringify(member)}, not a moment with three decimals`];
    }
    return plainProblems(member, where);
  });
}
