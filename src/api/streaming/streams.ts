import type { Context, Event } from "../../context.ts";
import { conversationTopic } from "../../core/notifications/conversations.ts";
import { userTopic } from "../../core/events.ts";
import { listTopic } from "../../core/timelines/list-timelines.ts";
import { isOwnList } from "../../core/timelines/lists.ts";
import { Refusal } from "../../errors.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import { parseId } from "../../lib/ids.ts";
import type { Bearer, Viewer } from "../../oauth/guard.ts";
import { covers, type Scope } from "../../oauth/scopes.ts";

/** A user's token: an app token may not listen (Mastodon's documentation, methods/streaming, since 4.2). */
export type Listener = Bearer & { viewer: Viewer };

/** The parameters of a stream, unchecked. */
export interface StreamParams {
  tag?: unknown;
  list?: unknown;
}

/** One stream for one listener. */
export interface Stream {
  /** The name in messages, with the parameter as the client wrote it: clients compare it with their request. */
  name: string[];
  topic: string;
  accepts(event: Event["event"]): boolean;
}

interface Kind {
  scope: Scope;
  topic(listener: Listener, param: string, ctx: Context): string;
  /** The parameter that is part of the name. */
  param?: keyof StreamParams;
  /** Which of the topic's events are sent; all of them by default. */
  accepts?(event: Event["event"], listener: Listener): boolean;
}

const NOTIFICATION_EVENTS: ReadonlySet<string> = new Set<Event["event"]>(["notification", "notifications_merged"]);

const own = (listener: Listener) => userTopic(listener.viewer.accountId);

function open(topic: string): Kind {
  return { scope: "read:statuses", topic: () => topic };
}

function tagged(prefix: string): Kind {
  return { scope: "read:statuses", param: "tag", topic: (_, tag) => `${prefix}:${tagName(tag)}` };
}

function ownListTopic(listener: Listener, list: string, ctx: Context): string {
  const id = parseId(list);
  if (id === null || !isOwnList(ctx.db, listener.viewer.accountId, id)) {
    throw new Refusal("unauthorized", "Not authorized to stream this list");
  }
  return listTopic(id);
}

/** All streams. The path of an event stream has slashes instead of the colons. */
const STREAMS = new Map<string, Kind>([
  [
    "user",
    {
      scope: "read:statuses",
      topic: own,
      accepts: (event, { scopes }) => !NOTIFICATION_EVENTS.has(event) || covers(scopes, "read:notifications"),
    },
  ],
  [
    "user:notification",
    { scope: "read:notifications", topic: own, accepts: (event) => NOTIFICATION_EVENTS.has(event) },
  ],
  ["public", open("public")],
  ["public:media", open("public:media")],
  ["public:local", open("public:local")],
  ["public:local:media", open("public:local:media")],
  ["public:remote", open("public:remote")],
  ["public:remote:media", open("public:remote:media")],
  ["direct", { scope: "read:statuses", topic: ({ viewer }) => conversationTopic(viewer.accountId) }],
  ["hashtag", tagged("hashtag")],
  ["hashtag:local", tagged("hashtag:local")],
  ["list", { scope: "read:statuses", param: "list", topic: ownListTopic }],
]);

export const STREAM_NAMES: readonly string[] = [...STREAMS.keys()];

/** The listener of a request. Streaming responds with 401 to every failure here, unlike the rest of the API. */
export function listenerOf(bearer: Bearer | null): Listener {
  if (!bearer) throw new Refusal("unauthorized", "Missing access token");
  if (bearer.disabled) throw new Refusal("unauthorized", "Your login is currently disabled");
  const { viewer } = bearer;
  if (!viewer) throw new Refusal("unauthorized", "This method requires an authenticated user");
  return { ...bearer, viewer };
}

/** Finds a stream. Refuses, in Mastodon's words, an unknown one and one that this listener may not read. */
export function findStream(ctx: Context, listener: Listener, name: unknown, params: StreamParams): Stream {
  const kind = typeof name === "string" ? STREAMS.get(name) : undefined;
  if (!kind) throw new Refusal("bad_request", "Unknown stream type");
  if (!covers(listener.scopes, kind.scope)) {
    throw new Refusal("unauthorized", "Access token does not have the required scopes");
  }
  const given = kind.param === undefined ? "" : params[kind.param];
  // Clients may send an id as a number, as in any JSON.
  const param = typeof given === "number" ? String(given) : given;
  if (typeof param !== "string") throw missing(kind.param);
  return {
    name: kind.param === undefined ? [name as string] : [name as string, param],
    topic: kind.topic(listener, param, ctx),
    accepts: (event) => kind.accepts?.(event, listener) ?? true,
  };
}

function tagName(tag: string): string {
  const normalised = normaliseHashtag(tag);
  if (normalised === "") throw missing("tag");
  return normalised;
}

function missing(param: keyof StreamParams | undefined): Refusal {
  return new Refusal("bad_request", `Missing ${param} name parameter`);
}
