import type { Context } from "../../context.ts";
import { isSameOrigin } from "../documents.ts";
import { readCollection } from "../read/collection.ts";
import type { Json } from "../read/json.ts";
import { FetchError, fetchDocument } from "./fetch.ts";

/** Pages of one collection. */
const MAX_PAGES = 50;

/**
 * The items of a collection, page by page, until the caller has enough. `collection` is its address or its document.
 * All pages must be on the collection's own server: anything else would speak for it. Ends where a page is missing, or
 * was there before.
 */
export async function* itemsOf(ctx: Context, collection: string | Json, owner: string): AsyncGenerator<string | Json> {
  const seen = new Set<string>();
  let next: string | Json | null = collection;
  while (next !== null && seen.size < MAX_PAGES) {
    const page = await pageAt(ctx, next, owner, seen);
    if (!page) return;
    yield* page.items;
    next = page.next;
  }
}

async function pageAt(ctx: Context, at: string | Json, owner: string, seen: Set<string>) {
  if (typeof at !== "string") return readCollection(at);
  if (seen.has(at) || !isSameOrigin(at, owner)) return null;
  seen.add(at);
  try {
    return readCollection(await fetchDocument(ctx, at));
  } catch (error) {
    if (error instanceof FetchError) return null;
    throw error;
  }
}
