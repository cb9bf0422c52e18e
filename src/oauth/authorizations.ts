import type { Context } from "../context.ts";
import type { Reads } from "../db/open.ts";
import { revokeToken } from "./tokens.ts";

/** An app that somebody has let in. */
export interface AuthorizedApp {
  id: number;
  name: string;
  website: string | null;
  scopes: string[];
  /** When it was let in first. */
  created_at: number;
  /** To the hour or so; null before its first call. */
  last_used_at: number | null;
}

export interface GivenToken extends AuthorizedApp {
  token_id: number;
}

/** Nobody looks through more of them. */
const MAX_TOKENS = 500;

/** The tokens that act for somebody, the newest first. */
export function tokensOf(db: Reads, userId: number): GivenToken[] {
  return db
    .all<Omit<GivenToken, "scopes"> & { scopes: string }>(
      `SELECT t.id AS token_id, a.id, a.name, a.website, t.scopes, t.created_at, t.last_used_at
       FROM oauth_tokens t JOIN oauth_apps a ON a.id = t.app_id
       WHERE t.user_id = ? ORDER BY t.id DESC LIMIT ${MAX_TOKENS}`,
      userId,
    )
    .map((row) => ({ ...row, scopes: row.scopes.split(" ") }));
}

/** The apps that somebody has let in, each once whatever tokens it has: the one let in last comes first. */
export function authorizedApps(db: Reads, userId: number): AuthorizedApp[] {
  const byApp = Map.groupBy(tokensOf(db, userId), ({ id }) => id);
  return [...byApp.values()].map((tokens) => {
    const { id, name, website } = tokens[0]!;
    const uses = tokens.map(({ last_used_at }) => last_used_at).filter((time) => time !== null);
    return {
      id,
      name,
      website,
      scopes: [...new Set(tokens.flatMap(({ scopes }) => scopes))],
      created_at: Math.min(...tokens.map(({ created_at }) => created_at)),
      last_used_at: uses.length === 0 ? null : Math.max(...uses),
    };
  });
}

/** Shuts an app out of somebody's account: its tokens, and codes that it hasn't turned into one yet. */
export function shutOut(ctx: Context, userId: number, appId: number): void {
  ctx.db.transaction((tx) => {
    const tokens = tx.all<{ id: number }>(
      "SELECT id FROM oauth_tokens WHERE user_id = ? AND app_id = ?",
      userId,
      appId,
    );
    for (const { id } of tokens) revokeToken(ctx, tx, id);
    tx.run("DELETE FROM oauth_codes WHERE user_id = ? AND app_id = ?", userId, appId);
  });
}
