import { timingSafeEqual } from "node:crypto";

/** A secret of 256 bits that can stand in a URL. */
export function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

/** What we keep of a secret that has enough entropy of its own: a stolen database signs nobody in. */
export function hashSecret(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}

/** A PKCE challenge for its verifier (RFC 7636, section 4.2, method S256). */
export function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
}

/** Compares without telling by its time where the difference is. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(hashSecret(a)), Buffer.from(hashSecret(b))];
  return timingSafeEqual(left, right);
}
