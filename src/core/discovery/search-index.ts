import type { Reads, Tx } from "../../db/open.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { indexWords } from "../../lib/text/search-words.ts";

interface IndexedRow {
  id: number;
  account_id: number;
  local: number;
  text: string;
  content_type: string;
  content: string;
  spoiler_text: string;
  sensitive: number;
  language: string | null;
  visibility: string;
  in_reply_to_id: number | null;
  has_media: number;
  descriptions: string | null;
  /** The options of its poll; null without a poll. */
  choices: string | null;
  /** Types of the attachments (`image`, `audio` and so on), separated by commas. */
  media_types: string | null;
  people: string | null;
}

/** `people` are the local accounts that wrote, favourited, bookmarked or boosted a status, or are mentioned in it. */
const STATUS = `
  SELECT s.id, s.account_id, s.local, s.text, s.content_type, s.content, s.spoiler_text, s.sensitive, s.language, s.visibility,
    s.in_reply_to_id, s.has_media,
    (SELECT group_concat(DISTINCT type) FROM media_attachments WHERE status_id = s.id AND position >= 0) AS media_types,
    (SELECT group_concat(description, ' ') FROM media_attachments WHERE status_id = s.id AND position >= 0) AS descriptions,
    (SELECT group_concat(o.title, ' ') FROM polls p JOIN poll_options o ON o.poll_id = p.id WHERE p.status_id = s.id) AS choices,
    (SELECT group_concat(account_id) FROM (
      SELECT s.account_id
      UNION SELECT account_id FROM mentions WHERE status_id = s.id
      UNION SELECT account_id FROM favourites WHERE status_id = s.id
      UNION SELECT account_id FROM bookmarks WHERE status_id = s.id
      UNION SELECT account_id FROM statuses WHERE reblog_of_id = s.id
    ) part WHERE EXISTS (SELECT 1 FROM users WHERE account_id = part.account_id)) AS people
  FROM statuses s WHERE s.id = +$statusId AND s.reblog_of_id IS NULL`;

/**
 * Adds a status to the index, or updates its entry. Runs at the end of the transaction: FTS5 flushes its pending data
 * at each savepoint, and publishing a status uses many.
 */
export function indexStatus(tx: Tx, statusId: number): void {
  tx.beforeCommit(`search ${statusId}`, () => writeEntry(tx, statusId));
}

/** Updates the entry of a status in which an account takes part now, or no more. Only local accounts are in it. */
export function indexPart(tx: Tx, statusId: number, accountId: number): void {
  if (tx.get("SELECT 1 FROM users WHERE account_id = +$accountId", { accountId })) indexStatus(tx, statusId);
}

function writeEntry(tx: Tx, statusId: number): void {
  const row = tx.get<IndexedRow>(STATUS, { statusId });
  if (!row) return;
  const text = isPlain(row) ? row.text : htmlToText(row.content);
  const words = indexWords([row.spoiler_text, text, row.choices ?? "", row.descriptions ?? ""].join("\n"));
  tx.run("INSERT OR REPLACE INTO status_search (rowid, words, marks) VALUES ($id, $words, $marks)", {
    id: row.id,
    words,
    marks: marksOf(row),
  });
}

const MEDIA_MARKS: Record<string, string> = {
  image: "hasimage",
  gifv: "hasvideo",
  video: "hasvideo",
  audio: "hasaudio",
};

function marksOf(row: IndexedRow): string {
  const marks = [`by${row.account_id}`, ...(row.people?.split(",") ?? []).map((id) => partMark(Number(id)))];
  if (row.visibility === "public") marks.push("public");
  if (row.language) marks.push(languageMark(row.language));
  if (row.in_reply_to_id !== null) marks.push("isreply");
  if (row.sensitive) marks.push("issensitive");
  if (row.has_media) marks.push("hasmedia");
  for (const type of row.media_types?.split(",") ?? []) marks.push(MEDIA_MARKS[type] ?? "hasmedia");
  if (row.choices !== null) marks.push("haspoll");
  if (hasLink(row)) marks.push("haslink");
  return marks.join(" ");
}

/** Whether the status has a link other than mentions and hashtags. */
function hasLink(row: IndexedRow): boolean {
  if (isPlain(row)) return /https?:\/\//.test(row.text);
  return /<a\s(?![^>]*\bmention\b)[^>]*href=/.test(row.content);
}

/** Whether the text of a status is what its readers see. */
function isPlain(row: IndexedRow): boolean {
  return row.local === 1 && row.content_type === "text/plain";
}

/** The word that marks the statuses of an account's library. */
export function partMark(accountId: number): string {
  return `part${accountId}`;
}

export function authorMark(accountId: number): string {
  return `by${accountId}`;
}

export function languageMark(language: string): string {
  return `lang${language.toLowerCase().split("-")[0]}`;
}

/** SQLite's default for `automerge`. */
const AUTOMERGE = 4;
/** Pages of the index that one transaction rewrites: requests wait for some milliseconds at most. */
const MERGED_PAGES = 16;

/**
 * Deletes many statuses without rewriting the index: FTS5 would do so after every 64 deletions, for as long as a hundred
 * of them take. Call `mergeIndex()` after it.
 */
export function withoutMerging(tx: Tx, work: () => void): void {
  configure(tx, 0);
  work();
  // Otherwise the commit would merge.
  tx.run("INSERT INTO status_search (status_search) VALUES ('flush')");
  configure(tx, AUTOMERGE);
}

function configure(tx: Tx, automerge: number): void {
  tx.run("INSERT INTO status_search (status_search, rank) VALUES ('automerge', $automerge)", { automerge });
}

/** Rewrites a slice of those parts of the index in which many statuses were deleted. Returns false if there are none left. */
export function mergeIndex(tx: Tx): boolean {
  const before = changesOf(tx);
  tx.run(`INSERT INTO status_search (status_search, rank) VALUES ('merge', ${MERGED_PAGES})`);
  // The command itself counts as a change.
  return changesOf(tx) - before > 1;
}

function changesOf(db: Reads): number {
  return db.get<{ changes: number }>("SELECT total_changes() AS changes")!.changes;
}
