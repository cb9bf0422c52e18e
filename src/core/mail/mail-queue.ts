import type { Context } from "../../context.ts";
import type { MailOrder } from "../../db/mail-order.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";

/** Whether this server sends e-mails (LINNET_SMTP_URL). */
export function sendsMail(ctx: Context): boolean {
  return ctx.mailer !== null;
}

/**
 * Enqueues an e-mail in the transaction that causes it. Does nothing if this server sends none. With a key, it is not added
 * while the same one waits.
 */
export function mailLater(ctx: Context, tx: Tx, order: MailOrder, key?: string): void {
  if (!ctx.mailer) return;
  const payload = { order, requestedAt: ctx.clock.now() };
  enqueue(ctx, tx, "mail.send", payload, { host: ctx.mailer.server, ...(key !== undefined && { key }) });
}
