import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { Refusal, type RefusalKind } from "../../src/errors.ts";
import {
  hasBody,
  isParams,
  parseQuery,
  readParams,
  searchOf,
  type Param,
  type Params,
} from "../../src/lib/http/params.ts";

const LIMIT = 10_000;
const ADDRESS = "http://localhost/api/v1/things";

function post(
  body: string | FormData | URLSearchParams | Blob | ReadableStream | null,
  type?: string,
  search = "",
): Promise<Params> {
  const request = new Request(ADDRESS + search, { method: "POST", body });
  // A Request sets a content type by itself, but most of these tests are about missing or unusual ones.
  if (type !== undefined) request.headers.set("content-type", type);
  return readParams(request, LIMIT);
}

function untyped(body: string): Promise<Params> {
  const request = new Request(ADDRESS, { method: "POST", body });
  request.headers.delete("content-type");
  return readParams(request, LIMIT);
}

function json(body: unknown): Promise<Params> {
  return post(typeof body === "string" ? body : JSON.stringify(body), "application/json");
}

function form(...fields: [string, string | File][]): FormData {
  const data = new FormData();
  for (const [key, value] of fields) {
    if (typeof value === "string") data.append(key, value);
    else data.append(key, value, value.name);
  }
  return data;
}

async function refused(attempt: () => unknown): Promise<{ kind: RefusalKind; message: string }> {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: error.kind, message: error.message };
  }
  throw new Error("It was not refused");
}

describe("A query string", () => {
  const meanings: [string, string, unknown][] = [
    ["is empty without parameters", "", {}],
    ["may begin with its question mark", "?a=1", { a: "1" }],
    ["returns texts", "limit=20&max_id=123", { limit: "20", max_id: "123" }],
    ["distinguishes an empty value from a bare name", "a=&b", { a: "", b: null }],
    ["keeps the last of repeated plain values", "a=1&a=2", { a: "2" }],
    ["gathers a[] into a list", "a[]=1&a[]=2", { a: ["1", "2"] }],
    ["may have encoded brackets", "a%5B%5D=1&b%5Bc%5D=2", { a: ["1"], b: { c: "2" } }],
    ["nests a[b][c]", "a[b][c]=1&a[b][d]=2", { a: { b: { c: "1", d: "2" } } }],
    ["keeps lists inside of objects", "poll[options][]=x&poll[options][]=y", { poll: { options: ["x", "y"] } }],
    ["keeps the numbers of a[0] as keys", "a[1]=y&a[0]=x", { a: { 0: "x", 1: "y" } }],
    [
      "starts a new element of a[][b] if the last one already has a b",
      "f[][name]=n1&f[][value]=v1&f[][name]=n2&f[][value]=v2",
      {
        f: [
          { name: "n1", value: "v1" },
          { name: "n2", value: "v2" },
        ],
      },
    ],
    ["adds deep keys to the same element", "k[][a][b]=1&k[][a][c]=2", { k: [{ a: { b: "1", c: "2" } }] }],
    [
      "starts an element at a repeated deep key",
      "k[][a][b]=1&k[][a][b]=2",
      { k: [{ a: { b: "1" } }, { a: { b: "2" } }] },
    ],
    ["gathers a list inside of one element", "k[][a][]=1&k[][a][]=2", { k: [{ a: ["1", "2"] }] }],
    ["replaces nested values with a later plain value", "a[b]=1&a=2", { a: "2" }],
    ["nests values under a bare name", "a&a[b]=1", { a: { b: "1" } }],
    ["decodes plus signs and UTF-8", "q=a+b%2Bc%C3%A9", { q: "a b+cé" }],
    ["keeps malformed percent-encoding as it is", "q=100%&r=%zz&s=%ff", { q: "100%", r: "%zz", s: "%ff" }],
    ["drops NUL characters, in names too", "a%00b=x%00y", { ab: "xy" }],
    [
      "takes a name with unmatched brackets literally",
      "a[b=1&c]=2&[]=3&d[e]f[g]=4",
      { "a[b": "1", "c]": "2", "[]": "3", "d[e]f[g]": "4" },
    ],
    ["ignores pairs without a name", "&&=1&a=2&", { a: "2" }],
    ["keeps equals signs in values", "a=b=c", { a: "b=c" }],
    [
      "ignores the names of object internals",
      "__proto__=1&a[constructor]=2&a[b][prototype][c]=3&a[][__proto__]=4&d=5",
      { d: "5" },
    ],
  ];
  test.each(meanings)("%s", (_, search, meaning) => {
    expect(parseQuery(search)).toEqual(meaning as Params);
  });

  const refusals: [string, string, RegExp][] = [
    ["uses one name for a value and an object", "a=1&a[b]=2", /^Parameter a is given in two conflicting forms/],
    ["uses one name for a value and a list", "a=1&a[]=2", /^Parameter a is given in two conflicting forms/],
    ["uses one name for a list and an object", "a[]=1&a[b]=2", /^Parameter a is given in two conflicting forms/],
    ["has a conflict between nested names", "x[y]=1&x[y][z]=2", /^Parameter y is given in two conflicting forms/],
    ["has a conflict inside of a list", "a[][b]=1&a[][b][c]=2", /^Parameter b is given in two conflicting forms/],
    ["puts a list directly inside of a list", "a[][]=1", /directly inside lists/],
    ["nests deeper than eight levels", `a${"[b]".repeat(8)}=1`, /more than 8 levels/],
    ["has a name of over 200 characters", `${"a".repeat(201)}=1`, /longer than 200 characters/],
    ["has over a thousand pairs", "a=1&".repeat(1001), /more than 1000 parameters/],
  ];
  test.each(refusals)("is refused when it %s", async (_, search, sentence) => {
    const { kind, message } = await refused(() => parseQuery(search));
    expect(kind).toBe("bad_request");
    expect(message).toMatch(sentence);
  });

  test("may reach the limits of depth, length and number", () => {
    expect(Object.keys(parseQuery(`a${"[b]".repeat(7)}=1`))).toEqual(["a"]);
    expect(Object.keys(parseQuery(`${"a".repeat(200)}=1`))).toHaveLength(1);
    expect(parseQuery(Array.from({ length: 1000 }, (_, n) => `a[]=${n}`).join("&"))["a"]).toHaveLength(1000);
  });

  test("is found in URLs with or without query and fragment", () => {
    expect(searchOf("http://localhost/a")).toBe("");
    expect(searchOf("http://localhost/a?b[]=1&c=?")).toBe("b[]=1&c=?");
    expect(searchOf("http://localhost/a?b=1#c")).toBe("b=1");
  });
});

