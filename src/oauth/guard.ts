import type { Context } from "../context.ts";
import type { Client } from "../core/sign-in/new-browsers.ts";
import { AWAITS_CONFIRMATION } from "../core/people/users.ts";
import { isSuspended } from "../core/visibility.ts";
import { idList } from "../db/json.ts";
import { Refusal } from "../errors.ts";
import { hashSecret } from "../lib/secrets.ts";
import { covers, type Scope } from "./scopes.ts";
import { recordUse, USE_RECORDED_EVERY } from "./tokens.ts";

/** The user a token belongs to. */
export interface Viewer {
  accountId: number;
  userId: number;
  role: string;
}

/** A valid token. `viewer` is null for an app token, and for a user who is pending or disabled. */
export interface Bearer {
  tokenId: number;
  appId: number;
  scopes: string[];
  viewer: Viewer | null;
  /** The user, even while they are pending; null for an app token. */
  userId: number | null;
  /** The token's user is pending approval, or has not confirmed the e-mail address. */
  pending: boolean;
  /** The token's user has signed up, but not confirmed the e-mail address. */
  unconfirmed: boolean;
  /** The token's user is suspended or their sign-in is disabled: the token is refused. */
  disabled: boolean;
}

interface TokenRow {
  token_id: number;
  app_id: number;
  scopes: string;
  last_used_at: number | null;
  expires_at: number | null;
  user_id: number | null;
  account_id: number | null;
  role: string | null;
  approved: number | null;
  disabled: number | null;
  unconfirmed: number | null;
}

const TOKEN = `
  SELECT t.id AS token_id, t.app_id, t.scopes, t.last_used_at, t.expires_at, u.id AS user_id, u.account_id, u.role, u.approved,
    u.disabled OR ${isSuspended("u.account_id")} AS disabled, ${AWAITS_CONFIRMATION} AS unconfirmed
  FROM oauth_tokens t LEFT JOIN users u ON u.id = t.user_id
  WHERE t.token_hash = +$tokenHash`;

const VALID = `
  SELECT t.id FROM json_each($tokenIds) j JOIN oauth_tokens t ON t.id = j.value JOIN users u ON u.id = t.user_id
  WHERE u.approved AND NOT u.disabled AND NOT ${isSuspended("u.account_id")}
    AND (t.expires_at IS NULL OR t.expires_at > +$now)`;

const LOCALE = "SELECT u.locale FROM oauth_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = +$tokenHash";

const BEARER = /^Bearer +([^\s]{1,512})\s*$/i;

/** The token of an Authorization header, or null without one. Any other credentials count as an invalid token. */
export function bearerToken(header: string | null): string | null {
  if (header === null) return null;
  const match = BEARER.exec(header);
  if (!match) throw invalidToken();
  return match[1]!;
}

/**
 * The holder of a token.
 *
 * @throws Refusal for a token that is unknown, revoked or expired
 */
export function findBearer(ctx: Context, token: string, client: Client): Bearer {
  const row = ctx.db.get<TokenRow>(TOKEN, { tokenHash: hashSecret(token) });
  if (!row) throw invalidToken();
  const now = ctx.clock.now();
  if (row.expires_at !== null && row.expires_at <= now) throw new Refusal("unauthorized", "The access token expired");
  const [pending, disabled] = [row.approved === 0, row.disabled === 1];
  const isActiveUser = row.user_id !== null && !pending && !disabled;
  if (now - (row.last_used_at ?? 0) >= USE_RECORDED_EVERY)
    recordUse(ctx, row.token_id, isActiveUser ? row.user_id : null, client);
  return {
    tokenId: row.token_id,
    appId: row.app_id,
    scopes: row.scopes.split(" "),
    userId: row.user_id,
    pending,
    unconfirmed: row.unconfirmed === 1,
    disabled,
    viewer: isActiveUser ? { userId: row.user_id!, accountId: row.account_id!, role: row.role! } : null,
  };
}

/** The locale of the user whose token an Authorization header has; null if it has none. */
export function localeOfToken(ctx: Context, header: string | null): string | null {
  const token = BEARER.exec(header ?? "")?.[1];
  if (token === undefined) return null;
  return ctx.db.get<{ locale: string }>(LOCALE, { tokenHash: hashSecret(token) })?.locale ?? null;
}

/** The tokens that still act for a user: the others have expired, or another process revoked them. */
export function validTokenIds(ctx: Context, tokenIds: readonly number[]): Set<number> {
  return new Set(
    ctx.db.all<{ id: number }>(VALID, { tokenIds: idList(tokenIds), now: ctx.clock.now() }).map(({ id }) => id),
  );
}

/** Refuses a token of a user who is suspended or disabled. */
export function requireEnabled(bearer: Bearer): void {
  if (bearer.disabled) throw new Refusal("forbidden", "Your login is currently disabled");
}

/** Refuses a token that has none of these scopes. */
export function requireScope(bearer: Bearer, anyOf: readonly Scope[]): void {
  if (!anyOf.some((scope) => covers(bearer.scopes, scope))) {
    throw new Refusal("forbidden", "This action is outside the authorized scopes");
  }
}

export function requireViewer(bearer: Bearer): Viewer {
  if (bearer.unconfirmed) throw new Refusal("forbidden", "Your login is missing a confirmed e-mail address");
  if (bearer.pending) throw new Refusal("forbidden", "Your login is currently pending approval");
  if (!bearer.viewer) throw new Refusal("invalid", "This method requires an authenticated user");
  return bearer.viewer;
}

export function invalidToken(): Refusal {
  return new Refusal("unauthorized", "The access token is invalid");
}
