import type { Context } from "../context.ts";
import { recordActivity } from "../core/server/weekly-stats.ts";
import type { Client } from "../core/sign-in/new-browsers.ts";
import { publishAfterCommit, SERVER_TOPIC } from "../core/events.ts";
import type { Tx } from "../db/open.ts";
import { hashSecret, newSecret } from "../lib/secrets.ts";

/** Precision of a token's last use, in ms: a write per hour is cheap, a write per request would not be. */
export const USE_RECORDED_EVERY = 3600_000;

/**
 * Issues a token and stores only its hash: the secret is returned once, here. `userId` is null for an app token;
 * without `expiresAt` (milliseconds) it never expires.
 */
export function issueToken(
  ctx: Context,
  tx: Tx,
  grant: { appId: number; userId: number | null; scopes: string; expiresAt?: number | undefined },
): { id: number; secret: string } {
  const secret = newSecret();
  const { lastInsertRowid } = tx.run(
    `INSERT INTO oauth_tokens (token_hash, app_id, user_id, scopes, created_at, expires_at)
     VALUES ($tokenHash, $appId, $userId, $scopes, $now, $expiresAt)`,
    {
      tokenHash: hashSecret(secret),
      appId: grant.appId,
      userId: grant.userId,
      scopes: grant.scopes,
      now: ctx.clock.now(),
      expiresAt: grant.expiresAt ?? null,
    },
  );
  return { id: lastInsertRowid, secret };
}

/** Revokes a token and ends the streams that were opened with it. */
export function revokeToken(ctx: Context, tx: Tx, tokenId: number): void {
  tx.run("DELETE FROM oauth_tokens WHERE id = +$tokenId", { tokenId });
  publishAfterCommit(ctx, tx, [SERVER_TOPIC], { event: "token.revoked", tokenId });
}

/** Revokes all tokens of a user, and the codes that apps have not redeemed yet. */
export function revokeTokensOf(ctx: Context, tx: Tx, userId: number): void {
  const tokens = tx.all<{ id: number }>("SELECT id FROM oauth_tokens WHERE user_id = +$userId", { userId });
  for (const { id } of tokens) revokeToken(ctx, tx, id);
  tx.run("DELETE FROM oauth_codes WHERE user_id = +$userId", { userId });
}

/** Records token use and user activity; `userId` is null for app tokens. */
export function recordUse(ctx: Context, tokenId: number, userId: number | null, client: Client): void {
  const now = ctx.clock.now();
  try {
    ctx.db.transaction((tx) => {
      tx.run(
        "UPDATE oauth_tokens SET last_used_at = $now, last_address = $address, user_agent = $userAgent WHERE id = +$tokenId",
        { now, address: client.address, userAgent: client.userAgent, tokenId },
      );
      if (userId !== null) recordActivity(tx, userId, now);
    });
  } catch (error) {
    // A full disk must not prevent reading.
    ctx.log.warn("the last use of a token could not be recorded: {error}", { error: String(error) });
  }
}
