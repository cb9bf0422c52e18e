import { createECDH } from "node:crypto";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { setState, stateOf } from "../server/server-state.ts";

const NAME = "vapid_keys";

/** The key pair that identifies this server to push services (RFC 8292): P-256, base64url without padding. */
export interface VapidKeys {
  /** The uncompressed point, 87 characters. */
  publicKey: string;
  privateKey: string;
}

/** Creates the key pair at the first call. It never changes, because apps would lose their subscriptions. */
export function vapidKeys(ctx: Context): VapidKeys {
  // Checked again in the transaction, because a command in another process may have created them meanwhile.
  return storedKeys(ctx.db) ?? ctx.db.transaction((tx) => storedKeys(tx) ?? createKeys(tx));
}

function storedKeys(db: Reads): VapidKeys | null {
  const kept = stateOf(db, NAME);
  return kept === null ? null : (JSON.parse(kept) as VapidKeys);
}

function createKeys(tx: Tx): VapidKeys {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  // Node omits leading zeros, but push services expect the full length.
  const secret = pair.getPrivateKey();
  const padded = Buffer.concat([Buffer.alloc(32 - secret.length), secret]);
  const keys = { publicKey: pair.getPublicKey("base64url"), privateKey: padded.toString("base64url") };
  setState(tx, NAME, JSON.stringify(keys));
  return keys;
}
