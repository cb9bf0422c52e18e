import { lookup as systemLookup } from "node:dns/promises";
import { open } from "node:fs/promises";
import ipaddr from "ipaddr.js";
import { isDiskFull } from "../../errors.ts";
import { gunzip, RatioError } from "./gunzip.ts";

/**
 * Why the request failed: `refused` before anything was sent, `unresolved` (the name has no address), `unreachable` (no
 * response, or one that is cut off or corrupt), `status` (other than 2xx), `type` (a media type or content encoding that was not requested),
 * `too_large`, `timeout`.
 */
export type OutboundKind = "refused" | "unresolved" | "unreachable" | "status" | "type" | "too_large" | "timeout";

export class OutboundError extends Error {
  override readonly name = "OutboundError";

  constructor(
    readonly kind: OutboundKind,
    message: string,
    /** The HTTP status, if the kind is `status`. */
    readonly status: number | null = null,
    /** The Retry-After header of that response, unparsed. */
    readonly retryAfter: string | null = null,
  ) {
    super(message);
  }
}

/** The request was aborted because this server stops. That says nothing about the other server. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
}

export interface OutboundRequest {
  method?: "GET" | "HEAD" | "POST";
  /** Not sent to another origin after a redirect. Host, User-Agent, Accept and Accept-Encoding are overwritten. */
  headers?: Record<string, string>;
  /** Called before each URL is requested, also after redirects. An error that it throws ends the request. */
  check?(url: URL): void;
  /** Further headers for each URL that is requested, also after redirects: a signature covers the URL. */
  sign?(url: URL): Promise<Record<string, string>>;
  body?: Uint8Array<ArrayBuffer> | string;
  /**
   * Media types such as `text/html` or `image/*`; parameters are only sent. Other responses are refused unread; an empty
   * list accepts all.
   */
  accept: readonly string[];
  /** The maximum size of the body, packed and unpacked. With `truncate`, 0 means that the body is not read at all. */
  maxBytes: number;
  /** Truncates a longer body instead of refusing it. */
  truncate?: boolean;
  /** Path of a file to which the body is written as it arrives. The body in the response is then empty. */
  saveTo?: string;
  /** Milliseconds for the whole request, from DNS resolution to the last byte. */
  timeout: number;
  /** How many redirects to follow; a POST follows none. */
  redirects: number;
}

export interface OutboundResponse {
  /** The final URL, after redirects. */
  url: string;
  status: number;
  headers: Headers;
  body: Uint8Array;
}

/** Settings for all outbound requests of one server. */
export interface Outlet {
  userAgent: string;
  /** Whether an address may be connected to: `isPublicAddress`, unless the owner decided otherwise. */
  allows(address: string): boolean;
  /** Aborts when the server stops, and with it all requests. */
  stopping?(): AbortSignal;
  /** Resolves a name to addresses; defaults to the system's resolver. */
  lookup?(name: string): Promise<string[]>;
}

/** An error of the caller's own functions, which says nothing about the other server. */
class CallerError extends Error {
  constructor(readonly error: unknown) {
    super();
  }
}

const MAX_URL_LENGTH = 4096;
/** How many addresses of a name are tried at most. */
const MAX_ADDRESSES = 3;
/** A packed body may be this much longer than the unpacked one: headers, and blocks that could not be compressed. */
const PACKING = 64 * 1024;

/**
 * Sends a request to another server. All outbound requests use this function. It only connects over http and https, and
 * only to addresses that the outlet allows, also after redirects. Each name is resolved once, and the connection is
 * made to exactly the address that was checked, which prevents DNS rebinding. Sends no cookies and no credentials.
 *
 * @throws OutboundError unless it results in a 2xx response within the bounds. Errors of `check()` and `sign()` are thrown
 * as they are. A StoppedError if this server stops.
 */
export async function fetchOutside(url: string, request: OutboundRequest, outlet: Outlet): Promise<OutboundResponse> {
  const done = new AbortController();
  const signal = AbortSignal.any([AbortSignal.timeout(request.timeout), done.signal]);
  const stopping = outlet.stopping?.();
  const abort = () => done.abort();
  stopping?.addEventListener("abort", abort);
  try {
    stopping?.throwIfAborted();
    return await follow(url, request, outlet, signal);
  } catch (error) {
    if (stopping?.aborted) throw new StoppedError(`${shown(url)} was not requested, or not to the end`);
    if (error instanceof CallerError) throw error.error;
    if (error instanceof OutboundError || isDiskFull(error)) throw error;
    if (signal.aborted) throw new OutboundError("timeout", `${shown(url)} took longer than ${request.timeout} ms`);
    if (error instanceof RatioError) throw new OutboundError("too_large", `${shown(url)} ${error.message}`);
    throw new OutboundError("unreachable", `${shown(url)} could not be read: ${codeOf(error)}`);
  } finally {
    stopping?.removeEventListener("abort", abort);
    // Closes the connections of responses that were not read completely.
    done.abort();
  }
}

