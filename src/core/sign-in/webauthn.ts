/**
 * Loads the library that checks passkeys, at its first use: it is large. A library beneath it needs `reflect-metadata` before
 * it is evaluated, and imports it itself; in the executable, that import comes too late.
 */
export async function webAuthn() {
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
}
