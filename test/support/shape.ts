import { expect } from "bun:test";
import type { Json } from "./client.ts";
import { mastodon, MOMENT } from "./mastodon.ts";

/**
 * Fails unless an answer is what Mastodon documents under this name (`["Status"]`: a list of them): every required field
 * there, types, null only where it may be. Ids must be digits and times have three decimals, which is not documented.
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

/** What clients rely on though it is not documented: ids are strings of digits, times have three decimals. */
function plainProblems(value: Json, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => plainProblems(item, `${at}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Record<string, Json>).flatMap(([name, member]) => {
    const where = `${at}.${name}`;
    // What a status was scheduled with has ids that are numbers, and a group of notifications one; the facts say which.
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
