import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import type { Attempt } from "../../lib/openid/provider.ts";
import { authenticate, hashSecret, newSecret, sameSecret } from "../../lib/secrets.ts";

/** How long a browser may take at the provider, in milliseconds. */
const LIFETIME = 10 * 60_000;

interface Journey {
  providerId: string;
  /** The secret of the browser's cookie: of its session or, while no user is signed in, of its forms. */
  browser: string;
  /** The user who wants to link an account; null for a sign-in. */
  userId: number | null;
  returnTo: string;
}

/** Remembers that a browser is sent to a provider. */
export function beginAttempt(ctx: Context, { providerId, browser, userId, returnTo }: Journey): Attempt {
  const state = newSecret();
  ctx.db.transaction((tx) =>
    tx.run(
      `INSERT INTO provider_attempts (state_hash, provider, browser_hash, user_id, return_to, expires_at)
       VALUES ($stateHash, $provider, $browserHash, $userId, $returnTo, $expiresAt)`,
      {
        stateHash: hashSecret(state),
        provider: providerId,
        browserHash: hashSecret(browser),
        userId,
        returnTo,
        expiresAt: ctx.clock.now() + LIFETIME,
      },
    ),
  );
  return attemptOf(ctx, providerId, browser, state);
}

/**
 * Ends an attempt. It works once, even for another browser that has its state, and only in the browser that began it. Null for
 * any other.
 */
export function takeAttempt(
  ctx: Context,
  { providerId, browser, state }: { providerId: string; browser: string | null; state: string },
): (Pick<Journey, "userId" | "returnTo"> & { attempt: Attempt }) | null {
  const row = ctx.db.transaction((tx) =>
    tx.get<{ provider: string; browser_hash: string; user_id: number | null; return_to: string; expires_at: number }>(
      `DELETE FROM provider_attempts WHERE state_hash = +$stateHash
       RETURNING provider, browser_hash, user_id, return_to, expires_at`,
      { stateHash: hashSecret(state) },
    ),
  );
  if (!row || browser === null || row.provider !== providerId || row.expires_at <= ctx.clock.now()) return null;
  if (!sameSecret(row.browser_hash, hashSecret(browser))) return null;
  return { userId: row.user_id, returnTo: row.return_to, attempt: attemptOf(ctx, providerId, browser, state) };
}

/** The address to which a provider sends the browser back. */
function redirectUri({ config }: Context, providerId: string): string {
  return `${config.origin}/sign-in/with/${providerId}/callback`;
}

/** The verifier and the nonce follow from the cookie, so that they need not be stored. */
function attemptOf(ctx: Context, providerId: string, browser: string, state: string): Attempt {
  return {
    state,
    verifier: authenticate(`verifier ${state}`, browser),
    nonce: authenticate(`nonce ${state}`, browser),
    redirectUri: redirectUri(ctx, providerId),
  };
}

export function removeOldAttempts(ctx: Context, tx: Tx): void {
  tx.run("DELETE FROM provider_attempts WHERE expires_at < +$now", { now: ctx.clock.now() });
}
