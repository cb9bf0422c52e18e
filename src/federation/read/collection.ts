import { hasType, idOf, isJson, listOf, totalOf, type Json } from "./json.ts";

export interface Collection {
  id: string | null;
  totalItems: number | null;
  /** Ids or embedded objects, also those of an embedded first page. */
  items: (string | Json)[];
  /** The page with the following items; for a collection without items, its first page. */
  next: string | null;
}

const TYPES = ["Collection", "OrderedCollection", "CollectionPage", "OrderedCollectionPage"];
const MAX_ITEMS = 1000;

/** Reads a collection or one of its pages. Null if it is none. */
export function readCollection(json: Json): Collection | null {
  if (!TYPES.some((type) => hasType(json, type))) return null;
  const first = isJson(json.first) ? json.first : {};
  const items = [...itemsOf(json), ...itemsOf(first)].slice(0, MAX_ITEMS);
  const following = idOf(json.next) ?? idOf(first.next);
  return {
    id: idOf(json),
    totalItems: totalOf(json),
    items,
    next: following ?? (items.length === 0 ? idOf(json.first) : null),
  };
}

function itemsOf(json: Json): (string | Json)[] {
  return listOf(json.orderedItems ?? json.items)
    .slice(0, MAX_ITEMS)
    .map((item) => (isJson(item) ? item : idOf(item)))
    .filter((item) => item !== null);
}
