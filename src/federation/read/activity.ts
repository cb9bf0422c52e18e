import { audienceOf, type Audience } from "./audience.ts";
import { idOf, isJson, listOf, pastDateOf, stringOf, typesOf, type Json } from "./json.ts";
import { reactionEmojiOf } from "./reaction.ts";

export interface Activity extends Audience {
  id: string;
  /** One type: of several, the first that Linnet knows. A reaction with an emoji is a `Like`. */
  type: string;
  actor: string;
  /** The embedded object; null if only its id is given. */
  object: Json | null;
  objectId: string | null;
  target: string | null;
  /** Null if it is not given or invalid. Never in the future. */
  published: number | null;
  raw: Json;
}

/** Reads an activity. Null if its id, type or actor is missing or invalid. */
export function readActivity(json: Json, now: number): Activity | null {
  const id = idOf(json);
  const type = activityTypeOf(json);
  const actor = idOf(json.actor);
  if (id === null || type === null || actor === null) return null;
  const [object] = listOf(json.object);
  return {
    id,
    type,
    actor,
    object: isJson(object) ? object : null,
    objectId: idOf(object),
    target: idOf(json.target),
    ...audienceOf(json),
    published: pastDateOf(json.published, now),
    raw: json,
  };
}

export interface ReferredActivity {
  id: string | null;
  type: string | null;
  actor: string | null;
  objectId: string | null;
  /** Of a reaction. */
  emoji: string | null;
}

/**
 * The activity that an Accept, Reject or Undo is about. Some servers send only its id; some embed it without an id, or
 * with another one than before, so that it must be found by its type, actor and object.
 */
export function referredActivity(activity: Activity): ReferredActivity {
  const { object, objectId } = activity;
  if (object === null) return { id: objectId, type: null, actor: null, objectId: null, emoji: null };
  return {
    id: objectId,
    type: activityTypeOf(object),
    actor: idOf(object.actor),
    objectId: idOf(object.object),
    emoji: reactionEmojiOf(object),
  };
}

/**
 * The status that an Announce is about. Groups announce whole activities (FEP-1b12): the Create of a status counts as
 * the status. Null for other activities, such as votes.
 */
export function announcedId({ object, objectId }: Activity): string | null {
  if (object === null || object.object === undefined) return objectId;
  return activityTypeOf(object) === "Create" ? idOf(object.object) : null;
}

const KNOWN = new Set(
  (
    "Accept Add Announce AnnounceRequest Block Create Delete EmojiReact Flag Follow Like LikeRequest Move QuoteRequest " +
    "Reject Remove ReplyRequest Undo Update"
  ).split(" "),
);
const MAX_TYPE_LENGTH = 100;

function activityTypeOf(json: Json): string | null {
  const types = typesOf(json);
  const type = types.find((each) => KNOWN.has(each)) ?? types[0];
  if (!type || stringOf(type, MAX_TYPE_LENGTH) !== type) return null;
  // Pleroma's reactions. Misskey's are a Like with `content`.
  return type === "EmojiReact" ? "Like" : type;
}
