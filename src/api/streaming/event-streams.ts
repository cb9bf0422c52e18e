import type { Context } from "../../context.ts";
import { EventStream } from "../../lib/events/event-stream.ts";
import type { OpenStream, OpenStreams } from "./open-streams.ts";
import type { StreamMessages } from "./stream-messages.ts";
import type { Listener, Stream } from "./streams.ts";

/** Opens event streams. */
export class EventStreams {
  constructor(
    private readonly ctx: Context,
    private readonly messages: StreamMessages,
    private readonly all: OpenStreams,
  ) {}

  /** Responds with an event stream; refuses accounts that have too many streams open. */
  answer(listener: Listener, stream: Stream): Response {
    this.all.admit(listener);
    const reader: Reader = new Reader(listener, () => this.connect(reader, stream));
    return reader.response();
  }

  /** Subscribes and registers the reader. Returns a function that undoes both. */
  private connect(reader: Reader, stream: Stream): () => void {
    const { accountId } = reader.listener.viewer;
    const unsubscribe = this.ctx.eventBus.subscribe(stream.topic, (event) => {
      const message = stream.accepts(event.event) ? this.messages.of(event, accountId) : null;
      if (message) reader.send(message.asFrame());
    });
    const remove = this.all.add(reader);
    return () => {
      unsubscribe();
      remove();
    };
  }
}

/** One client that reads an event stream with a token. */
export class Reader extends EventStream implements OpenStream {
  constructor(
    readonly listener: Listener,
    connect: () => () => void,
  ) {
    super(connect);
  }
}
