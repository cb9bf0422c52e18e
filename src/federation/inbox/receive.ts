import type { Context } from "../../context.ts";
import { isRefusedHost } from "../../core/refused-hosts.ts";
import { accountOfUri } from "../../core/people/remote-accounts.ts";
import { Refusal } from "../../errors.ts";
import { collectAfter } from "../../lib/process.ts";
import { bodyBytes } from "../../lib/http/params.ts";
import { acceptedRelayOf } from "../../core/moderation/relays.ts";
import { handlerOf } from "../activities/index.ts";
import { hostOf, isSameOrigin } from "../documents.ts";
import { compareFollowers } from "./followers.ts";
import { isQueued, isQueueFull, queueActivity } from "./incoming.ts";
import { isRelayed, receiveRelayed } from "./relayed.ts";
import type { Keys } from "./signing-keys.ts";
import { requireInbox } from "../local.ts";
import { readActivity, type Activity } from "../read/activity.ts";
import { parseDocument } from "../read/json.ts";
import { Rejection } from "./rejection.ts";
import { statusIdOf } from "../fetching/known-statuses.ts";
import { signerOf } from "./verify.ts";

const MAX_BYTES = 1024 * 1024;
/** The garbage of receiving an activity, as a part of that of processing it. */
const RECEIVED = 0.1;

/**
 * Receives an activity for a local account, or (null) for all. The checks that cost least come first. An accepted
 * activity is on disk before the response; a job processes it.
 *
 * @throws Rejection
 */
export async function receive(ctx: Context, keys: Keys, request: Request, username: string | null): Promise<Response> {
  if (username !== null) requireInbox(ctx, username);
  const body = await readBody(request);
  const text = new TextDecoder().decode(body);
  const activity = parse(ctx, text);
  // Otherwise anyone could use an id before its owner does.
  if (!isSameOrigin(activity.id, activity.actor))
    throw new Rejection(401, "The id is on another server than the actor");
  const host = hostOf(activity.actor)!;
  if (isRefusedHost(ctx, host)) throw new Rejection(403, `This server accepts nothing from ${host}`);
  collectAfter(RECEIVED);
  if (isIgnored(ctx, activity)) return accepted();
  if (isKnown(ctx, activity)) {
    await ctx.db.whenSynced();
    return accepted();
  }
  if (isQueueFull(ctx.db, host, body.length)) {
    throw new Rejection(429, "Too many activities are waiting. Try again later.", 60);
  }
  const sender = await signerOf(ctx, keys, request, { body, host });
  const relay = acceptedRelayOf(ctx.db, sender.uri);
  if (relay && isRelayed(activity, sender)) {
    await receiveRelayed(ctx, relay, sender, activity);
    return accepted();
  }
  if (sender.uri !== activity.actor) throw new Rejection(401, "The signature is by another account than the activity");
  if (sender.isKeyRetired && concernsAccount(activity)) throw new Rejection(401, "The signature is by a replaced key");
  compareFollowers(ctx, request, sender);
  await queueActivity(ctx, sender, activity.id, text);
  return accepted();
}

function accepted(): Response {
  return new Response(null, { status: 202 });
}

async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await bodyBytes(request, MAX_BYTES);
  } catch (error) {
    if (error instanceof Refusal) throw new Rejection(413, `An activity may have at most ${MAX_BYTES} bytes`);
    throw error;
  }
}

function parse(ctx: Context, text: string): Activity {
  const document = parseDocument(text);
  const activity = document && readActivity(document, ctx.clock.now());
  if (!activity) throw new Rejection(400, "The body must be a JSON object with id, type and actor");
  return activity;
}

/**
 * Whether an activity has no effect here, as its own words show. When an account is deleted, its server tells all
 * others, most of which never knew it: a signature of a deleted key can't be verified, and these need not be.
 */
function isIgnored(ctx: Context, { type, actor }: Activity): boolean {
  return handlerOf(type) === null || (type === "Delete" && accountOfUri(ctx.db, actor) === null);
}

/**
 * Whether an activity changes, deletes or moves its actor. With a replaced key, which may be stolen, it could make that the
 * account's key again.
 */
function concernsAccount({ type, actor, objectId }: Activity): boolean {
  return type === "Move" || ((type === "Update" || type === "Delete") && objectId === actor);
}

/** Whether the activity, or the status that it creates, has arrived before. */
function isKnown(ctx: Context, { id, type, objectId }: Activity): boolean {
  return isQueued(ctx.db, id) || (type === "Create" && statusIdOf(ctx.db, objectId) !== null);
}
