import { eq } from "drizzle-orm";
import type { Context } from "../../context.ts";
import { updateGiven } from "../../db/builder.ts";
import type { Reads } from "../../db/open.ts";
import { users } from "../../db/schema/index.ts";
import { isHeld } from "../visibility.ts";

/** Kinds of senders that a user can filter: accounts they don't follow, accounts that don't follow them, and so on. */
export const POLICY_KINDS = [
  "for_not_following",
  "for_not_followers",
  "for_new_accounts",
  "for_private_mentions",
  "for_limited_accounts",
] as const;
/** The possible treatments of their notifications. The database stores the index in this list. */
export const POLICY_LEVELS = ["accept", "filter", "drop"] as const;

type Kind = (typeof POLICY_KINDS)[number];
type Level = (typeof POLICY_LEVELS)[number];
export type Policy = Record<Kind, Level>;

export function policyOf(db: Reads, accountId: number): Policy {
  const row = db.get<Record<Kind, number>>(
    `SELECT ${POLICY_KINDS.join(", ")} FROM users WHERE account_id = +$accountId`,
    { accountId },
  )!;
  return Object.fromEntries(POLICY_KINDS.map((kind) => [kind, POLICY_LEVELS[row[kind]]!])) as Policy;
}

/** Changes the given levels, for new notifications. */
export function changePolicy(ctx: Context, accountId: number, changes: Partial<Policy>): void {
  const indexOf = (kind: Kind) => changes[kind] && POLICY_LEVELS.indexOf(changes[kind]);
  const columns = Object.fromEntries(POLICY_KINDS.map((kind) => [kind, indexOf(kind)]));
  ctx.db.transaction((tx) => updateGiven(tx, users, columns, eq(users.account_id, accountId)));
}

/** Types that strangers can cause. All others result from the user's own actions, or come from the server. */
const HELD_BACK = "('mention', 'reblog', 'favourite', 'follow', 'follow_request', 'quote')";

const DAY = 24 * 3600_000;
/** How long an account counts as new, and how long a follower doesn't count as one. */
const NEW_ACCOUNT = 30 * DAY;
const NEW_FOLLOWER = 3 * DAY;

/** The rank of a role: mentions by higher ranks can't be filtered. An SQL expression of `users.role`. */
const rank = (role: string) =>
  `CASE ${role} WHEN 'owner' THEN 3 WHEN 'admin' THEN 2 WHEN 'moderator' THEN 1 ELSE 0 END`;

/** The parameters or columns of a notification; `users u` is its recipient. */
export interface NotifyColumns {
  type: string;
  from: string;
  status: string;
}

/** Whether this is a mention by a moderator of the recipient, who could otherwise miss a warning. An SQL condition. */
export function fromStaff({ type, from }: NotifyColumns): string {
  return `(${type} = 'mention' AND EXISTS (
    SELECT 1 FROM users staff WHERE staff.account_id = ${from} AND ${rank("staff.role")} > ${rank("u.role")}))`;
}

/**
 * Whether a direct status is unsolicited: further up the thread, the recipient has not sent a direct status to its
 * author.
 */
function isUnsolicited({ from, status }: NotifyColumns): string {
  return `EXISTS (SELECT 1 FROM statuses WHERE id = ${status} AND visibility = 'direct') AND NOT EXISTS (
    WITH RECURSIVE thread (id, account_id, visibility, in_reply_to_id, depth) AS (
      SELECT p.id, p.account_id, p.visibility, p.in_reply_to_id, 1
      FROM statuses s JOIN statuses p ON p.id = s.in_reply_to_id WHERE s.id = ${status}
      UNION ALL
      SELECT p.id, p.account_id, p.visibility, p.in_reply_to_id, t.depth + 1
      FROM thread t JOIN statuses p ON p.id = t.in_reply_to_id WHERE t.depth < 100)
    SELECT 1 FROM thread t JOIN mentions m ON m.status_id = t.id
    WHERE t.account_id = u.account_id AND t.visibility = 'direct' AND m.account_id = ${from} AND NOT m.silent)`;
}

/**
 * The decision of the policy of `users u`: 0 accept, 1 filter, 2 drop. Accounts that they follow or have accepted are
 * accepted, except that `for_not_followers` also applies to accounts they follow. Held accounts don't count as limited,
 * since that is not decided. An SQL expression.
 */
export function policyDecision(told: NotifyColumns): string {
  const { type, from } = told;
  const unlessFollower = `iif(u.for_not_followers > 0 AND NOT EXISTS (
    SELECT 1 FROM follows
    WHERE account_id = ${from} AND target_account_id = u.account_id AND created_at <= $now - ${NEW_FOLLOWER}),
    u.for_not_followers, 0)`;
  const has = (condition: string) => `EXISTS (SELECT 1 FROM accounts WHERE id = ${from} AND ${condition})`;
  return `CASE
    WHEN ${type} NOT IN ${HELD_BACK} OR ${fromStaff(told)}
      OR EXISTS (SELECT 1 FROM notification_permissions WHERE account_id = u.account_id AND from_account_id = ${from})
      THEN 0
    WHEN EXISTS (SELECT 1 FROM follows WHERE account_id = u.account_id AND target_account_id = ${from})
      THEN ${unlessFollower}
    ELSE max(
      u.for_not_following,
      ${unlessFollower},
      iif(u.for_new_accounts > 0 AND ${has(`created_at > $now - ${NEW_ACCOUNT}`)}, u.for_new_accounts, 0),
      iif(u.for_limited_accounts > 0 AND ${has("silenced_at IS NOT NULL")} AND NOT ${isHeld(from)}, u.for_limited_accounts, 0),
      iif(u.for_private_mentions > 0 AND ${type} = 'mention' AND ${isUnsolicited(told)}, u.for_private_mentions, 0))
    END`;
}
