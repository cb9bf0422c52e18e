import { expect } from "bun:test";
import type { Json } from "./client.ts";
import { mastodon, MOMENT } from "./mastodon.ts";

/**
 * Checks that a value matches the entity in Mastodon's documentation (`["Status"]` for a list): all required fields,
 * types, and null only where allowed. Ids must be digits and times have three decimals, which is not documented.
 */
export function expectShape(value: Json, shape: string | [string]): void {
  const problems = typeof shape === "string" ? problemsOf(value, shape) : listProblems(value, shape[0]);
  expect([...plainProblems(value, "answer"), ...problems]).toEqual([]);
}

function problemsOf(value: Json, name: string): string[] {
  return mastodon.entityProblems(value, name);
}

function listProblems(value: Json, name: string): string[] {
  return Array.isArray(value) ? value.flatMap((item) => problemsOf(item, name)) : ["is not a list"];
}

/** Undocumented rules that clients rely on: ids are strings of digits, times have three decimals. */
function plainProblems(value: Json, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => plainProblems(item, `${at}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Record<string, Json>).flatMap(([name, member]) => {
    const where = `${at}.${name}`;
    // The facts know these exceptions: parameters of a scheduled status and a notification group have numeric ids.
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
