import type { Context } from "../context.ts";
import { setState, stateOf } from "../core/server/server-state.ts";
import type { Reads, Tx } from "../db/open.ts";
import { authenticate, hashSecret, newSecret, sameSecret } from "../lib/secrets.ts";

/*
 * A browser that has signed in before keeps a signed cookie for each user. Its sign-in attempts are counted separately,
 * so that wrong passwords from elsewhere can't lock the user out. After OWASP's "Slow Down Online Guessing Attacks with
 * Device Cookies".
 */

/** How long a browser keeps the cookie after its last sign-in, in seconds. */
export const KNOWN_BROWSER_SECONDS = 365 * 24 * 3600;

const KEY = "known_browsers_key";

/** A cookie for a browser in which this user has just signed in: a new nonce and its signature. */
export function knownBrowserCookie(ctx: Context, userId: number): string {
  const nonce = newSecret();
  const key = storedKey(ctx.db) ?? ctx.db.transaction((tx) => storedKey(tx) ?? createKey(tx));
  return `${nonce}.${signatureOf(ctx.db, key, userId, nonce)}`;
}

/** The nonce of a cookie that this server set for this user and their current password; null for any other cookie. */
export function knownBrowser(ctx: Context, userId: number, cookie: string | null): string | null {
  const [nonce, signature] = cookie?.split(".") ?? [];
  const key = storedKey(ctx.db);
  if (!nonce || !signature || key === null) return null;
  return sameSecret(signature, signatureOf(ctx.db, key, userId, nonce)) ? nonce : null;
}

/** Signs the hash of the password too: a new password revokes the cookie. */
function signatureOf(db: Reads, key: string, userId: number, nonce: string): string {
  const { hash } = db.get<{ hash: string }>("SELECT password_hash AS hash FROM users WHERE id = +$userId", { userId })!;
  return authenticate(`known browser ${userId} ${nonce} ${hashSecret(hash)}`, key);
}

function storedKey(db: Reads): string | null {
  return stateOf(db, KEY);
}

function createKey(tx: Tx): string {
  const key = newSecret();
  setState(tx, KEY, key);
  return key;
}
