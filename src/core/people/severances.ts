import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { severanceEvents } from "../../db/schema/index.ts";
import { endFollow } from "./follows.ts";

/** An account's loss of followers and follows in one event, with its reason. */
export type SeveranceRow = typeof severanceEvents.$inferSelect;

/** The reason why follows end, and the domain or handle on the other side. */
export interface Severance {
  type: SeveranceRow["type"];
  targetName: string;
}

/** A follow or follow request between a local account (`person`) and a remote one (`other`). */
interface Tie {
  person: number;
  other: number;
  kind: "following" | "follower" | "request";
}

const TIES = `
  WITH others (id) AS (SELECT value FROM json_each($accountIds))
  SELECT f.account_id AS person, f.target_account_id AS other, 'following' AS kind
  FROM others o JOIN follows f ON f.target_account_id = o.id JOIN users u ON u.account_id = f.account_id
  UNION ALL SELECT f.target_account_id, f.account_id, 'follower'
  FROM others o JOIN follows f ON f.account_id = o.id JOIN users u ON u.account_id = f.target_account_id
  UNION ALL SELECT r.account_id, r.target_account_id, 'request'
  FROM others o JOIN follow_requests r ON r.target_account_id = o.id JOIN users u ON u.account_id = r.account_id
  UNION ALL SELECT r.target_account_id, r.account_id, 'request'
  FROM others o JOIN follow_requests r ON r.account_id = o.id JOIN users u ON u.account_id = r.target_account_id`;

/**
 * Ends all follows and follow requests between these accounts and local accounts, or only the local account `only`. The
 * other servers are notified, since they can't know otherwise. `isFarewell` says that nothing else will be sent to them.
 */
export function endTies(
  ctx: Context,
  tx: Tx,
  accountIds: readonly number[],
  { only = null, isFarewell }: { only?: number | null; isFarewell: boolean },
): Tie[] {
  const ties = tx.all<Tie>(`SELECT * FROM (${TIES}) WHERE $only IS NULL OR person = +$only`, {
    accountIds: idList(accountIds),
    only,
  });
  for (const { person, other } of ties) {
    endFollow(ctx, tx, person, other, { isFarewell });
    endFollow(ctx, tx, other, person, { isFarewell });
  }
  return ties;
}

/**
 * Ends follows as `endTies()` does. Records an event for each local account that lost follows, and returns the events'
 * ids.
 */
export function sever(
  ctx: Context,
  tx: Tx,
  accountIds: readonly number[],
  { type, targetName }: Severance,
  only: number | null = null,
): number[] {
  const ties = endTies(ctx, tx, accountIds, { only, isFarewell: type === "domain_block" });
  const follows = Map.groupBy(
    ties.filter(({ kind }) => kind !== "request"),
    ({ person }) => person,
  );
  return [...follows].map(([person, ended]) => {
    const followers = ended.filter(({ kind }) => kind === "follower").length;
    const { lastInsertRowid } = tx.run(
      `INSERT INTO severance_events (account_id, type, target_name, followers_count, following_count, created_at)
       VALUES ($person, $type, $targetName, $followers, $followingCount, $now)`,
      { person, type, targetName, followers, followingCount: ended.length - followers, now: ctx.clock.now() },
    );
    return lastInsertRowid;
  });
}

export function severancesWith(db: Reads, ids: readonly number[]): SeveranceRow[] {
  return db.all<SeveranceRow>("SELECT * FROM severance_events WHERE id IN (SELECT value FROM json_each($ids))", {
    ids: idList(ids),
  });
}
