import type { Context } from "../../context.ts";
import { groupsOf } from "../../core/groups.ts";
import { idList } from "../../db/json.ts";
import type { DeliveryEvent } from "../../db/delivery-events.ts";
import { accountPartUrl, serverActorUri } from "../addresses.ts";
import { everKnowing, knowing } from "../delivery/known-by.ts";
import type { Audience } from "../delivery/recipients.ts";
import type { JsonObject } from "../documents.ts";
import { accountWith, fragment, type Outgoing } from "./outgoing.ts";
import { actorDocument } from "./actor.ts";
import { PUBLIC, withContext } from "./context.ts";
import { dateTime } from "./dates.ts";
import { hashtagDocument } from "./hashtags.ts";
import { interactionAnswer } from "./interaction-answers.ts";
import { quoteAnswer, quoteRequest, quoteRevocation } from "./quote-activities.ts";
import { relayActivity } from "./relays.ts";
import {
  addressing,
  addressingWithGroups,
  localStatus,
  type LocalStatusRow,
  mentionedIn,
  statusDocument,
} from "./status.ts";

/** The activities that tell other servers of an event. None if its rows are gone: then a later event says so. */
export function activitiesFor(ctx: Context, event: DeliveryEvent): Outgoing[] {
  if (event.type === "vote.created") return voteActivities(ctx, event);
  if (event.type === "host.purged") return [];
  const outgoing = activityFor(ctx, event);
  return outgoing === null ? [] : [outgoing];
}

function activityFor(
  ctx: Context,
  event: Exclude<DeliveryEvent, { type: "vote.created" | "host.purged" }>,
): Outgoing | null {
  switch (event.type) {
    case "status.created":
    case "status.updated":
      return statusActivity(ctx, event);
    case "status.deleted":
      return statusDeletion(ctx, event);
    case "reblog.created":
      return reblogActivity(ctx, event.statusId);
    case "reblog.deleted":
      return reblogUndone(ctx, event);
    case "favourite.created":
    case "favourite.deleted":
      return favouriteActivity(ctx, event);
    case "pin.created":
    case "pin.deleted":
    case "featured_tag.created":
    case "featured_tag.deleted":
      return featuredActivity(ctx, event);
    case "quote.requested":
      return quoteRequest(ctx, event);
    case "quote.accepted":
    case "quote.rejected":
      return quoteAnswer(ctx, event);
    case "quote.revoked":
      return quoteRevocation(ctx, event);
    case "interaction.accepted":
    case "interaction.rejected":
      return interactionAnswer(ctx, event);
    case "follow.created":
    case "follow.deleted":
    case "block.created":
    case "block.deleted":
      return toAccount(ctx, event);
    case "follow.accepted":
    case "follow.rejected":
      return followAnswer(ctx, event);
    case "relay.followed":
    case "relay.left":
    case "relay.follower_accepted":
      return relayActivity(ctx, event);
    case "account.moved":
      return moveActivity(ctx, event);
    case "account.updated":
    case "account.key_rotated":
    case "account.deleted":
      return accountActivity(ctx, event);
    case "report.forwarded":
      return reportActivity(ctx, event);
  }
}

type Event<Type extends DeliveryEvent["type"]> = DeliveryEvent & { type: Type };

/** The activity that undoes another. */
function undoOf(ctx: Context, actor: string, object: JsonObject): JsonObject {
  return { id: fragment(ctx, actor, "undos"), type: "Undo", actor, object };
}

const PARENT_AUTHOR = `
  SELECT p.account_id AS id FROM statuses s JOIN statuses p ON p.id = s.in_reply_to_id
  WHERE s.id = +$statusId AND p.local = 0`;

/** The quoted author's server has the status from the quote request. */
const QUOTED_AUTHOR = `
  SELECT o.account_id AS id FROM quotes q JOIN statuses o ON o.id = q.quoted_status_id
  WHERE q.status_id = +$statusId AND o.local = 0`;

const INTERACTING = `
  SELECT account_id AS id FROM statuses WHERE reblog_of_id = +$statusId AND local = 0
  UNION SELECT account_id FROM statuses WHERE in_reply_to_id = +$statusId AND local = 0
  UNION SELECT s.account_id FROM quotes q JOIN statuses s ON s.id = q.status_id
    WHERE q.quoted_status_id = +$statusId AND s.local = 0
  UNION SELECT f.account_id FROM favourites f JOIN remote_accounts r ON r.account_id = f.account_id WHERE f.status_id = +$statusId
  UNION SELECT v.account_id FROM polls p JOIN poll_votes v ON v.poll_id = p.id
    JOIN remote_accounts r ON r.account_id = v.account_id WHERE p.status_id = +$statusId`;

