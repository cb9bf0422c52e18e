import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Glob } from "bun";
import * as fc from "fast-check";
import { parseSignature } from "../../src/lib/signatures.ts";
import type { Json } from "../support/client.ts";
import { type Neighbour, startNeighbour } from "../support/federation.ts";
import {
  befriend,
  count,
  type HostileAccount,
  HostilePeer,
  sendRequest,
  type SignedRequest,
} from "../support/hostile-peer.ts";
import { collectLog } from "../support/log.ts";
import { inProcess, type TestServer } from "../support/server.ts";

/* Whatever a known account signs and sends: no response is a 500, no activity is stuck, and no row is too long. */

let server: TestServer;
let peer: HostilePeer;
let alice: Neighbour;
let bob: HostileAccount;

beforeAll(async () => {
  alice = await startNeighbour("alice");
  server = alice.server;
  peer = new HostilePeer();
  bob = peer.account("bob", "good.test");
  await befriend(alice, bob);
});

afterAll(async () => {
  await server.stop();
  await peer.stop();
});

/** A document may end the follow, change the key or delete the account: then another account is bob. */
async function ensureBob(): Promise<void> {
  const isSame = server.ctx.db.get(
    `SELECT 1 FROM accounts a JOIN remote_keys k ON k.account_id = a.id JOIN follows f ON f.target_account_id = a.id
     WHERE a.uri = $uri AND a.gone_at IS NULL AND k.key_id = $keyId AND k.public_key = $pem`,
    { uri: bob.uri, keyId: bob.key.keyId, pem: bob.document.publicKey.publicKeyPem },
  );
  if (isSame) return;
  bobs += 1;
  bob = peer.account("bob", `good${bobs}.test`);
  await befriend(alice, bob);
}

let bobs = 0;

/* Documents */

const ROOT = `${import.meta.dir}/../fixtures/federation`;
const TYPES = ["Create", "Update", "Announce", "Like", "Delete", "Undo", "Follow", "Accept", "Reject", "Block", "Add"];

/** Original documents of all kinds of servers, as activities of bob about his posts and alice's account. */
const fixtures: Json[] = [...new Glob("**/*.json").scanSync(ROOT)].toSorted().map((file) => {
  return JSON.parse(readFileSync(`${ROOT}/${file}`, "utf8"));
});

/** The same document on bob's server, so that only its shape decides. */
function asBobs(document: Json): Json {
  const moved = JSON.stringify(document)
    .replaceAll(/https?:\/\/linnet\.example\/users\/\w+/g, alice.uri)
    .replaceAll(/https?:\/\/[\w.-]*\.example/g, bob.origin);
  return JSON.parse(moved);
}

function activityOf(document: Json, type: string): Json {
  const moved = asBobs(document);
  if (moved.actor !== undefined) return { ...moved, id: bob.newUri(), actor: bob.uri, object: owned(moved.object) };
  return bob.activity(type, owned(moved));
}

/** Bob's post or profile. */
function owned(object: Json): Json {
  if (typeof object !== "object" || object === null) return object;
  if (object.inbox !== undefined)
    return { ...object, ...structuredClone(bob.document), name: object.name, icon: object.icon, tag: object.tag };
  return { ...object, id: object.type === "Follow" ? object.id : bob.newUri("notes"), attributedTo: bob.uri };
}

const odd = () =>
  fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1e308,
      -0,
      1.5,
      2 ** 53,
      "",
      " ",
      "\0",
      "\uD800",
      "\u202E",
      [],
      {},
      [[]],
      [{}],
    ),
    fc.constantFrom<unknown>(
      "as:Public",
      "__proto__",
      "constructor",
      "0",
      "1969-12-31T23:59:59Z",
      "+275760-09-13T00:00:00Z",
    ),
    fc.constantFrom<() => unknown>(
      () => alice.uri,
      () => bob.uri,
      () => bob.document,
      () => ({ id: bob.uri }),
      () => [alice.uri, bob.uri],
      () => `${bob.origin}/missing`,
      () => `${bob.uri}#fragment`,
    ),
    fc.integer({ min: 1, max: 3 }).map((times) => "x".repeat(times * 100_000)),
    fc
      .integer({ min: 1, max: 3000 })
      .map((length) => Array.from({ length }, (_, at) => ({ type: "Mention", name: `#t${at}`, href: at }))),
    fc.string({ unit: "binary", maxLength: 50 }),
    fc.jsonValue({ maxDepth: 4 }),
  );

