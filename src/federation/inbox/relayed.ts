import type { Context } from "../../context.ts";
import { fetchSoon } from "../../core/fetches.ts";
import { isRefusedHost } from "../../core/refused-hosts.ts";
import type { RelayRow } from "../../core/moderation/relays.ts";
import { isTombstoned } from "../../core/tombstones.ts";
import type { Reads } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import type { Sender } from "../activities/handler.ts";
import { heardFrom } from "../delivery/hosts.ts";
import { hostOf } from "../documents.ts";
import { statusIdOf } from "../fetching/known-statuses.ts";
import { isOwnAddress } from "../local.ts";
import { type Activity, announcedId } from "../read/activity.ts";

/**
 * Whether an activity that a relay signed is about the post of a member: an Announce by the relay, or an activity of the
 * member, which it forwards.
 */
export function isRelayed(activity: Activity, signer: Sender): boolean {
  return isForwarded(activity, signer) || activity.type === "Announce";
}

function isForwarded({ actor }: Activity, signer: Sender): boolean {
  return actor !== signer.uri;
}

/**
 * Has the post that a relay names fetched from its own server, unless it is known here or there are too many. Of a
 * forwarded activity nothing but the id is believed.
 */
export async function receiveRelayed(ctx: Context, relay: RelayRow, sender: Sender, activity: Activity): Promise<void> {
  if (relay.paused_at !== null) return;
  if (isForwarded(activity, sender) && RECHECKED.has(activity.type)) return recheck(ctx, activity.objectId);
  const uri = relayedId(activity, sender);
  if (uri === null || !isFetchable(ctx, uri) || isFull(ctx.db, uri)) return;
  if (ctx.background.relayedPosts.take("", ctx.clock.now()).exceeded) return;
  await ctx.db.groupCommit((tx) => {
    tx.beforeCommit(`heard from ${sender.host}`, () => heardFrom(ctx, tx, sender.host));
    enqueue(ctx, tx, "relay.fetch", { relayId: relay.id, uri }, { key: keyOf(uri), host: siteOf(uri) });
  });
}

const RECHECKED = new Set(["Update", "Delete"]);
const RELAYED = "SELECT id FROM statuses WHERE uri = +$uri AND relayed = 1";
/** A post is fetched again because of relays at most once within this time, in ms. */
const PAUSE = 60_000;

/** Has a post that a relay brought fetched again: it may have changed, or be gone. */
async function recheck(ctx: Context, uri: string | null): Promise<void> {
  const status = uri === null ? null : ctx.db.get<{ id: number }>(RELAYED, { uri });
  if (!status || ctx.background.relayedPosts.take("", ctx.clock.now()).exceeded) return;
  const wish = { payload: { statusId: status.id }, host: hostOf(uri!)! };
  await ctx.db.groupCommit((tx) => fetchSoon(ctx, tx, "status.recheck", status.id, PAUSE, wish));
}

function relayedId(activity: Activity, sender: Sender): string | null {
  if (!isForwarded(activity, sender)) return announcedId(activity);
  return activity.type === "Create" ? activity.objectId : null;
}

function isFetchable(ctx: Context, uri: string): boolean {
  const host = hostOf(uri);
  if (host === null || isOwnAddress(ctx, uri) || isRefusedHost(ctx, host)) return false;
  return statusIdOf(ctx.db, uri) === null && !isTombstoned(ctx.db, uri);
}

const FIRST = "relay.fetch ";
const keyOf = (uri: string) => FIRST + uri;

/** Posts that wait, for example because their servers are slow. */
const MAX_WAITING = 60;
const WAITING = `
  SELECT count(*) AS waiting FROM (SELECT 1 FROM jobs WHERE key > '${FIRST}' AND key < 'relay.fetch!' LIMIT ${MAX_WAITING})`;
/** Of these, posts of one site: no member takes the places of all others. */
const MAX_WAITING_OF_SITE = 10;
const WAITING_OF_SITE = `
  SELECT count(*) AS waiting FROM (
    SELECT 1 FROM jobs WHERE lane = 'relays' AND host = +$site AND run_at IS NOT NULL LIMIT ${MAX_WAITING_OF_SITE})`;

/** Whether a post waits already, or too many others do. */
function isFull(db: Reads, uri: string): boolean {
  if (db.get("SELECT 1 FROM jobs WHERE key = +$key", { key: keyOf(uri) })) return true;
  if (db.get<{ waiting: number }>(WAITING_OF_SITE, { site: siteOf(uri) })!.waiting >= MAX_WAITING_OF_SITE) return true;
  return db.get<{ waiting: number }>(WAITING)!.waiting >= MAX_WAITING;
}