async function follow(
  start: string,
  request: OutboundRequest,
  outlet: Outlet,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { method = "GET", body } = request;
  const first = checkUrl(start);
  let url = first;
  for (let hop = 0; ; hop++) {
    signal.throwIfAborted();
    await ofCaller(() => request.check?.(url));
    const addresses = await addressesOf(url, outlet, signal);
    const signature = await ofCaller(() => request.sign?.(url));
    const headers = headersFor(
      url,
      { ...(url.origin === first.origin && request.headers), ...signature },
      request,
      outlet,
    );
    const response = await send(url, addresses, { method, headers, body, signal, redirect: "manual" });
    const target = response.headers.get("location");
    const isRedirect = target !== null && [301, 302, 303, 307, 308].includes(response.status);
    if (!isRedirect || method === "POST") return await receive(url, response, request);
    if (hop >= request.redirects) throw new OutboundError("refused", `${shown(start)} redirects too often`);
    url = checkUrl(target, url);
  }
}

async function ofCaller<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new CallerError(error);
  }
}

function checkUrl(text: string, base?: URL): URL {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text, base?.href)) {
    throw new OutboundError("refused", `${shown(text)} is not an address`);
  }
  const url = new URL(text, base?.href);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new OutboundError("refused", `${shown(text)} is neither http nor https`);
  }
  if (url.username || url.password) throw new OutboundError("refused", "An address must not hold credentials");
  url.hash = "";
  return url;
}

/** The addresses to try, all of them checked. An address in the URL is used without a lookup. */
async function addressesOf(url: URL, outlet: Outlet, signal: AbortSignal): Promise<string[]> {
  const host = bareHost(url);
  const found = ipaddr.isValid(host) ? [host] : await addressesNamed(host, outlet, signal);
  if (found.length === 0) throw new OutboundError("unresolved", `${host} has no address`);
  const allowed = found.filter((address) => outlet.allows(address));
  if (allowed.length === 0) throw new OutboundError("refused", `${host} is not a public address`);
  // IPv4 first: many machines have no IPv6 route, and those without an IPv4 route fail immediately.
  const { four = [], six = [] } = Object.groupBy(allowed, (address) => (address.includes(":") ? "six" : "four"));
  return [...four, ...six].slice(0, MAX_ADDRESSES);
}

async function addressesNamed(name: string, { lookup = resolve }: Outlet, signal: AbortSignal): Promise<string[]> {
  try {
    return await orAbort(lookup(name), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new OutboundError("unresolved", `${name} has no address: ${codeOf(error)}`);
  }
}

async function resolve(name: string): Promise<string[]> {
  const found = await systemLookup(name, { all: true });
  return found.map(({ address }) => address);
}

const TRANSLATED = ipaddr.parseCIDR("64:ff9b::/96");
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an address belongs to the public internet. IPv6 addresses that embed an IPv4 address do not, since they have
 * no legitimate use here. The exception is NAT64: there, every IPv4 address is translated, so the embedded one counts.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.kind() === "ipv4") return address.range() === "unicast";
  const six = address as ipaddr.IPv6;
  if (six.match(TRANSLATED)) return isPublicAddress(new ipaddr.IPv4(six.toByteArray().slice(12)).toString());
  return six.match(GLOBAL_UNICAST) && six.range() === "unicast";
}

/** Tries one address after the other, until a request has been sent to one of them. */
async function send(url: URL, addresses: readonly string[], init: BunFetchRequestInit): Promise<Response> {
  const host = bareHost(url);
  const tls = ipaddr.isValid(host) ? undefined : { serverName: host.replace(/\.$/, "") };
  // Bun would unpack each received chunk as a whole: 33 kB of zstd become 1 GiB before we can check the size.
  const options = { ...init, tls, decompress: false };
  for (const address of addresses.slice(0, -1)) {
    try {
      return await fetch(pinned(url, address), options);
    } catch (error) {
      if (!NOTHING_SENT.has(codeOf(error))) throw error;
    }
  }
  return fetch(pinned(url, addresses.at(-1)!), options);
}

