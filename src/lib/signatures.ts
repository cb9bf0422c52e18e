import { generateKeyPair as generateKeyPairNode } from "node:crypto";
import { promisify } from "node:util";

/** A key pair in PEM: SPKI and PKCS #8. */
export interface KeyPair {
  publicKey: string;
  privateKey: string;
}

/** A new RSA key of 2048 bits. Doesn't block the main thread. */
export function generateKeyPair(): Promise<KeyPair> {
  return promisify(generateKeyPairNode)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}
