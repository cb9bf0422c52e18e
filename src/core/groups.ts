import type { Reads } from "../db/open.ts";

/** Accounts that are groups, such as a community of Lemmy: they reblog the posts of their members. */
export interface Group {
  id: number;
  uri: string;
}

const OPEN = "s.reblog_of_id IS NULL AND s.visibility IN ('public', 'unlisted') AND s.local_only = 0";

/** The first post of the thread has the id of the conversation. */
const GROUPS = `
  SELECT g.id, g.uri FROM statuses s CROSS JOIN mentions m ON m.status_id IN (s.id, s.in_reply_to_id, s.conversation_id)
  CROSS JOIN accounts g ON g.id = m.account_id
  WHERE s.id = +$statusId AND ${OPEN} AND g.actor_type = 'Group' AND g.suspended_at IS NULL
  UNION
  SELECT g.id, g.uri FROM statuses s CROSS JOIN statuses b ON b.reblog_of_id IN (s.in_reply_to_id, s.conversation_id)
  CROSS JOIN accounts g ON g.id = b.account_id
  WHERE s.id = +$statusId AND ${OPEN} AND g.actor_type = 'Group' AND g.suspended_at IS NULL`;

/**
 * The groups that a public or unlisted status is for: it mentions them, or its parent or the first post of its thread is
 * in them.
 */
export function groupsOf(db: Reads, statusId: number): Group[] {
  return db.all<Group>(GROUPS, { statusId });
}
