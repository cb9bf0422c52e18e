import type { Context } from "../context.ts";
import type { Interaction } from "../db/delivery-events.ts";
import type { Reads, Tx } from "../db/open.ts";
import { interactionAuthorizationUri } from "./addresses.ts";
import { deliver } from "./deliveries.ts";
import { isPermitted } from "./interaction-policies.ts";
import { isForEveryone, visibleStatus } from "./visibility.ts";

/*
 * The answers of local authors to what accounts of other servers do with their posts, or ask to do: their policies decide
 * at once. Only the author's server knows its followers, so others wait for its answer.
 */

/** A reply, favourite or reblog of a remote account that is stored here. */
interface StoredInteraction {
  kind: Interaction;
  id: number;
  uri: string;
  accountId: number;
}

interface TargetRow {
  uri: string;
  account_id: number;
  username: string;
  list: string | null;
  visibility: string;
  own_visibility: string;
}

const target = (from: string, list: string, visibility: string) => `
  SELECT s.uri, s.account_id, a.username, ${list} AS list, s.visibility, ${visibility} AS own_visibility
  FROM ${from} JOIN accounts a ON a.id = s.account_id
  WHERE p.id = +$id AND s.local = 1 AND s.account_id <> p.account_id`;
const REPLIED = target("statuses p JOIN statuses s ON s.id = p.in_reply_to_id", "s.can_reply", "p.visibility");
const REBLOGGED = target("statuses p JOIN statuses s ON s.id = p.reblog_of_id", "s.can_reblog", "p.visibility");
const FAVOURITED = target("favourites p JOIN statuses s ON s.id = p.status_id", "s.can_favourite", "'direct'");

function targetOf(db: Reads, { kind, id }: StoredInteraction): TargetRow | null {
  if (kind === "reply") return db.get<TargetRow>(REPLIED, { id });
  return kind === "reblog" ? db.get<TargetRow>(REBLOGGED, { id }) : db.get<TargetRow>(FAVOURITED, { id });
}

/** Accepts what a remote account asked for. Call it when it is stored. */
export function acceptRequest(ctx: Context, tx: Tx, interaction: StoredInteraction, requestUri: string): void {
  const found = targetOf(tx, interaction);
  if (found) deliverAcceptance(ctx, tx, interaction, found, requestUri);
}

/**
 * Accepts what a remote account did without asking, if the policy depends on follows: other servers that obey
 * policies show it only with the answer.
 */
export function acceptConditional(ctx: Context, tx: Tx, interaction: StoredInteraction): void {
  const found = targetOf(tx, interaction);
  if (!found || !/"(followers|following|mutuals)"/.test(found.list ?? "")) return;
  deliverAcceptance(ctx, tx, interaction, found, null);
}

function deliverAcceptance(
  ctx: Context,
  tx: Tx,
  { kind, id, uri, accountId: actorId }: StoredInteraction,
  { uri: statusUri, account_id: accountId, username, visibility, own_visibility }: TargetRow,
  requestUri: string | null,
): void {
  const isForAll = isForEveryone(visibility) && isForEveryone(own_visibility);
  const authorizationUri = interactionAuthorizationUri(ctx, username, kind, id);
  const about = { kind, accountId, actorId, statusUri, uri, requestUri, authorizationUri };
  deliver(ctx, tx, { type: "interaction.accepted", ...about, isPublic: requestUri === null && isForAll });
}

/** A remote account asks to reply to, favourite or reblog a local status. */
export interface InteractionRequest {
  kind: Interaction;
  /** The URI of the request. */
  requestUri: string;
  actorId: number;
  statusId: number;
  /** Of the reply, favourite or reblog. */
  uri: string;
}

/** Whether the author allows it. @throws Refusal if the account can't see the status, for example because of a block */
export function mayInteract(ctx: Context, { kind, actorId, statusId }: InteractionRequest): boolean {
  const { visibility } = visibleStatus(ctx, actorId, statusId);
  return (kind !== "reblog" || isForEveryone(visibility)) && isPermitted(ctx.db, kind, actorId, statusId);
}

export function rejectRequest(ctx: Context, tx: Tx, request: InteractionRequest): void {
  const { kind, requestUri, actorId, statusId, uri } = request;
  const { account_id: accountId, uri: statusUri } = visibleStatus(ctx, actorId, statusId);
  const about = { kind, accountId, actorId, statusUri, uri, requestUri, authorizationUri: null, isPublic: false };
  deliver(ctx, tx, { type: "interaction.rejected", ...about });
}
