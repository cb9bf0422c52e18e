import type { Context } from "../context.ts";
import { recordActivity } from "../core/server/weekly-stats.ts";
import type { Role } from "../core/people/users.ts";
import { recordSignIn, type Client, type SignIn } from "../core/sign-in/new-browsers.ts";
import type { Tx } from "../db/open.ts";
import { hashSecret, newSecret } from "../lib/secrets.ts";

const [MINUTE, HOUR, DAY] = [60_000, 3600_000, 24 * 3600_000];
/** How long a browser stays signed in, counted from its last visit. */
export const SESSION_LIFETIME = 365 * DAY;
/** How long sensitive pages need no further proof. */
const PROOF_LIFETIME = 15 * MINUTE;

/** A browser in which a user is signed in. */
export interface Session {
  id: number;
  secret: string;
  userId: number;
  accountId: number;
  username: string;
  displayName: string;
  role: Role;
  /** The language that the user has chosen for the pages; null if the browser decides. */
  language: string | null;
  /** The time zone that the user has chosen; null if none. */
  timeZone: string | null;
  /** When the user last proved in this browser who they are. */
  provedAt: number;
  /** Whether its expiry was extended just now, so that the cookie's must be extended too. */
  renewed: boolean;
}

interface SessionRow {
  id: number;
  user_id: number;
  account_id: number;
  username: string;
  display_name: string;
  role: Role;
  page_language: string | null;
  time_zone: string | null;
  expires_at: number;
  proved_at: number;
  last_used_at: number | null;
}

const SESSION = `
  SELECT s.id, s.user_id, u.account_id, a.username, a.display_name, u.role, u.page_language, u.time_zone,
    s.expires_at, s.proved_at, s.last_used_at
  FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = u.account_id
  WHERE s.session_hash = +$sessionHash AND s.expires_at > +$now`;

interface NewSession extends SignIn {
  /** The secret of the browser's present session, which ends: this prevents session fixation. */
  replaces: string | null;
  /** Whether sensitive pages accept the sign-in as a proof. */
  isProof: boolean;
  /** The time zone of the browser, for users who have none; null if it is unknown. */
  timeZone: string | null;
}

/** Signs a browser in. It always gets a new secret. */
export function openSession(ctx: Context, { replaces, isProof, timeZone, ...signIn }: NewSession): Session {
  const { userId, client } = signIn;
  const secret = newSecret();
  const now = ctx.clock.now();
  ctx.db.transaction((tx) => {
    if (replaces !== null)
      tx.run("DELETE FROM sessions WHERE session_hash = +$sessionHash", { sessionHash: hashSecret(replaces) });
    tx.run(
      `INSERT INTO sessions (session_hash, user_id, created_at, expires_at, proved_at, last_used_at, address, user_agent)
       VALUES ($sessionHash, $userId, $now, $expiresAt, $provedAt, $now, $address, $userAgent)`,
      {
        sessionHash: hashSecret(secret),
        userId,
        now,
        expiresAt: now + SESSION_LIFETIME,
        provedAt: isProof ? now : 0,
        address: client.address,
        userAgent: client.userAgent,
      },
    );
    if (timeZone !== null)
      tx.run("UPDATE users SET time_zone = $timeZone WHERE id = +$userId AND time_zone IS NULL", { timeZone, userId });
    recordActivity(tx, userId, now);
    recordSignIn(ctx, tx, signIn);
  });
  return { ...findSession(ctx, secret, client)!, renewed: true };
}

/** The session with this secret, extended if needed; null if it is unknown or expired. */
export function findSession(ctx: Context, secret: string, client: Client): Session | null {
  const now = ctx.clock.now();
  const row = ctx.db.get<SessionRow>(SESSION, { sessionHash: hashSecret(secret), now });
  if (!row) return null;
  // Once a day and once an hour are often enough, so that most requests need no write.
  const isOld = row.expires_at < now + SESSION_LIFETIME - DAY;
  const isRecorded = now - (row.last_used_at ?? 0) < HOUR && !isOld;
  const renewed = !isRecorded && recordUse(ctx, row, isOld, client) && isOld;
  return {
    id: row.id,
    secret,
    userId: row.user_id,
    accountId: row.account_id,
    username: row.username,
    displayName: row.display_name,
    role: row.role,
    language: row.page_language,
    timeZone: row.time_zone,
    provedAt: row.proved_at,
    renewed,
  };
}

const OPEN = "SELECT 1 FROM sessions WHERE session_hash = +$sessionHash AND expires_at > +$now";

/** Whether a session still exists; unlike a visit, this doesn't extend it. */
export function isSessionOpen(ctx: Context, secret: string): boolean {
  return ctx.db.get(OPEN, { sessionHash: hashSecret(secret), now: ctx.clock.now() }) !== null;
}

/**
 * Records a visit, and extends the session if wanted. A full disk or a lock must not keep its user from reading: then the
 * next visit does it.
 */
function recordUse(ctx: Context, { id, user_id, expires_at }: SessionRow, extend: boolean, client: Client): boolean {
  const now = ctx.clock.now();
  const expiresAt = extend ? now + SESSION_LIFETIME : expires_at;
  try {
    ctx.db.transaction((tx) => {
      tx.run(
        `UPDATE sessions SET expires_at = $expiresAt, last_used_at = $now, address = $address, user_agent = $userAgent
         WHERE id = +$id`,
        { expiresAt, now, address: client.address, userAgent: client.userAgent, id },
      );
      recordActivity(tx, user_id, now);
    });
    return true;
  } catch (error) {
    ctx.log.warn("a session could not be renewed: {error}", { error: String(error) });
    return false;
  }
}

/** Whether the user proved recently, in this browser, who they are. */
export function hasRecentProof(ctx: Context, { provedAt }: Session): boolean {
  return ctx.clock.now() - provedAt < PROOF_LIFETIME;
}

export function recordProof(ctx: Context, tx: Tx, { id }: Session): void {
  tx.run("UPDATE sessions SET proved_at = $now WHERE id = +$id", { now: ctx.clock.now(), id });
}

/** A session as its user sees it in the list of browsers. */
export interface ListedSession {
  id: number;
  created_at: number;
  /** Accurate to about an hour; null for sessions of earlier versions that were not used since. */
  last_used_at: number | null;
  address: string | null;
  user_agent: string | null;
}

const LISTED = `
  SELECT id, created_at, last_used_at, address, user_agent FROM sessions
  WHERE user_id = +$userId AND expires_at > +$now`;

/** The browsers in which a user is signed in; the one used last comes first. */
export function sessionsOf(ctx: Context, userId: number): ListedSession[] {
  const rows = ctx.db.all<ListedSession>(LISTED, { userId, now: ctx.clock.now() });
  return rows.toSorted((a, b) => (b.last_used_at ?? b.created_at) - (a.last_used_at ?? a.created_at));
}

/** Signs the user out of one browser. */
export function closeSessionOf(ctx: Context, userId: number, id: number): void {
  ctx.db.transaction((tx) => tx.run("DELETE FROM sessions WHERE id = +$id AND user_id = +$userId", { id, userId }));
}

/** Signs the user out of every browser but this one. */
export function closeOtherSessions(ctx: Context, { userId, id }: Session): void {
  ctx.db.transaction((tx) => tx.run("DELETE FROM sessions WHERE user_id = +$userId AND id <> +$id", { userId, id }));
}

export function closeSession(ctx: Context, secret: string): void {
  ctx.db.transaction((tx) =>
    tx.run("DELETE FROM sessions WHERE session_hash = +$sessionHash", { sessionHash: hashSecret(secret) }),
  );
}