/** Servers of accounts that reacted to a status have a copy, which changes with it. */
function statusActivity(ctx: Context, { type, statusId }: Event<"status.created" | "status.updated">): Outgoing | null {
  const status = localStatus(ctx, statusId);
  if (!status) return null;
  const mentioned = mentionedIn(ctx, statusId);
  const object = statusDocument(ctx, status, mentioned);
  const { author_uri: actor, uri } = status;
  const audience = addressingWithGroups(ctx, status, mentioned);
  const isNew = type === "status.created";
  const activity = isNew
    ? { id: `${uri}/activity`, type: "Create", actor, published: dateTime(status.created_at), ...audience, object }
    : { id: fragment(ctx, uri, "updates"), type: "Update", actor, ...audience, object };
  const isOpen = status.visibility === "public" || status.visibility === "unlisted";
  const others = isOpen ? ctx.db.all<{ id: number }>(isNew ? PARENT_AUTHOR : INTERACTING, { statusId }) : [];
  const quoted = isNew ? [] : ctx.db.all<{ id: number }>(QUOTED_AUTHOR, { statusId });
  const accountIds = [...mentioned, ...others, ...quoted, ...groupsOf(ctx.db, statusId)].map(({ id }) => id);
  return {
    accountId: status.account_id,
    activity: withContext(activity),
    audience: { ...audienceOf(status, accountIds), relays: status.visibility === "public" },
    statusUri: uri,
    // New results of a poll are no edit.
    ...((isNew || status.edited_at !== null) && { published: { statusId, isEdit: !isNew } }),
    syncsFollowers: status.visibility === "private",
  };
}

function audienceOf(
  status: Pick<LocalStatusRow, "visibility" | "account_id">,
  accountIds: readonly number[],
): Audience {
  if (status.visibility === "direct") return { accountIds, inbox: "personal" };
  return { followersOf: status.account_id, accountIds, inbox: "shared" };
}

function statusDeletion(ctx: Context, event: Event<"status.deleted">): Outgoing | null {
  const { accountId, uri, visibility, accountIds } = event;
  const actor = accountWith(ctx, accountId);
  if (!actor) return null;
  const object = { id: uri, type: "Tombstone" };
  const activity = { id: `${uri}#delete`, type: "Delete", actor: actor.uri, to: [PUBLIC], object };
  const isDirect = visibility === "direct";
  const audience: Audience = isDirect
    ? { accountIds, inbox: "personal" }
    : { followersOf: accountId, accountIds, relays: visibility === "public", inbox: "shared" };
  return { accountId, activity: withContext(activity), audience, statusUri: null };
}

interface ReblogRow {
  uri: string;
  account_id: number;
  username: string;
  actor: string;
  visibility: LocalStatusRow["visibility"];
  created_at: number;
  original_uri: string;
  author_id: number;
  author_uri: string;
}

const ANY_REBLOG = `
  SELECT s.uri, s.account_id, a.username, a.uri AS actor, s.visibility, s.created_at,
    o.uri AS original_uri, o.account_id AS author_id, b.uri AS author_uri
  FROM statuses s JOIN accounts a ON a.id = s.account_id JOIN statuses o ON o.id = s.reblog_of_id
  JOIN accounts b ON b.id = o.account_id
  WHERE s.id = +$statusId AND s.local = 1`;
const REBLOG = `${ANY_REBLOG} AND s.local_only = 0`;

/** A reblog by a local account as an Announce; null if there is none. */
export function reblogDocument(ctx: Context, statusId: number): (JsonObject & { id: string }) | null {
  const row = ctx.db.get<ReblogRow>(REBLOG, { statusId });
  return row && announce(ctx, row);
}

/** The same for its author's archive: with the exact time, and also a local-only one. */
export function reblogForArchive(ctx: Context, statusId: number): JsonObject | null {
  const row = ctx.db.get<ReblogRow>(ANY_REBLOG, { statusId });
  return row && { ...announce(ctx, row), published: new Date(row.created_at).toISOString() };
}

function announce(ctx: Context, row: ReblogRow): JsonObject & { id: string } {
  const { to, cc } = addressing(ctx, row, [{ uri: row.author_uri }]);
  const { uri: id, actor, original_uri: object } = row;
  return { id, type: "Announce", actor, published: dateTime(row.created_at), to, cc, object };
}

function reblogActivity(ctx: Context, statusId: number): Outgoing | null {
  const row = ctx.db.get<ReblogRow>(REBLOG, { statusId });
  if (!row) return null;
  return {
    accountId: row.account_id,
    activity: withContext(announce(ctx, row)),
    audience: audienceOf(row, [row.author_id]),
    statusUri: row.uri,
    published: { statusId, isEdit: false },
    syncsFollowers: row.visibility === "private",
  };
}

