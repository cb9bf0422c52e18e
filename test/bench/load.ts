/*
 * A separate process that sends the same requests to a server again and again, over persistent connections, each with
 * one request at a time. It makes Linux system calls directly and reads every response into the same memory. With Bun's
 * sockets the load would be slower than the bare server that it measures, and Linnet would compare too favourably.
 */
import { dlopen, ptr } from "bun:ffi";

export interface Load {
  port: number;
  /** Raw HTTP requests, sent in turn. `NUMBERS` becomes eight digits that differ each time. */
  requests: string[];
  connections: number;
  warmUpSeconds: number;
  seconds: number;
  /** The status of each response; 200 if missing. */
  status?: number;
  /** Sends each request once, and ends with the last response. */
  once?: boolean;
  /** Milliseconds before each request; only with one connection. */
  pause?: number;
}

export interface Measured {
  /** Requests per second after the warm-up. */
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** All responses, including those of the warm-up. */
  answered: number;
}

const AF_INET = 2;
const SOCK_STREAM = 1;
const POLLIN = 1;
const TIMEOUT = 10_000;

const { symbols: system } = dlopen("libc.so.6", {
  socket: { args: ["int", "int", "int"], returns: "int" },
  connect: { args: ["int", "ptr", "u32"], returns: "int" },
  send: { args: ["int", "ptr", "usize", "int"], returns: "int" },
  recv: { args: ["int", "ptr", "usize", "int"], returns: "int" },
  poll: { args: ["ptr", "usize", "int"], returns: "int" },
});

/** Memory for system calls. The garbage collector may move an array created from a length alone. */
const memory = (bytes: number) => Buffer.from(new ArrayBuffer(bytes));

class Connections {
  /** One `struct pollfd` per connection: descriptor, requested events, returned events. */
  private readonly polled: Buffer;
  /** The missing bytes of each connection's response; -1 before it begins. */
  private readonly missing: Float64Array;
  private readonly sentAt: Float64Array;
  private readonly received = memory(1024 * 1024);
  private readonly requests: { text: Buffer; numberAt: number }[];
  /** The beginning of each connection's response, if its head arrives in pieces. */
  private readonly heads: string[];
  private asked = 0;
  /** The connections that wait for a response. */
  private waiting = 0;

  constructor(private readonly load: Load) {
    const count = load.connections;
    this.missing = new Float64Array(count);
    this.sentAt = new Float64Array(count);
    this.heads = Array<string>(count).fill("");
    this.requests = load.requests.map((request) => {
      const bytes = Buffer.from(request.replace("NUMBERS", "00000000"));
      const text = memory(bytes.length);
      text.set(bytes);
      return { text, numberAt: request.indexOf("NUMBERS") };
    });
    this.polled = memory(count * 8);
    for (let at = 0; at < count; at += 1) {
      this.polled.writeInt32LE(connect(load.port), at * 8);
      this.polled.writeInt16LE(POLLIN, at * 8 + 4);
    }
  }

  /** Sends requests until the time is over, and reports the duration of each response. */
  run(answered: (at: number, milliseconds: number) => void, end: number): void {
    const { connections } = this.load;
    for (let at = 0; at < connections; at += 1) this.ask(at);
    for (let now = performance.now(); now < end && this.waiting > 0; now = performance.now()) {
      if (system.poll(ptr(this.polled), connections, TIMEOUT) <= 0) throw new Error("The server doesn't respond");
      for (let at = 0; at < connections; at += 1) {
        if (this.polled.readInt16LE(at * 8 + 6) === 0 || !this.receive(at)) continue;
        const now = performance.now();
        answered(now, now - this.sentAt[at]!);
        this.waiting -= 1;
        this.ask(at);
      }
    }
  }

  private ask(at: number): void {
    if (this.load.once && this.asked === this.requests.length) return;
    const { text, numberAt } = this.requests[this.asked % this.requests.length]!;
    this.asked += 1;
    this.waiting += 1;
    if (numberAt >= 0) text.write(String(this.asked).padStart(8, "0"), numberAt);
    this.missing[at] = -1;
    if (this.load.pause !== undefined) Bun.sleepSync(this.load.pause);
    this.sentAt[at] = performance.now();
    const sent = system.send(this.polled.readInt32LE(at * 8), ptr(text), text.length, 0);
    if (sent !== text.length) throw new Error("A request was only sent in part");
  }

  /** Reads the available bytes. Returns true when the response is complete. */
  private receive(at: number): boolean {
    const length = system.recv(this.polled.readInt32LE(at * 8), ptr(this.received), this.received.length, 0);
    if (length <= 0) throw new Error("The server closed the connection");
    if (this.missing[at]! < 0) {
      const end = this.received.subarray(0, length).indexOf("\r\n\r\n");
      if (end < 0 || this.heads[at] !== "") return this.receiveHead(at, length);
      this.missing[at] = end + 4 + this.bodyLength(this.received.toString("latin1", 0, end));
    }
    this.missing[at]! -= length;
    return this.missing[at] === 0;
  }

  /** Rarely needed, because most servers write a head at once. */
  private receiveHead(at: number, length: number): boolean {
    const head = this.heads[at]! + this.received.toString("latin1", 0, length);
    const end = head.indexOf("\r\n\r\n");
    this.heads[at] = end < 0 ? head : "";
    if (end >= 0) this.missing[at] = end + 4 + this.bodyLength(head.slice(0, end)) - head.length;
    return this.missing[at] === 0;
  }

  private bodyLength(head: string): number {
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    const isExpected = head.startsWith(`HTTP/1.1 ${this.load.status ?? 200} `);
    if (!isExpected || !length) throw new Error(`Unexpected response: ${head}`);
    return Number(length[1]);
  }
}

function connect(port: number): number {
  const address = memory(16);
  address.writeUInt16LE(AF_INET, 0);
  address.writeUInt16BE(port, 2);
  address.set([127, 0, 0, 1], 4);
  const socket = system.socket(AF_INET, SOCK_STREAM, 0);
  if (system.connect(socket, ptr(address), address.length) !== 0) throw new Error("The server can't be reached");
  return socket;
}

function measure(load: Load): Measured {
  const connections = new Connections(load);
  const begin = performance.now() + load.warmUpSeconds * 1000;
  const end = begin + load.seconds * 1000;
  const times: number[] = [];
  let answered = 0;
  const note = (at: number, milliseconds: number) => {
    answered += 1;
    if (at >= begin && at < end) times.push(milliseconds);
  };
  connections.run(note, end);
  const seconds = load.once ? (performance.now() - begin) / 1000 : load.seconds;
  times.sort((a, b) => a - b);
  const quantile = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN;
  return { perSecond: times.length / seconds, p50: quantile(0.5), p99: quantile(0.99), answered };
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(measure((await Bun.stdin.json()) as Load)));
}
