import type { Context } from "../../context.ts";
import { findAccount } from "../../core/accounts.ts";
import { hiddenInLists } from "../../core/visibility.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { parseId } from "../../lib/ids.ts";
import { object } from "../../lib/http/input.ts";
import { idsOf, limit } from "../paging.ts";
import type { Router } from "../router.ts";

/** The reasons for a suggestion (`sources`), with the value of the older field `source` (entities/Suggestion). */
const SOURCES = { featured: "staff", friends_of_friends: "past_interactions" } as const;
type Source = keyof typeof SOURCES;

interface SuggestionRow {
  id: number;
  featured: number;
  friends: number;
}

/**
 * Accounts the owners endorse, then friends of friends, most mutual friends first; ties go to the less popular. Leaves
 * out accounts that aren't discoverable or are limited, and those the viewer already follows, has asked to follow,
 * avoids (`hiddenInLists`) or has dismissed. The follows of accounts that hide them don't count.
 */
const SUGGESTIONS = `
  WITH reasons (id, featured, friend) AS (
    SELECT e.target_account_id, 1, 0 FROM endorsements e JOIN users u ON u.account_id = e.account_id
    WHERE u.role = 'owner'
    UNION ALL
    SELECT theirs.target_account_id, 0, 1
    FROM follows mine
    JOIN accounts friend ON friend.id = mine.target_account_id AND NOT friend.hide_collections
    JOIN follows theirs ON theirs.account_id = friend.id
    WHERE mine.account_id = +$accountId),
  candidates (id, featured, friends) AS (SELECT id, max(featured), sum(friend) FROM reasons GROUP BY id)
  SELECT a.id, c.featured, c.friends
  FROM candidates c CROSS JOIN accounts a ON a.id = c.id
  WHERE a.id <> +$accountId AND a.discoverable = 1 AND a.silenced_at IS NULL AND NOT ${hiddenInLists("a.id", "+$accountId")}
    AND NOT EXISTS (SELECT 1 FROM follows WHERE account_id = +$accountId AND target_account_id = a.id)
    AND NOT EXISTS (SELECT 1 FROM follow_requests WHERE account_id = +$accountId AND target_account_id = a.id)
    AND NOT EXISTS (SELECT 1 FROM suggestion_dismissals WHERE account_id = +$accountId AND target_account_id = a.id)
  ORDER BY c.featured DESC, c.friends DESC, a.followers_count, a.id LIMIT +$limit`;

/** Mastodon's documentation: methods/suggestions. */
export function suggestionRoutes(routes: Router): void {
  const Limit = object({ limit: limit(40, 80) });
  const read = { scope: "read:accounts", input: Limit } as const;
  routes
    .get(
      "/api/v2/suggestions",
      { ...read, summary: "List suggested accounts, with the reasons" },
      ({ ctx, viewerId, input }) => suggestionsFor(ctx, viewerId, input.limit),
    )
    .get(
      "/api/v1/suggestions",
      { ...read, summary: "List suggested accounts (deprecated)" },
      ({ ctx, viewerId, input }) => suggestionsFor(ctx, viewerId, input.limit).map(({ account }) => account),
    )
    // The documentation requires a read scope, Mastodon itself a write scope.
    .delete(
      "/api/v1/suggestions/:id",
      { scope: ["write:accounts", "read:accounts"], summary: "Dismiss a suggested account" },
      ({ ctx, viewerId, params }) => {
        dismiss(ctx, viewerId, findAccount(ctx, parseId(params.id)).id);
      },
    );
}

function suggestionsFor(ctx: Context, accountId: number, limit: number) {
  const rows = ctx.db.all<SuggestionRow>(SUGGESTIONS, { accountId, now: ctx.clock.now(), limit });
  const accounts = showAccounts(ctx, idsOf(rows));
  return accounts.map((account, at) => {
    const sources = sourcesOf(rows[at]!);
    return { source: SOURCES[sources[0]!], sources, account };
  });
}

function sourcesOf(row: SuggestionRow): Source[] {
  return [...(row.featured ? ["featured" as const] : []), ...(row.friends ? ["friends_of_friends" as const] : [])];
}

function dismiss(ctx: Context, accountId: number, targetId: number): void {
  ctx.db.transaction((tx) =>
    tx.run(
      "INSERT OR IGNORE INTO suggestion_dismissals (account_id, target_account_id) VALUES ($accountId, $targetId)",
      { accountId, targetId },
    ),
  );
}
