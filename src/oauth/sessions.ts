import type { Context } from "../context.ts";
import { recordActivity } from "../core/server/weekly-stats.ts";
import { hashSecret, newSecret } from "../lib/secrets.ts";

const DAY = 24 * 3600_000;
/** How long a browser stays signed in, counted from its last visit. */
export const SESSION_LIFETIME = 365 * DAY;

/** A browser in which a user is signed in. */
export interface Session {
  secret: string;
  userId: number;
  accountId: number;
  username: string;
  displayName: string;
  /** Whether its expiry was extended just now, so that the cookie's must be extended too. */
  renewed: boolean;
}

interface SessionRow {
  user_id: number;
  account_id: number;
  username: string;
  display_name: string;
  expires_at: number;
}

const SESSION = `
  SELECT s.user_id, u.account_id, a.username, a.display_name, s.expires_at
  FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = u.account_id
  WHERE s.session_hash = +$sessionHash AND s.expires_at > +$now`;

/** Signs a browser in. It always gets a new secret, and its previous one ends, which prevents session fixation. */
export function openSession(ctx: Context, userId: number, replaces: string | null): Session {
  const secret = newSecret();
  const now = ctx.clock.now();
  ctx.db.transaction((tx) => {
    if (replaces !== null)
      tx.run("DELETE FROM sessions WHERE session_hash = +$sessionHash", { sessionHash: hashSecret(replaces) });
    tx.run(
      "INSERT INTO sessions (session_hash, user_id, created_at, expires_at) VALUES ($sessionHash, $userId, $now, $expiresAt)",
      { sessionHash: hashSecret(secret), userId, now, expiresAt: now + SESSION_LIFETIME },
    );
    recordActivity(tx, userId, now);
  });
  return { ...findSession(ctx, secret)!, renewed: true };
}

/** The session with this secret, extended if needed; null if it is unknown or expired. */
export function findSession(ctx: Context, secret: string): Session | null {
  const now = ctx.clock.now();
  const row = ctx.db.get<SessionRow>(SESSION, { sessionHash: hashSecret(secret), now });
  if (!row) return null;
  // Once a day is often enough, so that most requests need no write.
  const renewed = row.expires_at < now + SESSION_LIFETIME - DAY && renew(ctx, secret, row.user_id);
  return {
    secret,
    userId: row.user_id,
    accountId: row.account_id,
    username: row.username,
    displayName: row.display_name,
    renewed,
  };
}

/** Moves the end of a session. A full disk or a lock must not keep its user from reading: then the next visit does it. */
function renew(ctx: Context, secret: string, userId: number): boolean {
  const now = ctx.clock.now();
  try {
    ctx.db.transaction((tx) => {
      const expires = now + SESSION_LIFETIME;
      tx.run("UPDATE sessions SET expires_at = $expires WHERE session_hash = +$sessionHash", {
        expires,
        sessionHash: hashSecret(secret),
      });
      recordActivity(tx, userId, now);
    });
    return true;
  } catch (error) {
    ctx.log.warn("a session could not be renewed: {error}", { error: String(error) });
    return false;
  }
}

/** The number of other browsers in which the user is signed in. */
export function otherSessions(ctx: Context, session: Session): number {
  return ctx.db.get<{ count: number }>(
    "SELECT count(*) AS count FROM sessions WHERE user_id = +$userId AND session_hash <> +$sessionHash AND expires_at > +$now",
    { userId: session.userId, sessionHash: hashSecret(session.secret), now: ctx.clock.now() },
  )!.count;
}

/** Signs the user out of every browser but this one. */
export function closeOtherSessions(ctx: Context, session: Session): void {
  ctx.db.transaction((tx) =>
    tx.run("DELETE FROM sessions WHERE user_id = +$userId AND session_hash <> +$sessionHash", {
      userId: session.userId,
      sessionHash: hashSecret(session.secret),
    }),
  );
}

export function closeSession(ctx: Context, secret: string): void {
  ctx.db.transaction((tx) =>
    tx.run("DELETE FROM sessions WHERE session_hash = +$sessionHash", { sessionHash: hashSecret(secret) }),
  );
}
