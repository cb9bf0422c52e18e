import type { Context } from "../context.ts";
import type { DeliveryEvent } from "../db/delivery-events.ts";
import type { Tx } from "../db/open.ts";
import { enqueue } from "../db/queue.ts";

/**
 * Tells other servers about a change by a local account, after the commit. Call it in the transaction of the change, so
 * that neither can happen without the other. A job works out who gets it, and what it looks like.
 */
export function deliver(ctx: Context, tx: Tx, event: DeliveryEvent): void {
  enqueue(ctx, tx, "delivery.prepare", { event });
}
