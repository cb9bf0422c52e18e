import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { hashSecret, newSecret } from "../../lib/secrets.ts";
import { cannotSignIn } from "../visibility.ts";

/*
 * The key in the address of the feed of a user's home timeline. The address can be used without signing in, so it is as
 * secret as a password; a new one replaces it.
 */

/** Creates a key, which replaces the previous one. It is only known now, since only its hash is stored. */
export function newHomeFeedKey(ctx: Context, userId: number): string {
  const key = newSecret();
  ctx.db.transaction((tx) =>
    tx.run(
      `INSERT INTO home_feeds (user_id, key_hash, created_at) VALUES ($userId, $keyHash, $now)
       ON CONFLICT (user_id) DO UPDATE SET key_hash = excluded.key_hash, created_at = excluded.created_at`,
      { userId, keyHash: hashSecret(key), now: ctx.clock.now() },
    ),
  );
  return key;
}

export function removeHomeFeedKey(ctx: Context, userId: number): void {
  ctx.db.transaction((tx) => tx.run("DELETE FROM home_feeds WHERE user_id = +$userId", { userId }));
}

/** When the user's key was created, in ms; null without a key. */
export function homeFeedSince(db: Reads, userId: number): number | null {
  const row = db.get<{ created_at: number }>("SELECT created_at FROM home_feeds WHERE user_id = +$userId", { userId });
  return row?.created_at ?? null;
}

/** The account to which a key belongs; null for an unknown key, and for a user who may not sign in. */
export function accountOfHomeFeed(db: Reads, key: string): number | null {
  const row = db.get<{ account_id: number }>(
    `SELECT u.account_id FROM home_feeds f JOIN users u ON u.id = f.user_id
     WHERE f.key_hash = +$keyHash AND u.approved AND NOT ${cannotSignIn("u.account_id")}`,
    { keyHash: hashSecret(key) },
  );
  return row?.account_id ?? null;
}
