import { beforeEach, describe, expect, test } from "bun:test";
import { NOBODY, type Remote } from "../../src/context.ts";
import { resolveMentions } from "../../src/core/statuses/compose.ts";
import type { Client, Json } from "../support/client.ts";
import { remoteAccount } from "../support/remote-rows.ts";
import { storeFrom } from "../support/remote-statuses.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";

/* Accounts and statuses that are unknown until their server is asked, without another server: the requests are tested with federation. */

const { server, alice, bob } = serverForEachTest(["alice", "bob"], { LINNET_URL: "https://home.example" });
/** The handles and addresses that were asked for. */
let asked: string[];

/** Accounts that exist elsewhere, and functions that store what is at an address. */
function elsewhere({ names = [], objects = {} }: { names?: string[]; objects?: Record<string, () => Promise<Found>> }) {
  const remote: Remote = {
    ...NOBODY,
    account: ({ username, domain }) => {
      asked.push(`@${username}@${domain}`);
      return Promise.resolve(names.includes(username) ? Number(remoteAccount(server, { username, domain }).id) : null);
    },
    object: (url) => {
      asked.push(url);
      return objects[url]?.() ?? Promise.resolve(null);
    },
  };
  server.ctx.remote = remote;
}

type Found = Awaited<ReturnType<Remote["object"]>>;

beforeEach(() => {
  asked = [];
});

const search = async (who: Client, q: string, resolve = true): Promise<{ accounts: string[]; statuses: string[] }> => {
  const { json } = await who.get(`/api/v2/search?resolve=${resolve}&q=${encodeURIComponent(q)}`);
  const idsOf = (rows: Json[]) => rows.map(({ id }) => id);
  return { accounts: idsOf(json.accounts), statuses: idsOf(json.statuses) };
};

const NOTHING = { accounts: [], statuses: [] };

describe("An address in the search field", () => {
  test("finds a known remote account or status by its URI and by its URL, without asking its server", async () => {
    elsewhere({});
    const rita = remoteAccount(server);
    const id = storeFrom(server, rita, { uri: "https://far.example/users/rita/statuses/1" })!;
    for (const address of ["https://far.example/users/rita/statuses/1", "https://far.example/@rita/statuses/1"]) {
      expect(await search(alice, address)).toEqual({ accounts: [], statuses: [id] });
    }
    for (const address of ["https://far.example/users/rita", "https://far.example/@rita"]) {
      expect(await search(alice, address)).toEqual({ accounts: [rita.id], statuses: [] });
    }
    expect(asked).toEqual([]);
  });

  inProcess("doesn't find a status that claims a page of another server as its URL", async () => {
    elsewhere({});
    const victim = "https://victim.example/@vera/1";
    storeFrom(server, remoteAccount(server), { uri: "https://far.example/notes/1", url: victim });
    expect(await search(alice, victim)).toEqual(NOTHING);
    expect(asked).toEqual([victim]);
  });

  test("finds the status whose URI it is rather than another one that claims the URL", async () => {
    elsewhere({});
    const address = "https://far.example/users/rita/statuses/1";
    const [rita, mallory] = [remoteAccount(server), remoteAccount(server, { username: "mallory" })];
    storeFrom(server, mallory, { url: address });
    const id = storeFrom(server, rita, { uri: address })!;
    expect(await search(alice, address)).toEqual({ accounts: [], statuses: [id] });
  });

  inProcess("finds an unknown account or status through its server", async () => {
    const rita = remoteAccount(server);
    const store = (visibility: "public" | "private") => () =>
      Promise.resolve({ type: "status" as const, id: Number(storeFrom(server, rita, { visibility }, "fetched")) });
    elsewhere({
      objects: {
        "https://far.example/1": store("public"),
        "https://far.example/2": store("private"),
        "https://far.example/@ann": () =>
          Promise.resolve({ type: "account", id: Number(remoteAccount(server, { username: "ann" }).id) }),
      },
    });
    expect((await search(alice, "https://far.example/1")).statuses).toHaveLength(1);
    expect(await search(alice, "https://far.example/2")).toEqual(NOTHING);
    expect((await search(alice, "https://far.example/@ann")).accounts).toHaveLength(1);
    expect(await search(alice, "https://far.example/3")).toEqual(NOTHING);
  });

  inProcess("asks no server for this server's own addresses, for hidden statuses, or without `resolve`", async () => {
    elsewhere({});
    const rita = remoteAccount(server);
    const uri = "https://far.example/secret";
    storeFrom(server, rita, { uri, visibility: "private" });
    for (const address of [`https://home.example/@nobody`, `https://home.example/about`, uri, "https://"]) {
      expect(await search(alice, address)).toEqual(NOTHING);
    }
    await search(alice, "https://far.example/1", false);
    expect(asked).toEqual([]);
  });

  test("doesn't find suspended accounts", async () => {
    elsewhere({});
    const rita = remoteAccount(server);
    server.ctx.db.transaction((tx) => tx.run("UPDATE accounts SET suspended_at = 1 WHERE id = $id", { id: rita.id }));
    expect(await search(alice, rita.uri)).toEqual(NOTHING);
  });
});

