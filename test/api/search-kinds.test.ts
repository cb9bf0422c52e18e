import { beforeAll, describe, expect, test } from "bun:test";
import { reviewTrend } from "../../src/core/discovery/trends.ts";
import type { Client, Json } from "../support/client.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { idsOf } from "../support/reading.ts";
import { followRemote } from "../support/remote-rows.ts";
import { block, remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

/* Search for accounts, hashtags and URLs, and rules for all kinds. Full-text search of posts: search.test.ts. */

const { server, anna, bert } = serverForAllTests(["anna", "bert"]);

async function search(q: string, more: Record<string, string> = {}, who = anna): Promise<Json> {
  const { status, json } = await who.get(`/api/v2/search?${new URLSearchParams({ q, ...more }).toString()}`);
  expect(status).toBe(200);
  return json;
}

describe("Accounts", () => {
  const people = async (q: string, more = {}) => idsOf((await search(q, { type: "accounts", ...more })).accounts);
  let remote: string;
  let robert: Client;

  beforeAll(async () => {
    robert = await server.person("robert");
    await robert.patch("/api/v1/accounts/update_credentials", { display_name: "Der Grüne Specht" });
    remote = remoteAccount(server, "robin", "elsewhere.example");
  });

  test("are found by the beginning of their username, by part of their display name, and by their handle", async () => {
    expect(await people("ROB")).toEqual([robert.id, remote]);
    expect(await people("@robert")).toEqual([robert.id]);
    expect(await people("specht")).toEqual([robert.id]);
    expect(await people("robin@elsewhere.example")).toEqual([remote]);
    expect(await people("@robin@else")).toEqual([remote]);
    expect(await people("bin")).toEqual([]);
  });

  test("can be limited to followed ones, and are paged", async () => {
    await followRemote(server, anna, { id: remote });
    expect(await people("rob", { following: "true" })).toEqual([remote]);
    expect(await people("rob", { limit: "1" })).toEqual([remote]);
    expect(await people("rob", { limit: "1", offset: "1" })).toEqual([robert.id]);
  });
});

describe("Hashtags", () => {
  const tags = async (q: string, more = {}): Promise<string[]> =>
    (await search(q, { type: "hashtags", ...more })).hashtags.map(({ name }: Json) => name);

  beforeAll(async () => {
    for (const words of ["#Tea", "#teapot #teapot2", "#teapot2", "#東京", "#東京タワー"]) await anna.publish(words);
  });

  test("are found by prefix, in any script, with or without #, exact matches first", async () => {
    for (const q of ["tea", "#TEA", "＃tea"]) expect(await tags(q)).toEqual(["Tea", "teapot2", "teapot"]);
    expect(await tags("東京")).toEqual(["東京", "東京タワー"]);
    expect(await tags("pot")).toEqual([]);
    expect(await tags("tea", { limit: "1", offset: "1" })).toEqual(["teapot2"]);
  });

  test("can be limited to reviewed ones", async () => {
    const idOf = (name: string) =>
      server.ctx.db.get<{ id: number }>("SELECT id FROM tags WHERE name = $name", { name })!.id;
    expect(await tags("tea", { exclude_unreviewed: "true" })).toEqual([]);
    reviewTrend(server.ctx, "tag", idOf("teapot"), true);
    expect(await tags("tea", { exclude_unreviewed: "true" })).toEqual(["teapot"]);
    expect(await tags("tea", { exclude_unreviewed: "false" })).toHaveLength(3);
  });
});

describe("A URL", () => {
  const found = async (q: string, more: Record<string, string> = { resolve: "true" }, who = anna) => {
    const { accounts, statuses, hashtags } = await search(q, more, who);
    return [idsOf(accounts), idsOf(statuses), hashtags];
  };

  test("finds its local or known remote post or account", async () => {
    const { id, url, uri } = await bert.publish("look here");
    for (const address of [url, uri, `${url}?from=app`, ` ${url} `]) {
      expect(await found(address)).toEqual([[], [id], []]);
    }
    for (const address of [`${server.origin}/@bert`, `${server.origin}/users/bert`, `${server.origin}/@BERT`]) {
      expect(await found(address)).toEqual([[bert.id], [], []]);
    }
    const dora = remoteAccount(server, "dora", "elsewhere.example");
    const theirs = remoteStatus(server, dora, "there");
    expect(await found(`https://elsewhere.example/${theirs}`)).toEqual([[], [theirs], []]);
    expect(await found("https://elsewhere.example/users/dora")).toEqual([[dora], [], []]);
  });

  test("finds nothing without resolve, for hidden or missing targets, or with another type", async () => {
    const { url } = await bert.publish("look here, too");
    const secret = await bert.publish({ status: "look away", visibility: "private" });
    expect(await found(url, {})).toEqual([[], [], []]);
    expect(await found(url, { resolve: "true", type: "accounts" })).toEqual([[], [], []]);
    for (const address of [
      secret.url,
      `${server.origin}/@bert/1`,
      `${server.origin}/@nobody`,
      `${server.origin}/@anna/${url.split("/").at(-1)}`,
      server.origin,
      "https://elsewhere.example/nothing",
      "https://",
    ]) {
      expect([address, await found(address)]).toEqual([address, [[], [], []]]);
    }
    expect(await found(secret.url, { resolve: "true" }, bert)).toEqual([[], [secret.id], []]);
  });
});

describe("A search of all kinds", () => {
  test("has the documented shape, is empty for an empty query, and pages only with a type", async () => {
    await anna.publish("wagtail one #wagtails");
    await anna.publish("wagtail two");
    const json = await search("wagtail");
    expectShape(json, "Search");
    expect([json.statuses.length, json.hashtags.length]).toEqual([2, 1]);
    expect((await search("wagtail", { offset: "1" })).statuses).toHaveLength(2);
    expect((await search("wagtail", { offset: "1", type: "statuses" })).statuses).toHaveLength(1);
    expect(await search("")).toEqual({ accounts: [], statuses: [], hashtags: [] });
  });

  test("omits blocked accounts and their posts", async () => {
    const carol = await server.person("carolina");
    await carol.publish("@anna hello from carolina");
    expect((await search("carolina")).statuses).toHaveLength(1);
    block(server, anna, carol);
    expect((await search("carolina")).statuses).toEqual([]);
  });

  inProcess("needs a constant number of statements", async () => {
    const cost = async (limit: number): Promise<number> => {
      clearEntityCache(server);
      const before = server.ctx.db.statements;
      const { accounts, statuses, hashtags } = await search("finch", { limit: String(limit) });
      expect([accounts.length, statuses.length, hashtags.length]).toEqual([limit, limit, limit]);
      return server.ctx.db.statements - before;
    };
    for (let at = 0; at < 6; at += 1) {
      await server.person(`finch${at}`);
      await anna.publish(`finch #finch${at}`);
    }
    await cost(1);
    expect(await cost(6)).toBe(await cost(1));
  });
});
