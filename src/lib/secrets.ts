import { createCipheriv, createDecipheriv, timingSafeEqual } from "node:crypto";

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

/** A message authentication code (HMAC-SHA256): only those who have the key can make it. */
export function authenticate(message: string, key: string): string {
  return new Bun.CryptoHasher("sha256", key).update(message).digest("base64url");
}

/** Compares without telling by its time where the difference is. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(hashSecret(a)), Buffer.from(hashSecret(b))];
  return timingSafeEqual(left, right);
}

const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/**
 * Hides a secret that we need again ourselves, unlike those of which a hash is enough: AES-256-GCM with a key that lies
 * elsewhere. It opens for the same purpose only, so that what was moved to another row is worth nothing.
 */
export function seal(secret: string, key: Uint8Array, purpose: string): string {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
  const hidden = [cipher.update(secret, "utf8"), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...hidden]).toString("base64url");
}

/** What was sealed; null when the key or the purpose is another, or a byte was changed. */
export function unseal(sealed: string, key: Uint8Array, purpose: string): string | null {
  const bytes = Buffer.from(sealed, "base64url");
  const [nonce, rest] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(rest.subarray(0, TAG_BYTES));
    return decipher.update(rest.subarray(TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
}

/** The bytes of Base64 in either of its alphabets, in lines or not, padded or not; null for anything else. */
export function decodeBase64(text: string): Buffer | null {
  const compact = text.replaceAll(/\s/g, "").replace(/={1,2}$/, "");
  return /^[\w+/-]*$/.test(compact) && compact.length % 4 !== 1 ? Buffer.from(compact, "base64url") : null;
}
