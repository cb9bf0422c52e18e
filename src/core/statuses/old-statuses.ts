import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { idAt } from "../../lib/ids.ts";
import { withoutMerging } from "../discovery/search-index.ts";
import { STATUS_COLUMNS, type StatusRow } from "../visibility.ts";
import { eraseStatus } from "./removal.ts";

const DAY = 24 * 3600_000;
/** Statuses examined in one transaction. */
const SLICE = 50;
/** For a slice, in ms: requests wait for it, and a small machine takes longer than others. */
const PATIENCE = 20;

/** Newest first, so that replies, reblogs and quotes are gone before the status that they refer to. */
const OLD = `
  SELECT s.id FROM statuses s WHERE s.id < +$before AND s.local = 0 ORDER BY s.id DESC LIMIT +$limit`;

const byUser = (table: string, condition: string) =>
  `EXISTS (SELECT 1 FROM ${table} x JOIN users u ON u.account_id = x.account_id WHERE ${condition})`;
const any = (from: string) => `EXISTS (SELECT 1 FROM ${from})`;

/**
 * The reasons to keep a status. Replies, reblogs and quotes that are still here do, too: otherwise a thread would lose its
 * middle, and a timeline its reblogs.
 */
const REASONS = [
  any("statuses r WHERE r.in_reply_to_id = s.id"),
  any("statuses r WHERE r.reblog_of_id = s.id"),
  any("quotes q WHERE q.quoted_status_id = s.id"),
  any("statuses c WHERE c.conversation_id = s.conversation_id AND c.local = 1"),
  any("statuses o WHERE o.id = s.reblog_of_id AND o.local = 1"),
  any("quotes q JOIN statuses o ON o.id = q.quoted_status_id WHERE q.status_id = s.id AND o.local = 1"),
  byUser("favourites", "x.status_id = s.id"),
  any("bookmarks b WHERE b.status_id = s.id"),
  byUser("mentions", "x.status_id = s.id"),
  any("status_pins p WHERE p.status_id = s.id"),
  byUser("poll_votes", "x.poll_id = (SELECT id FROM polls WHERE status_id = s.id)"),
  any("home_timeline h WHERE h.status_id = s.id"),
  any("list_timeline l WHERE l.status_id = s.id"),
  any("notifications n WHERE n.status_id = s.id"),
  any("reports r, json_each(r.status_ids) j WHERE r.target_account_id = s.account_id AND j.value = s.id"),
];

const UNINVOLVED = `
  SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.id = +$id AND NOT (${REASONS.join("\n    OR ")})`;

export interface PrunedStatuses {
  removed: number;
  /** The id before which the next slice starts; null if there is none. */
  before: number | null;
}

/**
 * Deletes the old remote statuses of one slice with which no local user has to do. They leave no tombstone, and no
 * client is notified: each may be fetched again. `before` is null for the first slice.
 */
export function pruneStatuses(ctx: Context, tx: Tx, before: number | null): PrunedStatuses {
  const days = ctx.config.remotePostsDays;
  if (days === 0) return { removed: 0, before: null };
  const first = before ?? idAt(ctx.clock.now() - days * DAY);
  const old = tx.all<{ id: number }>(OLD, { before: first, limit: SLICE });
  const end = performance.now() + PATIENCE;
  let [removed, examined] = [0, 0];
  withoutMerging(tx, () => {
    for (const { id } of old) {
      examined += 1;
      const status = uninvolvedStatus(tx, id);
      if (status) eraseStatus(ctx, tx, status, true);
      if (status) removed += 1;
      if (performance.now() > end) break;
    }
    if (removed > 0) mergePages(tx, old[examined - 1]!.id, old[0]!.id);
  });
  const isLast = examined === old.length && old.length < SLICE;
  return { removed, before: isLast ? null : old[examined - 1]!.id };
}

/** In bytes: half a page. With a third or two thirds of a page, fewer pages are merged, or none. */
const WEDGE_BYTES = 2000;
const WEDGE_URI = "linnet:wedge";
/** Thousands of local statuses may be between two remote ones; their pages are full. */
const MOST_REMAINING = 2 * SLICE;
const REMAINING = "SELECT id FROM statuses WHERE id BETWEEN +$from AND +$to ORDER BY id DESC LIMIT +$limit";
const WEDGE = `
  INSERT OR IGNORE INTO statuses (id, account_id, uri, url, content, local, visibility, conversation_id, created_at)
  SELECT id + 1, account_id, $uri, '', $content, 0, 'direct', id, created_at FROM statuses WHERE id = +$id`;
const REMOVE_WEDGE = "DELETE FROM statuses WHERE id = +$id + 1 AND uri = +$uri";

/**
 * Merges the pages of the statuses that stay in a range. SQLite merges a page with its neighbours when a deletion leaves
 * less than a third of it used, so most pages of a pruned range would stay half empty. A row of half a page after every
 * other status makes SQLite distribute three pages again, and deleting it merges them where they fit into two: that
 * saves 10 to 18 % of the pages (measured), in the transaction that changes them anyway.
 */
function mergePages(tx: Tx, from: number, to: number): void {
  const content = "x".repeat(WEDGE_BYTES);
  const remaining = tx.all<{ id: number }>(REMAINING, { from, to, limit: MOST_REMAINING });
  for (const [at, { id }] of remaining.entries()) {
    if (at % 2 > 0) continue;
    tx.run(WEDGE, { id, uri: WEDGE_URI, content });
    tx.run(REMOVE_WEDGE, { id, uri: WEDGE_URI });
  }
}

function uninvolvedStatus(db: Reads, id: number): StatusRow | null {
  return db.get<StatusRow>(UNINVOLVED, { id });
}