function reblogUndone(ctx: Context, event: Event<"reblog.deleted">): Outgoing | null {
  const { accountId, uri: id, originalUri: object, authorId } = event;
  const account = accountWith(ctx, accountId);
  if (!account) return null;
  const { uri: actor } = account;
  const undone = undoOf(ctx, actor, { id, type: "Announce", actor, object });
  return {
    accountId,
    activity: withContext({ ...undone, to: [PUBLIC], cc: [accountPartUrl(ctx, account.username, "followers")] }),
    audience: { followersOf: accountId, accountIds: [authorId], inbox: "shared" },
    statusUri: null,
  };
}

const FAVOURITED = "SELECT uri, account_id FROM statuses WHERE id = +$statusId";

function favouriteActivity(ctx: Context, event: Event<"favourite.created" | "favourite.deleted">): Outgoing | null {
  const { accountId, uri: id } = event;
  const actor = accountWith(ctx, accountId)?.uri;
  const status =
    event.type === "favourite.deleted"
      ? { uri: event.statusUri, account_id: event.authorId }
      : ctx.db.get<{ uri: string; account_id: number }>(FAVOURITED, { statusId: event.statusId });
  if (actor === undefined || !status) return null;
  const like = { id, type: "Like", actor, object: status.uri };
  return {
    accountId,
    activity: withContext(event.type === "favourite.created" ? like : undoOf(ctx, actor, like)),
    audience: { accountIds: [status.account_id], inbox: "shared" },
    statusUri: null,
  };
}

/** Mastodon knows only `featured`, and adds hashtags to it, too: it tells them apart by their type. */
function featuredActivity(
  ctx: Context,
  event: Event<"pin.created" | "pin.deleted" | "featured_tag.created" | "featured_tag.deleted">,
): Outgoing | null {
  const { accountId } = event;
  const account = accountWith(ctx, accountId);
  if (!account) return null;
  const { uri: actor, username } = account;
  const isNew = event.type === "pin.created" || event.type === "featured_tag.created";
  const activity = {
    id: fragment(ctx, actor, isNew ? "adds" : "removes"),
    type: isNew ? "Add" : "Remove",
    actor,
    to: [accountPartUrl(ctx, username, "followers")],
    object: "statusUri" in event ? event.statusUri : hashtagDocument(ctx, event.name),
    target: accountPartUrl(ctx, username, "collections/featured"),
  };
  return {
    accountId,
    activity: withContext(activity),
    audience: { followersOf: accountId, inbox: "shared" },
    statusUri: event.type === "pin.created" ? event.statusUri : null,
  };
}

/** A follow or block of a remote account, or its end. */
function toAccount(
  ctx: Context,
  event: Event<"follow.created" | "follow.deleted" | "block.created" | "block.deleted">,
): Outgoing | null {
  const { accountId, targetId, uri: id } = event;
  const type = event.type.startsWith("follow") ? "Follow" : "Block";
  const actor = accountWith(ctx, accountId)?.uri;
  const object = accountWith(ctx, targetId)?.uri;
  if (actor === undefined || object === undefined) return null;
  const activity = { id, type, actor, object };
  const isOver = event.type === "follow.deleted" || event.type === "block.deleted";
  return {
    accountId,
    activity: withContext(isOver ? undoOf(ctx, actor, activity) : activity),
    audience: { accountIds: [targetId], inbox: "personal" },
    statusUri: null,
    ...(event.type === "follow.created" && { followUri: id }),
  };
}

function followAnswer(ctx: Context, event: Event<"follow.accepted" | "follow.rejected">): Outgoing | null {
  const { accountId, followerId, uri: id } = event;
  const actor = accountWith(ctx, accountId)?.uri;
  const follower = accountWith(ctx, followerId)?.uri;
  if (actor === undefined || follower === undefined) return null;
  const [type, name] = event.type === "follow.accepted" ? ["Accept", "accepts"] : ["Reject", "rejects"];
  const object = { id, type: "Follow", actor: follower, object: actor };
  return {
    accountId,
    activity: withContext({ id: fragment(ctx, actor, name!), type: type!, actor, to: [follower], object }),
    audience: { accountIds: [followerId], inbox: "personal" },
    statusUri: null,
  };
}

const POLL = `
  SELECT s.uri, s.account_id, a.uri AS author_uri
  FROM polls p JOIN statuses s ON s.id = p.status_id JOIN accounts a ON a.id = s.account_id WHERE p.id = +$pollId`;
const CHOSEN = `
  SELECT position, title FROM poll_options
  WHERE poll_id = +$pollId AND position IN (SELECT value FROM json_each($choices)) ORDER BY position`;

