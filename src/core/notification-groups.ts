import type { NotificationType } from "./notifications.ts";

/** Types of which many tell the same: that a status, or the person, is liked. */
const GROUPABLE_TYPES = ["favourite", "reblog", "follow", "admin.sign_up"] as const satisfies NotificationType[];

const HOUR = 3600_000;
/** How long a group takes in what is like it, from the hour in which it began. */
const SPAN_HOURS = 12;

/**
 * The lowest and the highest key of the group that a new notification joins: the highest is that of one beginning now.
 * Nulls for what is never grouped.
 */
export function groupRange(
  type: NotificationType,
  statusId: number | null,
  now: number,
): [string, string] | [null, null] {
  if (!(GROUPABLE_TYPES as readonly string[]).includes(type)) return [null, null];
  const target = statusId === null ? type : `${type}-${statusId}`;
  const hour = Math.floor(now / HOUR);
  return [`${target}-${hour - SPAN_HOURS + 1}`, `${target}-${hour}`];
}