describe("A mention of an unknown account", () => {
  inProcess("is a mention if its server knows the account", async () => {
    elsewhere({ names: ["rita"] });
    const post = await alice.publish("hello @rita@far.example, @nobody@far.example and @bob");
    expect(post.mentions.map(({ acct }: Json) => acct).toSorted()).toEqual(["bob", "rita@far.example"]);
    expect(post.content).toContain('href="https://far.example/@rita"');
    expect(post.content).toContain("@nobody@far.example");
    expect(asked.toSorted()).toEqual(["@nobody@far.example", "@rita@far.example"]);
  });

  inProcess("is asked for in edits and scheduled posts, too", async () => {
    elsewhere({ names: ["rita", "ann"] });
    const { id } = await alice.publish("hello");
    const { json } = await alice.put(`/api/v1/statuses/${id}`, { status: "hello @rita@far.example" });
    expect(json.mentions).toMatchObject([{ acct: "rita@far.example" }]);
    const scheduled_at = new Date(server.clock.now() + 3600_000).toISOString();
    await alice.post("/api/v1/statuses", { status: "@ann@far.example later", scheduled_at });
    expect(asked).toEqual(["@rita@far.example", "@ann@far.example"]);
  });

  inProcess("is asked for once, and only if it is unknown and elsewhere", async () => {
    elsewhere({ names: ["rita"] });
    remoteAccount(server, { username: "ann" });
    await alice.publish(`@ann@far.example @Rita@FAR.example @rita@far.example @bob @nobody@home.example a@b.example`);
    expect(asked).toEqual(["@Rita@far.example"]);
  });

  inProcess("is asked for at most twenty times in a post", async () => {
    elsewhere({});
    await alice.publish(Array.from({ length: 30 }, (_, at) => `@u${at}@far.example`).join(" "));
    expect(asked).toHaveLength(20);
  });

  inProcess("stays text if its server doesn't respond or fails", async () => {
    const { ctx } = server;
    const remote: Remote = {
      ...NOBODY,
      account: ({ username }) =>
        username === "broken" ? Promise.reject(new Error("broken")) : new Promise<never>(() => {}),
    };
    ctx.remote = remote;
    await resolveMentions(ctx, "@slow@far.example", 0);
    const post = await alice.publish("hello @broken@far.example");
    expect(post.content).toBe("<p>hello @broken@far.example</p>");
  });

  inProcess("causes no request if the post to edit doesn't exist", async () => {
    elsewhere({ names: ["rita"] });
    const post = await alice.publish("hello");
    const { status } = await bob.put(`/api/v1/statuses/${post.id}`, { status: "@rita@far.example" });
    expect(status).toBe(404);
    expect(asked).toEqual([]);
  });
});
