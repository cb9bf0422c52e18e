import { beforeEach, describe, expect, test } from "bun:test";
import { NOBODY, type Remote } from "../../src/context.ts";
import type { Client } from "../support/client.ts";
import { idsOf, NOT_FOUND, refusal } from "../support/reading.ts";
import { followRemote, remoteAccount } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server, alice } = serverForEachTest(["alice"]);
/** The handles that other servers were asked for. */
let asked: string[];
let remote: Remote;

/** `far.example` has every account; it prefers handles of `home.example` for names with a capital letter. */
beforeEach(() => {
  asked = [];
  remote = {
    ...NOBODY,
    account: async ({ username, domain }) => {
      asked.push(`${username}@${domain}`);
      if (domain !== "far.example") return null;
      const isElsewhere = /[A-Z]/.test(username);
      return Number(remoteAccount(server, { username, domain: isElsewhere ? "home.example" : domain }).id);
    },
  };
});

const lookup = (who: Client, acct: string) => who.get(`/api/v1/accounts/lookup?acct=${encodeURIComponent(acct)}`);
const search = async (q: string, more = "&resolve=true") => {
  server.ctx.remote = remote;
  const { json } = await alice.get(`/api/v1/accounts/search?q=${encodeURIComponent(q)}${more}`);
  return json.map(({ acct }: { acct: string }) => acct);
};

describe("Looking up a handle", () => {
  inProcess("asks its server, if the account is unknown here", async () => {
    server.ctx.remote = remote;
    expect((await lookup(alice, "@rita@Far.example")).json).toMatchObject({ acct: "rita@far.example" });
    expect((await lookup(alice, "rita@far.example")).status).toBe(200);
    expect(refusal(await lookup(alice, "rita@nowhere.example"))).toEqual(NOT_FOUND);
    expect(asked).toEqual(["rita@far.example", "rita@nowhere.example"]);
  });

  inProcess("asks no other server for a local handle, or without signing in", async () => {
    server.ctx.remote = remote;
    expect((await lookup(alice, `nobody@${server.ctx.config.handleDomain}`)).status).toBe(404);
    expect((await lookup(alice, "nobody")).status).toBe(404);
    expect((await lookup(server.stranger(), "rita@far.example")).status).toBe(404);
    expect(asked).toEqual([]);
  });
});

describe("Searching for accounts with resolve", () => {
  inProcess("finds an unknown account by its whole handle", async () => {
    for (const q of ["@rita@far.example", "rita@far.example"]) expect(await search(q)).toEqual(["rita@far.example"]);
    expect(asked).toEqual(["rita@far.example"]);
    const { json } = await alice.get("/api/v2/search?resolve=true&q=rosa@far.example");
    expect(json.accounts).toMatchObject([{ acct: "rosa@far.example" }]);
  });

  inProcess("puts it first, even if its server names another handle", async () => {
    remoteAccount(server, { username: "rita", domain: "far.example.org" });
    expect(await search("Rita@far.example")).toEqual(["Rita@home.example", "rita@far.example.org"]);
  });

  inProcess("asks no other server for parts of names, later pages, or followed accounts", async () => {
    for (const q of ["rita", "@rita", "rita far.example"]) await search(q);
    for (const more of ["", "&resolve=true&offset=1", "&resolve=true&following=true"]) {
      await search("rita@far.example", more);
    }
    expect(asked).toEqual([]);
  });

  test("finds a followed account without asking", async () => {
    const rita = remoteAccount(server);
    await followRemote(server, alice, rita);
    const answer = await alice.get("/api/v1/accounts/search?resolve=true&following=true&q=rita@far.example");
    expect(idsOf(answer)).toEqual([rita.id]);
  });
});
