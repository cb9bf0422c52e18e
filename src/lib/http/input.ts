import {
  FormatRegistry,
  Kind,
  OptionalKind,
  Type,
  type Static,
  type TArray,
  type TInteger,
  type TLiteral,
  type TLiteralValue,
  type TNumber,
  type TObject,
  type TSchema,
  type TString,
  type TUnion,
} from "@sinclair/typebox";
import { Refusal, validationFailed } from "../../errors.ts";
import { isParams, type Param, type Params } from "./params.ts";

const TRUE_WORDS = new Set(["true", "1", "on", "t"]);
const FALSE_WORDS = new Set(["false", "0", "off", "f"]);
const NUMERAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const MAX_NUMERAL_LENGTH = 40;
const SHOWN_VALUE_LENGTH = 50;

type Decoded = string | number | boolean | File | Decoded[] | { [key: string]: Decoded };

/** The path of keys to the current field, and the problems found so far. */
interface Progress {
  trail: string[];
  problems: Set<string>;
}

/**
 * Decodes the parameters of a request by a schema, as tolerantly as Rails. Supports the schemas that the builders below
 * create, with these keywords: minLength, maxLength, pattern, format, minimum, maximum, minItems, maxItems, default;
 * `lenient` on an enum makes an unknown value absent, `clamp` on a number moves it into its bounds.
 *
 * Absent are: a missing key, null, an empty text for a field that is not a text or an optional text that may not be
 * empty, a blank text for a required text, and in lists every such item (`media_ids[]=` is an empty list).
 *
 * @throws Refusal with Rails' messages. TypeError for any other kind of schema, which is a bug.
 */
export function decode<Schema extends TObject>(schema: Schema, params: Params): Static<Schema> {
  const progress: Progress = { trail: [], problems: new Set() };
  const value = readObject(schema, params, progress);
  if (progress.problems.size > 0) throw validationFailed(...progress.problems);
  return value as Static<Schema>;
}

function readObject(schema: TObject, raw: Params, progress: Progress): { [key: string]: Decoded } {
  const result: { [key: string]: Decoded } = {};
  for (const name of Object.keys(schema.properties)) {
    progress.trail.push(name);
    const value = readField(schema.properties[name]!, raw[name], progress);
    if (value !== undefined) result[name] = value;
    progress.trail.pop();
  }
  return result;
}

function readField(schema: TSchema, raw: Param | undefined, progress: Progress): Decoded | undefined {
  if (!isAbsent(schema, raw)) return readValue(schema, raw, progress);
  if (schema.default !== undefined) return structuredClone(schema.default as Decoded);
  return isOptional(schema) ? undefined : addProblem(progress, "can't be blank");
}

function isAbsent(schema: TSchema, raw: Param | undefined): raw is null | undefined {
  if (raw === undefined || raw === null) return true;
  const kind = schema[Kind];
  if (kind === "String" && typeof raw === "string") {
    return isOptional(schema) ? raw === "" && textProblem(schema as TString, raw) !== undefined : !/\S/.test(raw);
  }
  if (kind !== "Union" && kind !== "Literal") return raw === "";
  return (raw === "" || schema.lenient === true) && literalOf(schema, raw) === undefined;
}

/** The value, or undefined after a problem was recorded. */
function readValue(schema: TSchema, raw: Param, progress: Progress): Decoded | undefined {
  switch (schema[Kind]) {
    case "String":
      return readText(schema as TString, raw, progress);
    case "Boolean":
      return readBoolean(raw, progress);
    case "Integer":
    case "Number":
      return readNumber(schema as TNumber | TInteger, raw, progress);
    case "Literal":
    case "Union":
      return readEnum(schema, raw, progress);
    case "Array":
      return readList(schema as TArray, raw, progress);
    case "Object":
      return isParams(raw) ? readObject(schema as TObject, raw, progress) : addProblem(progress, "is invalid");
    default:
      if (schema.format !== FileInput.format) throw notUnderstood(schema);
      return raw instanceof File ? raw : addProblem(progress, "is not a file");
  }
}

function readText(schema: TString, raw: Param, progress: Progress): string | undefined {
  if (typeof raw === "object") return addProblem(progress, "is invalid");
  const text = String(raw);
  const problem = textProblem(schema, text);
  return problem === undefined ? text : addProblem(progress, problem);
}

function textProblem(schema: TString, text: string): string | undefined {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  if (text.length < minLength) return `is too short (minimum is ${counted(minLength, "character")})`;
  if (text.length > maxLength) return `is too long (maximum is ${counted(maxLength, "character")})`;
  // The engine caches compiled expressions by their source, so this compiles once.
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return "is invalid";
  if (format === undefined) return undefined;
  const check = FormatRegistry.Get(format);
  if (check === undefined) throw new TypeError(`No such format: ${format}`);
  return check(text) ? undefined : "is invalid";
}

function readBoolean(raw: Param, progress: Progress): boolean | undefined {
  if (typeof raw === "boolean") return raw;
  const word = isScalar(raw) ? String(raw).toLowerCase() : "";
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : addProblem(progress, "must be true or false");
}

function readNumber(schema: TNumber | TInteger, raw: Param, progress: Progress): number | undefined {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  let value = numberFrom(raw);
  if (schema.clamp === true) value = Math.min(Math.max(value, minimum), maximum);
  if (!Number.isFinite(value)) return addProblem(progress, "is not a number");
  if (schema[Kind] === "Integer" && !Number.isSafeInteger(value)) return addProblem(progress, "must be an integer");
  if (value < minimum) return addProblem(progress, `must be greater than or equal to ${minimum}`);
  if (value > maximum) return addProblem(progress, `must be less than or equal to ${maximum}`);
  return value;
}

