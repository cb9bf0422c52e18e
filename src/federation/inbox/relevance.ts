import type { Reads } from "../../db/open.ts";

/** Loops over the few local users. */
const FOLLOWED = `
  SELECT 1 FROM users u CROSS JOIN follows f ON f.account_id = u.account_id AND f.target_account_id = +$accountId LIMIT 1`;

export function isFollowedHere(db: Reads, accountId: number): boolean {
  return db.get(FOLLOWED, { accountId }) !== null;
}

const FOLLOWED_TAG = `
  SELECT 1 FROM json_each($names) j JOIN tags t ON t.name = j.value JOIN tag_follows f ON f.tag_id = t.id LIMIT 1`;
const LOCAL = `
  SELECT 1 FROM json_each($uris) j JOIN accounts a ON a.uri = j.value JOIN users u ON u.account_id = a.id LIMIT 1`;
const LOCAL_STATUS = "SELECT 1 FROM statuses WHERE uri = +$uri AND local = 1 AND local_only = 0";
const REPLY = "SELECT 1 FROM statuses WHERE in_reply_to_uri = +$uri LIMIT 1";

/** The parts of a new status that make it interesting here. */
export interface Addressed {
  uri: string;
  /** Normalised; none unless the status is for everyone. */
  hashtags: readonly string[];
  /** The URIs of everyone that it is addressed to or mentions. */
  recipients: readonly string[];
  inReplyTo: string | null;
  /** The local status that it quotes. */
  quotedId: number | null;
}

/** Whether a new status is for a local user: by an account that one follows, addressed to one, or about their status. */
export function isForUsers(
  db: Reads,
  authorId: number,
  { recipients, inReplyTo, quotedId }: Omit<Addressed, "hashtags">,
): boolean {
  if (quotedId !== null || isFollowedHere(db, authorId)) return true;
  if (recipients.length > 0 && db.get(LOCAL, { uris: JSON.stringify(recipients) })) return true;
  return inReplyTo !== null && db.get(LOCAL_STATUS, { uri: inReplyTo }) !== null;
}

/**
 * Whether a delivered status is stored: a local user follows its author or one of its hashtags, or it is addressed to a
 * local user, or replies to a local status or quotes one, or replies to it arrived before. Other servers also deliver
 * statuses that concern no user of this one.
 */
export function isWanted(db: Reads, authorId: number, status: Addressed): boolean {
  if (isForUsers(db, authorId, status)) return true;
  if (db.get(REPLY, { uri: status.uri })) return true;
  return status.hashtags.length > 0 && db.get(FOLLOWED_TAG, { names: JSON.stringify(status.hashtags) }) !== null;
}
