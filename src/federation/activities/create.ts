import { acceptConditional } from "../../core/interaction-answers.ts";
import { storeRemoteVote } from "../../core/statuses/polls.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { isTombstoned } from "../../core/tombstones.ts";
import { fetchDocument } from "../fetching/fetch.ts";
import type { Json } from "../read/json.ts";
import { isSameOrigin } from "../documents.ts";
import { PUBLIC } from "../read/audience.ts";
import { readStatus, type RemoteStatus } from "../read/status.ts";
import { isWanted } from "../inbox/relevance.ts";
import { localStatusAt, statusIdOf } from "../fetching/known-statuses.ts";
import { prepareStatus, type ReadyStatus, storeStatus } from "../fetching/statuses.ts";
import type { Apply, Handler, Sender } from "./handler.ts";

/**
 * A new status of the sender, or their vote in a local poll. A status that the activity only names is fetched. One of
 * another author or server is ignored: its own server would deliver it.
 */
export const create: Handler = (ctx, sender, activity) => {
  const { object, objectId } = activity;
  if (objectId === null || !isSameOrigin(objectId, sender.uri)) return null;
  const read = (document: Json) => created(ctx, sender, readStatus(document, ctx.clock.now(), activity));
  return object === null ? fetchDocument(ctx, objectId).then(read) : read(object);
};

function created(ctx: Context, sender: Sender, status: RemoteStatus | null): Apply | null | Promise<Apply | null> {
  if (!status || status.attributedTo !== sender.uri || !isSameOrigin(status.uri, sender.uri)) return null;
  if (status.vote) return voted(ctx, sender, status);
  if (statusIdOf(ctx.db, status.uri) !== null || isTombstoned(ctx.db, status.uri, sender.id)) return null;
  const addressed = [...status.to, ...status.cc];
  const recipients = [...addressed, ...status.mentions.map(({ href }) => href)];
  const hashtags = addressed.includes(PUBLIC) ? status.hashtags.map(({ name }) => name) : [];
  const quotedId = localStatusAt(ctx, status.quote?.uri ?? null);
  const { uri, inReplyTo } = status;
  if (!isWanted(ctx.db, sender.id, { uri, hashtags, recipients, inReplyTo, quotedId })) return null;
  const ready = prepareStatus(ctx, sender.id, status);
  const store =
    (prepared: ReadyStatus): Apply =>
    (tx) =>
      storeReply(ctx, tx, sender, prepared);
  return ready instanceof Promise ? ready.then(store) : store(ready);
}

function storeReply(ctx: Context, tx: Tx, sender: Sender, prepared: ReadyStatus): void {
  const id = storeStatus(ctx, tx, prepared, "delivered");
  const { uri } = prepared.status;
  if (id !== null) acceptConditional(ctx, tx, { kind: "reply", id, uri, accountId: sender.id });
}

/** A vote names one option and the poll. It counts once, before the end, if the sender may see the poll. */
function voted(ctx: Context, sender: Sender, { vote, inReplyTo }: RemoteStatus): Apply {
  return (tx) => {
    const statusId = statusIdOf(tx, inReplyTo);
    if (statusId !== null) storeRemoteVote(ctx, tx, sender.id, statusId, vote!.option);
  };
}
