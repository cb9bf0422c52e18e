import { describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const found = async (who: Client, q: string): Promise<string[]> =>
  (await who.get(`/api/v2/search?type=hashtags&q=${q}`)).json.hashtags.map(({ name }: Json) => name);

/** Everything that a viewer can learn about a hashtag by searching, reading, following and featuring it. */
async function learned(who: Client, name: string): Promise<Json> {
  const answers = [
    await who.get(`/api/v1/tags/${name}`),
    await who.get(`/api/v2/search?q=${name}`),
    await who.get(`/api/v2/search?type=hashtags&q=${name.slice(0, -3)}`),
    await who.get(`/api/v1/timelines/tag/${name}`),
    await who.get(`/tags/${name}`, { headers: { accept: "text/html" } }),
  ];
  if (who.token !== null) {
    for (const action of ["follow", "feature", "unfollow", "unfeature"]) {
      answers.push(
        await who.post(`/api/v1/tags/${name}/${action}`),
        await who.get(`/api/v1/tags/${name.toUpperCase()}`),
      );
      answers.push(await who.get("/api/v1/followed_tags"), await who.get(`/api/v2/search?type=hashtags&q=${name}`));
    }
  }
  const text = JSON.stringify(answers.map(({ status, json }) => [status, json]));
  // The names themselves and their spellings necessarily differ.
  return JSON.parse(text.replaceAll(/"id":"\d+"/g, '"id":""').replaceAll(new RegExp(name, "gi"), "NAME"));
}

describe("A hashtag of posts that the viewer may not see", () => {
  test.each(["direct", "private"])("looks like an unused one on every route (%s)", async (visibility) => {
    await alice.publish({ status: "@carol #AbSecret", visibility });
    for (const who of [bob, server.stranger()]) {
      expect(await learned(who, "absecret")).toEqual(await learned(who, "abunused"));
    }
  });

  test("is found by its author and by viewers who may see one of the posts", async () => {
    await alice.publish({ status: "@carol #secret", visibility: "direct" });
    expect([await found(alice, "sec"), await found(carol, "sec"), await found(bob, "sec")]).toEqual([
      ["secret"],
      ["secret"],
      [],
    ]);
  });

  test("is found by its followers, in their own spelling only", async () => {
    await alice.publish({ status: "#VerySecret", visibility: "direct" });
    expect((await bob.post("/api/v1/tags/verySECRET/follow")).json.name).toBe("verySECRET");
    expect(await found(bob, "verys")).toEqual(["verysecret"]);
    expect(await found(carol, "verys")).toEqual([]);
  });

  test("becomes visible with its first public post, in the spelling of that post", async () => {
    await alice.publish({ status: "#VerySecret", visibility: "direct" });
    await bob.publish("#verysecrET");
    await bob.publish("#VERYSECRET");
    expect(await found(server.stranger(), "verys")).toEqual(["verysecrET"]);
    expect((await carol.get("/api/v1/tags/verysecret")).json.name).toBe("verysecrET");
  });

  test("becomes invisible when its only public post is deleted", async () => {
    const { id } = await alice.publish("#gone");
    expect(await found(server.stranger(), "gone")).toEqual(["gone"]);
    await alice.delete(`/api/v1/statuses/${id}`);
    expect(await found(server.stranger(), "gone")).toEqual([]);
  });
});

test("The id of a hashtag does not reveal how old it is", async () => {
  const idOf = async (name: string): Promise<number> => Number((await bob.get(`/api/v1/tags/${name}`)).json.id);
  const before = await idOf("secret");
  await alice.publish({ status: "#secret", visibility: "direct" });
  await alice.publish("#open");
  expect(await idOf("secret")).toBe(before);
  await bob.post("/api/v1/tags/secret/follow");
  expect([await idOf("secret"), Number.isSafeInteger(before)]).toEqual([before, true]);
  expect(await idOf("open")).not.toBe(before);
});

/** Copies a post and its hashtags `count` times, with later ids. */
function repeat(id: string, count: number): void {
  const copies = JSON.stringify(Array.from({ length: count }, (_, at) => at + 1));
  const columns = "account_id, url, local, visibility, text, content, created_at";
  server.ctx.db.transaction((tx) => {
    tx.run(
      `INSERT INTO statuses (id, uri, conversation_id, ${columns})
       SELECT s.id + n.value, s.uri || n.value, s.id + n.value, ${columns} FROM statuses s, json_each($copies) n WHERE s.id = $id`,
      { id: Number(id), copies },
    );
    tx.run(
      `INSERT INTO status_tags (tag_id, status_id)
       SELECT t.tag_id, t.status_id + n.value FROM status_tags t, json_each($copies) n WHERE t.status_id = $id`,
      { id: Number(id), copies },
    );
  });
}

test("A search for hashtags considers the newest thousand posts of each", async () => {
  await bob.publish("#often");
  server.clock.advance(1000);
  const { id } = await alice.publish({ status: "#often", visibility: "direct" });
  repeat(id, 998);
  for (const who of [server.stranger(), carol, alice]) expect(await found(who, "often")).toEqual(["often"]);
  repeat(String(Number(id) + 998), 1);
  for (const who of [server.stranger(), carol]) expect(await found(who, "often")).toEqual([]);
  expect(await found(alice, "often")).toEqual(["often"]);
  server.clock.advance(1000);
  await bob.publish("#often");
  for (const who of [server.stranger(), carol]) expect(await found(who, "often")).toEqual(["often"]);
});

inProcess("A search for hashtags takes as many queries for many hidden ones as for one", async () => {
  const cost = async (): Promise<number> => {
    const before = server.ctx.db.statements;
    await found(bob, "t");
    return server.ctx.db.statements - before;
  };
  await alice.publish("#t0");
  await cost();
  const one = await cost();
  for (let at = 1; at < 20; at++) await alice.publish({ status: `#t${at}`, visibility: at % 2 ? "direct" : "public" });
  expect(await cost()).toBe(one);
});
