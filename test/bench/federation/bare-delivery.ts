/*
 * The baseline for deliveries: signs a body for each inbox and sends it with `fetch`, 16 at once. Each line of the input
 * is a round; its time in ms and its CPU time in ms are printed.
 */
import { createPrivateKey, sign, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

export interface Round {
  inboxes: string[];
  body: string;
  keyId: string;
  privateKey: string;
}

export interface Sent {
  milliseconds: number;
  processor: number;
}

const AT_ONCE = 16;
const signAsync = promisify(sign);

async function run({ inboxes, body, keyId, privateKey }: Round): Promise<Sent> {
  const [begin, used] = [performance.now(), process.cpuUsage()];
  const key = createPrivateKey(privateKey);
  let next = 0;
  const work = async () => {
    while (next < inboxes.length) await send(inboxes[next++]!, body, keyId, key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { user, system } = process.cpuUsage(used);
  return { milliseconds: performance.now() - begin, processor: (user + system) / 1000 };
}

async function send(inbox: string, body: string, keyId: string, key: KeyObject): Promise<void> {
  const { host, pathname } = new URL(inbox);
  const date = new Date().toUTCString();
  const digest = `SHA-256=${new Bun.CryptoHasher("sha256").update(body).digest("base64")}`;
  const type = "application/activity+json";
  const lines = [`(request-target): post ${pathname}`, `host: ${host}`, `date: ${date}`, `digest: ${digest}`];
  const signed = Buffer.from([...lines, `content-type: ${type}`].join("\n"));
  const bytes = await signAsync("sha256", signed, key);
  const names = "(request-target) host date digest content-type";
  const signature = `keyId="${keyId}",algorithm="rsa-sha256",headers="${names}",signature="${bytes.toString("base64")}"`;
  const response = await fetch(inbox, {
    method: "POST",
    headers: { date, digest, signature, "content-type": type },
    body,
  });
  if (response.status !== 202) throw new Error(`${inbox} answered ${response.status}`);
  await response.arrayBuffer();
}

if (import.meta.main) {
  for await (const line of console) console.log(JSON.stringify(await run(JSON.parse(line) as Round)));
}
