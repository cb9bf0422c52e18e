import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { notFound, Refusal } from "../../errors.ts";
import { type AccountRow, resolveHandle } from "../accounts.ts";
import { deliver } from "../deliveries.ts";

/*
 * Aliases: other accounts of the same person. An account can only move to one that names it as an alias, so nobody
 * can send followers to an account whose owner doesn't expect them.
 */

/** Other servers read at least as many. */
const MAX_ALIASES = 20;

const URIS = `
  SELECT a.uri FROM account_aliases l JOIN accounts a ON a.id = l.alias_account_id
  WHERE l.account_id = +$accountId ORDER BY l.id`;

/** The ids of a local account's aliases, oldest first. */
export function aliasesOf(db: Reads, accountId: number): number[] {
  const sql = "SELECT l.alias_account_id AS id FROM account_aliases l WHERE l.account_id = +$accountId ORDER BY l.id";
  return db.all<{ id: number }>(sql, { accountId }).map(({ id }) => id);
}

export function aliasUris(db: Reads, accountId: number): string[] {
  return db.all<{ uri: string }>(URIS, { accountId }).map(({ uri }) => uri);
}

/**
 * The account with this handle, for a user who wants to name or move to it. An unknown one is fetched.
 *
 * @throws Refusal if there is none, or if it is the user's own
 */
export async function otherAccount(ctx: Context, accountId: number, handle: string): Promise<AccountRow> {
  const account = await resolveHandle(ctx, accountId, handle);
  if (!account || account.suspended_at !== null) {
    throw new Refusal("invalid", `No account is found as ${handle}: check that it is written like @name@example.org.`);
  }
  if (account.id === accountId) throw new Refusal("invalid", "This is the account itself: name another one.");
  return account;
}

const ADD = `
  INSERT INTO account_aliases (account_id, alias_account_id, created_at) VALUES ($accountId, $aliasId, $now)
  ON CONFLICT DO NOTHING`;

/** Adds an alias to a local account, by its handle, and returns the alias. @throws Refusal */
export async function addAlias(ctx: Context, accountId: number, handle: string): Promise<AccountRow> {
  const alias = await otherAccount(ctx, accountId, handle);
  ctx.db.transaction((tx) => {
    const { changes } = tx.run(ADD, { accountId, aliasId: alias.id, now: ctx.clock.now() });
    if (changes === 0) return;
    if (aliasesOf(tx, accountId).length > MAX_ALIASES) {
      throw new Refusal("invalid", `An account can have at most ${MAX_ALIASES} aliases: remove one first.`);
    }
    deliver(ctx, tx, { type: "account.updated", accountId });
  });
  return alias;
}

/** @throws Refusal if the account has no such alias */
export function removeAlias(ctx: Context, accountId: number, aliasId: number | null): void {
  ctx.db.transaction((tx) => {
    const { changes } = tx.run(
      "DELETE FROM account_aliases WHERE account_id = +$accountId AND alias_account_id = +$aliasId",
      { accountId, aliasId },
    );
    if (changes === 0) throw notFound();
    deliver(ctx, tx, { type: "account.updated", accountId });
  });
}
