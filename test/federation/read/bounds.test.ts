import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { readActivity, referredActivity } from "../../../src/federation/read/activity.ts";
import { readActor } from "../../../src/federation/read/actor.ts";
import { readCollection } from "../../../src/federation/read/collection.ts";
import type { Json } from "../../../src/federation/read/json.ts";
import { keyIdsOf, keysOf, readKeyDocument } from "../../../src/federation/read/keys.ts";
import { readAuthorization } from "../../../src/federation/read/quotes/authorization.ts";
import { readStatus } from "../../../src/federation/read/status.ts";
import { ALL, fixture, NOW, PEM } from "./fixtures.ts";

const A = "https://a.example";
const ACTOR = { id: `${A}/a`, type: "Person", preferredUsername: "a", inbox: `${A}/a/inbox` };
const NOTE = { id: `${A}/1`, type: "Note", attributedTo: ACTOR.id };
const times = <T>(count: number, item: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => item(index));

describe("Too much is truncated:", () => {
  test("content", () => {
    expect(readStatus({ ...NOTE, content: "a".repeat(100_001) }, NOW)?.contentHtml).toBe("a".repeat(100_000));
  });

  test("content, but never inside an entity", () => {
    const content = `${"a".repeat(99_995)}&hellip;`;
    expect(readStatus({ ...NOTE, content }, NOW)?.contentHtml).toBe("a".repeat(99_995));
  });

  test("a warning", () => {
    expect(readStatus({ ...NOTE, summary: "a".repeat(10_001) }, NOW)?.spoilerText).toBe("a".repeat(10_000));
  });

  test("mentions, hashtags and emoji, each after 500", () => {
    const kinds = ["Mention", "Hashtag", "Emoji"];
    const tag = times(3 * 501, (index) => ({
      type: kinds[index % 3],
      href: `${A}/${index}`,
      name: index % 3 === 1 ? `#t${index}` : `:e${index}:`,
      icon: { type: "Image", url: `${A}/${index}.png` },
    }));
    const status = readStatus({ ...NOTE, tag }, NOW)!;
    expect([status.mentions.length, status.hashtags.length, status.emojis.length]).toEqual([500, 500, 500]);
    expect(status.mentions.at(-1)?.href).toBe(`${A}/1497`);
  });

  test("attachments after 16", () => {
    const attachment = times(17, (index) => ({ type: "Image", url: `${A}/${index}.png`, name: "a".repeat(10_001) }));
    const { attachments } = readStatus({ ...NOTE, attachment }, NOW)!;
    expect(attachments.map(({ url }) => url)).toEqual(times(16, (index) => `${A}/${index}.png`));
    expect(attachments[0]?.description).toBe("a".repeat(10_000));
  });

  test("options after 100, and their titles", () => {
    const oneOf = times(101, (index) => ({ name: String(index).padEnd(2049, "a") }));
    const { poll } = readStatus({ ...NOTE, type: "Question", oneOf }, NOW)!;
    expect(poll?.options.map(({ title }) => title)).toEqual(times(100, (index) => String(index).padEnd(2048, "a")));
  });

  test("fields after 50, and their names and values", () => {
    const attachment = times(51, (index) => ({
      type: "PropertyValue",
      name: String(index).padEnd(2049, "a"),
      value: "b".repeat(10_001),
    }));
    expect(readActor({ ...ACTOR, attachment }, NOW)?.fields).toEqual(
      times(50, (index) => ({ name: String(index).padEnd(2048, "a"), valueHtml: "b".repeat(10_000) })),
    );
  });

  test("a name, but never inside a character", () => {
    expect(readActor({ ...ACTOR, name: "a".repeat(2049) }, NOW)?.displayName).toBe("a".repeat(2048));
    expect(readActor({ ...ACTOR, name: `${"a".repeat(2047)}🐦` }, NOW)?.displayName).toBe("a".repeat(2047));
    expect(readStatus({ ...NOTE, summary: `${"a".repeat(9999)}🐦` }, NOW)?.spoilerText).toBe("a".repeat(9999));
  });

  test("recipients after 1,000, aliases after 100 and items of a collection after 1,000", () => {
    const ids = times(1001, (index) => `${A}/${index}`);
    const { to, cc } = readStatus({ ...NOTE, to: ids, cc: ids }, NOW)!;
    expect([to, cc]).toEqual([ids.slice(0, 1000), ids.slice(0, 1000)]);
    expect(readActor({ ...ACTOR, alsoKnownAs: ids }, NOW)?.alsoKnownAs).toEqual(ids.slice(0, 100));
    const collection = { type: "Collection", items: ids.slice(0, 999), first: { orderedItems: [...ids, ...ids] } };
    expect(readCollection(collection)?.items).toEqual([...ids.slice(0, 999), ids[0]!]);
  });
});

test("Texts lose NUL, which cuts texts in SQLite, and lone surrogates", () => {
  const oneOf = [{ name: "a\0b\ud800c" }];
  const status = readStatus({ ...NOTE, type: "Question", content: "a\0b\udc00c", summary: "a\0b", oneOf }, NOW);
  expect(status?.poll?.options[0]?.title).toBe("ab\uFFFDc");
  expect(status).toMatchObject({ contentHtml: "ab\uFFFDc", spoilerText: "ab" });
});

test("A type with NUL or a lone surrogate is none", () => {
  for (const type of ["Create\0", "\ud800"]) {
    expect(readActivity({ id: `${A}/1`, actor: ACTOR.id, type }, NOW)).toBeNull();
    const undo = readActivity({ id: `${A}/2`, actor: ACTOR.id, type: "Undo", object: { type } }, NOW)!;
    expect(referredActivity(undo).type).toBeNull();
  }
});

