import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { hostOf } from "../documents.ts";

/*
 * Which servers have a local status. A delivery that is accepted leaves nothing but the fact that it waits no more, so
 * that it costs no further write: only the number of servers and those that refused the status are stored.
 */

const DAY = 24 * 3600_000;
/** How long the author can see which servers refused a status, and why. */
const REMEMBERED = 30 * DAY;
/** Rows removed at once. */
const SLICE = 1000;
/** Characters of a response. */
const MAX_RESPONSE = 300;

interface Published {
  activityId: number;
  statusId: number;
  isEdit: boolean;
  now: number;
}

/** The status may be deleted by now. */
const ADD = `
  INSERT INTO status_deliveries (activity_id, status_id, is_edit, created_at)
  SELECT $activityId, id, $isEdit, $now FROM statuses WHERE id = +$statusId`;

/** Notes that a status, or an edit of it, is being delivered. An edit replaces the one before. */
export function addStatusDeliveries(tx: Tx, { activityId, statusId, isEdit: edits, now }: Published): void {
  const isEdit = edits ? 1 : 0;
  tx.run("DELETE FROM status_deliveries WHERE status_id = +$statusId AND is_edit = +$isEdit", { statusId, isEdit });
  tx.run(ADD, { activityId, statusId, isEdit, now });
}

const COUNT = `
  UPDATE status_deliveries SET servers = servers + $count - (last_host IS +$first), last_host = $last
  WHERE activity_id = +$activityId`;

/** Counts the servers of the next inboxes, which are sorted. A server counts once, however many inboxes it has. */
export function countServers(tx: Tx, activityId: number, inboxes: readonly string[]): void {
  if (inboxes.length === 0) return;
  const hosts = [...new Set(inboxes.map((inbox) => hostOf(inbox)!))];
  tx.run(COUNT, { activityId, count: hosts.length, first: hosts[0]!, last: hosts.at(-1)! });
}

const REFUSE = `
  INSERT INTO refused_deliveries (activity_id, host, response, created_at)
  SELECT activity_id, $host, $response, $now FROM status_deliveries WHERE activity_id = +$activityId
  ON CONFLICT DO NOTHING`;

/** Notes that a server will never get a status, and its last response. Other activities are not recorded. */
export function noteRefusal(ctx: Context, tx: Tx, activityId: number, host: string, message: string): void {
  const response = message.slice(0, MAX_RESPONSE);
  const { changes } = tx.run(REFUSE, { activityId, host, response, now: ctx.clock.now() });
  if (changes === 0) return;
  tx.run("UPDATE status_deliveries SET refused = refused + 1 WHERE activity_id = +$activityId", { activityId });
}

/** Forgets old responses. Their number stays. */
export function removeOldRefusals(ctx: Context, tx: Tx): void {
  tx.run(
    `DELETE FROM refused_deliveries WHERE (activity_id, host) IN (
       SELECT activity_id, host FROM refused_deliveries WHERE created_at < +$before LIMIT ${SLICE})`,
    { before: ctx.clock.now() - REMEMBERED },
  );
}
