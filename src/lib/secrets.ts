import { createCipheriv, createDecipheriv, timingSafeEqual } from "node:crypto";

/** A URL-safe secret of 256 bits. */
export function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

/** The hash that we store of a high-entropy secret, so that a stolen database contains no usable tokens. */
export function hashSecret(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}

/** A PKCE challenge for its verifier (RFC 7636, section 4.2, method S256). */
export function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
}

/** A message authentication code (HMAC-SHA256): it can only be computed with the key. */
export function authenticate(message: string, key: string): string {
  return new Bun.CryptoHasher("sha256", key).update(message).digest("base64url");
}

/** Compares in constant time. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(hashSecret(a)), Buffer.from(hashSecret(b))];
  return timingSafeEqual(left, right);
}

const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/**
 * Encrypts a secret that must be recoverable, so that a hash is not enough: AES-256-GCM with a key that is not in the
 * database. It can only be decrypted for the same purpose, so moving it to another row makes it useless.
 */
export function seal(secret: string, key: Uint8Array, purpose: string): string {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
  const hidden = [cipher.update(secret, "utf8"), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...hidden]).toString("base64url");
}

/** Decrypts a sealed secret; null if the key or the purpose differs, or the data was changed. */
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

/** Decodes Base64 in either alphabet, with or without line breaks and padding; null if it is invalid. */
export function decodeBase64(text: string): Buffer | null {
  const compact = text.replaceAll(/\s/g, "").replace(/={1,2}$/, "");
  return /^[\w+/-]*$/.test(compact) && compact.length % 4 !== 1 ? Buffer.from(compact, "base64url") : null;
}
