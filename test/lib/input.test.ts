import { describe, expect, test } from "bun:test";
import { FormatRegistry, Type, type TObject, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import * as fc from "fast-check";
import { Refusal } from "../../src/errors.ts";
import {
  bool,
  decode,
  FileInput,
  id,
  ids,
  int,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
} from "../../src/lib/http/input.ts";
import { parseQuery, type Param, type Params } from "../../src/lib/http/params.ts";

const FILE = new File(["bytes"], "cat.png", { type: "image/png" });

/** The result for one field named `it`, which is left out when undefined. */
function read(schema: TSchema, given?: Param): unknown {
  const params: Params = given === undefined ? {} : { it: given };
  return (decode(object({ it: schema }), params) as { it?: unknown }).it;
}

function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Refusal && error.kind === "invalid") return error.message;
    throw error;
  }
  throw new Error("It was not refused");
}

const refused = (schema: TSchema, given?: Param) => refusal(() => read(schema, given));

describe("A boolean", () => {
  test("accepts every spelling of true that clients use", () => {
    for (const yes of [true, "true", "True", "TRUE", "1", 1, "on", "t"]) expect(read(bool(), yes)).toBe(true);
  });

  test("accepts every spelling of false that clients use", () => {
    for (const no of [false, "false", "False", "0", 0, "off", "f"]) expect(read(bool(), no)).toBe(false);
  });

  test("refuses everything else", () => {
    for (const odd of ["yes", " true", "2", 2, [], {}, FILE]) {
      expect(refused(bool(), odd)).toBe("Validation failed: It must be true or false");
    }
  });
});

describe("A number", () => {
  test("accepts numerals", () => {
    expect(read(int(), "42")).toBe(42);
    expect(read(int(), " -7 ")).toBe(-7);
    expect(read(int(), "5.0")).toBe(5);
    expect(read(number(), "-0.25")).toBe(-0.25);
    expect(read(number(), ".5")).toBe(0.5);
    expect(read(number(), "1e-7")).toBe(1e-7);
    expect(read(int(), 42)).toBe(42);
  });

  test("refuses text that only resembles a number", () => {
    for (const odd of [
      "abc",
      "1a",
      "0x10",
      ".",
      "1_000",
      "Infinity",
      "1e999",
      Infinity,
      NaN,
      true,
      [1],
      "1".repeat(41),
    ]) {
      expect(refused(number(), odd)).toBe("Validation failed: It is not a number");
    }
  });

  test("refuses fractions and unsafe integers if it must be an integer", () => {
    for (const odd of ["1.5", 1.5, "9007199254740993", 1e300]) {
      expect(refused(int(), odd)).toBe("Validation failed: It must be an integer");
    }
  });

  test("refuses values out of range", () => {
    expect(read(int({ min: 1, max: 5 }), "5")).toBe(5);
    expect(refused(int({ min: 1 }), 0)).toBe("Validation failed: It must be greater than or equal to 1");
    expect(refused(int({ max: 5 }), 6)).toBe("Validation failed: It must be less than or equal to 5");
  });

  test("is clamped to its range if the schema says so", () => {
    const limit = optional(int({ min: 1, max: 80, clamp: true }));
    expect(read(limit, "200")).toBe(80);
    expect(read(limit, "9".repeat(30))).toBe(80);
    expect(read(limit, "-3")).toBe(1);
    expect(read(limit, "20")).toBe(20);
    expect(read(limit)).toBeUndefined();
    expect(refused(limit, "many")).toBe("Validation failed: It is not a number");
  });
});

