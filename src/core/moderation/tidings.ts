import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { notify } from "../notifications/notifications.ts";

/*
 * Commands of the owner run in another process than the server, which has the users' streams. So a job in the server
 * creates these notifications.
 */

/** The types of notifications about moderation, and queries for the account that each is for. */
const TIDINGS = {
  moderation_warning: "SELECT target_account_id AS account_id FROM account_warnings WHERE id = ?",
  severed_relationships: "SELECT account_id FROM severance_events WHERE id = ?",
} as const;
type Tidings = keyof typeof TIDINGS;

export function tellLater(ctx: Context, tx: Tx, type: Tidings, aboutIds: readonly number[]): void {
  for (const aboutId of aboutIds) enqueue(ctx, tx, "moderation.tell", { type, aboutId });
}

const TOLD = "SELECT 1 FROM notifications WHERE account_id = ? AND type = ? AND about_id = ?";

/** Notifies the account of a moderation decision, unless it was notified already. */
export function tell(ctx: Context, type: Tidings, aboutId: number): void {
  ctx.db.transaction((tx) => {
    const about = tx.get<{ account_id: number }>(TIDINGS[type], aboutId);
    if (!about || tx.get(TOLD, about.account_id, type, aboutId)) return;
    notify(ctx, tx, about.account_id, { type, from: about.account_id, statusId: null, aboutId });
  });
}
