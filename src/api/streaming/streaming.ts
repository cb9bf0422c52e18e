import { Refusal } from "../../errors.ts";
import { bool, id, object, optional, text } from "../../lib/http/input.ts";
import { requestAddress } from "../../lib/http/params.ts";
import { EventStreams } from "./event-streams.ts";
import { OpenStreams } from "./open-streams.ts";
import type { Router } from "../router.ts";
import { StreamMessages } from "./stream-messages.ts";
import { findStream, listenerOf, STREAM_NAMES } from "./streams.ts";
import { StreamSocket } from "./web-socket.ts";

const params = { tag: optional(text({ max: 200 })), list: optional(id()) };
const EventStreamInput = object({ ...params, only_media: bool({ default: false }) });
const SocketInput = object({ ...params, stream: optional(text({ max: 100 })) });

/** The streams that have a path of their own. `only_media` selects those whose name ends with `:media`. */
const EVENT_STREAMS = {
  user: "Stream your home timeline and notifications",
  "user:notification": "Stream your notifications",
  public: "Stream public statuses",
  "public:local": "Stream public statuses of this server",
  "public:remote": "Stream public statuses of other servers",
  hashtag: "Stream public statuses with a hashtag",
  "hashtag:local": "Stream public statuses of this server with a hashtag",
  list: "Stream the timeline of a list",
  direct: "Stream your conversations",
};

/** Mastodon's documentation: methods/streaming. Each request opens a connection and counts once for rate limits. */
export function streamingRoutes(routes: Router): void {
  const { ctx } = routes;
  const messages = new StreamMessages(ctx);
  const open = new OpenStreams(ctx);
  const eventStreams = new EventStreams(ctx, messages, open);
  routes.get(
    "/api/v1/streaming/health",
    { open: "always", summary: "Check whether streaming is available" },
    () => new Response("OK", { headers: { "content-type": "text/plain", "cache-control": "private, no-store" } }),
  );
  for (const [name, summary] of Object.entries(EVENT_STREAMS)) {
    const options = { open: true, token: tokenOf, input: EventStreamInput, summary } as const;
    routes.get(`/api/v1/streaming/${name.replaceAll(":", "/")}`, options, ({ bearer, input }) => {
      const withMedia = `${name}:media`;
      const wanted = input.only_media && STREAM_NAMES.includes(withMedia) ? withMedia : name;
      const listener = listenerOf(bearer);
      return eventStreams.answer(listener, findStream(ctx, listener, wanted, input));
    });
  }
  routes.get(
    "/api/v1/streaming",
    {
      open: true,
      token: tokenOf,
      input: SocketInput,
      summary: "Open a WebSocket that can subscribe to several streams",
    },
    ({ bearer, input, request, server }) => {
      // Ignores case: Apache sends "WebSocket". A request without it asks where streaming is, and 404 means here.
      const isSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
      if (!isSocket) throw new Refusal("not_found", "Not found");
      const listener = listenerOf(bearer);
      open.admit(listener);
      const socket = new StreamSocket(ctx, messages, open, listener, input);
      const protocol = protocolOf(request);
      const upgraded = server.upgrade(request, {
        data: socket,
        // Browsers close the connection unless the protocol they offered is returned.
        headers: protocol === null ? {} : { "sec-websocket-protocol": protocol },
      });
      if (!upgraded) throw new Refusal("bad_request", "Expected a WebSocket handshake");
    },
  );
}

/** Browsers can't set headers for streams, so the token may be in the query or in the WebSocket protocol. */
function tokenOf(request: Request): string | null {
  return requestAddress(request.url).searchParams.get("access_token") || protocolOf(request);
}

function protocolOf(request: Request): string | null {
  return request.headers.get("sec-websocket-protocol")?.split(",")[0]!.trim() || null;
}