const NOTHING_SENT = new Set(["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "FailedToOpenSocket"]);

/** The URL with the address in place of the name, which is sent in the Host header and the TLS handshake. */
function pinned(url: URL, address: string): string {
  const target = new URL(url);
  target.hostname = address.includes(":") ? `[${address}]` : address;
  return target.href;
}

function headersFor(url: URL, given: Record<string, string>, request: OutboundRequest, outlet: Outlet): Headers {
  const headers = new Headers(given);
  headers.set("host", url.host);
  headers.set("user-agent", outlet.userAgent);
  headers.set("accept", request.accept.join(", ") || "*/*");
  headers.set("accept-encoding", "gzip");
  return headers;
}

async function receive(url: URL, response: Response, request: OutboundRequest): Promise<OutboundResponse> {
  const { status, headers } = response;
  if (!response.ok) {
    throw new OutboundError("status", `${shown(url.href)} answered ${status}`, status, headers.get("retry-after"));
  }
  const type = mediaType(headers);
  if (!isAccepted(type, request.accept)) throw new OutboundError("type", `${shown(url.href)} is "${type}"`);
  if (!request.truncate && Number(headers.get("content-length")) > request.maxBytes) throw tooLarge(url, request);
  return { url: url.href, status, headers, body: await readBody(url, response, request) };
}

async function readBody(url: URL, response: Response, request: OutboundRequest): Promise<Uint8Array> {
  if (!response.body || (request.truncate && request.maxBytes === 0)) return new Uint8Array();
  const body = unpacked(url, response.headers, response.body, request);
  if (request.saveTo === undefined) return Buffer.concat(await Array.fromAsync(body));
  await save(body, request.saveTo);
  return new Uint8Array();
}

/** Counts the received and the unpacked bytes instead of trusting a header. */
async function* unpacked(
  url: URL,
  headers: Headers,
  received: ReadableStream<Uint8Array>,
  request: OutboundRequest,
): AsyncGenerator<Uint8Array> {
  const { maxBytes, truncate = false } = request;
  const body = isGzip(url, headers)
    ? gunzip(upTo(received, maxBytes + PACKING, tooLarge(url, request)))
    : (received as AsyncIterable<Uint8Array>);
  let room = maxBytes;
  for await (const chunk of body) {
    if (chunk.length > room && !truncate) throw tooLarge(url, request);
    yield chunk.subarray(0, room);
    room -= Math.min(room, chunk.length);
    if (truncate && room === 0) break;
  }
}

async function save(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for await (const chunk of body) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

/** Throws `error` instead of reading more than `limit` bytes: endless gzip input may unpack to nothing. */
async function* upTo(chunks: AsyncIterable<Uint8Array>, limit: number, error: Error): AsyncGenerator<Uint8Array> {
  let room = limit;
  for await (const chunk of chunks) {
    if (room <= 0) throw error;
    room -= chunk.length;
    yield chunk;
  }
}

/** Whether the body is gzip. Refuses encodings that were not requested, and combinations. */
function isGzip(url: URL, headers: Headers): boolean {
  const encoding = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return false;
  // RFC 9110, section 8.4.1.3: the two names mean the same.
  if (encoding === "gzip" || encoding === "x-gzip") return true;
  throw new OutboundError("type", `${shown(url.href)} is encoded as "${encoding.slice(0, 50)}", not gzip`);
}

function tooLarge(url: URL, request: OutboundRequest): OutboundError {
  return new OutboundError("too_large", `${shown(url.href)} has more than ${request.maxBytes} bytes`);
}

/** The media type of a response in lower case and without parameters; "" if it has none. */
function mediaType(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

function isAccepted(type: string, accept: readonly string[]): boolean {
  if (accept.length === 0) return true;
  const wanted = accept.map((each) => each.split(";", 1)[0]!);
  return wanted.some((each) => (each.endsWith("/*") ? type.startsWith(each.slice(0, -1)) : type === each));
}

/** Stops waiting for the work when the signal aborts: the system's DNS lookup can't be cancelled. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return Promise.race([work, promise]);
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** A URL for error messages, which are logged: truncated, and without the query, which may contain a secret. */
function shown(url: string): string {
  return url.split(/[?#]/, 1)[0]!.slice(0, 200);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
