import { createHash, sign, type KeyObject } from "node:crypto";
import {
  generateKeyPair,
  parseSignature,
  readPublicKey,
  verifySignature,
  type ReceivedRequest,
} from "../../src/lib/signatures.ts";

export const NOW = Date.parse("2026-03-01T12:00:00Z");
export const INBOX = "https://linnet.example/users/alice/inbox";
export const KEY_ID = "https://sender.example/users/bob#main-key";
export const BODY = '{"type":"Create"}';
export const TYPE = "application/activity+json";

export type HeaderValues = Record<string, string>;

/** The sender's keys. */
export const own = await generateKeyPair();
export const publicKey = readPublicKey(own.publicKey)!;

interface Sent {
  method?: string;
  url?: string;
  headers?: HeaderValues;
  body?: string;
}

/** A request as received: a POST to an inbox, unless `sent` differs. */
export function received({ method = "POST", url = INBOX, headers = {}, body = BODY }: Sent): ReceivedRequest {
  const host = new URL(url).host;
  return { method, url, headers: new Headers({ host, ...headers }), body: Buffer.from(body) };
}

/** "valid", or the problem. */
export function verdict(sent: Sent, key: KeyObject = publicKey, now = NOW): string {
  const request = received(sent);
  const signature = parseSignature(request, now);
  if ("problem" in signature) return signature.problem;
  return verifySignature(request, signature, key)?.problem ?? "valid";
}

export const digestOf = (body: string, hash = "sha256") => createHash(hash).update(body).digest("base64");

/** The headers that a signature written by hand may cover. */
export const DEFAULTS: HeaderValues = {
  host: "linnet.example",
  date: new Date(NOW).toUTCString(),
  digest: `SHA-256=${digestOf(BODY)}`,
  "content-digest": `sha-256=:${digestOf(BODY)}:`,
  "content-type": TYPE,
  "content-length": String(BODY.length),
};

export interface ByHand {
  /** The values of components that are not headers, or that differ from the defaults. */
  values?: HeaderValues;
  params?: string;
  hash?: string | null;
  key?: string | KeyObject;
}

export const POST = { "(request-target)": "post /users/alice/inbox" };

/** Signs as another server does, by draft-cavage-12 and without our code. The signature covers the listed `names`. */
export function cavageByHand(
  names: string,
  { values = POST, params = "", hash = "sha256", key }: ByHand = {},
): HeaderValues {
  const all: HeaderValues = { ...DEFAULTS, ...values };
  const text = names
    .split(" ")
    .map((name) => `${name}: ${all[name]}`)
    .join("\n");
  const bytes = sign(hash, Buffer.from(text), key ?? own.privateKey).toString("base64");
  const headers = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("(")));
  return { ...headers, signature: `keyId="${KEY_ID}",${params}headers="${names}",signature="${bytes}"` };
}

const TARGET = { "@method": "POST", "@target-uri": INBOX, "@authority": "linnet.example" };
export const CREATED = `;created=${NOW / 1000};keyid="${KEY_ID}"`;

/** Signs as another server does, by RFC 9421 and without our code. The signature covers the listed `names`. */
export function rfc9421ByHand(
  names: string,
  { values = {}, params = CREATED, hash = "sha256", key }: ByHand = {},
  label = "sig1",
): HeaderValues {
  const all: HeaderValues = { ...DEFAULTS, ...TARGET, ...values };
  const list = names ? names.split(" ") : [];
  const input = `(${list.map((name) => `"${name}"`).join(" ")})${params}`;
  const lines = [...list.map((name) => `"${name}": ${all[name]}`), `"@signature-params": ${input}`];
  const bytes = sign(hash, Buffer.from(lines.join("\n")), key ?? own.privateKey).toString("base64");
  const headers = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("@")));
  return { ...headers, "signature-input": `${label}=${input}`, signature: `${label}=:${bytes}:` };
}
