import { Refusal } from "../../errors.ts";
import { storeMultipart } from "./multipart.ts";

export type Param = string | number | boolean | null | File | Param[] | Params;

/** The parameters of a request. The object has no prototype, and no key such as `__proto__`. */
export interface Params {
  [key: string]: Param;
}

type FormValue = string | File;

const MAX_PAIRS = 1000;
const MAX_TEXT = 1024 * 1024;
const MAX_DEPTH = 8;
const MAX_KEY_LENGTH = 200;
const UNSAFE_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Whether there is a body to read. If not, `parseQuery(searchOf(request.url))` has all parameters without a promise.
 * Checks the headers first, because Bun creates a stream when `request.body` is read. `Bun.serve` (1.4.5) discards the
 * body of a GET or HEAD request, so their parameters can only be in the query.
 */
export function hasBody(request: Request): boolean {
  if (request.method === "GET" || request.method === "HEAD") return false;
  const length = request.headers.get("content-length");
  return length === null ? request.body !== null : length !== "0";
}

/** The query of a URL, without its question mark. `new URL()` takes longer than parsing the query itself. */
export function searchOf(url: string): string {
  const start = url.indexOf("?");
  if (start === -1) return "";
  const end = url.indexOf("#", start);
  return end === -1 ? url.slice(start + 1) : url.slice(start + 1, end);
}

/** The path and the query of a URL, as in a request line. */
export function targetOf(url: string): string {
  const start = url.indexOf("://");
  return url.slice(url.indexOf("/", start === -1 ? 0 : start + 3));
}

/**
 * Parses the URL of a request. If the client sent no host, as HTTP/1.0 allows, or an invalid one, the host is replaced
 * by `localhost`: no caller needs it.
 */
export function requestAddress(url: string): URL {
  return URL.parse(url) ?? new URL(`http://localhost${url.replace(/^[a-z]+:\/\/[^/]*/i, "")}`);
}

/** Parses a query string, with or without its question mark, like Rack: `a[]`, `a[b][c]`, `a[][b]`, `a[0][b]`. */
export function parseQuery(search: string): Params {
  return parsePairs(search, search.startsWith("?") ? 1 : 0);
}

/**
 * All parameters of a request: the query, overridden by the body as form, multipart or JSON. A body of another type is
 * not read, as in Rails. `a[0]=…&a[1]=…` becomes an object with numbers as keys, which `decode()` converts to an array
 * if the schema requires one. The files of a form are in memory, or in `folder` if given.
 *
 * @throws Refusal `too_large` for more than `maxBytes`, or `bad_request` for a malformed body.
 */
export async function readParams(request: Request, maxBytes: number, folder?: string): Promise<Params> {
  const params = parseQuery(searchOf(request.url));
  return hasBody(request) ? Object.assign(params, await bodyParams(request, maxBytes, folder)) : params;
}

async function bodyParams(request: Request, maxBytes: number, folder?: string): Promise<Params> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]!.trim().toLowerCase() ?? "";
  if (type === "multipart/form-data") return multipartParams(await formEntries(request, maxBytes, folder));
  // A large upload is always multipart. Other bodies are held in memory, so they have a lower limit.
  const maxText = folder === undefined ? maxBytes : Math.min(maxBytes, MAX_TEXT);
  if (type === "application/json" || type.endsWith("+json")) return jsonParams(await textOf(request, maxText));
  if (type === "application/x-www-form-urlencoded") return parsePairs(await textOf(request, maxText));
  // No type, or the default of fetch() for strings: detect JSON by its first character.
  if (type === "" || type === "text/plain") {
    const text = await textOf(request, maxText);
    return text.trimStart().startsWith("{") ? jsonParams(text) : parsePairs(text.trim());
  }
  return emptyParams();
}

async function textOf(request: Request, maxBytes: number): Promise<string> {
  const body = await bounded(request, maxBytes);
  return body.text().catch(() => {
    throw cutShort();
  });
}

/** The whole body. @throws Refusal `too_large` for more than `maxBytes` */
export async function bodyBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = await bounded(request, maxBytes);
  return body.bytes();
}

/** The same body, checked against `maxBytes`. Content-Length is reliable: the HTTP server enforces it. */
async function bounded(request: Request, maxBytes: number): Promise<Request | Response> {
  const declared = request.headers.get("content-length");
  if (declared === null) return gathered(request, maxBytes);
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
  return request;
}

async function gathered(request: Request, maxBytes: number): Promise<Response> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : cutShort();
  }
  return new Response(new Blob(chunks), { headers: { "content-type": request.headers.get("content-type") ?? "" } });
}

