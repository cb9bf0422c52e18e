import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { hashSecret, newSecret } from "../../lib/secrets.ts";

const HOUR = 3600_000;

/** How long a link works, in milliseconds. */
export const TOKEN_LIFETIMES = { confirm: 48 * HOUR, password_reset: HOUR, sign_in: HOUR / 4 } as const;

export type TokenPurpose = keyof typeof TOKEN_LIFETIMES;

/** E-mails with a link that a user gets within an hour, for each purpose. */
const MAX_PER_HOUR = 4;

const RECENT = `
  SELECT count(*) AS count FROM email_tokens
  WHERE user_id = +$userId AND purpose = +$purpose AND created_at > +$since`;

/** Whether a user gets no further link for now: otherwise anyone could flood their mailbox. */
export function hasEnoughTokens(ctx: Context, userId: number, purpose: TokenPurpose): boolean {
  const since = ctx.clock.now() - HOUR;
  return ctx.db.get<{ count: number }>(RECENT, { userId, purpose, since })!.count >= MAX_PER_HOUR;
}

/** Creates the secret of a link. Only its hash is stored. `email` is "" for a link that is not sent. */
export function createEmailToken(
  ctx: Context,
  tx: Tx,
  { userId, purpose, email }: { userId: number; purpose: TokenPurpose; email: string },
): string {
  const secret = newSecret();
  const now = ctx.clock.now();
  tx.run(
    `INSERT INTO email_tokens (token_hash, user_id, purpose, email, created_at, expires_at)
     VALUES ($tokenHash, $userId, $purpose, $email, $now, $expiresAt)`,
    { tokenHash: hashSecret(secret), userId, purpose, email, now, expiresAt: now + TOKEN_LIFETIMES[purpose] },
  );
  return secret;
}

/** Deletes the token of an e-mail that was not sent. */
export function dropEmailToken(tx: Tx, secret: string): void {
  tx.run("DELETE FROM email_tokens WHERE token_hash = +$tokenHash", { tokenHash: hashSecret(secret) });
}

export interface EmailToken {
  user_id: number;
  email: string;
}

const FIND = `
  SELECT user_id, email FROM email_tokens
  WHERE token_hash = +$tokenHash AND purpose = +$purpose AND expires_at > +$now`;

/** The token with this secret; null if it is unknown, used or expired. */
export function findEmailToken(ctx: Context, db: Reads, purpose: TokenPurpose, secret: string): EmailToken | null {
  return db.get<EmailToken>(FIND, { tokenHash: hashSecret(secret), purpose, now: ctx.clock.now() });
}

/** Ends all links of a user for a purpose: when one was used, the others must not work either. */
export function endEmailTokens(tx: Tx, userId: number, purpose: TokenPurpose): void {
  tx.run("DELETE FROM email_tokens WHERE user_id = +$userId AND purpose = +$purpose", { userId, purpose });
}

export function removeExpiredTokens(ctx: Context, tx: Tx): void {
  tx.run("DELETE FROM email_tokens WHERE expires_at < +$now", { now: ctx.clock.now() });
}