describe("A request body", () => {
  test("means the same as form, multipart and JSON", async () => {
    const meaning = { status: "hé", media_ids: ["1", "2"], poll: { options: ["a", "b"], multiple: "true" } };
    const pairs: [string, string][] = [
      ["status", "hé"],
      ["media_ids[]", "1"],
      ["media_ids[]", "2"],
      ["poll[options][]", "a"],
      ["poll[options][]", "b"],
      ["poll[multiple]", "true"],
    ];
    expect(await post(new URLSearchParams(pairs))).toEqual(meaning);
    expect(await post(form(...pairs))).toEqual(meaning);
    expect(await json(meaning)).toEqual(meaning);
  });

  test("is recognised by its first character if it has no content type or text/plain", async () => {
    expect(await untyped(' {"a":1}')).toEqual({ a: 1 });
    expect(await untyped("a[]=1&b=2")).toEqual({ a: ["1"], b: "2" });
    expect(await untyped(" ")).toEqual({});
    expect(await post('{"a":1}', "text/plain;charset=UTF-8")).toEqual({ a: 1 });
  });

  test("keeps JSON's numbers, booleans and nulls", async () => {
    const body = { a: 1.5, b: true, c: null, d: [{ e: false }] };
    expect(await json(body)).toEqual(body);
  });

  test("is parsed whatever the case and the parameters of its content type", async () => {
    expect(await post('{"a":1}', "Application/JSON; charset=utf-8")).toEqual({ a: 1 });
    expect(await post('{"a":1}', "application/activity+json")).toEqual({ a: 1 });
    expect(await post("a=1", "application/x-www-form-urlencoded; charset=UTF-8")).toEqual({ a: "1" });
  });

  test("is ignored if its type holds no parameters", async () => {
    expect(await post("a=1", "image/png", "?b=2")).toEqual({ b: "2" });
  });

  test("may be empty, whatever its type", async () => {
    expect(await post(null)).toEqual({});
    expect(await json("")).toEqual({});
    expect(await post("", "application/x-www-form-urlencoded")).toEqual({});
  });

  test("overrides the query, for each top-level name", async () => {
    const params = await post('{"a":{"x":1},"b":2}', "application/json", "?a[y]=3&c=4");
    expect(params).toEqual({ a: { x: 1 }, b: 2, c: "4" });
  });

  test("is ignored in GET requests, and if no length is declared", () => {
    expect(hasBody(new Request(ADDRESS))).toBe(false);
    expect(hasBody(new Request(ADDRESS, { headers: { "content-length": "3" } }))).toBe(false);
    expect(hasBody(new Request(ADDRESS, { method: "POST" }))).toBe(false);
    expect(hasBody(new Request(ADDRESS, { method: "POST", headers: { "content-length": "0" } }))).toBe(false);
    expect(hasBody(new Request(ADDRESS, { method: "DELETE", body: "a=1" }))).toBe(true);
  });

  test("returns files as files, next to texts", async () => {
    const file = new File(["bytes"], "cat.png", { type: "image/png" });
    const params = await post(form(["file", file], ["description", "A\0 cat"]));
    expect(params["description"]).toBe("A cat");
    const received = params["file"] as File;
    expect(received).toBeInstanceOf(File);
    expect([received.name, received.type, await received.text()]).toEqual(["cat.png", "image/png", "bytes"]);
  });

  test("has no file if a file input was left empty", async () => {
    const part = 'Content-Disposition: form-data; name="avatar"; filename=""\r\nContent-Type: application/octet-stream';
    const params = await post(`--x\r\n${part}\r\n\r\n\r\n--x--\r\n`, "multipart/form-data; boundary=x");
    expect(params).toEqual({});
  });

  const malformed: [string, string, string | undefined, RegExp][] = [
    ["is broken JSON", '{"a":', "application/json", /not valid JSON/],
    ["is a JSON list", "[1]", "application/json", /must be a JSON object/],
    ["is JSON null", "null", "application/json", /must be a JSON object/],
    ["starts like JSON but isn't", "{a=1", "text/plain", /not valid JSON/],
    [
      "is a multipart form without an end",
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
      "multipart/form-data; boundary=x",
      /not valid multipart/,
    ],
    ["is a multipart form without a boundary", "--x--\r\n", "multipart/form-data", /not valid multipart/],
    ["is JSON nested too deep", `${'{"a":'.repeat(9)}1${"}".repeat(9)}`, "application/json", /more than 8 levels/],
    [
      "is JSON with lists nested too deep",
      `{"a":${"[".repeat(4000)}${"]".repeat(4000)}}`,
      "application/json",
      /more than 8 levels/,
    ],
    [
      "is JSON with too many values",
      JSON.stringify({ a: Array.from({ length: 1001 }, () => 1) }),
      "application/json",
      /more than 1000/,
    ],
    ["is JSON with an overlong name", JSON.stringify({ ["a".repeat(201)]: 1 }), "application/json", /longer than 200/],
  ];
  test.each(malformed)("is refused when it %s", async (_, body, type, sentence) => {
    const { kind, message } = await refused(() => post(body, type));
    expect(kind).toBe("bad_request");
    expect(message).toMatch(sentence);
  });

  test("may have eight levels of JSON, any number of times", async () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(6)}1${"}".repeat(6)}`);
    const body = { a: Array.from({ length: 20 }, () => deep), b: Array.from({ length: 20 }, () => [1]) };
    expect(await json(body)).toEqual(body as Params);
  });

  test("is refused when a multipart form has over a thousand parts", async () => {
    const many = Array.from({ length: 1001 }, (): [string, string] => ["a[]", "1"]);
    const request = new Request(ADDRESS, { method: "POST", body: form(...many) });
    expect((await refused(() => readParams(request, 1_000_000))).message).toMatch(/more than 1000/);
  });

  test("cannot contain JSON keys that reach an object's prototype, NUL, or half a surrogate pair", async () => {
    const params = await json('{"__proto__":{"admin":true},"a":{"constructor":1,"b":"x\\u0000y\\ud800"}}');
    expect(params).toEqual({ a: { b: "xy\ufffd" } });
    expect(Object.getPrototypeOf(params)).toBeNull();
    expect(params["admin"]).toBeUndefined();
  });
});

describe("A request body that is too large", () => {
  test("is refused unread if it declares its length", async () => {
    const headers = { "content-length": String(LIMIT + 1) };
    const request = new Request(ADDRESS, { method: "POST", headers, body: "a=1" });
    expect((await refused(() => readParams(request, LIMIT))).kind).toBe("too_large");
    expect(request.bodyUsed).toBe(false);
  });

  for (const type of ["application/json", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"]) {
    test(`is refused during reading if it declares no length (${type})`, async () => {
      let sent = 0;
      let cancelled = false;
      const long = new ReadableStream({
        pull(controller) {
          sent += 1000;
          controller.enqueue(new Uint8Array(1000).fill(97));
          if (sent === LIMIT * 10) controller.close();
        },
        cancel() {
          cancelled = true;
        },
      });
      const request = new Request(ADDRESS, { method: "POST", body: long, headers: { "content-type": type } });
      expect((await refused(() => readParams(request, LIMIT))).kind).toBe("too_large");
      expect(sent).toBeLessThan(LIMIT * 3);
      expect(cancelled).toBe(true);
    });
  }

  test("has more than exactly the allowed size", async () => {
    const request = new Request(ADDRESS, { method: "POST", body: `a=${"b".repeat(98)}` });
    expect((await readParams(request, 100))["a"]).toHaveLength(98);
  });

  test("returns a clear error when the stream breaks", async () => {
    const broken = new ReadableStream({
      pull() {
        throw new Error("connection lost");
      },
    });
    const request = new Request(ADDRESS, { method: "POST", body: broken });
    expect((await refused(() => readParams(request, LIMIT))).kind).toBe("bad_request");
  });
});

test("a real server reads bodies with a declared length and chunked bodies alike", async () => {
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      Response.json({ chunked: request.headers.get("content-length") === null, ...(await readParams(request, LIMIT)) }),
  });
  const chunks = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const text of ["a[b]=1&", "a[c]=2"]) controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const send = async (init: RequestInit): Promise<unknown> => (await fetch(`${server.url}x?d[]=3`, init)).json();
  const meaning = { a: { b: "1", c: "2" }, d: ["3"] };
  expect(await send({ method: "PUT", headers, body: "a[b]=1&a[c]=2" })).toEqual({ chunked: false, ...meaning });
  expect(await send({ method: "PUT", headers, body: chunks() })).toEqual({ chunked: true, ...meaning });
  expect(await send({ method: "DELETE" })).toMatchObject({ d: ["3"] });
});

describe("Arbitrary input", () => {
  /** Any value that brackets can express: no empty lists or objects, and elements with identical keys. */
  const name = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
    .filter((text) => !/[[\]\0]/.test(text) && text !== "__proto__" && text !== "constructor" && text !== "prototype");
  const leaf = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
  const elements = fc
    .tuple(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 4 }))
    .chain(([keys, length]) =>
      fc
        .array(fc.tuple(...keys.map(() => leaf)), { minLength: length, maxLength: length })
        .map((rows) => rows.map((row) => objectFrom(keys.map((key, at) => [key, row[at]!])))),
    );
  const { tree } = fc.letrec<{ tree: Params; value: Param }>((tie) => ({
    tree: fc
      .uniqueArray(fc.tuple(name, tie("value")), { selector: ([key]) => key, minLength: 1, maxLength: 4 })
      .map(objectFrom),
    value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(leaf, { minLength: 1, maxLength: 4 }), elements, tie("tree")),
  }));

  function objectFrom(entries: [string, Param][]): Params {
    return Object.assign(Object.create(null), Object.fromEntries(entries)) as Params;
  }

  function encode(value: Param, path: string, brackets: "raw" | "encoded"): string[] {
    const step = (inner: string) => (brackets === "raw" ? `${path}[${inner}]` : `${path}%5B${inner}%5D`);
    if (Array.isArray(value)) return value.flatMap((item) => encode(item, step(""), brackets));
    if (!isParams(value)) return [`${path}=${encodeURIComponent(value as string)}`];
    return Object.entries(value).flatMap(([key, inner]) => {
      const word = encodeURIComponent(key);
      return encode(inner, path === "" ? word : step(word), brackets);
    });
  }

  test("survives encoding and parseQuery()", () => {
    fc.assert(
      fc.property(tree, fc.constantFrom("raw", "encoded"), (value, brackets) => {
        expect(parseQuery(encode(value, "", brackets).join("&"))).toEqual(value);
      }),
    );
  });

  const fragments = [
    "a",
    "b",
    "0",
    "[",
    "]",
    "[]",
    "[b]",
    "[0]",
    "%5B",
    "%5D",
    "=",
    "&",
    "&",
    "+",
    "%",
    "%zz",
    "%00",
    "%E2",
  ];
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom(...fragments, "__proto__", "constructor", "prototype", "toString", "[__proto__]"), {
        maxLength: 40,
      })
      .map((parts) => parts.join("")),
  );

  function expectHarmless(value: Param): void {
    if (Array.isArray(value)) value.forEach(expectHarmless);
    if (!isParams(value)) return;
    expect(Object.getPrototypeOf(value)).toBeNull();
    for (const [key, inner] of Object.entries(value)) {
      expect(["__proto__", "constructor", "prototype"]).not.toContain(key);
      expectHarmless(inner);
    }
  }

  test("makes parseQuery() throw only a Refusal, and never touches a prototype", () => {
    const before = [Object.prototype, Array.prototype, String.prototype].map((owner) => Reflect.ownKeys(owner));
    fc.assert(
      fc.property(hostile, (search) => {
        try {
          expectHarmless(parseQuery(search));
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
    expect([Object.prototype, Array.prototype, String.prototype].map((owner) => Reflect.ownKeys(owner))).toEqual(
      before,
    );
  });

  test("makes a JSON body throw only a Refusal, and never touches a prototype", async () => {
    const text = fc.oneof(
      fc.json(),
      fc.json().map((inner) => `{"__proto__":${inner},"a":${inner}}`),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        try {
          expectHarmless(await json(body));
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }),
    );
  });
});