function numberFrom(raw: Param): number {
  if (typeof raw === "number") return raw;
  if (typeof raw !== "string" || raw.length > MAX_NUMERAL_LENGTH) return NaN;
  const text = raw.trim();
  return NUMERAL.test(text) ? Number(text) : NaN;
}

function readEnum(schema: TSchema, raw: Param, progress: Progress): TLiteralValue | undefined {
  const value = literalOf(schema, raw);
  if (value !== undefined) return value;
  if (!isScalar(raw)) return addProblem(progress, "is invalid");
  const shown = String(raw).slice(0, SHOWN_VALUE_LENGTH).toWellFormed();
  throw new Refusal("invalid", `'${shown}' is not a valid ${progress.trail.at(-1)}`);
}

function literalOf(schema: TSchema, raw: Param): TLiteralValue | undefined {
  if (!isScalar(raw)) return undefined;
  const text = String(raw);
  const literals = schema[Kind] === "Union" ? (schema as TUnion<TLiteral[]>).anyOf : [schema as TLiteral];
  for (const literal of literals) {
    if (literal[Kind] !== "Literal") throw notUnderstood(literal);
    if (String(literal.const) === text) return literal.const;
  }
  return undefined;
}

function readList(schema: TArray, raw: Param, progress: Progress): Decoded[] | undefined {
  const { minItems = 0, maxItems = Infinity } = schema;
  const list: Decoded[] = [];
  for (const item of itemsOf(raw)) {
    if (isAbsent(schema.items, item)) continue;
    const value = readValue(schema.items, item, progress);
    if (value !== undefined) list.push(value);
  }
  if (list.length > maxItems) return addProblem(progress, `has too many items (maximum is ${maxItems})`);
  if (list.length >= minItems) return list;
  return addProblem(progress, list.length === 0 ? "can't be blank" : `has too few items (minimum is ${minItems})`);
}

/** A list unchanged, `a[0]=…&a[1]=…` in the order of the numbers, any other value as the only item. */
function itemsOf(raw: Param): Param[] {
  if (Array.isArray(raw)) return raw;
  if (!isParams(raw)) return [raw];
  const keys = Object.keys(raw);
  if (!keys.every((key) => /^\d+$/.test(key))) return [raw];
  return keys.sort((a, b) => Number(a) - Number(b)).map((key) => raw[key]!);
}

function isScalar(raw: Param): raw is string | number | boolean {
  return typeof raw !== "object";
}

function isOptional(schema: TSchema): boolean {
  return schema[OptionalKind] === "Optional";
}

function addProblem(progress: Progress, sentence: string): undefined {
  progress.problems.add(`${humanise(progress.trail)} ${sentence}`);
}

/** A field's name in messages, as in Rails: `replies_policy` → "Replies policy", `poll[options]` → "Poll options". */
function humanise(trail: string[]): string {
  const words = trail.join("_").replace(/^_+/, "").replace(/_id$/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function notUnderstood(schema: TSchema): TypeError {
  return new TypeError(`decode() does not understand a schema of kind ${schema[Kind]}`);
}

/** A file of a multipart form. TypeBox accepts any value; `decode()` recognises the schema by its format. */
export const FileInput = Type.Unsafe<File>(Type.Any({ type: "string", format: "binary" }));

export function object<Fields extends Record<string, TSchema>>(fields: Fields): TObject<Fields> {
  return Type.Object(fields);
}

export function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(schema);
}

export function bool(options: { default?: boolean } = {}) {
  return Type.Boolean(options);
}

interface NumberOptions {
  min?: number;
  max?: number;
  default?: number;
  /** Moves an out-of-range number to the nearest bound instead of refusing it, as Mastodon does with `limit`. */
  clamp?: boolean;
}

export function int({ min, max, ...options }: NumberOptions = {}) {
  return Type.Integer({ minimum: min, maximum: max, ...options });
}

export function number({ min, max, ...options }: NumberOptions = {}) {
  return Type.Number({ minimum: min, maximum: max, ...options });
}

interface TextOptions {
  min?: number;
  /** In UTF-16 units: a bound against abuse, not the limit that users see. */
  max: number;
  /** May match anywhere in the text, so anchor it. Must not have flags, since JSON Schema has none. */
  pattern?: RegExp;
  default?: string;
}

export function text({ min, max, pattern, ...options }: TextOptions) {
  if (pattern?.flags) throw new TypeError(`A pattern in a schema cannot have flags: ${pattern}`);
  return Type.String({ minLength: min, maxLength: max, pattern: pattern?.source, ...options });
}

/** An id as the client sent it. Any text is accepted: the caller responds "not found" to an invalid id. */
export function id() {
  return text({ min: 1, max: 200 });
}

/** A list of ids, empty if it is absent. */
export function ids(max = 100) {
  return list(id(), { max, default: [] });
}

interface EnumOptions<Word> {
  default?: Word;
  /** Treats an unknown word as absent (in a list: skips it), where Mastodon ignores unknown values. */
  lenient?: boolean;
}

export function oneOf<const Word extends string>(words: readonly Word[], options: EnumOptions<Word> = {}) {
  const literals = words.map((word) => Type.Literal(word));
  return Type.Unsafe<Word>(Type.Union(literals, options));
}

interface ListOptions {
  min?: number;
  max?: number;
  /** The value of an absent list, usually the empty list. */
  default?: never[];
}

export function list<Item extends TSchema>(item: Item, { min, max = 100, ...options }: ListOptions = {}) {
  return Type.Array(item, { minItems: min, maxItems: max, ...options });
}
