import { createECDH } from "node:crypto";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { setState, stateOf } from "../server/server-state.ts";

const NAME = "vapid_keys";

/** The key pair by which push services know this server (RFC 8292): P-256, base64url without padding. */
export interface VapidKeys {
  /** The uncompressed point, 87 characters. */
  publicKey: string;
  privateKey: string;
}

/** Makes the pair when it is asked for the first time. It never changes: apps would lose their subscriptions. */
export function vapidKeys(ctx: Context): VapidKeys {
  // Asked again where it would be written, since a command may have made them meanwhile, in another process.
  return keptKeys(ctx.db) ?? ctx.db.transaction((tx) => keptKeys(tx) ?? makeKeys(tx));
}

function keptKeys(db: Reads): VapidKeys | null {
  const kept = stateOf(db, NAME);
  return kept === null ? null : (JSON.parse(kept) as VapidKeys);
}

function makeKeys(tx: Tx): VapidKeys {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  // Node leaves out leading zeros, which push services count.
  const secret = pair.getPrivateKey();
  const padded = Buffer.concat([Buffer.alloc(32 - secret.length), secret]);
  const keys = { publicKey: pair.getPublicKey("base64url"), privateKey: padded.toString("base64url") };
  setState(tx, NAME, JSON.stringify(keys));
  return keys;
}
