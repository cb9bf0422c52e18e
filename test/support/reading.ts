import type { Answer, Client, Json } from "./client.ts";

/** The ids of a list, in order. */
export function idsOf(list: Answer | Json[]): string[] {
  return (Array.isArray(list) ? list : list.json).map((item: Json) => item.id);
}

/** The texts of a list's statuses without markup, in order. */
export function wordsOf(list: Answer | Json[]): string[] {
  return (Array.isArray(list) ? list : list.json).map((status: Json) =>
    (status.reblog ?? status).content.replaceAll(/<[^>]*>/g, ""),
  );
}

/** The types of a user's notifications, newest first. */
export async function notificationTypesOf(who: Client): Promise<string[]> {
  return (await who.get("/api/v1/notifications")).json.map(({ type }: Json) => type);
}

/** The types of a user's notifications with their senders. */
export async function notificationSendersOf(who: Client): Promise<string[]> {
  const { json } = await who.get("/api/v1/notifications");
  return json.map(({ type, account }: Json) => `${type} by ${account.username}`);
}

/** The texts in a user's home timeline. */
export async function homeOf(who: Client): Promise<string[]> {
  return wordsOf(await who.get("/api/v1/timelines/home"));
}

/** The relationship of a user to another account. */
export async function relationship(who: Client, target: { id: string }): Promise<Json> {
  return (await who.get(`/api/v1/accounts/relationships?id[]=${target.id}`)).json[0];
}

/** A response without its headers. */
export function refusal({ status, json }: Answer): { status: number; json: Json } {
  return { status, json };
}

/** The response to invalid parameters, with these reasons. */
export function invalid(...reasons: string[]): { status: number; json: Json } {
  return { status: 422, json: { error: `Validation failed: ${reasons.join(", ")}` } };
}

export const NOT_FOUND = { status: 404, json: { error: "Record not found" } };

/** Requests the URL of a Link header. */
export function turn(reader: Client, link: URL | null): Promise<Answer> {
  return reader.get(link!.pathname + link!.search);
}

/** The URLs of a Link header by their `rel`, in order. */
export function linksOf({ headers }: Answer): { rels: string[]; next: URL | null; prev: URL | null } {
  const found = [...(headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  const link = (rel: string) => {
    const match = found.find((candidate) => candidate[2] === rel);
    return match ? new URL(match[1]!) : null;
  };
  return { rels: found.map((match) => match[2]!), next: link("next"), prev: link("prev") };
}

/** All pages of a list, following its `next` links. */
export async function pagesOf(client: Client, path: string): Promise<Json[][]> {
  const pages: Json[][] = [];
  let next: string | null = path;
  while (next !== null && pages.length < 50) {
    const answer = await client.get(next);
    if (answer.status !== 200) throw new Error(`${next} answered ${answer.status}`);
    pages.push(answer.json);
    const link: URL | null = linksOf(answer).next;
    next = link && link.pathname + link.search;
  }
  return pages;
}
