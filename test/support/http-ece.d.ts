declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  export function decrypt(
    message: Buffer,
    how: { version: string; privateKey: ECDH; authSecret: Uint8Array; salt?: string; dh?: string },
  ): Buffer;
}
