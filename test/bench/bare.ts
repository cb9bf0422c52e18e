/*
 * The baseline: a bare `Bun.serve` that responds to every request with the bytes of a file (first argument) as a media
 * type (second argument). Event streams then stay open.
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
