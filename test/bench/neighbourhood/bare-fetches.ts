/*
 * The baseline for fetches: requests the addresses of each line of the input, 8 at once, and parses the responses. Prints
 * the time in ms and the CPU time in ms.
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { promisify } from "node:util";
import type { Sent } from "../federation/bare-delivery.ts";

export interface Fetches {
  urls: readonly string[];
  /** Many servers require signatures, so this one signs all requests. */
  isSigned: boolean;
}

const AT_ONCE = 8;
const ACCEPT = "application/activity+json";
const signAsync = promisify(sign);
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

async function run({ urls, isSigned }: Fetches): Promise<Sent> {
  const [begin, used] = [performance.now(), process.cpuUsage()];
  let next = 0;
  const work = async () => {
    while (next < urls.length) {
      const url = urls[next++]!;
      const headers = isSigned ? await signatureOf(new URL(url)) : {};
      const response = await fetch(url, { headers: { ...headers, accept: ACCEPT } });
      await (response.ok ? response.json() : response.arrayBuffer());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { user, system } = process.cpuUsage(used);
  return { milliseconds: performance.now() - begin, processor: (user + system) / 1000 };
}

async function signatureOf({ host, pathname, search }: URL): Promise<Record<string, string>> {
  const date = new Date().toUTCString();
  const lines = [`(request-target): get ${pathname}${search}`, `host: ${host}`, `date: ${date}`];
  const bytes = await signAsync("sha256", Buffer.from(lines.join("\n")), privateKey);
  const names = "(request-target) host date";
  const parts = `keyId="http://localhost/actor#main-key",algorithm="rsa-sha256",headers="${names}"`;
  return { date, signature: `${parts},signature="${bytes.toString("base64")}"` };
}

if (import.meta.main) {
  for await (const line of console) console.log(JSON.stringify(await run(JSON.parse(line) as Fetches)));
}
