import type { Context } from "../context.ts";
import type { Tx } from "../db/open.ts";
import type { oauthCodes } from "../db/schema/index.ts";
import { challengeOf, hashSecret, newSecret, sameSecret } from "../lib/secrets.ts";
import { issueToken, revokeToken } from "./tokens.ts";

const LIFETIME = 10 * 60_000;

/** The access that a user has approved. */
export interface Grant {
  appId: number;
  userId: number;
  redirectUri: string;
  scopes: string;
  /** PKCE's challenge (S256), when the app sent one. */
  challenge: string | null;
}

type CodeRow = typeof oauthCodes.$inferSelect;

/** Issues a code that can be redeemed once, within ten minutes, by this app with this redirect URI. */
export function issueCode(ctx: Context, grant: Grant): string {
  const code = newSecret();
  ctx.db.transaction((tx) =>
    tx.run(
      `INSERT INTO oauth_codes (code_hash, app_id, user_id, redirect_uri, scopes, code_challenge, expires_at)
       VALUES ($codeHash, $appId, $userId, $redirectUri, $scopes, $challenge, $expiresAt)`,
      {
        codeHash: hashSecret(code),
        appId: grant.appId,
        userId: grant.userId,
        redirectUri: grant.redirectUri,
        scopes: grant.scopes,
        challenge: grant.challenge,
        expiresAt: ctx.clock.now() + LIFETIME,
      },
    ),
  );
  return code;
}

/**
 * Redeems a code for a token; null if the code is not valid. A code that is used twice was intercepted (RFC 6749,
 * section 4.1.2), and either use may be the attacker's: the token from the first use is revoked.
 */
export function redeemCode(
  ctx: Context,
  shown: { appId: number; code: string; redirectUri: string; verifier: string | null },
): { secret: string; scopes: string } | null {
  const hash = hashSecret(shown.code);
  return ctx.db.transaction((tx) => {
    const row = tx.get<CodeRow>("SELECT * FROM oauth_codes WHERE code_hash = +$hash", { hash });
    if (!row || row.app_id !== shown.appId) return null;
    if (row.used_at !== null) {
      if (row.token_id !== null) revokeToken(ctx, tx, row.token_id);
      return null;
    }
    if (row.expires_at <= ctx.clock.now() || row.redirect_uri !== shown.redirectUri) return null;
    if (!matchesChallenge(row.code_challenge, shown.verifier)) return null;
    return exchange(ctx, tx, hash, row);
  });
}

function exchange(ctx: Context, tx: Tx, hash: string, row: CodeRow): { secret: string; scopes: string } {
  const token = issueToken(ctx, tx, { appId: row.app_id, userId: row.user_id, scopes: row.scopes });
  tx.run("UPDATE oauth_codes SET used_at = $now, token_id = $tokenId WHERE code_hash = +$hash", {
    now: ctx.clock.now(),
    tokenId: token.id,
    hash,
  });
  return { secret: token.secret, scopes: row.scopes };
}

/** Refuses a verifier without a challenge too: an attacker removed the challenge from the request (RFC 9700, 2.1.1). */
function matchesChallenge(challenge: string | null, verifier: string | null): boolean {
  if (challenge === null || verifier === null) return challenge === verifier;
  return sameSecret(challengeOf(verifier), challenge);
}
