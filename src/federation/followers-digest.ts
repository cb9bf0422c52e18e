/*
 * Synchronisation of followers (FEP-8fcf): a delivery names a digest of the sender's followers on the receiving server,
 * and an address that lists them. https://codeberg.org/fediverse/fep/src/branch/main/fep/8fcf/fep-8fcf.md
 */

export const SYNC_HEADER = "collection-synchronization";
const MAX_HEADER = 6000;

/** The XOR of the SHA-256 hashes of all URIs, in hexadecimal. */
export function digestOf(uris: Iterable<string>): string {
  const digest = Buffer.alloc(32);
  for (const uri of uris) {
    const hash = new Bun.CryptoHasher("sha256").update(uri).digest();
    for (let at = 0; at < digest.length; at += 1) digest[at]! ^= hash[at]!;
  }
  return digest.toString("hex");
}

export interface FollowersDigest {
  /** The whole collection of the sender's followers. */
  collectionId: string;
  /** Lists those on the receiving server. */
  url: string;
  digest: string;
}

export function writeDigest({ collectionId, url, digest }: FollowersDigest): string {
  return `collectionId="${collectionId}", url="${url}", digest="${digest}"`;
}

/** Null if the header is malformed. */
export function readDigest(header: string): FollowersDigest | null {
  if (header.length > MAX_HEADER) return null;
  const parts = new Map([...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  const [collectionId, url, digest] = [parts.get("collectionId"), parts.get("url"), parts.get("digest")?.toLowerCase()];
  if (!collectionId || !url || !digest || !/^[\da-f]{64}$/.test(digest)) return null;
  return { collectionId, url, digest };
}
