/*
 * A separate process that holds thousands of event streams open. On command, it opens a few more, publishes posts at a
 * steady pace, and measures how long each post takes from sending to receiving its event.
 */
import { connect, type Socket } from "bun";

export interface StreamPlan {
  port: number;
  /** A token for each stream without events. */
  idle: string[];
  /** The tokens of the streams that receive every post, and of the author; null for idle streams only. */
  active: {
    listeners: string[];
    poster: string;
    postsPerSecond: number;
    warmUpSeconds: number;
    seconds: number;
  } | null;
}

/** Milliseconds from sending a post until its event arrives, after the warm-up. */
export interface Delays {
  p50: number;
  p99: number;
  longest: number;
  /** Received events per second. */
  perSecond: number;
}

/** Streams that connect at the same time: few systems queue more connections. */
const OPENING = 50;
/** Connections for posting. Each sends a post when the last one is confirmed. */
const POSTERS = 50;
const MARK = "sent at ";

function fail(why: string): never {
  console.error(why);
  process.exit(1);
}

function open(port: number, onText: (text: string) => void): Promise<Socket> {
  return connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, data) => onText(data.toString("latin1")),
      close: () => fail("The server closed the connection"),
    },
  });
}

/** Resolves when the stream has started. `each` gets every complete event. */
async function listen(port: number, path: string, token: string, each: (event: string) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let rest = "";
  const socket = await open(port, (text) => {
    if (text.startsWith("HTTP/1.1") && !text.startsWith("HTTP/1.1 200 ")) fail(text);
    const parts = (rest + text).split("\n\n");
    rest = parts.pop()!;
    if (text.includes(":)\n")) resolve();
    for (const part of parts) each(part);
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await promise;
}

/** Returns a function that publishes a post with its time of sending, on an idle connection. */
async function poster(port: number, token: string): Promise<() => void> {
  const free: Socket[] = [];
  const connectAnother = async () => {
    const socket = await open(port, (answer) => {
      if (!answer.startsWith("HTTP/1.1 200 ")) fail(answer);
      free.push(socket);
    });
    free.push(socket);
  };
  for (let n = 0; n < POSTERS; n += 1) await connectAnother();
  const head = `POST /api/v1/statuses HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
  return () => {
    const status = `Good morning! The harbour is quiet and the bread is warm. ${MARK}${performance.now().toFixed(3)}.`;
    const body = JSON.stringify({ status, language: "en" });
    const socket = free.shift() ?? fail(`${POSTERS} posts wait for a response`);
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  };
}

async function measureDelays(port: number, active: NonNullable<StreamPlan["active"]>): Promise<Delays> {
  const { listeners, postsPerSecond, warmUpSeconds, seconds } = active;
  const delays: number[] = [];
  let begin = Infinity;
  for (const token of listeners) {
    await listen(port, "/api/v1/streaming/public", token, (event) => {
      const at = event.indexOf(MARK);
      const sent = at < 0 ? -1 : Number.parseFloat(event.slice(at + MARK.length));
      if (sent >= begin) delays.push(performance.now() - sent);
    });
  }
  const post = await poster(port, active.poster);
  begin = performance.now() + warmUpSeconds * 1000;
  const end = begin + seconds * 1000;
  let posts = 0;
  for (let due = performance.now(); due < end; due += 1000 / postsPerSecond) {
    await Bun.sleep(due - performance.now());
    if (performance.now() >= begin) posts += 1;
    post();
  }
  while (delays.length < posts * listeners.length) await Bun.sleep(10);
  delays.sort((a, b) => a - b);
  const quantile = (part: number) => delays[Math.floor(delays.length * part)]!;
  return { p50: quantile(0.5), p99: quantile(0.99), longest: delays.at(-1)!, perSecond: delays.length / seconds };
}

async function main(): Promise<void> {
  const lines = console[Symbol.asyncIterator]();
  const { port, idle, active }: StreamPlan = JSON.parse((await lines.next()).value);
  for (let at = 0; at < idle.length; at += OPENING) {
    const some = idle.slice(at, at + OPENING);
    await Promise.all(some.map((token) => listen(port, "/api/v1/streaming/user", token, () => {})));
  }
  console.log("open");
  await lines.next();
  if (active) console.log(JSON.stringify(await measureDelays(port, active)));
  process.exit(0);
}

if (import.meta.main) await main();
