/*
 * What Bun can do at all: the bytes of the file that is its first argument, as the type that is its second, for every
 * request.
 */
import { readFileSync } from "node:fs";

const [file, type] = process.argv.slice(2) as [string, string];
const body = readFileSync(file);
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(body, { headers: { "content-type": type } }),
});
console.log(server.url.href);
