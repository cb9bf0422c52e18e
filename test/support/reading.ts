import type { Answer, Client, Json } from "./client.ts";

/** The ids of a list, in its order. */
export function idsOf(list: Answer | Json[]): string[] {
  return (Array.isArray(list) ? list : list.json).map((item: Json) => item.id);
}

/** What the statuses of a list say, without their markup, in the list's order. */
export function wordsOf(list: Answer | Json[]): string[] {
  return (Array.isArray(list) ? list : list.json).map((status: Json) =>
    (status.reblog ?? status).content.replaceAll(/<[^>]*>/g, ""),
  );
}

/** What somebody is told of, the newest first. */
export async function toldOf(who: Client): Promise<string[]> {
  return (await who.get("/api/v1/notifications")).json.map(({ type }: Json) => type);
}

/** The same with who did it. */
export async function toldByWhom(who: Client): Promise<string[]> {
  const { json } = await who.get("/api/v1/notifications");
  return json.map(({ type, account }: Json) => `${type} by ${account.username}`);
}

/** What the statuses in somebody's home timeline say. */
export async function homeOf(who: Client): Promise<string[]> {
  return wordsOf(await who.get("/api/v1/timelines/home"));
}

/** How somebody stands to another. */
export async function relationship(who: Client, whom: { id: string }): Promise<Json> {
  return (await who.get(`/api/v1/accounts/relationships?id[]=${whom.id}`)).json[0];
}

/** An answer without its headers. */
export function refusal({ status, json }: Answer): { status: number; json: Json } {
  return { status, json };
}

/** What is refused for these reasons. */
export function invalid(...reasons: string[]): { status: number; json: Json } {
  return { status: 422, json: { error: `Validation failed: ${reasons.join(", ")}` } };
}

export const NOT_FOUND = { status: 404, json: { error: "Record not found" } };

/** Asks for what a Link header names. */
export function turn(reader: Client, link: URL | null): Promise<Answer> {
  return reader.get(link!.pathname + link!.search);
}

/** The addresses of a Link header by their `rel`, in its order. */
export function linksOf({ headers }: Answer): { rels: string[]; next: URL | null; prev: URL | null } {
  const found = [...(headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  const link = (rel: string) => {
    const match = found.find((candidate) => candidate[2] === rel);
    return match ? new URL(match[1]!) : null;
  };
  return { rels: found.map((match) => match[2]!), next: link("next"), prev: link("prev") };
}

/** Every page of a list, by its `next` links from the first on. */
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
