/*
 * A process of its own that holds thousands of event streams open. When it is told to go on, it hears on a few more the
 * public posts that it makes meanwhile at a steady pace, and tells how long each took from being sent to being heard.
 */
import { connect, type Socket } from "bun";

export interface Hearing {
  port: number;
  /** One for each stream on which nothing is said. */
  idle: string[];
  /** Of those who hear every post, and of whoever posts; null when there is nothing to hear. */
  heard: { listeners: string[]; poster: string; postsPerSecond: number; warmUpSeconds: number; seconds: number } | null;
}

/** From sending a post until its event has arrived, in milliseconds, of the time after the warm-up. */
export interface Delays {
  p50: number;
  p99: number;
  longest: number;
  /** How many events arrived in a second. */
  perSecond: number;
}

/** At once, while they are opened: few systems let more wait. */
const OPENING = 50;
/** Connections that posts are sent on: one takes a post when the last was answered. */
const POSTERS = 50;
const MARK = "sent at ";

function fail(why: string): never {
  console.error(why);
  process.exit(1);
}

function open(port: number, hear: (text: string) => void): Promise<Socket> {
  return connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, data) => hear(data.toString("latin1")),
      close: () => fail("The server hung up"),
    },
  });
}

/** Resolves when the stream has begun; `each` gets every event, whole, however it came in. */
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

/** Returns what publishes a post that says when it was sent, on whichever connection waits for no answer. */
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
    const socket = free.shift() ?? fail(`${POSTERS} posts wait for their answers`);
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  };
}

async function hearPosts(port: number, heard: NonNullable<Hearing["heard"]>): Promise<Delays> {
  const { listeners, postsPerSecond, warmUpSeconds, seconds } = heard;
  const delays: number[] = [];
  let begin = Infinity;
  for (const token of listeners) {
    await listen(port, "/api/v1/streaming/public", token, (event) => {
      const at = event.indexOf(MARK);
      const sent = at < 0 ? -1 : Number.parseFloat(event.slice(at + MARK.length));
      if (sent >= begin) delays.push(performance.now() - sent);
    });
  }
  const post = await poster(port, heard.poster);
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
  const { port, idle, heard }: Hearing = JSON.parse((await lines.next()).value);
  for (let at = 0; at < idle.length; at += OPENING) {
    const some = idle.slice(at, at + OPENING);
    await Promise.all(some.map((token) => listen(port, "/api/v1/streaming/user", token, () => {})));
  }
  console.log("open");
  await lines.next();
  if (heard) console.log(JSON.stringify(await hearPosts(port, heard)));
  process.exit(0);
}

if (import.meta.main) await main();
