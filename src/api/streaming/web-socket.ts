import type { ServerWebSocket } from "bun";
import type { Context, Event } from "../../context.ts";
import { Refusal, type RefusalKind } from "../../errors.ts";
import { Windows } from "../../lib/rates.ts";
import type { EndReason, OpenStream, OpenStreams } from "./open-streams.ts";
import type { StreamMessages } from "./stream-messages.ts";
import { findStream, type Listener, type Stream, type StreamParams } from "./streams.ts";

/** Options for Bun's WebSocket server. An idle client is pinged after half a minute. */
export const SOCKET_SETTINGS = {
  maxPayloadLength: 4096,
  backpressureLimit: 256 * 1024,
  closeOnBackpressureLimit: true,
  // Bun sends a ping 16 seconds before the timeout.
  idleTimeout: 46,
};

const MAX_SUBSCRIPTIONS = 100;
/** Clients send a message to open or close a stream; without a limit, 200,000 of them blocked all other requests. */
const MESSAGES = { calls: 300, seconds: 60 };
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;
const CLOSE_CODES: Record<EndReason, [code: number, reason: string]> = {
  revoked: [POLICY_VIOLATION, "The access token was revoked"],
  stopping: [1001, "The server is stopping"],
};

const STATUS: Partial<Record<RefusalKind, number>> = { bad_request: 400, unauthorized: 401, too_many: 429 };

/**
 * One WebSocket client and its subscriptions. Elysia calls `open`, `message` and `close` of the object that the socket
 * was upgraded with.
 */
export class StreamSocket implements OpenStream {
  private socket: ServerWebSocket<unknown> | null = null;
  private readonly subscriptions = new Map<string, () => void>();
  private remove: (() => void) | null = null;
  private readonly rate = new Windows(MESSAGES.calls, MESSAGES.seconds);

  /** `first` is the subscription in the query of the request. */
  constructor(
    private readonly ctx: Context,
    private readonly messages: StreamMessages,
    private readonly all: OpenStreams,
    readonly listener: Listener,
    private readonly first: { stream?: string } & StreamParams,
  ) {}

  open(socket: ServerWebSocket<unknown>): void {
    this.socket = socket;
    this.remove = this.all.add(this);
    if (this.first.stream) this.subscribe(this.first.stream, this.first);
  }

  message(socket: ServerWebSocket<unknown>, data: string | Buffer): void {
    if (this.rate.take("", this.ctx.clock.now()).exceeded) {
      return socket.close(POLICY_VIOLATION, `No more than ${MESSAGES.calls} messages in ${MESSAGES.seconds} seconds`);
    }
    if (typeof data !== "string") return socket.close(UNSUPPORTED_DATA, "Binary messages are not supported");
    const message = readMessage(data);
    if (message?.type === "subscribe") this.subscribe(message.stream, message);
    if (message?.type === "unsubscribe") this.unsubscribe(message.stream, message);
  }

  close(): void {
    for (const unsubscribe of this.subscriptions.values()) unsubscribe();
    this.subscriptions.clear();
    this.remove?.();
    this.remove = null;
  }

  end(why: EndReason): void {
    this.socket?.close(...CLOSE_CODES[why]);
  }

  private subscribe(name: unknown, params: StreamParams): void {
    try {
      const stream = findStream(this.ctx, this.listener, name, params);
      const key = JSON.stringify(stream.name);
      if (this.subscriptions.has(key)) return;
      if (this.subscriptions.size >= MAX_SUBSCRIPTIONS) {
        throw new Refusal("too_many", `At most ${MAX_SUBSCRIPTIONS} streams are allowed on one connection`);
      }
      const listener = (event: Event) => this.deliver(event, stream, key);
      this.subscriptions.set(key, this.ctx.eventBus.subscribe(stream.topic, listener));
    } catch (error) {
      this.refuse(error);
    }
  }

  private unsubscribe(name: unknown, params: StreamParams): void {
    try {
      const key = JSON.stringify(findStream(this.ctx, this.listener, name, params).name);
      this.subscriptions.get(key)?.();
      this.subscriptions.delete(key);
    } catch (error) {
      this.refuse(error);
    }
  }

  private deliver(event: Event, stream: Stream, key: string): void {
    const message = stream.accepts(event.event) ? this.messages.of(event, this.listener.viewer.accountId) : null;
    if (message) this.socket?.sendText(message.asText(key));
  }

  /** Sends the error as a message instead of throwing, because there is no request to respond to. */
  private refuse(error: unknown): void {
    const refusal = error instanceof Refusal;
    if (!refusal) this.ctx.log.error("a message on a WebSocket failed: {error}", { error });
    const answer = refusal
      ? { error: error.message, status: STATUS[error.kind] }
      : { error: "Something went wrong on the server", status: 500 };
    this.socket?.sendText(JSON.stringify(answer));
  }
}

/** Null for anything but a JSON object, which Mastodon ignores too. */
function readMessage(data: string): ({ type?: unknown; stream?: unknown } & StreamParams) | null {
  try {
    const message: unknown = JSON.parse(data);
    return typeof message === "object" ? message : null;
  } catch {
    return null;
  }
}
