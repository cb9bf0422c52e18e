/*
 * The baselines for what arrives, on one address each. `POST /inbox` checks the digest and the signature, writes one row
 * and responds 202 when it is on disk; requests that arrive together share a commit. `POST /parse` only parses the body.
 * Arguments: the database to create, and a JSON file with the public key of each key id.
 */
import { Database } from "bun:sqlite";
import { createPublicKey, verify, type KeyObject } from "node:crypto";

const [file, keyFile] = process.argv.slice(2) as [string, string];
const pems = (await Bun.file(keyFile).json()) as Record<string, string>;
const keys = new Map<string, KeyObject>(Object.entries(pems).map(([id, pem]) => [id, createPublicKey(pem)]));

const db = new Database(file, { create: true, strict: true });
db.run("PRAGMA journal_mode = WAL");
db.run("PRAGMA synchronous = FULL");
db.run("PRAGMA wal_autocheckpoint = 8000");
db.run("CREATE TABLE activities (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
const add = db.query("INSERT INTO activities (body) VALUES ($body)");
const commit = db.transaction((bodies: string[]) => bodies.forEach((body) => add.run({ body })));

let queued: { body: string; resolve(): void }[] = [];

function store(body: string): Promise<void> {
  return new Promise((resolve) => {
    if (queued.push({ body, resolve }) === 1) setImmediate(flush);
  });
}

function flush(): void {
  const group = queued;
  queued = [];
  commit(group.map(({ body }) => body));
  for (const { resolve } of group) resolve();
}

function isAuthentic({ headers }: Request, body: Uint8Array): boolean {
  const digest = new Bun.CryptoHasher("sha256").update(body).digest("base64");
  if (headers.get("digest") !== `SHA-256=${digest}`) return false;
  const parts = new Map(
    headers
      .get("signature")!
      .split('",')
      .map((part) => part.split('="') as [string, string]),
  );
  const names = parts.get("headers")!.split(" ");
  const signed = names.map((name) => `${name}: ${name === "(request-target)" ? "post /inbox" : headers.get(name)}`);
  const signature = Buffer.from(parts.get("signature")!.replace(/"$/, ""), "base64");
  return verify("sha256", Buffer.from(signed.join("\n")), keys.get(parts.get("keyId")!)!, signature);
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/inbox": async (request) => {
      const body = await request.bytes();
      if (!isAuthentic(request, body)) return new Response(null, { status: 401 });
      await store(new TextDecoder().decode(body));
      return new Response(null, { status: 202 });
    },
    "/parse": async (request) => {
      const { type } = (await request.json()) as { type: string };
      return new Response(null, { status: type === "Delete" ? 202 : 400 });
    },
  },
});
console.log(JSON.stringify(server.url.href));
