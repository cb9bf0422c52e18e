import type { Context } from "../../context.ts";
import { isRefusedHost } from "../../core/refused-hosts.ts";
import { targetOf } from "../../lib/http/params.ts";
import { parseSignature, type ReceivedRequest, verifySignature } from "../../lib/signatures.ts";
import type { Sender } from "../activities/handler.ts";
import { hostOf } from "../documents.ts";
import { KeyUnavailable, type Keys, type SigningKey } from "./signing-keys.ts";
import { Rejection } from "./rejection.ts";

const NO_BODY = new Uint8Array();

/** A POST. */
interface Posted {
  body: Uint8Array;
  /** The host that it claims to be from, which was checked already. */
  host: string;
}

/** The account that signed a request. */
export interface Signer extends Sender {
  /** Whether it has replaced the key since: then another may have the key. */
  isKeyRetired: boolean;
}

/**
 * The account that signed a request.
 *
 * @throws Rejection
 */
export async function signerOf(ctx: Context, keys: Keys, request: Request, posted?: Posted): Promise<Signer> {
  const received = receivedRequest(ctx, request, posted?.body ?? NO_BODY);
  const signature = parseSignature(received, ctx.clock.now());
  if ("problem" in signature) throw unauthorized(signature.problem);
  const host = hostOf(signature.keyId)!;
  if (host !== posted?.host) refuseHost(ctx, host);
  const found = await available(keys.find(signature.keyId));
  if (!found) throw unauthorized("the key of the signature does not exist, or its owner does not name it");
  const problem = verifySignature(received, signature, found.key);
  if (problem === null) return signerWith(found);
  const before = keys.retired(signature.keyId);
  if (before && verifySignature(received, signature, before.key) === null) return signerWith(before);
  const newer = await available(keys.refreshed(signature.keyId, found));
  if (newer && verifySignature(received, signature, newer.key) === null) return signerWith(newer);
  throw unauthorized(problem.problem);
}

/**
 * Refuses a GET that names a key of a blocked server, also for documents that anyone may read. The signature is not
 * verified: nobody pretends to be blocked.
 *
 * @throws Rejection
 */
export function refuseBlocked(ctx: Context, request: Request): void {
  if (!request.headers.has("signature")) return;
  const signature = parseSignature(receivedRequest(ctx, request, NO_BODY), ctx.clock.now());
  if (!("problem" in signature)) refuseHost(ctx, hostOf(signature.keyId)!);
}

function refuseHost(ctx: Context, host: string): void {
  if (isRefusedHost(ctx, host)) throw new Rejection(403, `This server accepts nothing from ${host}`);
}

/** Whether the signature of a request, which was verified, covers a header. */
export function isSigned(ctx: Context, request: Request, name: string): boolean {
  const signature = parseSignature(receivedRequest(ctx, request, NO_BODY), ctx.clock.now());
  return "components" in signature && signature.components.includes(name);
}

/** The URL is that of this server's address, whatever a proxy made of the request. */
function receivedRequest(ctx: Context, request: Request, body: Uint8Array): ReceivedRequest {
  return { method: request.method, url: ctx.config.origin + targetOf(request.url), headers: request.headers, body };
}

function signerWith({ sender, isRetired }: SigningKey): Signer {
  if (sender.suspended) throw new Rejection(403, "This server accepts nothing from a suspended account");
  return { id: sender.id, uri: sender.uri, host: sender.host, isKeyRetired: isRetired };
}

function unauthorized(problem: string): Rejection {
  return new Rejection(401, `The request is not authenticated: ${problem}`);
}

async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeyUnavailable) {
      throw new Rejection(503, "The key of the signature can't be fetched now. Try again later.", error.retryAfter);
    }
    throw error;
  }
}