describe("A text", () => {
  test("accepts numbers and booleans", () => {
    expect(read(text({ max: 20 }), 1234567890123456)).toBe("1234567890123456");
    expect(read(text({ max: 20 }), true)).toBe("true");
  });

  test("refuses lists, objects and files", () => {
    for (const odd of [["a"], { a: "b" }, FILE]) {
      expect(refused(text({ max: 20 }), odd)).toBe("Validation failed: It is invalid");
    }
  });

  test("must not be missing or blank if required", () => {
    for (const blank of [undefined, null, "", " \t\n\u00a0\u3000"]) {
      expect(refused(text({ max: 20 }), blank)).toBe("Validation failed: It can't be blank");
    }
  });

  test("may be empty if optional, which differs from absent", () => {
    const note = optional(text({ max: 20 }));
    expect(decode(object({ note }), { note: "" })).toEqual({ note: "" });
    expect(Object.keys(decode(object({ note }), { note: null }))).toEqual([]);
    expect(Object.keys(decode(object({ note }), {}))).toEqual([]);
  });

  test("counts as absent if it is empty, optional, and may not be empty", () => {
    expect(read(optional(text({ min: 1, max: 20 })), "")).toBeUndefined();
    expect(read(optional(text({ max: 20, pattern: /^#/ })), "")).toBeUndefined();
    expect(read(optional(id()), "")).toBeUndefined();
  });

  test("must match its length and pattern", () => {
    expect(read(text({ max: 3 }), "abc")).toBe("abc");
    expect(refused(text({ max: 3 }), "abcd")).toBe("Validation failed: It is too long (maximum is 3 characters)");
    expect(refused(text({ max: 1 }), "ab")).toBe("Validation failed: It is too long (maximum is 1 character)");
    expect(refused(text({ min: 3, max: 9 }), "ab")).toBe(
      "Validation failed: It is too short (minimum is 3 characters)",
    );
    expect(read(text({ max: 7, pattern: /^#[0-9a-f]{6}$/ }), "#00ff00")).toBe("#00ff00");
    expect(refused(text({ max: 7, pattern: /^#[0-9a-f]{6}$/ }), "green")).toBe("Validation failed: It is invalid");
  });

  test("must match its registered format", () => {
    FormatRegistry.Set("shout", (value) => value === value.toUpperCase());
    expect(read(Type.String({ format: "shout" }), "HEY")).toBe("HEY");
    expect(refused(Type.String({ format: "shout" }), "hey")).toBe("Validation failed: It is invalid");
    FormatRegistry.Delete("shout");
    expect(() => read(Type.String({ format: "shout" }), "HEY")).toThrow(TypeError);
  });

  test("rejects patterns whose flags JSON Schema would lose", () => {
    expect(() => text({ max: 3, pattern: /a/i })).toThrow(TypeError);
  });
});

describe("An id", () => {
  test("stays a text, valid or not", () => {
    expect(read(id(), "110000000000000001")).toBe("110000000000000001");
    expect(read(id(), 42)).toBe("42");
    expect(read(id(), "nobody")).toBe("nobody");
  });

  test("comes in lists of at most a hundred", () => {
    expect(read(ids(), ["1", 2])).toEqual(["1", "2"]);
    const many = Array.from({ length: 101 }, (_, n) => `${n}`);
    expect(refused(ids(), many)).toBe("Validation failed: It has too many items (maximum is 100)");
  });
});

describe("An enum", () => {
  const policy = oneOf(["followed", "list", "none"]);

  test("accepts its values", () => {
    expect(read(policy, "list")).toBe("list");
    expect(read(Type.Union([Type.Literal(3600), Type.Literal(7200)]), "7200")).toBe(7200);
    expect(read(Type.Literal("code"), "code")).toBe("code");
  });

  test("refuses other values with Mastodon's message", () => {
    expect(refusal(() => decode(object({ replies_policy: policy }), { replies_policy: "all" }))).toBe(
      "'all' is not a valid replies_policy",
    );
    expect(refused(policy, "x".repeat(5000))).toBe(`'${"x".repeat(50)}' is not a valid it`);
    expect(refused(policy, ["list"])).toBe("Validation failed: It is invalid");
  });

  test("treats unknown values as absent if the schema is lenient", () => {
    expect(read(optional(oneOf(["a", "b"], { lenient: true })), "c")).toBeUndefined();
    expect(read(oneOf(["a", "b"], { lenient: true, default: "a" }), "c")).toBe("a");
    expect(refused(oneOf(["a", "b"], { lenient: true }), "c")).toBe("Validation failed: It can't be blank");
    expect(read(list(oneOf(["a", "b"], { lenient: true })), ["a", "c", {}, "b"])).toEqual(["a", "b"]);
  });

  test("is absent when empty, unless the empty text is one of its values", () => {
    expect(read(optional(policy), "")).toBeUndefined();
    expect(read(optional(oneOf(["", "a"])), "")).toBe("");
  });
});

describe("A list", () => {
  const words = list(text({ max: 9 }));

  test("may be given as its only item", () => {
    expect(read(words, "a")).toEqual(["a"]);
    expect(read(list(bool()), false)).toEqual([false]);
    expect(read(list(object({ name: text({ max: 9 }) })), { name: "a" })).toEqual([{ name: "a" }]);
  });

  test("may have numbers as keys, which set its order", () => {
    expect(read(words, { 10: "c", 9: "b", "01": "a" })).toEqual(["a", "b", "c"]);
    expect(read(list(object({ name: text({ max: 9 }) })), { 1: { name: "b" }, 0: { name: "a" } })).toEqual([
      { name: "a" },
      { name: "b" },
    ]);
  });

  test("of any length survives a query with numbered keys in any order", () => {
    const items = fc.array(
      fc.string({ minLength: 1, maxLength: 9 }).filter((item) => /\S/.test(item)),
      { minLength: 1 },
    );
    const shuffled = items.chain((values) =>
      fc.tuple(fc.constant(values), fc.shuffledSubarray([...values.keys()], { minLength: values.length })),
    );
    fc.assert(
      fc.property(shuffled, ([values, order]) => {
        const search = order.map((n) => `it[${n}]=${encodeURIComponent(values[n]!)}`).join("&");
        expect(decode(object({ it: words }), parseQuery(search))).toEqual({ it: values });
      }),
    );
  });

  test("drops empty items, so that a[]= means an empty list", () => {
    const fields = object({ it: optional(words) });
    expect(decode(fields, parseQuery("it[]="))).toEqual({ it: [] });
    expect(decode(fields, { it: [] })).toEqual({ it: [] });
    expect(decode(fields, { it: ["a", null, " ", "b"] })).toEqual({ it: ["a", "b"] });
    expect(decode(fields, { it: "" })).toEqual({});
    expect(decode(fields, {})).toEqual({});
  });

  test("must match its length", () => {
    expect(refused(list(int(), { max: 2 }), [1, 2, 3])).toBe("Validation failed: It has too many items (maximum is 2)");
    expect(refused(list(int(), { min: 2 }), [1])).toBe("Validation failed: It has too few items (minimum is 2)");
    expect(refused(list(int(), { min: 1 }), [])).toBe("Validation failed: It can't be blank");
    expect(refused(list(int()))).toBe("Validation failed: It can't be blank");
  });

  test("is named once in the error, however many items are wrong", () => {
    expect(refused(list(int()), ["a", "b", "c"])).toBe("Validation failed: It is not a number");
  });
});

describe("A file", () => {
  test("refuses everything else", () => {
    expect(read(FileInput, FILE)).toBe(FILE);
    for (const odd of ["data:image/png;base64,AAAA", 1, ["a"], {}]) {
      expect(refused(FileInput, odd)).toBe("Validation failed: It is not a file");
    }
    expect(read(optional(FileInput), "")).toBeUndefined();
  });
});

describe("An object", () => {
  const Filter = object({
    title: text({ max: 100 }),
    expires_in: optional(int({ min: 0 })),
    keywords_attributes: optional(
      list(object({ id: optional(id()), keyword: optional(text({ max: 5 })), _destroy: optional(bool()) })),
    ),
    poll: optional(object({ options: list(text({ max: 5 }), { min: 2 }) })),
  });

  test("is read from a form as in Rails", () => {
    const form =
      "title=Spoilers&expires_in=&keywords_attributes[][id]=7&keywords_attributes[][_destroy]=1" +
      "&keywords_attributes[][id]=8&keywords_attributes[][keyword]=new&utf8=✓";
    const filter = decode(Filter, parseQuery(form));
    // The type checker verifies these lines, too.
    const title: string = filter.title;
    const expiry: number | undefined = filter.expires_in;
    expect([title, expiry]).toEqual(["Spoilers", undefined]);
    expect(filter).toEqual({
      title: "Spoilers",
      keywords_attributes: [
        { id: "7", _destroy: true },
        { id: "8", keyword: "new" },
      ],
    });
  });

  test("drops unknown keys", () => {
    expect(Object.keys(decode(object({ a: optional(int()) }), { a: 1, b: 2 }))).toEqual(["a"]);
  });

  test("reports every wrong field by its Rails name", () => {
    const wrong = { expires_in: "soon", keywords_attributes: [{ keyword: "too long" }], poll: { options: ["a"] } };
    expect(refusal(() => decode(Filter, wrong))).toBe(
      "Validation failed: Title can't be blank, Expires in is not a number, " +
        "Keywords attributes keyword is too long (maximum is 5 characters), " +
        "Poll options has too few items (minimum is 2)",
    );
    expect(refusal(() => decode(object({ account_id: id() }), {}))).toBe("Validation failed: Account can't be blank");
    expect(refusal(() => decode(object({ _destroy: bool() }), {}))).toBe("Validation failed: Destroy can't be blank");
  });

  test("refuses texts and lists", () => {
    expect(refused(object({}), "a")).toBe("Validation failed: It is invalid");
    expect(refused(object({}), ["a"])).toBe("Validation failed: It is invalid");
  });

  test("inherits nothing from its input", () => {
    expect(Object.keys(decode(object({ toString: optional(text({ max: 99 })) }), parseQuery("a=1")))).toEqual([]);
    expect(decode(object({ b: optional(int()) }), parseQuery("__proto__[b]=1"))).toEqual({});
  });
});

describe("A default", () => {
  test("replaces absent, blank and unknown values, and never wrong ones", () => {
    expect(read(int({ max: 5, default: 3 }))).toBe(3);
    expect(read(int({ max: 5, default: 3 }), "")).toBe(3);
    expect(read(int({ max: 5, default: 3 }), "4")).toBe(4);
    expect(read(bool({ default: true }), null)).toBe(true);
    expect(read(text({ max: 5, default: "a" }), " ")).toBe("a");
    expect(refused(int({ max: 5, default: 3 }), "6")).toMatch(/less than or equal to 5/);
  });

  test("is a new object each time", () => {
    const schema = object({ it: Type.Array(Type.String(), { default: ["a"] }) });
    decode(schema, {}).it.push("b");
    expect(decode(schema, {}).it).toEqual(["a"]);
  });
});

test("an unsupported schema throws a TypeError rather than a refusal", () => {
  for (const unknown of [Type.Any(), Type.Date(), Type.Union([Type.String(), Type.Number()])]) {
    expect(() => read(unknown, "a")).toThrow(TypeError);
  }
});

describe("Arbitrary input", () => {
  const bounds = fc.tuple(fc.integer({ min: -3, max: 5 }), fc.integer({ min: 0, max: 5 })).map(([min, extra]) => ({
    min,
    max: min + extra,
  }));
  const sizes = fc.tuple(fc.nat(3), fc.nat(5)).map(([min, extra]) => ({ min, max: min + extra }));
  const word = fc.constantFrom("", "a", "true", "0", "1", "-2", "3.5", "1e3", " ", "#0f0", "x".repeat(9), "public");
  const { schema } = fc.letrec<{ schema: TSchema; fields: TObject; field: TSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<TSchema>(bool(), int(), number(), id(), FileInput, text({ max: 4, pattern: /^[a-z#]/ })),
      fc.tuple(bounds, fc.boolean()).map(([bound, clamp]) => int({ ...bound, clamp })),
      fc.tuple(bounds, fc.boolean()).map(([bound, clamp]) => number({ ...bound, clamp })),
      sizes.map((size) => text(size)),
      fc
        .tuple(fc.uniqueArray(word, { minLength: 1 }), fc.boolean())
        .map(([words, lenient]) => oneOf(words, { lenient })),
      fc.tuple(tie("schema"), sizes).map(([item, size]) => list(item, size)),
      tie("fields"),
    ),
    field: fc.tuple(tie("schema"), fc.boolean()).map(([inner, may]) => (may ? optional(inner) : inner)),
    fields: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("field")).map((fields) => object(fields)),
  }));
  const { given } = fc.letrec<{ given: Param; params: Params }>((tie) => ({
    given: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.constantFrom<Param[]>(null, true, false, FILE, NaN, Infinity, 1e300),
      fc.integer({ min: -5, max: 10 }),
      fc.double(),
      fc.string({ unit: "binary" }),
      fc.array(tie("given")),
      tie("params"),
    ),
    params: fc.dictionary(fc.constantFrom("a", "b", "c", "0", "1", "10", "x"), tie("given")),
  }));

  function expectFiles(inner: TSchema, value: unknown): void {
    if (inner.format === "binary") expect(value).toBeInstanceOf(File);
    if (inner.type === "array") (value as unknown[]).forEach((item) => expectFiles(inner.items as TSchema, item));
    if (inner.type !== "object") return;
    for (const [key, field] of Object.entries(value as object)) expectFiles(inner.properties[key] as TSchema, field);
  }

  test("is decoded if TypeBox finds it valid, and refused otherwise", () => {
    let returned = 0;
    let refusals = 0;
    fc.assert(
      fc.property(schema, given, (inner, value) => {
        const whole = object({ it: inner });
        try {
          const decoded = decode(whole, { it: value });
          expect([...Value.Errors(whole, decoded)]).toEqual([]);
          expect(Value.Check(whole, decoded)).toBe(true);
          expectFiles(whole, decoded);
          returned++;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          refusals++;
        }
      }),
      { numRuns: 3000 },
    );
    expect(returned).toBeGreaterThan(100);
    expect(refusals).toBeGreaterThan(100);
  });
});
