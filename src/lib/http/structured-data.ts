/** The schema.org properties of an article or a page in JSON-LD that previews use. */
export interface StructuredData {
  headline: string;
  description: string;
  language: string;
  authorName: string;
  authorUrl: string;
  publisherName: string;
  image: string;
  published: string;
}

type Item = Record<string, unknown>;

const MAX_ITEMS = 200;
/** Comments that some publishing systems wrap around the JSON, for XHTML. */
const COMMENTS =
  /^\s*(?:\/\*\s*<!\[CDATA\[\s*\*\/|\/\/\s*<!\[CDATA\[|<!--)|(?:\/\*\s*\]\]>\s*\*\/|\/\/\s*\]\]>|-->)\s*$/g;

/** The first article in a page's blocks of JSON-LD, otherwise the first page; null if there is neither. */
export function readStructuredData(blocks: readonly string[]): StructuredData | null {
  const items = blocks.flatMap(itemsOf).slice(0, MAX_ITEMS);
  const found = items.find(isArticle) ?? items.find(isPage);
  if (!found) return null;
  const byId = new Map(items.map((item) => [text(item["@id"]), item]));
  const author = firstObject(found["author"], byId);
  const publisher = firstObject(found["publisher"], byId);
  const language = firstObject(found["inLanguage"], byId);
  const image = firstObject(found["image"], byId);
  return {
    headline: text(found["headline"]),
    description: text(found["description"]),
    language: text(language["alternateName"]) || text(language["name"]),
    authorName: text(author["name"]),
    authorUrl: text(author["url"]),
    publisherName: text(publisher["name"]),
    image: text(image["url"]) || text(image["contentUrl"]) || text(image["name"]),
    published: text(found["datePublished"]),
  };
}

/** The items of a block, which is an item, a list of items, or contains a graph of items. */
function itemsOf(block: string): Item[] {
  const value = parse(block.replace(COMMENTS, ""));
  const roots = (Array.isArray(value) ? value : [value]).slice(0, MAX_ITEMS).filter(isItem);
  return roots.flatMap((root) => {
    const graph = root["@graph"];
    return Array.isArray(graph) ? [root, ...graph.slice(0, MAX_ITEMS).filter(isItem)] : [root];
  });
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typesOf(item: Item): string[] {
  return [item["@type"]].flat().filter((type) => typeof type === "string");
}

/** NewsArticle, TechArticle and other subtypes of Article, and BlogPosting. */
function isArticle(item: Item): boolean {
  return typesOf(item).some((type) => /(?:Article|BlogPosting)$/.test(type));
}

function isPage(item: Item): boolean {
  return typesOf(item).includes("WebPage");
}

/** The first value of a property as an item. A text becomes an item of that name; a reference by `@id` is resolved. */
function firstObject(value: unknown, byId: ReadonlyMap<string, Item>): Item {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === "string") return { name: first };
  if (!isItem(first)) return {};
  const id = text(first["@id"]);
  return id && first["name"] === undefined && first["url"] === undefined ? (byId.get(id) ?? first) : first;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
