/** A strong validator for a body (RFC 9110, section 8.8.3). */
export function etagOf(body: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(body).digest("base64url");
  return `"${hash.slice(0, 22)}"`;
}

/**
 * Whether If-None-Match matches this ETag, so that the response is 304 (RFC 9110, section 13.1.2). The comparison is
 * weak, since proxies that compress a response make its ETag weak.
 */
export function isNamedBy(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const tags = ifNoneMatch.slice(0, 2000).split(",");
  return tags.some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}
