import { createPrivateKey, createPublicKey } from "node:crypto";
import { beforeAll, describe, expect, test } from "bun:test";
import { signRequest, verifyRequestDetailed } from "@fedify/fedify";
import { CryptographicKey } from "@fedify/vocab";
import {
  generateKeyPair,
  parseSignature,
  readPublicKey,
  type SignatureForm,
  Signer,
  verifySignature,
} from "../../src/lib/signatures.ts";

/* Signatures made here are verified by Fedify, and the other way round. */

const NOW = Date.UTC(2026, 10, 21, 12);
const ACTOR = "https://moss.example/actors/moss";
const KEY_ID = `${ACTOR}#main-key`;
const SPECS = { cavage: "draft-cavage-http-signatures-12", rfc9421: "rfc9421" } as const;
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const BODY = JSON.stringify({ type: "Create", content: "über ☔" });

const currentTime = Temporal.Instant.fromEpochMilliseconds(NOW);
let pems: Awaited<ReturnType<typeof generateKeyPair>>;
let privateKey: CryptoKey;
let publicKey: CryptoKey;

beforeAll(async () => {
  pems = await generateKeyPair();
  const spki = createPublicKey(pems.publicKey).export({ format: "der", type: "spki" });
  const pkcs8 = createPrivateKey(pems.privateKey).export({ format: "der", type: "pkcs8" });
  publicKey = await crypto.subtle.importKey("spki", new Uint8Array(spki), RSA, true, ["verify"]);
  privateKey = await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), RSA, true, ["sign"]);
});

interface Case {
  form: SignatureForm;
  method: "GET" | "POST";
  url: string;
}

const both: Case[] = (["cavage", "rfc9421"] as const).flatMap((form) => [
  { form, method: "GET", url: "https://fern.example/users/fern" },
  { form, method: "GET", url: "http://fern.test:8080/notes/%C3%BC" },
  { form, method: "GET", url: "https://fern.example" },
  { form, method: "POST", url: "https://fern.example/inbox" },
  { form, method: "POST", url: "http://fern.test:8080/users/fern/inbox" },
]);
const queried: Case = { form: "rfc9421", method: "GET", url: "https://fern.example/outbox?page=2&min_id=%20" };

async function signedByFedify({ form, method, url }: Case): Promise<Request> {
  const request = new Request(url, { method, ...(method === "POST" && { body: BODY }), headers: headersOf(method) });
  return signRequest(request, privateKey, new URL(KEY_ID), { spec: SPECS[form], currentTime });
}

async function signedHere({ form, method, url }: Case): Promise<Request> {
  const body = method === "POST" ? BODY : undefined;
  const headers = headersOf(method);
  const added = await new Signer().sign({ method, url, headers, body }, { keyId: KEY_ID, ...pems }, form, NOW);
  return new Request(url, { method, body, headers: { ...headers, host: new URL(url).host, ...added } });
}

function headersOf(method: string): Record<string, string> {
  const type = "application/activity+json";
  return method === "POST" ? { "content-type": type } : { accept: type };
}

/** The problem, or null. */
async function problemHere(request: Request): Promise<string | null> {
  const body = new Uint8Array(await request.clone().arrayBuffer());
  const received = { method: request.method, url: request.url, headers: request.headers, body };
  const signature = parseSignature(received, NOW);
  if ("problem" in signature) return signature.problem;
  return verifySignature(received, signature, readPublicKey(pems.publicKey)!)?.problem ?? null;
}

async function isValidForFedify(request: Request): Promise<boolean> {
  const key = new CryptographicKey({ id: new URL(KEY_ID), owner: new URL(ACTOR), publicKey });
  const keyCache = { get: async () => key, set: async () => {} };
  const documentLoader = () => Promise.reject(new Error("the key is known"));
  return (await verifyRequestDetailed(request, { currentTime, keyCache, documentLoader })).verified;
}

describe.each([...both, queried])("$form, $method $url", (each) => {
  test("is verified here if Fedify signed it, but not with another path", async () => {
    const request = await signedByFedify(each);
    expect(await problemHere(request)).toBeNull();
    expect(await problemHere(new Request(`${each.url}/x`, request))).toBe("the signature does not match the request");
  });

  test("is verified by Fedify if it was signed here, but not with another path", async () => {
    const request = await signedHere(each);
    expect(await isValidForFedify(request)).toBe(true);
    expect(await isValidForFedify(new Request(`${each.url}/x`, request))).toBe(false);
  });
});

test("In draft-cavage, Fedify signs and verifies the path without its query", async () => {
  const each: Case = { ...queried, form: "cavage" };
  expect(await problemHere(await signedByFedify(each))).toBeNull();
  expect(await isValidForFedify(await signedHere(each))).toBe(false);
});
