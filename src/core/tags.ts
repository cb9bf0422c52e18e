import type { Reads, Tx } from "../db/open.ts";
import { idList } from "../db/json.ts";
import { normaliseHashtag } from "../lib/hashtags.ts";

export interface TagName {
  /** The key: normalised. */
  name: string;
  /** As the author wrote it. */
  written: string;
}

/** Adds to what a status mentions. Whom it was only open to before is named now. */
export function saveMentions(tx: Tx, statusId: number, accountIds: readonly number[]): void {
  for (const accountId of accountIds) {
    tx.run(
      "INSERT INTO mentions (status_id, account_id) VALUES (?, ?) ON CONFLICT DO UPDATE SET silent = 0",
      statusId,
      accountId,
    );
  }
}

/** Whom a status names, besides those to whom it is only open. */
export function mentionsOf(db: Reads, statusId: number): number[] {
  return db
    .all<{ account_id: number }>("SELECT account_id FROM mentions WHERE status_id = ? AND NOT silent", statusId)
    .map(({ account_id }) => account_id);
}

/** Files a status under its hashtags. The first spelling of a tag is the one that is shown. */
export function saveTags(tx: Tx, statusId: number, tags: readonly TagName[], now: number): void {
  for (const { name, written } of tags) {
    insertTag(tx, { name, written }, now);
    tx.run(
      "INSERT OR IGNORE INTO status_tags (tag_id, status_id) SELECT id, ? FROM tags WHERE name = ?",
      statusId,
      name,
    );
  }
}

function insertTag(tx: Tx, { name, written }: TagName, now: number): void {
  tx.run(
    "INSERT INTO tags (name, display_name, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
    name,
    written,
    now,
  );
}

/** The id of a hashtag in whatever spelling; null when nobody has used it yet. */
export function findTag(db: Reads, written: string): number | null {
  return db.get<{ id: number }>("SELECT id FROM tags WHERE name = ?", normaliseHashtag(written))?.id ?? null;
}

/** A hashtag as it is shown: in its first spelling. */
export function spellingOf(db: Reads, written: string): string {
  const name = normaliseHashtag(written);
  return (
    db.get<{ display_name: string }>("SELECT display_name FROM tags WHERE name = ?", name)?.display_name ?? written
  );
}

/** The id of one that is wanted: made now, where nobody has used it yet. */
export function ensureTag(tx: Tx, written: string, now: number): number {
  insertTag(tx, { name: normaliseHashtag(written), written }, now);
  return findTag(tx, written)!;
}

/** After an edit: what the text speaks of now, and nothing that it spoke of before. */
export function replaceMentionsAndTags(
  tx: Tx,
  statusId: number,
  composed: { mentions: readonly number[]; tags: readonly TagName[] },
  now: number,
): void {
  tx.run(
    "DELETE FROM mentions WHERE status_id = ? AND NOT silent AND account_id NOT IN (SELECT value FROM json_each(?))",
    statusId,
    idList(composed.mentions),
  );
  tx.run("DELETE FROM status_tags WHERE status_id = ?", statusId);
  saveMentions(tx, statusId, composed.mentions);
  saveTags(tx, statusId, composed.tags, now);
}
