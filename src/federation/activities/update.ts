import type { Context } from "../../context.ts";
import { storeActor } from "../fetching/actors.ts";
import { isSameOrigin } from "../documents.ts";
import { fetchDocument } from "../fetching/fetch.ts";
import type { Activity } from "../read/activity.ts";
import { isActor } from "../read/actor.ts";
import type { Json } from "../read/json.ts";
import { readStatus } from "../read/status.ts";
import { ownStatusAt } from "../fetching/known-statuses.ts";
import { prepareStatus, type ReadyStatus, storeEdit } from "../fetching/statuses.ts";
import type { Apply, Handler, Sender } from "./handler.ts";

/** The sender changes their profile or one of their statuses: its text, or only the results of its poll. */
export const update: Handler = (ctx, sender, activity) => {
  const { object, objectId } = activity;
  if (objectId === null || !isSameOrigin(objectId, sender.uri)) return null;
  if (object !== null) return updated(ctx, sender, activity, object);
  return fetchDocument(ctx, objectId).then((document) => updated(ctx, sender, activity, document));
};

function updated(
  ctx: Context,
  sender: Sender,
  activity: Activity,
  document: Json,
): Apply | null | Promise<Apply | null> {
  if (isActor(document)) return activity.objectId === sender.uri ? storeActor(ctx, document).then(() => null) : null;
  const status = readStatus(document, ctx.clock.now(), activity);
  if (status?.attributedTo !== sender.uri) return null;
  // A reblog has no content, whatever its author says.
  if (ownStatusAt(ctx.db, sender.id, status.uri)?.reblog_of_id !== null) return null;
  const ready = prepareStatus(ctx, sender.id, status);
  const store = (prepared: ReadyStatus): Apply => {
    return (tx) => {
      const before = ownStatusAt(tx, sender.id, status.uri);
      if (before) storeEdit(ctx, tx, before, prepared);
    };
  };
  return ready instanceof Promise ? ready.then(store) : store(ready);
}
