import type { Reads, Tx } from "../../db/open.ts";
import { idList } from "../../db/json.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import { isOpen, visibleTo } from "../visibility.ts";

export interface TagName {
  /** Normalised; the key of the hashtag. */
  name: string;
  /** As the author wrote it. */
  written: string;
}

/** Adds mentions to a status. An existing silent mention becomes a normal one. */
export function saveMentions(tx: Tx, statusId: number, accountIds: readonly number[]): void {
  for (const accountId of accountIds) {
    tx.run(
      "INSERT INTO mentions (status_id, account_id) VALUES ($statusId, $accountId) ON CONFLICT DO UPDATE SET silent = 0",
      { statusId, accountId },
    );
  }
}

/** Lets accounts see a status that doesn't mention them. */
export function saveSilentMentions(tx: Tx, statusId: number, accountIds: readonly number[]): void {
  for (const accountId of accountIds) {
    tx.run("INSERT OR IGNORE INTO mentions (status_id, account_id, silent) VALUES ($statusId, $accountId, 1)", {
      statusId,
      accountId,
    });
  }
}

/** The mentioned accounts, without silent mentions. */
export function mentionsOf(db: Reads, statusId: number): number[] {
  return db
    .all<{ account_id: number }>("SELECT account_id FROM mentions WHERE status_id = +$statusId AND NOT silent", {
      statusId,
    })
    .map(({ account_id }) => account_id);
}

/**
 * Stores the hashtags of a status. A hashtag is displayed in the spelling of its first status for everyone: a spelling
 * from any other would reveal that the hashtag was used before.
 */
export function saveTags(
  tx: Tx,
  status: { id: number; visibility: string; local_only: number },
  tags: readonly TagName[],
  now: number,
): void {
  for (const { name, written } of tags) {
    insertTag(tx, name, isOpen(status) ? written : "", now);
    tx.run("INSERT OR IGNORE INTO status_tags (tag_id, status_id) SELECT id, $statusId FROM tags WHERE name = +$name", {
      statusId: status.id,
      name,
    });
  }
}

/** `spelling` is empty if it must not be shown. The first spelling that may be shown is kept. */
function insertTag(tx: Tx, name: string, spelling: string, now: number): void {
  tx.run(
    `INSERT INTO tags (name, display_name, created_at) VALUES ($name, $spelling, $now)
     ON CONFLICT (name) DO UPDATE SET display_name = excluded.display_name WHERE display_name = ''`,
    { name, spelling, now },
  );
}

/** The id of a hashtag in any spelling; null if it is unknown. */
export function findTag(db: Reads, written: string): number | null {
  return (
    db.get<{ id: number }>("SELECT id FROM tags WHERE name = +$written", { written: normaliseHashtag(written) })?.id ??
    null
  );
}

/** The hashtag in its display spelling: that of its first public or unlisted status, else as written here. */
export function spellingOf(db: Reads, written: string): string {
  const name = normaliseHashtag(written);
  const row = db.get<{ display_name: string }>("SELECT display_name FROM tags WHERE name = +$name", { name });
  return row?.display_name || written;
}

/** The id of a hashtag, which is inserted if it is unknown. */
export function ensureTag(tx: Tx, written: string, now: number): number {
  insertTag(tx, normaliseHashtag(written), "", now);
  return findTag(tx, written)!;
}

/** Bounds the work for a hashtag with many posts that the viewer may not see. */
const MAX_EXAMINED = 1000;

/**
 * Whether a viewer may know that a hashtag (the alias of a row of `tags`) is in use: from one of its newest statuses, or
 * because they follow it. Without this, a search would complete the hashtags of direct posts. Strangers see only statuses
 * for everyone, and a hashtag that never was in one has no spelling (see `saveTags`).
 */
export function isKnownTo(tag: string): string {
  return `(
    ($viewer <> 0 OR ${tag}.display_name <> '') AND EXISTS (
      SELECT 1
      FROM (SELECT status_id FROM status_tags WHERE tag_id = ${tag}.id ORDER BY status_id DESC LIMIT ${MAX_EXAMINED}) st
      CROSS JOIN statuses s ON s.id = st.status_id
      WHERE ${visibleTo()})
    OR EXISTS (SELECT 1 FROM tag_follows WHERE account_id = +$viewer AND tag_id = ${tag}.id))`;
}

/** Replaces mentions and hashtags after an edit. */
export function replaceMentionsAndTags(
  tx: Tx,
  status: { id: number; visibility: string; local_only: number },
  composed: { mentions: readonly number[]; tags: readonly TagName[] },
  now: number,
): void {
  tx.run(
    "DELETE FROM mentions WHERE status_id = +$statusId AND NOT silent AND account_id NOT IN (SELECT value FROM json_each($mentions))",
    { statusId: status.id, mentions: idList(composed.mentions) },
  );
  tx.run("DELETE FROM status_tags WHERE status_id = +$statusId", { statusId: status.id });
  saveMentions(tx, status.id, composed.mentions);
  saveTags(tx, status, composed.tags, now);
}
