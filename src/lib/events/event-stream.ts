/** Maximum of unread bytes per client, beyond what the system's buffers hold. */
const MAX_WAITING_BYTES = 256 * 1024;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "private, no-store",
  // Otherwise nginx buffers events.
  "x-accel-buffering": "no",
  // The connection can't be reused for further requests.
  connection: "close",
};

const encoder = new TextEncoder();
const HELLO = encoder.encode(":)\n");
/** Without a blank line: Mastodon.py would take it for an event without a name, and end the stream. */
const THUMP = encoder.encode(":thump\n");

/**
 * One client that reads an event stream. Of Bun's streaming responses, direct streams take the least memory and report
 * how much the client hasn't read yet.
 */
export class EventStream implements Bun.DirectUnderlyingSource {
  readonly type = "direct";
  private sink: ReadableStreamDirectController | null = null;
  private disconnect: (() => void) | null = null;
  /** Resolving it ends the response; rejecting it makes Bun drop the connection. */
  private lifetime: PromiseWithResolvers<void> | null = null;
  /** Bytes that the client hasn't read yet, and whether there were any at the last heartbeat. */
  private waiting = 0;
  private wasWaiting = false;

  /** `connect` is called when the response starts. It returns the function to call, once, when it has ended. */
  constructor(private readonly connect: (stream: EventStream) => () => void) {}

  response(): Response {
    return new Response(new ReadableStream(this as object), { headers: HEADERS });
  }

  /** Bun calls this once, when the response starts. */
  pull(sink: ReadableStreamDirectController): Promise<void> {
    this.sink = sink;
    this.disconnect = this.connect(this);
    this.send(HELLO);
    this.lifetime = Promise.withResolvers();
    return this.lifetime.promise;
  }

  /** Bun calls this when the client has disconnected. */
  cancel(): void {
    this.disconnect?.();
    this.disconnect = null;
  }

  /** Drops a client that doesn't read, instead of buffering without bound. */
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
    // A client that doesn't read would not see the end.
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
