import type { Context } from "../../context.ts";
import { existingAccounts, findAccount } from "../../core/accounts.ts";
import { idList } from "../../db/json.ts";
import { refuseWhere, tooLong } from "../../errors.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { showRelationship } from "../../entities/relationships.ts";
import { parseId, parseIds } from "../../lib/ids.ts";
import { ids, object, text } from "../../lib/http/input.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

/** Mastodon's limit, in characters. */
const MAX_NOTE = 2000;

/** The methods about relationships in methods/accounts, besides follows and blocks. */
export function relationRoutes(routes: Router): void {
  routes
    .post(
      "/api/v1/accounts/:id/note",
      {
        scope: "write:accounts",
        input: object({ comment: text({ max: 100_000, default: "" }) }),
        summary: "Set a private note about an account",
      },
      (call) => changeRelationship(call, (ctx, viewerId, id) => note(ctx, viewerId, id, call.input.comment)),
    )
    .get(
      "/api/v1/accounts/familiar_followers",
      {
        scope: "read:follows",
        input: object({ id: ids(80) }),
        summary: "List familiar followers: accounts you follow that also follow an account",
      },
      ({ ctx, viewerId, input }) => familiarFollowers(ctx, viewerId, existingAccounts(ctx, parseIds(input.id))),
    )
    // Mastodon 3.5 removed identity proofs, but some apps still request them.
    .get(
      "/api/v1/accounts/:id/identity_proofs",
      { scope: "read:accounts", summary: "List identity proofs (removed from Mastodon; always empty)" },
      ({ ctx, params }) => {
        findAccount(ctx, parseId(params.id));
        return [];
      },
    );
}

/** Calls `act` for the account in the path and returns the viewer's relationship to it afterwards. */
export function changeRelationship(
  { ctx, viewerId, params }: Pick<Call, "ctx" | "viewerId" | "params">,
  act: (ctx: Context, viewerId: number, targetId: number) => void,
) {
  const target = findAccount(ctx, parseId(params.id));
  act(ctx, viewerId, target.id);
  return showRelationship(ctx, viewerId, target.id);
}

/** Saves a private note about an account; an empty comment removes it. */
function note(ctx: Context, accountId: number, targetId: number, comment: string): void {
  refuseWhere([tooLong("Comment", comment, MAX_NOTE)]);
  ctx.db.transaction((tx) => {
    if (comment === "") {
      tx.run("DELETE FROM account_notes WHERE account_id = +$accountId AND target_account_id = +$targetId", {
        accountId,
        targetId,
      });
      return;
    }
    tx.run(
      `INSERT INTO account_notes (account_id, target_account_id, comment) VALUES ($accountId, $targetId, $comment)
       ON CONFLICT (account_id, target_account_id) DO UPDATE SET comment = excluded.comment`,
      { accountId, targetId, comment },
    );
  });
}

/** Leaves out followers who hide their follows, and all followers of accounts that hide them. */
const FAMILIAR = `
  SELECT a.id AS followed, friend.id AS follower
  FROM json_each($accountIds) j
  JOIN accounts a ON a.id = j.value AND NOT a.hide_collections AND a.suspended_at IS NULL
  JOIN follows mine ON mine.account_id = +$viewer
  JOIN accounts friend ON friend.id = mine.target_account_id AND NOT friend.hide_collections
    AND friend.suspended_at IS NULL
  JOIN follows theirs ON theirs.account_id = friend.id AND theirs.target_account_id = a.id
  ORDER BY theirs.id DESC`;

/** Mastodon's FamiliarFollowers (entities/FamiliarFollowers): the followers of each account that the viewer follows. */
function familiarFollowers(ctx: Context, viewerId: number, accountIds: readonly number[]) {
  const rows = ctx.db.all<{ followed: number; follower: number }>(FAMILIAR, {
    viewer: viewerId,
    accountIds: idList(accountIds),
  });
  const accounts = new Map(
    showAccounts(ctx, [...new Set(rows.map(({ follower }) => follower))]).map((account) => [account.id, account]),
  );
  const followers = Map.groupBy(rows, ({ followed }) => followed);
  return accountIds.map((id) => ({
    id: String(id),
    accounts: (followers.get(id) ?? []).map(({ follower }) => accounts.get(String(follower))!),
  }));
}
