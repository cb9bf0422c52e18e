import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { authenticate, hashSecret, sameSecret } from "../../lib/secrets.ts";
import { sealingKey } from "../sealing-key.ts";

/** How long a page with a challenge may stay open. */
const LIFETIME = 10 * 60_000;
const [TIME_BYTES, NONCE_BYTES] = [6, 16];
const HEAD_BYTES = TIME_BYTES + NONCE_BYTES;

/**
 * A challenge for a passkey, in base64url. It contains its expiry and a signature over its purpose, so that pages with
 * challenges write nothing: anyone may open the sign-in page.
 */
export function newChallenge(ctx: Context, purpose: string): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(ctx.clock.now() + LIFETIME, 0, TIME_BYTES);
  crypto.getRandomValues(head.subarray(TIME_BYTES));
  return Buffer.concat([head, signatureOf(ctx, head, purpose)]).toString("base64url");
}

/** Whether this server issued a challenge for a purpose, and when it expires; null if it did not. */
export function challengeExpiry(ctx: Context, challenge: string, purpose: string): number | null {
  const bytes = Buffer.from(challenge, "base64url");
  const [head, signature] = [bytes.subarray(0, HEAD_BYTES), bytes.subarray(HEAD_BYTES)];
  const own = signatureOf(ctx, head, purpose);
  if (head.length < HEAD_BYTES || !sameSecret(signature.toString("hex"), own.toString("hex"))) return null;
  return head.readUIntBE(0, TIME_BYTES);
}

/** Marks a challenge as answered; false if it was answered before. */
export function useChallenge(tx: Tx, challenge: string, expiresAt: number): boolean {
  const { changes } = tx.run(
    "INSERT INTO used_challenges (challenge_hash, expires_at) VALUES ($hash, $expiresAt) ON CONFLICT DO NOTHING",
    { hash: hashSecret(challenge), expiresAt },
  );
  return changes > 0;
}

function signatureOf(ctx: Context, head: Buffer, purpose: string): Buffer {
  const key = Buffer.from(sealingKey(ctx)).toString("base64url");
  return Buffer.from(authenticate(`passkey challenge ${head.toString("hex")} ${purpose}`, key), "base64url");
}
