import type { Context } from "../../context.ts";
import type { OpenStream, OpenStreams } from "./open-streams.ts";
import type { Messages } from "./stream-messages.ts";
import type { Listener, Stream } from "./streams.ts";

/** What may wait for a reader, beyond what the system's buffers hold. */
const MAX_WAITING_BYTES = 256 * 1024;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "private, no-store",
  // Else nginx gathers events until a buffer is full.
  "x-accel-buffering": "no",
  // Nothing else will be asked for on this connection.
  connection: "close",
};

const encoder = new TextEncoder();
const HELLO = encoder.encode(":)\n");
/** Without a blank line, which would be an event without a name to Mastodon.py, and the end of its stream. */
const THUMP = encoder.encode(":thump\n");

/** Opens event streams. */
export class EventStreams {
  constructor(
    private readonly ctx: Context,
    private readonly messages: Messages,
    private readonly all: OpenStreams,
  ) {}

  /** Answers with a stream that lasts. */
  answer(listener: Listener, stream: Stream): Response {
    this.all.admit(listener);
    const reader = new Reader(listener, (reader) => this.connect(reader, stream));
    return new Response(new ReadableStream(reader as object), { headers: HEADERS });
  }

  /** Returns the function that takes everything back. */
  private connect(reader: Reader, stream: Stream): () => void {
    const { accountId } = reader.listener.viewer;
    const unsubscribe = this.ctx.hub.subscribe(stream.topic, (event) => {
      const message = stream.hears(event.event) ? this.messages.of(event, accountId) : null;
      if (message) reader.send(message.asFrame());
    });
    const remove = this.all.add(reader);
    return () => {
      unsubscribe();
      remove();
    };
  }
}

/**
 * One client that reads an event stream. Of all the ways to answer bit by bit Bun's direct streams take the least memory,
 * and tell what the client hasn't taken yet.
 */
export class Reader implements OpenStream, Bun.DirectUnderlyingSource {
  readonly type = "direct";
  private sink: ReadableStreamDirectController | null = null;
  private disconnect: (() => void) | null = null;
  /** Ends the answer; with a refusal Bun hangs up without another word. */
  private lifetime: PromiseWithResolvers<void> | null = null;
  /** Bytes that the client hasn't taken yet, and whether there were some at the last beat already. */
  private waiting = 0;
  private wasWaiting = false;

  constructor(
    readonly listener: Listener,
    private readonly connect: (reader: Reader) => () => void,
  ) {}

  /** Bun calls this once, when the answer begins. */
  pull(sink: ReadableStreamDirectController): Promise<void> {
    this.sink = sink;
    this.disconnect = this.connect(this);
    this.send(HELLO);
    this.lifetime = Promise.withResolvers();
    return this.lifetime.promise;
  }

  /** Bun calls this when the client is gone. */
  cancel(): void {
    this.disconnect?.();
    this.disconnect = null;
  }

  /** Who doesn't read is let go, rather than buffered for without end. */
  send(frame: Uint8Array): void {
    const written = this.sink!.write(frame);
    if (typeof written === "number") return;
    if (this.waiting === 0) void written.then(() => this.catchUp());
    this.waiting += frame.length;
    if (this.waiting > MAX_WAITING_BYTES) this.drop();
  }

  beat(): void {
    if (this.wasWaiting) return this.drop();
    this.wasWaiting = this.waiting > 0;
    this.send(THUMP);
  }

  end(): void {
    // Nothing more can be said to who doesn't read.
    if (this.waiting > 0) return this.drop();
    this.cancel();
    this.sink!.end();
    this.lifetime!.resolve();
  }

  private catchUp(): void {
    this.waiting = 0;
    this.wasWaiting = false;
  }

  private drop(): void {
    this.cancel();
    this.lifetime!.reject();
  }
}
