import type { Tx } from "../../db/open.ts";
import { type Activity, referredActivity } from "../read/activity.ts";

/*
 * Activities that wait for another attempt. Their sender's later ones are processed meanwhile, since another server may
 * be unavailable for long. Only those about the same object wait, too: otherwise the old one would revert them. A Delete
 * or an Undo ends the old ones instead.
 */

/** An activity in the queue. */
interface Queued {
  id: number;
  sender: string;
}

const POSTPONE = `
  UPDATE incoming_activities SET run_at = $runAt, attempts = attempts + $attempts, type = $type, subject = $subject
  WHERE id = +$id`;

/** Has an activity processed later. `attempts` is 0 if it was not tried. */
export function postpone(tx: Tx, { id }: Queued, activity: Activity, runAt: number, attempts: 0 | 1 = 1): void {
  tx.run(POSTPONE, { id, runAt, attempts, type: activity.type, subject: subjectOf(activity) });
}

/** The URI of the object. An Undo is about the object of the activity that it undoes, if it names that. */
function subjectOf(activity: Activity): string | null {
  return (activity.type === "Undo" ? referredActivity(activity).objectId : null) ?? activity.objectId;
}

const LAST_BEFORE = `
  SELECT max(run_at) AS at FROM incoming_activities WHERE sender = +$sender AND subject = +$subject AND id < +$id`;

/** Whether an activity has to wait for an earlier one of its sender about the same object. Then it is postponed. */
export function waitsForEarlier(tx: Tx, queued: Queued, activity: Activity): boolean {
  if (activity.type === "Delete" || activity.type === "Undo") {
    endEarlier(tx, queued, activity);
    return false;
  }
  const { id, sender } = queued;
  const last = tx.get<{ at: number | null }>(LAST_BEFORE, { id, sender, subject: subjectOf(activity) });
  if (last?.at == null) return false;
  postpone(tx, queued, activity, last.at, 0);
  return true;
}

const END = `
  DELETE FROM incoming_activities WHERE id IN (
    SELECT id FROM incoming_activities WHERE uri = +$uri AND sender = +$sender
    UNION ALL
    SELECT id FROM incoming_activities
    WHERE sender = +$sender AND subject = +$subject AND (+$type IS NULL OR type = +$type)) AND id < +$id`;

/** Some servers undo an activity without its id, by its type and object. */
function endEarlier(tx: Tx, { id, sender }: Queued, activity: Activity): void {
  const undone = activity.type === "Undo" ? referredActivity(activity) : null;
  const subject = undone ? undone.objectId : activity.objectId;
  tx.run(END, { id, sender, uri: activity.objectId, subject, type: undone?.type ?? null });
}
