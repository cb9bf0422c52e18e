import { lookup as systemLookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { gunzip, RatioError } from "./gunzip.ts";

/**
 * Why the request failed: `refused` before anything was sent, `unreachable` (unknown name, no response, or one that is
 * cut off or corrupt), `status` (other than 2xx), `type` (a media type or content encoding that was not requested),
 * `too_large`, `timeout`.
 */
export type OutboundKind = "refused" | "unreachable" | "status" | "type" | "too_large" | "timeout";

export class OutboundError extends Error {
  override readonly name = "OutboundError";

  constructor(
    readonly kind: OutboundKind,
    message: string,
    /** The HTTP status, where the kind is `status`. */
    readonly status: number | null = null,
    /** What that answer said of when to come back, as it stands in its header. */
    readonly retryAfter: string | null = null,
  ) {
    super(message);
  }
}

export interface OutboundRequest {
  method?: "GET" | "HEAD" | "POST";
  /** Not sent on to another origin. A Host, and what stands in the other fields here, is ours to say. */
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | string;
  /** Media types such as `text/html` or `image/*`. Anything else is refused unread; empty takes everything. */
  accept: readonly string[];
  /** The longest body, packed and unpacked. With `truncate`, 0 means that the body is not read at all. */
  maxBytes: number;
  /** Cuts off what is longer, instead of refusing it. */
  truncate?: boolean;
  /** Milliseconds for all of it, from the name's resolution to the last byte. */
  timeout: number;
  /** How many redirects to follow; a POST follows none. */
  redirects: number;
}

export interface OutboundResponse {
  /** Where the last redirect led. */
  url: string;
  status: number;
  headers: Headers;
  body: Uint8Array;
}

/** What is the same for every request of one server. */
export interface Outlet {
  userAgent: string;
  /** Whether an address may be connected to: `isPublicAddress`, unless the owner decided otherwise. */
  allows(address: string): boolean;
  /** The addresses of a name; the system's when left out. */
  lookup?(name: string): Promise<string[]>;
}

const MAX_URL_LENGTH = 4096;
/** A name may have as many addresses as it likes; so many are tried. */
const MAX_ADDRESSES = 3;
/** Packed, a body may be longer than unpacked by this much: headers, and blocks that could not be compressed. */
const PACKING = 64 * 1024;

/**
 * The one way to the outside. Goes to http and https only, never to an address that is private or special, nor where a
 * redirect leads to one. The name is resolved once, and the connection made to the very address that was checked, so
 * that a name can't change its meaning in between. Sends no cookies and no credentials.
 *
 * @throws OutboundError for whatever does not end in a 2xx answer within the bounds.
 */
export async function fetchOutside(url: string, request: OutboundRequest, outlet: Outlet): Promise<OutboundResponse> {
  const done = new AbortController();
  const signal = AbortSignal.any([AbortSignal.timeout(request.timeout), done.signal]);
  try {
    return await follow(url, request, outlet, signal);
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    if (signal.aborted) throw new OutboundError("timeout", `${shown(url)} took longer than ${request.timeout} ms`);
    if (error instanceof RatioError) throw new OutboundError("too_large", `${shown(url)} ${error.message}`);
    throw new OutboundError("unreachable", `${shown(url)} could not be read: ${codeOf(error)}`);
  } finally {
    // Closes the connections of responses that were not read to their end.
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
    const addresses = await addressesOf(url, outlet, signal);
    const headers = headersFor(url, url.origin === first.origin, request, outlet);
    const response = await send(url, addresses, { method, headers, body, signal, redirect: "manual" });
    const target = response.headers.get("location");
    const isRedirect = target !== null && [301, 302, 303, 307, 308].includes(response.status);
    if (!isRedirect || method === "POST") return await receive(url, response, request);
    if (hop >= request.redirects) throw new OutboundError("refused", `${shown(start)} redirects too often`);
    url = checkUrl(target, url);
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

/** The addresses to try, all of them checked; an address in the URL itself stands for itself. */
async function addressesOf(url: URL, outlet: Outlet, signal: AbortSignal): Promise<string[]> {
  const host = bareHost(url);
  const { lookup = resolve } = outlet;
  const found = ipaddr.isValid(host) ? [host] : await orAbort(lookup(host), signal);
  if (found.length === 0) throw new OutboundError("unreachable", `${host} has no address`);
  const allowed = found.filter((address) => outlet.allows(address));
  if (allowed.length === 0) throw new OutboundError("refused", `${host} is not a public address`);
  // Machines without a way out over IPv6 are many, those without one over IPv4 notice it at once.
  const { four = [], six = [] } = Object.groupBy(allowed, (address) => (address.includes(":") ? "six" : "four"));
  return [...four, ...six].slice(0, MAX_ADDRESSES);
}

async function resolve(name: string): Promise<string[]> {
  const found = await systemLookup(name, { all: true });
  return found.map(({ address }) => address);
}

const TRANSLATED = ipaddr.parseCIDR("64:ff9b::/96");
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an address is one of the public internet. One of IPv6 that wraps one of IPv4 is not, since nobody means it;
 * but where only NAT64 leads out, every IPv4 address comes wrapped so, and then the one inside counts.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.kind() === "ipv4") return address.range() === "unicast";
  const six = address as ipaddr.IPv6;
  if (six.match(TRANSLATED)) return isPublicAddress(new ipaddr.IPv4(six.toByteArray().slice(12)).toString());
  return six.match(GLOBAL_UNICAST) && six.range() === "unicast";
}

/** Tries one address after the other, as long as nothing has been sent to any. */
async function send(url: URL, addresses: readonly string[], init: BunFetchRequestInit): Promise<Response> {
  const host = bareHost(url);
  const tls = ipaddr.isValid(host) ? undefined : { serverName: host.replace(/\.$/, "") };
  // Bun would unpack each chunk it receives as a whole: 33 kB of zstd become 1 GiB before anyone can count.
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

/** The same URL with the address in the place of the name, which goes into the Host header and the TLS handshake. */
function pinned(url: URL, address: string): string {
  const target = new URL(url);
  target.hostname = address.includes(":") ? `[${address}]` : address;
  return target.href;
}

function headersFor(url: URL, isFirstOrigin: boolean, request: OutboundRequest, outlet: Outlet): Headers {
  const headers = new Headers(isFirstOrigin ? request.headers : undefined);
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

/** Counts what arrives and what it unpacks to, and believes no header. */
async function readBody(url: URL, response: Response, request: OutboundRequest): Promise<Uint8Array> {
  const { maxBytes, truncate = false } = request;
  if (!response.body || (truncate && maxBytes === 0)) return new Uint8Array();
  const isPacked = isGzip(url, response.headers);
  const body = isPacked ? gunzip(upTo(response.body, maxBytes + PACKING, tooLarge(url, request))) : response.body;
  const chunks: Uint8Array[] = [];
  let room = maxBytes;
  for await (const chunk of body) {
    if (chunk.length > room && !truncate) throw tooLarge(url, request);
    chunks.push(chunk.subarray(0, room));
    room -= Math.min(room, chunk.length);
    if (truncate && room === 0) break;
  }
  return Buffer.concat(chunks);
}

/** Throws `error` instead of reading on after `limit` bytes: gzip can go on forever without unpacking to anything. */
async function* upTo(chunks: AsyncIterable<Uint8Array>, limit: number, error: Error): AsyncGenerator<Uint8Array> {
  let room = limit;
  for await (const chunk of chunks) {
    if (room <= 0) throw error;
    room -= chunk.length;
    yield chunk;
  }
}

/** Whether the body is packed; refuses encodings that were not requested, and several on top of each other. */
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

/** The media type of an answer in lower case and without parameters; "" when it says none. */
function mediaType(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

function isAccepted(type: string, accept: readonly string[]): boolean {
  if (accept.length === 0) return true;
  return accept.some((wanted) => (wanted.endsWith("/*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted));
}

/** Names are looked up by the system, which can't be told to stop; so it is no longer waited for. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return Promise.race([work, promise]);
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** For messages, which end in the log: without the query, which may hold a secret, and not without end. */
function shown(url: string): string {
  return url.split(/[?#]/, 1)[0]!.slice(0, 200);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
