import type { Context } from "../context.ts";
import { announce, SERVER_TOPIC } from "../core/events.ts";
import type { Tx } from "../db/open.ts";
import { hashSecret, newSecret } from "../lib/secrets.ts";

/** Gives a token, and keeps only its hash: the secret is seen once, here. `userId` is null for an app's own token. */
export function issueToken(
  ctx: Context,
  tx: Tx,
  grant: { appId: number; userId: number | null; scopes: string },
): { id: number; secret: string } {
  const secret = newSecret();
  const { lastInsertRowid } = tx.run(
    "INSERT INTO oauth_tokens (token_hash, app_id, user_id, scopes, created_at) VALUES (?, ?, ?, ?, ?)",
    hashSecret(secret),
    grant.appId,
    grant.userId,
    grant.scopes,
    ctx.clock.now(),
  );
  return { id: lastInsertRowid, secret };
}

/** Takes a token back and ends the streams that were opened with it. */
export function revokeToken(ctx: Context, tx: Tx, tokenId: number): void {
  tx.run("DELETE FROM oauth_tokens WHERE id = ?", tokenId);
  announce(ctx, tx, [SERVER_TOPIC], { event: "token.revoked", tokenId });
}
