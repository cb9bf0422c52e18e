import { createECDH } from "node:crypto";
import type { Context } from "../context.ts";

/** The key pair by which push services know this server (RFC 8292): P-256, base64url without padding. */
export interface VapidKeys {
  /** The uncompressed point, 87 characters. */
  publicKey: string;
  privateKey: string;
}

/** Makes the pair when it is asked for the first time. It never changes: apps would lose their subscriptions. */
export function vapidKeys(ctx: Context): VapidKeys {
  const kept = ctx.db.get<{ value: string }>("SELECT value FROM server_state WHERE name = 'vapid_keys'");
  if (kept) return JSON.parse(kept.value) as VapidKeys;
  return ctx.db.transaction((tx) => {
    // A command may have made them since, in another process.
    tx.run(
      "INSERT INTO server_state (name, value) VALUES ('vapid_keys', ?) ON CONFLICT DO NOTHING",
      JSON.stringify(newKeys()),
    );
    return JSON.parse(
      tx.get<{ value: string }>("SELECT value FROM server_state WHERE name = 'vapid_keys'")!.value,
    ) as VapidKeys;
  });
}

function newKeys(): VapidKeys {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  // Node leaves out leading zeros, which push services count.
  const secret = pair.getPrivateKey();
  const padded = Buffer.concat([Buffer.alloc(32 - secret.length), secret]);
  return { publicKey: pair.getPublicKey("base64url"), privateKey: padded.toString("base64url") };
}
