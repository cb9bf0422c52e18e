import type { Context } from "../../context.ts";
import { type Budget, contextWithin } from "../../core/fetches.ts";
import { adoptFollowers, localAmong, localFollowersOf } from "../local-followers.ts";
import type { JobPayloads } from "../../db/queue.ts";
import type { Tx } from "../../db/open.ts";
import { digestOf } from "../followers-digest.ts";
import { itemsOf } from "./collections.ts";

/** A list of a thousand accounts of this server in small pages. */
const BUDGET: Budget = { requests: 50, bytes: 4 * 1024 * 1024 };
const MAX_ITEMS = 5000;

const ACCOUNT = "SELECT uri FROM accounts WHERE id = +$accountId AND suspended_at IS NULL AND gone_at IS NULL";

/**
 * Compares the local followers of a remote account with the list of its server (FEP-8fcf). The list must have the digest
 * that was announced: then no page of it is missing. Returns what to write when the job ends.
 */
export async function fetchFollowers(
  ctx: Context,
  { accountId, url, digest }: JobPayloads["followers.compare"],
): Promise<((tx: Tx) => void) | void> {
  const account = ctx.db.get<{ uri: string }>(ACCOUNT, { accountId });
  if (!account) return;
  const before = localFollowersOf(ctx.db, accountId);
  const uris = new Set<string>();
  for await (const item of itemsOf(contextWithin(ctx, { ...BUDGET }), url, account.uri)) {
    if (typeof item !== "string" || uris.size === MAX_ITEMS) return;
    uris.add(item);
  }
  if (digestOf(uris) !== digest) return;
  const listed = localAmong(ctx.db, uris);
  return (tx) => adoptFollowers(ctx, tx, accountId, { before, listed });
}
