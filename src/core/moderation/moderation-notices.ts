import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { notify } from "../notifications/notifications.ts";

/*
 * Commands of the owner run in another process than the server, which has the users' streams. So a job in the server
 * creates these notifications.
 */

/** The types of notifications about moderation, and queries for the account that each is for. */
const NOTICES = {
  moderation_warning: "SELECT target_account_id AS account_id FROM account_warnings WHERE id = +$aboutId",
  severed_relationships: "SELECT account_id FROM severance_events WHERE id = +$aboutId",
} as const;
type NoticeType = keyof typeof NOTICES;

export function queueNotices(ctx: Context, tx: Tx, type: NoticeType, aboutIds: readonly number[]): void {
  for (const aboutId of aboutIds) enqueue(ctx, tx, "moderation.tell", { type, aboutId });
}

const ALREADY_SENT =
  "SELECT 1 FROM notifications WHERE account_id = +$accountId AND type = +$type AND about_id = +$aboutId";

/** Notifies the account of a moderation decision, unless it was notified already. */
export function sendNotice(ctx: Context, type: NoticeType, aboutId: number): void {
  ctx.db.transaction((tx) => {
    const about = tx.get<{ account_id: number }>(NOTICES[type], { aboutId });
    if (!about || tx.get(ALREADY_SENT, { accountId: about.account_id, type, aboutId })) return;
    notify(ctx, tx, about.account_id, { type, from: about.account_id, statusId: null, aboutId });
  });
}
