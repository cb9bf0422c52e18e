import type { Client, Json } from "./client.ts";
import { mastodon } from "./mastodon.ts";
import type { TestServer } from "./server.ts";

/**
 * Waits until the server has this many listeners: one per stream, and one more for stopping the streams while there are
 * any.
 */
export async function listening(server: TestServer, count: number): Promise<void> {
  while ((await server.listeners()) !== count) await server.stranger().get("/api/v1/streaming/health");
}

/** Received items in order. Waiting readers are rejected when the stream ends. */
class Inbox<Item> {
  private readonly items: Item[] = [];
  private readonly waiting: { resolve(item: Item): void; reject(error: Error): void }[] = [];
  private ended = false;

  put(item: Item): void {
    const waiter = this.waiting.shift();
    if (waiter) waiter.resolve(item);
    else this.items.push(item);
  }

  end(): void {
    this.ended = true;
    for (const { reject } of this.waiting.splice(0)) reject(new Error("the stream has ended"));
  }

  next(): Promise<Item> {
    const item = this.items.shift();
    if (item !== undefined) return Promise.resolve(item);
    if (this.ended) return Promise.reject(new Error("the stream has ended"));
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }
}

/** Deletions contain only the id. */
function isBare(event: string): boolean {
  return event === "delete" || event === "announcement.delete";
}

/** A message as received by apps, with its JSON payload parsed. */
export interface Heard {
  stream: string[];
  event: string;
  payload: Json;
}

/** Mastodon's entity for each event. */
const ENTITIES: Record<string, string> = {
  update: "Status",
  "status.update": "Status",
  notification: "Notification",
  conversation: "Conversation",
  announcement: "Announcement",
};

/** Parses a payload, and fails unless it is the entity that Mastodon documents for the event. */
function payloadOf(event: string, text: string): Json {
  if (isBare(event)) return text;
  const payload = JSON.parse(text);
  const entity = ENTITIES[event];
  const problems = entity === undefined ? [] : mastodon.entityProblems(payload, entity);
  if (problems.length > 0) throw new Error(`${event} is no ${entity} of Mastodon's:\n${problems.join("\n")}`);
  return payload;
}

/** A message that the server answers with an error, after its responses to earlier messages. */
const NONSENSE = { type: "subscribe", stream: "no such stream" };
const UNKNOWN = "Unknown stream type";

/** An app's WebSocket. */
export class Socket {
  private readonly inbox = new Inbox<Json>();
  /** The code and reason of the close frame. */
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener("message", ({ data }) => this.inbox.put(JSON.parse(data)));
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code, reason }) => {
        this.inbox.end();
        resolve({ code, reason });
      });
    });
  }

  /** `options` go to the constructor of WebSocket: protocols, or Bun's object with headers. */
  static async open(client: Client, query = "", options?: ConstructorParameters<typeof WebSocket>[1]): Promise<Socket> {
    const headers: Record<string, string> = client.token ? { authorization: `Bearer ${client.token}` } : {};
    const address = `${client.origin.replace("http", "ws")}/api/v1/streaming${query}`;
    const socket = new WebSocket(address, options ?? ({ headers } as never));
    const opened = new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error("the connection was refused")));
    });
    const wrapped = new Socket(socket);
    await opened;
    return wrapped;
  }

  get protocol(): string {
    return this.socket.protocol;
  }

  /** The next message, whatever it is. */
  raw(): Promise<Json> {
    return this.inbox.next();
  }

  async next(): Promise<Heard> {
    const { stream, event, payload } = await this.raw();
    return { stream, event, payload: payloadOf(event, payload) };
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  sendBytes(bytes: Uint8Array<ArrayBuffer>): void {
    this.socket.send(bytes);
  }

  /**
   * Subscribes, and waits until the server has done so. The server reads messages in order, so the error for the
   * invalid message that follows comes later.
   */
  async subscribe(stream: string, params: object = {}): Promise<void> {
    this.send({ type: "subscribe", stream, ...params });
    await this.settled();
  }

  async unsubscribe(stream: string, params: object = {}): Promise<void> {
    this.send({ type: "unsubscribe", stream, ...params });
    await this.settled();
  }

  /** Everything that has arrived so far, unparsed. */
  async soFar(): Promise<Json[]> {
    this.send(NONSENSE);
    const messages: Json[] = [];
    for (let message = await this.raw(); message.error !== UNKNOWN; message = await this.raw()) messages.push(message);
    return messages;
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  private async settled(): Promise<void> {
    this.send(NONSENSE);
    const answer = await this.raw();
    if (answer.error !== UNKNOWN) throw new Error(`unexpected: ${JSON.stringify(answer)}`);
  }
}

/** An app's event stream. Lines that begin with a colon are comments. */
export class EventReader {
  private text = "";

  private constructor(
    readonly response: Response,
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
  ) {}

  /** Opens a stream below `/api/v1/streaming/`, and waits for its first line. */
  static async open(client: Client, path: string): Promise<EventReader> {
    const headers: Record<string, string> = client.token ? { authorization: `Bearer ${client.token}` } : {};
    const response = await fetch(`${client.origin}/api/v1/streaming/${path}`, { headers });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const stream = new EventReader(response, response.body!.getReader());
    const hello = await stream.line();
    if (hello !== ":)") throw new Error(`unexpected: ${hello}`);
    return stream;
  }

  /** The next line. Heartbeats are comments on a separate line. */
  line(): Promise<string> {
    return this.upTo("\n");
  }

  /** The next event, without the comments before it and the blank line after it. */
  async block(): Promise<string> {
    return (await this.upTo("\n\n")).replace(/^(?::.*\n)+/, "");
  }

  async next(): Promise<{ event: string; payload: Json }> {
    const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(await this.block())!;
    return { event: event!, payload: payloadOf(event!, data!) };
  }

  /** True when the server has ended the stream. */
  async isAtEnd(): Promise<boolean> {
    return (await this.reader.read()).done;
  }

  close(): Promise<void> {
    return this.reader.cancel();
  }

  private async upTo(end: string): Promise<string> {
    const decoder = new TextDecoder();
    while (!this.text.includes(end)) {
      const { done, value } = await this.reader.read();
      if (done) throw new Error("the stream has ended");
      this.text += decoder.decode(value, { stream: true });
    }
    const at = this.text.indexOf(end);
    const block = this.text.slice(0, at);
    this.text = this.text.slice(at + end.length);
    return block;
  }
}
