import type { Context } from "../../context.ts";
import { removeLater } from "../../core/people/account-deletion.ts";
import type { DeliveryEvent } from "../../db/delivery-events.ts";
import type { Tx } from "../../db/open.ts";
import { activitiesFor, type Outgoing } from "../write/activities.ts";
import { inboxesOf } from "./recipients.ts";
import { sendLater } from "./send.ts";

/**
 * Works out who has to learn of an event. Returns what to write when the job ends: everything at once, so that a job that
 * runs twice delivers once.
 */
export function prepareDelivery(ctx: Context, event: DeliveryEvent): (tx: Tx) => void {
  const all = activitiesFor(ctx, event).map((outgoing) => ({ outgoing, inboxes: inboxesOf(ctx, outgoing.audience) }));
  return (tx) => {
    for (const { outgoing, inboxes } of all) queueDeliveries(ctx, tx, outgoing, inboxes);
    if (event.type === "account.deleted") removeLater(ctx, tx, event.accountId);
  };
}

const ADD = `
  INSERT INTO outgoing_activities (account_id, body, status_uri, created_at) VALUES ($accountId, $body, $statusUri, $now)`;

/** One copy of the activity, and a delivery for each inbox. */
function queueDeliveries(ctx: Context, tx: Tx, outgoing: Outgoing, inboxes: readonly string[]): void {
  if (inboxes.length === 0) return;
  const { accountId, activity, statusUri } = outgoing;
  const body = JSON.stringify(activity);
  const { lastInsertRowid: activityId } = tx.run(ADD, { accountId, body, statusUri, now: ctx.clock.now() });
  for (const inbox of inboxes) {
    tx.run("INSERT INTO deliveries (activity_id, inbox) VALUES ($activityId, $inbox)", { activityId, inbox });
    sendLater(ctx, tx, inbox);
  }
}