async function formEntries(
  request: Request,
  maxBytes: number,
  folder?: string,
): Promise<Iterable<[string, FormValue]>> {
  if (Number(request.headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
  if (folder !== undefined) return storeMultipart(request, folder, { bytes: maxBytes, parts: MAX_PAIRS });
  const body = await bounded(request, maxBytes);
  return body.formData().catch(() => {
    throw new Refusal("bad_request", "The request body is not valid multipart/form-data");
  });
}

function multipartParams(entries: Iterable<[string, FormValue]>): Params {
  const params = emptyParams();
  let count = 0;
  for (const [key, value] of entries) {
    if (++count > MAX_PAIRS) throw tooMany();
    if (typeof value === "string") put(params, clean(key), clean(value));
    // Browsers send a file input without a selected file as an empty file without a name.
    else if (value.name || value.size > 0) put(params, clean(key), value);
  }
  return params;
}

function jsonParams(text: string): Params {
  if (text.trim() === "") return emptyParams();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Refusal("bad_request", "The request body is not valid JSON");
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new Refusal("bad_request", "The request body must be a JSON object");
  }
  return objectFromJson(json, { values: 0, depth: 0 });
}

/** How much of a JSON body was copied so far. The same limits apply as to pairs. */
interface Extent {
  values: number;
  depth: number;
}

function objectFromJson(json: object, extent: Extent): Params {
  const params = emptyParams();
  if (++extent.depth > MAX_DEPTH) throw tooDeep();
  for (const [rawKey, value] of Object.entries(json)) {
    const key = clean(rawKey);
    if (key.length > MAX_KEY_LENGTH) throw keyTooLong();
    if (!UNSAFE_KEYS.has(key)) params[key] = valueFromJson(value, extent);
  }
  extent.depth--;
  return params;
}

function listFromJson(json: unknown[], extent: Extent): Param[] {
  if (++extent.depth > MAX_DEPTH) throw tooDeep();
  const list = json.map((item) => valueFromJson(item, extent));
  extent.depth--;
  return list;
}

function valueFromJson(json: unknown, extent: Extent): Param {
  if (++extent.values > MAX_PAIRS) throw tooMany();
  if (typeof json === "string") return clean(json);
  if (typeof json === "number" || typeof json === "boolean") return json;
  if (Array.isArray(json)) return listFromJson(json, extent);
  return typeof json === "object" && json !== null ? objectFromJson(json, extent) : null;
}

function parsePairs(text: string, from = 0): Params {
  const params = emptyParams();
  let count = 0;
  let start = from;
  while (start < text.length) {
    let end = text.indexOf("&", start);
    if (end === -1) end = text.length;
    if (end > start) {
      if (++count > MAX_PAIRS) throw tooMany();
      const pair = text.slice(start, end);
      const equals = pair.indexOf("=");
      // Rack's nil: a name without `=` has no value, which differs from an empty text.
      if (equals === -1) put(params, decodeText(pair), null);
      else put(params, decodeText(pair.slice(0, equals)), decodeText(pair.slice(equals + 1)));
    }
    start = end + 1;
  }
  return params;
}

function decodeText(encoded: string): string {
  const text = encoded.includes("+") ? encoded.replaceAll("+", " ") : encoded;
  if (!text.includes("%")) return clean(text);
  try {
    return clean(decodeURIComponent(text));
  } catch {
    return clean(text);
  }
}

/** Removes NUL, at which SQLite ends a text, and replaces lone surrogates, which UTF-8 can't encode. */
function clean(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();
}

function put(params: Params, key: string, value: Param): void {
  if (key.length > MAX_KEY_LENGTH) throw keyTooLong();
  const open = key.indexOf("[", 1);
  const path = open === -1 ? [key] : pathOf(key, open);
  if (key !== "" && !path.some((step) => UNSAFE_KEYS.has(step))) place(params, path, value);
}

/** `a[b][]` → `["a", "b", ""]`. A name whose brackets don't match is one plain key. */
function pathOf(key: string, open: number): string[] {
  const path = [key.slice(0, open)];
  let at = open;
  while (at < key.length) {
    const close = key.indexOf("]", at);
    if (key[at] !== "[" || close === -1) return [key];
    path.push(key.slice(at + 1, close));
    at = close + 1;
  }
  if (path.length > MAX_DEPTH) throw tooDeep();
  return path;
}

/** Stores a value at its path, like Rack's `normalize_params`; an empty step appends to a list. */
function place(holder: Params, path: string[], value: Param): void {
  const [key, next, ...rest] = path as [string, ...string[]];
  if (next === undefined) holder[key] = value;
  else if (next !== "") place(objectAt(holder, key), [next, ...rest], value);
  else if (rest.length === 0) listAt(holder, key).push(value);
  else place(elementFor(listAt(holder, key), rest), rest, value);
}

function objectAt(holder: Params, key: string): Params {
  const found = (holder[key] ??= emptyParams());
  if (!isParams(found)) throw clash(key);
  return found;
}

function listAt(holder: Params, key: string): Param[] {
  const found = (holder[key] ??= []);
  if (!Array.isArray(found)) throw clash(key);
  return found;
}

/** Rack's grouping of `a[][b]`: a new element begins if the last one already has the key. */
function elementFor(list: Param[], rest: string[]): Params {
  if (rest[0] === "") throw new Refusal("bad_request", "Lists directly inside lists are not supported");
  const last = list.at(-1);
  if (isParams(last) && !has(last, rest)) return last;
  const element = emptyParams();
  list.push(element);
  return element;
}

function has(params: Params, path: string[]): boolean {
  let found: Param | undefined = params;
  for (const step of path) {
    if (!isParams(found) || !(step in found)) return false;
    found = found[step];
  }
  return true;
}

/** Whether a value is a nested object, and not a list, a file or a plain value. */
export function isParams(value: Param | undefined): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof File);
}

function emptyParams(): Params {
  return Object.create(null) as Params;
}

function clash(key: string): Refusal {
  return new Refusal("bad_request", `Parameter ${key} is given in two conflicting forms`);
}

function cutShort(): Refusal {
  return new Refusal("bad_request", "The request body is incomplete");
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal("too_large", `The request body is larger than ${maxBytes} bytes`);
}

function tooMany(): Refusal {
  return new Refusal("bad_request", `The request has more than ${MAX_PAIRS} parameters`);
}

function tooDeep(): Refusal {
  return new Refusal("bad_request", `Parameters are nested more than ${MAX_DEPTH} levels deep`);
}

function keyTooLong(): Refusal {
  return new Refusal("bad_request", `The name of a parameter is longer than ${MAX_KEY_LENGTH} characters`);
}
