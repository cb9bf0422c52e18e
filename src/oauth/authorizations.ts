import type { Context } from "../context.ts";
import type { Reads } from "../db/open.ts";
import { revokeToken } from "./tokens.ts";

/** An app that a user has authorized. */
export interface AuthorizedApp {
  id: number;
  name: string;
  website: string | null;
  scopes: string[];
  /** When it was authorized first. */
  created_at: number;
  /** When its last token expires; null if one never does. */
  expires_at: number | null;
  /** Accurate to about an hour; null before its first request. */
  last_used_at: number | null;
  /** Where from, and with which program it was last used; null before that. */
  last_address: string | null;
  user_agent: string | null;
}

export interface UserToken extends AuthorizedApp {
  token_id: number;
  username: string;
}

/** Only the newest tokens are listed, to keep the list readable. */
const MAX_TOKENS = 500;

const TOKENS = `
  SELECT t.id AS token_id, p.username, a.id, a.name, a.website, t.scopes, t.created_at, t.last_used_at, t.expires_at,
    t.last_address, t.user_agent
  FROM oauth_tokens t JOIN oauth_apps a ON a.id = t.app_id JOIN users u ON u.id = t.user_id
    JOIN accounts p ON p.id = u.account_id`;
const NEWEST = `ORDER BY t.id DESC LIMIT ${MAX_TOKENS}`;

type TokenRow = Omit<UserToken, "scopes"> & { scopes: string };

/** The tokens of a user, or of all users for null, including expired ones; the newest first. */
export function tokensOf(db: Reads, userId: number | null): UserToken[] {
  const rows =
    userId === null
      ? db.all<TokenRow>(`${TOKENS} ${NEWEST}`)
      : db.all<TokenRow>(`${TOKENS} WHERE t.user_id = +$userId ${NEWEST}`, { userId });
  return rows.map((row) => ({ ...row, scopes: row.scopes.split(" ") }));
}

/** The apps with a valid token of a user, each once; the one authorized last comes first. */
export function authorizedApps(ctx: Context, userId: number): AuthorizedApp[] {
  const now = ctx.clock.now();
  const valid = tokensOf(ctx.db, userId).filter(({ expires_at }) => expires_at === null || expires_at > now);
  const byApp = Map.groupBy(valid, ({ id }) => id);
  return [...byApp.values()].map((tokens) => {
    const { id, name, website } = tokens[0]!;
    const ends = tokens.map(({ expires_at }) => expires_at);
    const last = tokens.toSorted((a, b) => (b.last_used_at ?? 0) - (a.last_used_at ?? 0))[0]!;
    return {
      id,
      name,
      website,
      scopes: [...new Set(tokens.flatMap(({ scopes }) => scopes))],
      created_at: Math.min(...tokens.map(({ created_at }) => created_at)),
      expires_at: ends.includes(null) ? null : Math.max(...ends.map(Number)),
      last_used_at: last.last_used_at,
      last_address: last.last_address,
      user_agent: last.user_agent,
    };
  });
}

/** Revokes an app's access to a user's account: its tokens, and codes that it hasn't redeemed yet. */
export function revokeApp(ctx: Context, userId: number, appId: number): void {
  ctx.db.transaction((tx) => {
    const tokens = tx.all<{ id: number }>("SELECT id FROM oauth_tokens WHERE user_id = +$userId AND app_id = +$appId", {
      userId,
      appId,
    });
    for (const { id } of tokens) revokeToken(ctx, tx, id);
    tx.run("DELETE FROM oauth_codes WHERE user_id = +$userId AND app_id = +$appId", { userId, appId });
  });
}

/** Revokes the access of all apps to a user's account. */
export function revokeApps(ctx: Context, userId: number): void {
  ctx.db.transaction((tx) => {
    const tokens = tx.all<{ id: number }>("SELECT id FROM oauth_tokens WHERE user_id = +$userId", { userId });
    for (const { id } of tokens) revokeToken(ctx, tx, id);
    tx.run("DELETE FROM oauth_codes WHERE user_id = +$userId", { userId });
  });
}