interface Change {
  /** Selects a property, at any depth. */
  at: number;
  how: "replace" | "remove" | "wrap" | "copy";
  value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("replace", "replace", "remove", "wrap", "copy"),
  value: odd(),
});

/** Every object in a document, with the names of its properties. */
function places(json: unknown): { holder: Json; name: string }[] {
  if (typeof json !== "object" || json === null) return [];
  return Object.keys(json).flatMap((name) => [{ holder: json, name }, ...places((json as Json)[name])]);
}

function apply(document: Json, { at, how, value }: Change): void {
  const all = places(document);
  if (all.length === 0) return;
  const { holder, name } = all[at % all.length]!;
  const other = all[(at * 7) % all.length]!;
  if (how === "remove") delete holder[name];
  else if (how === "wrap") holder[name] = [holder[name]];
  else if (how === "copy") holder[name] = structuredClone(other.holder[other.name]);
  else holder[name] = structuredClone(typeof value === "function" ? value() : value);
}

/** The longest row of each table that other servers cause, in characters. */
const LONGEST = {
  statuses:
    "SELECT max(length(s.content) + length(s.spoiler_text) + length(s.uri) + length(s.url)) AS n FROM statuses s",
  accounts:
    "SELECT max(length(note_html) + length(display_name) + length(fields) + length(username) + length(url)) AS n FROM accounts",
  poll_options: "SELECT max(length(title)) AS n FROM poll_options",
  status_tags: "SELECT max(n) AS n FROM (SELECT count(*) AS n FROM status_tags GROUP BY status_id)",
  mentions: "SELECT max(n) AS n FROM (SELECT count(*) AS n FROM mentions GROUP BY status_id)",
  media:
    "SELECT max(n) AS n FROM (SELECT count(*) AS n FROM media_attachments WHERE status_id IS NOT NULL GROUP BY status_id)",
};
const LIMITS = {
  statuses: 120_000,
  accounts: 720_000,
  poll_options: 2048,
  status_tags: 500,
  mentions: 501,
  media: 16,
};

function tooLong(): string[] {
  return Object.entries(LONGEST).flatMap(([name, sql]) => {
    const n = server.ctx.db.get<{ n: number | null }>(sql)!.n ?? 0;
    return n > LIMITS[name as keyof typeof LIMITS] ? [`${name}: ${n}`] : [];
  });
}

describe("A document of another server", () => {
  inProcess(
    "in any shape causes no error, and leaves no row over the limits",
    async () => {
      // An activity that fails unexpectedly is logged, and tried again later. The log of another process can't be read.
      const errors = collectLog(server);
      const arbitrary = fc.record({
        fixture: fc.constantFrom(...fixtures),
        type: fc.constantFrom(...TYPES, "Create", "Create", "Update", "Update"),
        changes: fc.array(change, { maxLength: 6 }),
      });
      await fc.assert(
        fc.asyncProperty(arbitrary, async ({ fixture, type, changes }) => {
          await ensureBob();
          const activity = activityOf(structuredClone(fixture), type);
          for (const each of changes) apply(activity, each);
          // Its shape is tested, not its signature.
          const status = await bob.send(server, { ...activity, id: bob.newUri(), actor: bob.uri });
          expect([202, 400, 413]).toContain(status);
          await server.drain();
          expect(errors).toEqual([]);
          expect(tooLong()).toEqual([]);
        }),
        { numRuns: 300, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
      );
      for (const path of [
        "/api/v1/timelines/home?limit=40",
        "/api/v1/notifications?limit=40",
        `/api/v1/accounts/lookup?acct=${bob.handle}`,
      ]) {
        expect([path, (await alice.get(path)).status]).toEqual([path, 200]);
      }
      expect(count(server, "statuses")).toBeGreaterThan(0);
    },
    120_000,
  );

  test("that is fetched, in any shape, causes no error", async () => {
    const arbitrary = fc.record({ fixture: fc.constantFrom(...fixtures), changes: fc.array(change, { maxLength: 6 }) });
    let served = 0;
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ fixture, changes }) => {
        await ensureBob();
        const document = owned(asBobs(structuredClone(fixture)));
        for (const each of changes) apply(document, each);
        const url = `${bob.origin}/served/${(served += 1)}`;
        peer.serve(url, { ...document, id: url });
        await alice.resolve(url);
        expect(tooLong()).toEqual([]);
      }),
      { numRuns: 150, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
    );
  }, 120_000);
});