/** The greatest lengths of the lists and texts of what is read, by their names. Any other text is an address. */
const LENGTHS: Record<string, number> = {
  to: 1000,
  cc: 1000,
  automatic: 1000,
  favourite: 1000,
  reply: 1000,
  reblog: 1000,
  manual: 1000,
  mentions: 500,
  hashtags: 500,
  emojis: 500,
  attachments: 16,
  options: 100,
  fields: 50,
  alsoKnownAs: 100,
  attributionDomains: 100,
  keyIds: 16,
  publicKeys: 16,
  items: 1000,
  contentHtml: 600_000,
  noteHtml: 600_000,
  valueHtml: 60_000,
  spoilerText: 10_000,
  displayName: 2048,
  name: 2048,
  title: 2048,
  option: 2048,
  written: 250,
  description: 10_000,
  avatarDescription: 10_000,
  headerDescription: 10_000,
  username: 100,
  shortcode: 128,
  pem: 16_384,
  blurhash: 200,
  language: 35,
  contentType: 255,
  type: 100,
  emoji: 130,
};
/** Texts of the lists of texts that are no addresses. */
const LISTS_OF_NAMES = new Set(["attributionDomains"]);

function checkBounds(value: unknown, name: string): void {
  if (typeof value === "number") {
    expect(Number.isFinite(value)).toBe(true);
  } else if (typeof value === "string") {
    expect(value.length).toBeLessThanOrEqual(LENGTHS[name] ?? 2048);
    expect(value.isWellFormed()).toBe(true);
    expect(value).not.toContain("\0");
    if (LENGTHS[name] === undefined) expect(value).toMatch(/^https?:\/\/[^\s/@]+/i);
  } else if (Array.isArray(value)) {
    expect(value.length).toBeLessThanOrEqual(LENGTHS[name] ?? -1);
    for (const each of value) checkBounds(each, LISTS_OF_NAMES.has(name) ? "name" : "id");
  } else if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) checkBounds(each, key);
  }
}

function checkAll(json: Json): void {
  const status = readStatus(json, NOW);
  for (const time of [status?.published, status?.updated, readActor(json, NOW)?.published]) {
    expect(time ?? NOW).toBeLessThanOrEqual(NOW);
    expect(time ?? NOW).toBeGreaterThan(0);
  }
  checkBounds(status, "status");
  checkBounds(readActor(json, NOW), "actor");
  checkBounds({ keyIds: keyIdsOf(json) }, "keys");
  for (const key of [...keysOf(json), readKeyDocument(json, `${A}/a`)]) checkBounds(key, "key");
  checkBounds(readAuthorization(json), "authorization");
  const { items = [], ...collection } = readCollection(json) ?? {};
  expect(items.length).toBeLessThanOrEqual(LENGTHS.items!);
  checkBounds(collection, "collection");
  const activity = readActivity(json, NOW);
  if (activity === null) return;
  const { raw: _, object, ...rest } = activity;
  checkBounds(rest, "activity");
  checkBounds(referredActivity(activity), "activity");
  if (object !== null) checkAll(object);
}

/** Every property that a reader looks at occurs in a fixture. */
const documents = await Promise.all(ALL.map(fixture));
const names = new Set<string>();
const texts = new Set<string>([A, `${A}/a#b`, "as:Public", PEM, "PT1S", "\ud800", "a\0b", "<p>a & b <", "1969-12-31"]);
function collect(value: unknown): void {
  if (typeof value === "string") texts.add(value);
  if (typeof value !== "object" || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name);
    collect(each);
  }
}
documents.forEach(collect);

const leaf = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  fc.string({ unit: "binary" }),
  fc.webUrl(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const anything = fc.letrec<{ value: unknown; object: Json }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, leaf, tie("object"), fc.array(tie("value"), { maxLength: 4 })),
  object: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 12 }),
}));
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as Json;

describe("Reading never fails and stays within its bounds", () => {
  test("for any JSON with the names of the vocabulary", () => {
    const types =
      "Note Question Article Page Video Event Review bw:Quotation Hike Person Create Undo Collection QuoteAuthorization".split(
        " ",
      );
    const type = fc.constantFrom(...types);
    const base = fc.record({
      id: fc.constant(`${A}/a`),
      type: fc.oneof(type, fc.array(type)),
      attributedTo: fc.constant(`${A}/a`),
      actor: fc.constant(`${A}/a`),
      inbox: fc.option(fc.constant(`${A}/inbox`), { nil: undefined }),
      preferredUsername: fc.constantFrom("a", "a.b"),
    });
    fc.assert(
      fc.property(base, anything.object, (known, more) => checkAll(asJson({ ...more, ...known }))),
      { numRuns: 500 },
    );
  });

  test("for any other JSON object", () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (json) => checkAll(asJson(json))));
  });

  test("for a fixture with any value in any place", () => {
    const change = fc.tuple(fc.nat(), anything.value);
    fc.assert(
      fc.property(fc.constantFrom(...documents), fc.array(change, { minLength: 1, maxLength: 5 }), (json, changes) => {
        const changed = structuredClone(json) as Record<string, unknown>;
        for (const [at, value] of changes) replaceAt(changed, at, value);
        checkAll(asJson(changed));
      }),
      { numRuns: 500 },
    );
  });
});

/** Replaces one of the values of a document, counted through all its levels. */
function replaceAt(json: Record<string, unknown>, at: number, value: unknown): void {
  const places: [holder: Record<string, unknown>, name: string][] = [];
  const visit = (holder: Record<string, unknown>) => {
    for (const [name, each] of Object.entries(holder)) {
      places.push([holder, name]);
      if (typeof each === "object" && each !== null) visit(each as Record<string, unknown>);
    }
  };
  visit(json);
  const place = places[at % places.length];
  if (place !== undefined) place[0][place[1]] = value;
}
