import type { Context } from "../../context.ts";
import { prepareLater } from "../../core/deliveries.ts";
import { purgeLater } from "../../core/moderation/purge.ts";
import { removeLater } from "../../core/people/account-deletion.ts";
import type { DeliveryEvent } from "../../db/delivery-events.ts";
import { Locked } from "../../db/lock.ts";
import type { Tx } from "../../db/open.ts";
import { activitiesFor } from "../write/activities.ts";
import { yieldToBacklog } from "./backlog.ts";
import { bidFarewell } from "./farewell.ts";
import { fanOutLater } from "./fan-out.ts";
import { inboxesOf } from "./recipients.ts";

/**
 * Works out who has to learn of the events. Returns what to write when the job ends: everything at once, so that a job that
 * runs twice delivers once. Of several events, one that fails gets a job of its own, so that the others don't wait.
 */
export async function prepareDeliveries(ctx: Context, events: readonly DeliveryEvent[]): Promise<(tx: Tx) => void> {
  await yieldToBacklog(ctx);
  const prepared = events.map((event) => {
    try {
      return prepare(ctx, event);
    } catch (error) {
      if (events.length === 1 || error instanceof Locked) throw error;
      return (tx: Tx) => prepareLater(ctx, tx, [event]);
    }
  });
  return (tx) => prepared.forEach((write) => write(tx));
}

function prepare(ctx: Context, event: DeliveryEvent): (tx: Tx) => void {
  const all = activitiesFor(ctx, event).map((outgoing) => ({ outgoing, inboxes: inboxesOf(ctx, outgoing.audience) }));
  return (tx) => {
    for (const { outgoing, inboxes } of all) {
      if ("isFarewell" in event && event.isFarewell) bidFarewell(ctx, tx, outgoing, inboxes);
      else fanOutLater(ctx, tx, outgoing, inboxes);
    }
    if (event.type === "account.deleted") removeLater(ctx, tx, event.accountId);
    if (event.type === "host.purged") purgeLater(ctx, tx, event);
  };
}
