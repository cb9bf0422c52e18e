import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { KeyPair } from "../../lib/signatures.ts";
import { deliver } from "../deliveries.ts";

/*
 * The keys that sign requests to other servers: one for each local account, and one for the server itself. They are in the
 * database, so that a backup carries the identity.
 */

const DAY = 24 * 3600_000;
/** How long the key of a deleted account is kept at least, in ms: messages about the deletion are retried for days. */
const KEPT_AFTER_DELETION = 30 * DAY;
/** How long a replaced key is kept, in ms: longer than an activity that it signs can wait. */
const KEPT_AFTER_ROTATION = 8 * DAY;

/** A key pair in PEM, and its account's name; null for the server itself. */
export interface AccountKey extends KeyPair {
  username: string | null;
}

/**
 * The key pair of a local account, or (null) of the server itself. A server that has just started for the first time may
 * still be generating it.
 */
export async function keyOf(ctx: Context, accountId: number | null): Promise<AccountKey> {
  const ready = findKey(ctx.db, accountId);
  if (ready) return ready;
  await ensureKeys(ctx);
  const key = findKey(ctx.db, accountId);
  if (!key) throw new Error(`Account ${accountId ?? "of the server"} has no key`);
  return key;
}

/** Null while the key is still being generated. */
export function findKey(db: Reads, accountId: number | null): AccountKey | null {
  return db.get<AccountKey>(
    `SELECT a.username, k.public_key AS publicKey, k.private_key AS privateKey
     FROM account_keys k LEFT JOIN accounts a ON a.id = k.account_id
     WHERE k.account_id IS +$accountId AND k.retired_at IS NULL`,
    { accountId },
  );
}

const TO_TRY = `
  SELECT a.username, k.public_key AS publicKey, k.private_key AS privateKey
  FROM account_keys k LEFT JOIN accounts a ON a.id = k.account_id WHERE k.account_id IS +$accountId
  ORDER BY k.id IS +$keyId DESC, k.retired_at IS NULL DESC, k.id DESC LIMIT 2`;

/**
 * The keys to sign an activity with, in the order in which they are tried: the one that was replaced while the activity
 * waited, if any, then the current one, then the one before. Another server may still know only the one before.
 */
export async function keysToTry(ctx: Context, accountId: number | null, keyId: number | null): Promise<AccountKey[]> {
  const find = () => ctx.db.all<AccountKey>(TO_TRY, { accountId, keyId });
  const keys = find();
  if (keys.length > 0) return keys;
  await keyOf(ctx, accountId);
  return find();
}

const RETIRE = `
  UPDATE account_keys SET retired_at = $now WHERE account_id = +$accountId AND retired_at IS NULL RETURNING id`;
const SIGN_WAITING = `
  UPDATE outgoing_activities SET key_id = $keyId WHERE account_id = +$accountId AND key_id IS NULL`;

/**
 * Replaces the key of a local account. The replaced one signs what waits to be sent, and the activity that names the new
 * one: other servers know only the replaced one until then.
 */
export async function rotateKey(ctx: Context, accountId: number): Promise<void> {
  await keyOf(ctx, accountId);
  const keys = await ctx.generateKeys();
  ctx.db.transaction((tx) => {
    const { id: keyId } = tx.get<{ id: number }>(RETIRE, { accountId, now: ctx.clock.now() })!;
    saveKey(ctx, tx, accountId, keys);
    tx.run(SIGN_WAITING, { accountId, keyId });
    deliver(ctx, tx, { type: "account.key_rotated", accountId, keyId });
  });
}

/** Does nothing if there is a key already. */
export function saveKey(ctx: Context, tx: Tx, accountId: number | null, { publicKey, privateKey }: KeyPair): void {
  tx.run(
    `INSERT INTO account_keys (account_id, public_key, private_key, created_at)
     VALUES ($accountId, $publicKey, $privateKey, $now) ON CONFLICT DO NOTHING`,
    { accountId, publicKey, privateKey, now: ctx.clock.now() },
  );
}

const WITHOUT_KEY = `
  SELECT u.account_id FROM users u WHERE NOT EXISTS (SELECT 1 FROM account_keys WHERE account_id = u.account_id)`;

/** Generates the missing keys: of the server, and of accounts that are older than federation. */
export function ensureKeys(ctx: Context): Promise<void> {
  return ctx.flights.run("missing keys", () => generateMissing(ctx));
}

async function generateMissing(ctx: Context): Promise<void> {
  const missing: (number | null)[] = ctx.db.all<{ account_id: number }>(WITHOUT_KEY).map((row) => row.account_id);
  if (!ctx.db.get("SELECT 1 FROM account_keys WHERE account_id IS NULL")) missing.push(null);
  for (const accountId of missing) {
    const keys = await ctx.generateKeys();
    await ctx.db.whenWritable(() => ctx.db.transaction((tx) => saveKey(ctx, tx, accountId, keys)));
  }
}

/** Deletes keys that were replaced, and those of deleted accounts that have nothing left to send. */
export function deleteUnusedKeys(tx: Tx, now: number): void {
  tx.run("DELETE FROM account_keys WHERE retired_at < +$before", { before: now - KEPT_AFTER_ROTATION });
  tx.run(
    `DELETE FROM account_keys WHERE account_id IN (
       SELECT a.id FROM account_keys k JOIN accounts a ON a.id = k.account_id
       WHERE a.deleted_at < +$before AND NOT EXISTS (SELECT 1 FROM outgoing_activities WHERE account_id = a.id))`,
    { before: now - KEPT_AFTER_DELETION },
  );
}
