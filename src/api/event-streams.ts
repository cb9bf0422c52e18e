import type { Context } from "../context.ts";
import type { Messages } from "./stream-messages.ts";
import type { Listener, Stream } from "./streams.ts";

const HEARTBEAT = 15_000;
/** What may wait for a reader, beyond what the system's buffers hold. */
const MAX_WAITING_BYTES = 256 * 1024;
/** How long a reader who is too slow may take to read what is left, in seconds. */
const GRACE = 30;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "private, no-store",
  // Else nginx gathers events until a buffer is full.
  "x-accel-buffering": "no",
};

const encoder = new TextEncoder();
const HELLO = encoder.encode(":)\n");
const THUMP = encoder.encode(":thump\n\n");

/** The event streams that are open, and their common heartbeat. */
export class EventStreams {
  private readonly connections = new Set<Connection>();
  private heartbeat: Timer | null = null;

  constructor(
    private readonly ctx: Context,
    private readonly messages: Messages,
  ) {}

  /** Answers with a stream that lasts. `allowSilence` sets after how many silent seconds the server hangs up. */
  open(listener: Listener, stream: Stream, allowSilence: (seconds: number) => void): Response {
    allowSilence(0);
    let connection: Connection;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          connection = this.begin(controller, listener, stream, allowSilence);
        },
        cancel: () => connection.end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    );
    return new Response(body, { headers: HEADERS });
  }

  /** Shows on every connection that it lives: to proxies, and to us when nobody is there any more. */
  beat(): void {
    for (const connection of this.connections) connection.send(THUMP);
  }

  private begin(
    controller: ReadableStreamDefaultController<Uint8Array>,
    listener: Listener,
    stream: Stream,
    allowSilence: (seconds: number) => void,
  ): Connection {
    const { hub } = this.ctx;
    const { accountId } = listener.viewer;
    const connection = new Connection(controller, allowSilence);
    connection.whenEnded(
      hub.subscribe(stream.topic, (event) => {
        const message = stream.hears(event.event) ? this.messages.of(event, accountId) : null;
        if (message) connection.send(message.asFrame());
      }),
    );
    connection.whenEnded(hub.subscribe(`token:${listener.tokenId}`, () => connection.close()));
    connection.whenEnded(() => this.forget(connection));
    this.connections.add(connection);
    this.heartbeat ??= setInterval(() => this.beat(), HEARTBEAT).unref();
    connection.send(HELLO);
    return connection;
  }

  private forget(connection: Connection): void {
    this.connections.delete(connection);
    if (this.connections.size > 0 || !this.heartbeat) return;
    clearInterval(this.heartbeat);
    this.heartbeat = null;
  }
}

/** One client that reads an event stream. */
class Connection {
  private readonly endings: (() => void)[] = [];

  constructor(
    private readonly controller: ReadableStreamDefaultController<Uint8Array>,
    private readonly allowSilence: (seconds: number) => void,
  ) {}

  whenEnded(effect: () => void): void {
    this.endings.push(effect);
  }

  /** Who doesn't read is let go, rather than buffered for without end. */
  send(frame: Uint8Array): void {
    if (this.controller.desiredSize! > 0) this.controller.enqueue(frame);
    else this.close();
  }

  close(): void {
    this.end();
    this.controller.close();
    this.allowSilence(GRACE);
  }

  /** Stops listening; the client is gone, or will be. */
  end(): void {
    for (const effect of this.endings.splice(0)) effect();
  }
}