/** Votes are direct statuses to the author of the poll: one for each choice, with the option as its name. */
function voteActivities(ctx: Context, { accountId, pollId, choices }: Event<"vote.created">): Outgoing[] {
  const actor = accountWith(ctx, accountId)?.uri;
  const poll = ctx.db.get<{ uri: string; account_id: number; author_uri: string }>(POLL, { pollId });
  if (actor === undefined || !poll) return [];
  const chosen = ctx.db.all<{ position: number; title: string }>(CHOSEN, { pollId, choices: idList(choices) });
  const to = [poll.author_uri];
  return chosen.map(({ position, title }) => {
    const id = `${actor}#votes/${pollId}/${position}`;
    const object = { id, type: "Note", name: title, attributedTo: actor, inReplyTo: poll.uri, to };
    return {
      accountId,
      activity: withContext({ id: `${id}/activity`, type: "Create", actor, to, object }),
      audience: { accountIds: [poll.account_id], inbox: "personal" as const },
      statusUri: null,
    };
  });
}

/** Blocks hold for both accounts, so the servers of those who block the account learn of the move, too. */
const BLOCKING = "SELECT account_id AS id FROM blocks WHERE target_account_id = +$accountId";

function moveActivity(ctx: Context, { accountId, targetId }: Event<"account.moved">): Outgoing | null {
  const account = accountWith(ctx, accountId);
  const target = accountWith(ctx, targetId)?.uri;
  if (account === null || target === undefined) return null;
  const { uri: actor, username } = account;
  const to = [accountPartUrl(ctx, username, "followers")];
  const activity = { id: fragment(ctx, actor, "moves"), type: "Move", actor, to, object: actor, target };
  const accountIds = ctx.db.all<{ id: number }>(BLOCKING, { accountId }).map(({ id }) => id);
  return {
    accountId,
    activity: withContext(activity),
    audience: { followersOf: accountId, accountIds: [targetId, ...accountIds], inbox: "shared" },
    statusUri: null,
  };
}

function accountActivity(
  ctx: Context,
  event: Event<"account.updated" | "account.key_rotated" | "account.deleted">,
): Outgoing | null {
  const { type, accountId } = event;
  const actor = accountWith(ctx, accountId)?.uri;
  if (actor === undefined) return null;
  const activity =
    type === "account.deleted"
      ? { id: `${actor}#delete`, type: "Delete", actor, to: [PUBLIC], object: actor }
      : {
          id: fragment(ctx, actor, "updates"),
          type: "Update",
          actor,
          to: [PUBLIC],
          object: actorDocument(ctx, accountId),
        };
  const accountIds = type === "account.deleted" ? everKnowing(ctx, accountId) : knowing(ctx, accountId);
  if (type === "account.updated" && event.successorId !== undefined) accountIds.push(event.successorId);
  return {
    accountId,
    activity: withContext(activity),
    // The members of relays have the account's posts.
    audience: { followersOf: accountId, accountIds, relays: type === "account.deleted", inbox: "shared" },
    statusUri: null,
    ...(type === "account.key_rotated" && { keyId: event.keyId }),
    syncsFollowers: type === "account.updated" && event.syncsFollowers === true,
  };
}

interface ReportRow {
  target_account_id: number;
  target_uri: string;
  domain: string | null;
  comment: string;
  status_ids: string;
}

const REPORT = `
  SELECT r.target_account_id, a.uri AS target_uri, a.domain, r.comment, r.status_ids
  FROM reports r JOIN accounts a ON a.id = r.target_account_id WHERE r.id = +$reportId`;
const REPORTED = "SELECT s.uri FROM json_each($statusIds) j JOIN statuses s ON s.id = j.value ORDER BY j.key";
/** Their servers have the reported replies, too. */
const REPLIED_TO = `
  SELECT a.id FROM json_each($statusIds) j JOIN statuses s ON s.id = j.value JOIN accounts a ON a.id = s.in_reply_to_account_id
  WHERE a.domain IN (SELECT value FROM json_each($domains))`;

/** By the server itself: the reported account must not learn who complained. */
function reportActivity(ctx: Context, { reportId, domains }: Event<"report.forwarded">): Outgoing | null {
  const report = ctx.db.get<ReportRow>(REPORT, { reportId });
  if (!report) return null;
  const { target_account_id, target_uri, domain, comment: content, status_ids: statusIds } = report;
  const statuses = ctx.db.all<{ uri: string }>(REPORTED, { statusIds }).map(({ uri }) => uri);
  const repliedTo = ctx.db.all<{ id: number }>(REPLIED_TO, { statusIds, domains: JSON.stringify(domains) });
  const own = domain !== null && domains.includes(domain) ? [target_account_id] : [];
  const actor = serverActorUri(ctx);
  const id = fragment(ctx, actor, "flags");
  const flag = { id, type: "Flag", actor, to: [target_uri], object: [target_uri, ...statuses], content };
  return {
    accountId: null,
    activity: withContext(flag),
    audience: { accountIds: [...own, ...repliedTo.map((account) => account.id)], inbox: "shared" },
    statusUri: null,
  };
}
