import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { pause } from "../../lib/pause.ts";
import type { Outgoing } from "../write/outgoing.ts";
import { openInboxes } from "./recipients.ts";
import { removeUnused, sendLater } from "./send.ts";
import { addStatusDeliveries, countServers } from "./status-deliveries.ts";

/** Inboxes for which one transaction writes deliveries: requests wait for some milliseconds at most. */
const SLICE = 250;
/** A further slice in the same transaction costs as much as this number of inboxes. */
const SLICE_COST = 1;

const ADD_ACTIVITY = `
  INSERT INTO outgoing_activities (account_id, body, status_uri, created_at, follow_uri, key_id, syncs_followers)
  VALUES ($accountId, $body, $statusUri, $now, $followUri, $keyId, $syncsFollowers)`;
const ADD_SLICE = "INSERT INTO delivery_slices (activity_id, inboxes) VALUES ($activityId, $inboxes)";
const ADD_DELIVERY = "INSERT INTO deliveries (activity_id, inbox) VALUES ($activityId, $inbox)";
const NEXT = "SELECT id, activity_id, inboxes FROM delivery_slices WHERE id = (SELECT min(id) FROM delivery_slices)";

interface SliceRow {
  id: number;
  activity_id: number;
  inboxes: string;
}

/** Writes one copy of an activity and its inboxes. A job writes the deliveries. */
export function fanOutLater(ctx: Context, tx: Tx, outgoing: Outgoing, inboxes: readonly string[]): void {
  if (inboxes.length === 0) return;
  const { accountId, activity, statusUri, followUri = null, keyId = null, published } = outgoing;
  const body = JSON.stringify(activity);
  const now = ctx.clock.now();
  const { lastInsertRowid: activityId } = tx.run(ADD_ACTIVITY, {
    accountId,
    body,
    statusUri,
    now,
    followUri,
    keyId,
    syncsFollowers: outgoing.syncsFollowers ? 1 : 0,
  });
  if (published) addStatusDeliveries(tx, { activityId, ...published, now });
  // The inboxes of a host are next to each other, so that it is counted once.
  const sorted = inboxes.toSorted();
  for (let at = 0; at < sorted.length; at += SLICE) {
    tx.run(ADD_SLICE, { activityId, inboxes: JSON.stringify(sorted.slice(at, at + SLICE)) });
  }
  runLater(ctx, tx);
}

function runLater(ctx: Context, tx: Tx): void {
  enqueue(ctx, tx, "delivery.fan_out", {}, { key: "delivery.fan_out" });
}

/** Writes the deliveries of all slices in order, those of a slice in the transaction that removes it. */
export async function fanOut(ctx: Context): Promise<(tx: Tx) => void> {
  while (!ctx.isStopping && writeNext(ctx)) await pause();
  return (tx) => {
    if (tx.get<SliceRow>(NEXT)) runLater(ctx, tx);
  };
}

/** Writes the next slices in one transaction, if they are small: most have one inbox. Returns whether there was one. */
function writeNext(ctx: Context): boolean {
  if (!ctx.db.get<SliceRow>(NEXT)) return false;
  // After a power failure, slices may be there again: then their deliveries are not.
  ctx.db.transaction((tx) => writeSlices(ctx, tx), { isSynced: false });
  return true;
}

function writeSlices(ctx: Context, tx: Tx): void {
  let written = 0;
  for (let slice = tx.get<SliceRow>(NEXT); slice; slice = tx.get<SliceRow>(NEXT)) {
    const inboxes = JSON.parse(slice.inboxes) as string[];
    if (written > 0 && written + inboxes.length > SLICE) return;
    writeSlice(ctx, tx, slice, inboxes);
    written += inboxes.length + SLICE_COST;
  }
}

function writeSlice(ctx: Context, tx: Tx, { id, activity_id: activityId }: SliceRow, urls: readonly string[]): void {
  const inboxes = openInboxes(ctx, urls);
  for (const inbox of inboxes) {
    tx.run(ADD_DELIVERY, { activityId, inbox });
    sendLater(ctx, tx, inbox);
  }
  countServers(tx, activityId, inboxes);
  tx.run("DELETE FROM delivery_slices WHERE id = +$id", { id });
  if (inboxes.length === 0) removeUnused(tx, [activityId]);
}
