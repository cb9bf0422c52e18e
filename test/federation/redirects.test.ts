import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { picture } from "../fixtures/pictures.ts";
import { type Neighbour, neighboursForEachTest, startNeighbour } from "../support/federation.ts";
import { documentResponse, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { addressesOf } from "../support/instance.ts";
import { inProcess } from "../support/server.ts";

/* Where redirects and names lead to. */

const peer = hostilePeerForEachTest();
let bob: HostileAccount;

beforeEach(() => void (bob = peer.account("bob", "good.test")));

const found = async (user: Neighbour, q: string): Promise<string[]> => {
  const { accounts, statuses } = await user.resolve(q);
  return [...accounts, ...statuses].map(({ uri }) => uri);
};

/** Lets an address redirect to `path` of a host, and that to the last address. */
function redirectOver(host: string, address: string, last: string, path = "/hop"): void {
  const hop = `${peer.origin(host)}${path}`;
  peer.serve(address, () => Response.redirect(hop));
  peer.serve(hop, () => Response.redirect(last));
}

/** The address where a host is asked for an account. */
function fingerOf({ handle, domain }: HostileAccount): string {
  return `http://${domain}/.well-known/webfinger?resource=${encodeURIComponent(`acct:${handle}`)}`;
}

describe("A redirect over a blocked host", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  beforeEach(() => setDomainBlock(alice.server.ctx, "blocked.test", { severity: "suspend" }));

  test("to a document is not followed", async () => {
    const note = bob.note();
    peer.serve(note.id, note);
    const start = `${bob.origin}/start`;
    redirectOver("other.test", start, note.id);
    expect(await found(alice, start)).toEqual([note.id]);
    const other = bob.note();
    peer.serve(other.id, other);
    redirectOver("blocked.test", start, other.id);
    expect(await found(alice, start)).toEqual([]);
    expect(peer.fetched("blocked.test")).toEqual([]);
  });

  test("to an account's handle is not followed", async () => {
    const last = `${bob.origin}/finger`;
    peer.serve(last, () => {
      const links = [{ rel: "self", type: "application/activity+json", href: bob.uri }];
      return documentResponse({ subject: `acct:${bob.handle}`, links }, "application/jrd+json");
    });
    redirectOver("blocked.test", fingerOf(bob), last);
    expect(await found(alice, `@${bob.handle}`)).toEqual([]);
    expect(peer.fetched("blocked.test")).toEqual([]);
    redirectOver("other.test", fingerOf(bob), last);
    expect(await found(alice, `@${bob.handle}`)).toEqual([bob.uri]);
  });
});

describe("A server that may only connect to public addresses", () => {
  const PUBLIC_ADDRESS = "1.1.1.1";
  const PRIVATE = [
    "inside.test",
    "127.0.0.1",
    "10.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "169.254.169.254",
    "localhost",
  ];
  let strict: Neighbour;
  let connected: string[];

  /** The public address is this machine. Anything else that the server connects to is noted. */
  beforeEach(async () => {
    strict = await startNeighbour("strict", { LINNET_ALLOW_PRIVATE_ADDRESSES: "off" });
    addressesOf.set("good.test", [PUBLIC_ADDRESS]);
    connected = [];
    const original = globalThis.fetch;
    const connect = (...[input, init]: Parameters<typeof fetch>) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin === strict.origin) return original(input, init);
      connected.push(url.hostname);
      const { tls: _, ...options } = init as BunFetchRequestInit;
      return original(`http://127.0.0.1:${url.port}${url.pathname}${url.search}`, options);
    };
    spyOn(globalThis, "fetch").mockImplementation(Object.assign(connect, { preconnect: original.preconnect }));
  });
  afterEach(async () => {
    spyOn(globalThis, "fetch").mockRestore();
    addressesOf.clear();
    await strict.server.stop();
  });

  const target = (host: string, path: string) => `http://${host}:${new URL(peer.origin()).port}${path}`;
  const isOnlyPublic = () => expect(new Set(connected)).toEqual(new Set([PUBLIC_ADDRESS]));

  inProcess("follows no redirect of a document to another", async () => {
    const note = bob.note();
    peer.serve(note.id, note);
    for (const host of PRIVATE) {
      const start = `${bob.origin}/to/${encodeURIComponent(host)}`;
      peer.serve(start, () => Response.redirect(target(host, "/secret")));
      expect(await found(strict, start)).toEqual([]);
    }
    isOnlyPublic();
    expect(await found(strict, note.id)).toEqual([note.id]);
  });

  inProcess("follows no redirect of WebFinger to another", async () => {
    for (const host of PRIVATE) {
      peer.serve(fingerOf(bob), () => Response.redirect(target(host, "/secret")));
      expect(await found(strict, `@${bob.handle}`)).toEqual([]);
    }
    isOnlyPublic();
    peer.assign(bob.handle, bob.uri);
    expect(await found(strict, `@${bob.handle}`)).toEqual([bob.uri]);
  });

  inProcess("follows no redirect of a picture to another", async () => {
    const bytes = new Uint8Array(await picture(60, 40).png().toBuffer());
    const image = () => new Response(bytes, { headers: { "content-type": "image/png" } });
    peer.serve(`${bob.origin}/icon.png`, image);
    const shown = async (n: number) => {
      const account = peer.account(`artist${n}`, "good.test", {
        icon: { type: "Image", url: `${bob.origin}/${n}.png` },
      });
      await found(strict, account.uri);
      const { json } = await strict.get(`/api/v1/accounts/lookup?acct=${account.handle}`);
      await fetch(strict.origin + new URL(json.avatar).pathname);
      return strict.server.ctx.db.get<{ file: string | null }>("SELECT file FROM remote_files ORDER BY rowid DESC")!
        .file;
    };
    for (const [n, host] of PRIVATE.entries()) {
      peer.serve(`${bob.origin}/${n}.png`, () => Response.redirect(target(host, "/secret.png")));
      peer.serve(target(host, "/secret.png"), image);
      expect(await shown(n)).toBeNull();
    }
    isOnlyPublic();
    peer.serve(`${bob.origin}/99.png`, image);
    expect(await shown(99)).not.toBeNull();
  });

  inProcess("fetches nothing from a name that leads to another", async () => {
    const eve = peer.account("eve", "inside.test");
    expect(await found(strict, eve.uri)).toEqual([]);
    expect(await found(strict, `@${eve.handle}`)).toEqual([]);
    addressesOf.set("inside.test", ["10.0.0.1", "127.0.0.1", "fe80::1", "::ffff:127.0.0.1"]);
    expect(await found(strict, eve.uri)).toEqual([]);
    expect(connected).toEqual([]);
    addressesOf.set("inside.test", ["10.0.0.1", PUBLIC_ADDRESS]);
    expect(await found(strict, eve.uri)).toEqual([eve.uri]);
    isOnlyPublic();
  });
});
