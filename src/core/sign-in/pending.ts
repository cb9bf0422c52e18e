import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { hashSecret, newSecret } from "../../lib/secrets.ts";
import { loginOfUser, type LoginRow } from "./logins.ts";

/** How long a user has to show a second factor. */
const LIFETIME = 10 * 60_000;

/** Remembers that a browser has shown a user's first factor. Returns the secret for its cookie. */
export function beginSecondStep(ctx: Context, userId: number): string {
  const secret = newSecret();
  ctx.db.transaction((tx) =>
    tx.run("INSERT INTO pending_sign_ins (secret_hash, user_id, expires_at) VALUES ($hash, $userId, $expiresAt)", {
      hash: hashSecret(secret),
      userId,
      expiresAt: ctx.clock.now() + LIFETIME,
    }),
  );
  return secret;
}

/** The user whose first factor a browser has shown; null if that was too long ago. */
export function pendingUser(ctx: Context, secret: string): LoginRow | null {
  const row = ctx.db.get<{ user_id: number }>(
    "SELECT user_id FROM pending_sign_ins WHERE secret_hash = +$hash AND expires_at > +$now",
    { hash: hashSecret(secret), now: ctx.clock.now() },
  );
  return row && loginOfUser(ctx, row.user_id);
}

export function endSecondStep(tx: Tx, secret: string): void {
  tx.run("DELETE FROM pending_sign_ins WHERE secret_hash = +$hash", { hash: hashSecret(secret) });
}
