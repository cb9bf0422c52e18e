/*
 * What Bun can do at all: the bytes of the file that is its first argument, as the type that is its second, for every
 * request. An event stream stays open after them.
 */
import { readFileSync } from "node:fs";

const [file, type] = process.argv.slice(2) as [string, string];
const body = readFileSync(file);
const lasting = () =>
  new ReadableStream({
    type: "direct",
    pull: (sink: ReadableStreamDirectController) => {
      sink.write(body);
      return new Promise(() => {});
    },
  } as object);
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 60,
  fetch: () => new Response(type === "text/event-stream" ? lasting() : body, { headers: { "content-type": type } }),
});
console.log(server.url.href);