/* Signatures */

interface HeaderChange {
  name: string;
  how: "set" | "flip" | "cut" | "repeat" | "remove";
  at: number;
  text: string;
}

const NAMES = ["signature", "signature-input", "date", "digest", "content-digest", "content-type"];

const headerChange: fc.Arbitrary<HeaderChange> = fc.record({
  name: fc.constantFrom(...NAMES),
  how: fc.constantFrom("set", "flip", "cut", "repeat", "remove"),
  at: fc.nat(),
  text: fc.string({ unit: fc.constantFrom(..."abcXYZ019 \t,;:=\"'()<>@#%&?/\\*~-_.+é"), maxLength: 60 }),
});

function changed(value: string, { how, at, text }: HeaderChange): string {
  const place = value.length === 0 ? 0 : at % value.length;
  if (how === "set") return text;
  if (how === "flip") return value.slice(0, place) + text.slice(0, 1) + value.slice(place + 1);
  if (how === "cut") return value.slice(0, place);
  return how === "repeat" ? `${value},${value}` : "";
}

/**
 * The signed text and the signature; null if a request has none. White space, names of algorithms, unknown parameters
 * and the last bits of base64 can change without a change of these.
 */
function signatureOf({ method, path, body }: SignedRequest, sent: Record<string, string>): string | null {
  const headers = new Headers(sent);
  const received = { method, url: server.ctx.config.origin + path, headers, body: Buffer.from(body!) };
  const signature = parseSignature(received, server.clock.now());
  if ("problem" in signature) return null;
  const { keyId, components, created, expires, params, bytes } = signature;
  const values = NAMES.filter((name) => components.includes(name)).map((name) => headers.get(name));
  return JSON.stringify([keyId, components, values, created, expires, params, bytes.toString("hex")]);
}

describe("A signature", () => {
  test("that was changed anywhere is not valid, and causes no error", async () => {
    await ensureBob();
    const arbitrary = fc.record({
      form: fc.constantFrom("cavage" as const, "rfc9421" as const),
      changes: fc.array(headerChange, { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ form, changes }) => {
        const signed = await bob.sign(server, bob.activity("Like", alice.uri), { form });
        const headers = { ...signed.headers };
        for (const each of changes) {
          if (each.how === "remove") delete headers[each.name];
          else headers[each.name] = changed(headers[each.name] ?? "", each).trim();
        }
        const { status } = await sendRequest(server, { ...signed, headers });
        const signature = signatureOf(signed, headers);
        const isSame = signature !== null && signature === signatureOf(signed, signed.headers);
        expect(isSame ? [202, 401, 503] : [401, 503]).toContain(status);
      }),
      { numRuns: 300 },
    );
    await server.drain();
    expect(tooLong()).toEqual([]);
  }, 60_000);

  test("in a header of any text causes no error", async () => {
    await ensureBob();
    const text = fc.string({ unit: fc.constantFrom(...'keyIdalgorithmheaderssignature=",;:()@123 /'), maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(text, text, async (signature, input) => {
        const signed = await bob.sign(server, bob.activity("Like", alice.uri));
        const headers = { ...signed.headers, signature: signature.trim(), "signature-input": input.trim() };
        expect([401, 503]).toContain((await sendRequest(server, { ...signed, headers })).status);
        const fetched = await fetch(`${server.origin}/users/alice/outbox`, {
          headers: { ...headers, accept: "application/activity+json" },
        });
        expect([401, 503]).toContain(fetched.status);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
