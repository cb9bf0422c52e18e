import { describe, expect, test } from "bun:test";
import type { Answer } from "../support/client.ts";
import { expectGuarded } from "../support/guards.ts";
import { homeOf, idsOf, NOT_FOUND, pagesOf, refusal } from "../support/reading.ts";
import { block, mute, remoteAccount } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { Socket } from "../support/streams.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const act = (action: string, name: string, who = alice): Promise<Answer> =>
  who.post(`/api/v1/tags/${encodeURIComponent(name)}/${action}`);
const atHome = async (): Promise<string[]> => {
  await server.drain();
  return homeOf(alice);
};
const names = (answer: Answer): string[] => answer.json.map(({ name }: { name: string }) => name);

describe("A hashtag", () => {
  test("is visible to everyone, in the spelling of its first use", async () => {
    await bob.publish("#Café");
    const { status, json } = await server.stranger().get(`/api/v1/tags/${encodeURIComponent("café")}`);
    expect(status).toBe(200);
    expectShape(json, "Tag");
    expect(json).toMatchObject({ id: json.id, name: "Café", url: `${server.origin}/tags/cafe` });
    expect(json.history).toHaveLength(7);
    expect(json.history[0]).toMatchObject({ uses: "1", accounts: "1" });
    const seen = await alice.get("/api/v1/tags/CAFE");
    expect(seen.json).toEqual({ ...json, following: false, featuring: false });
  });

  test("exists without posts", async () => {
    const { status, json } = await alice.get("/api/v1/tags/Nobody");
    expect(status).toBe(200);
    expectShape(json, "Tag");
    expect(json).toMatchObject({ name: "Nobody", url: `${server.origin}/tags/nobody`, following: false });
    expect(server.ctx.db.get("SELECT count(*) AS count FROM tags")).toEqual({ count: 0 });
  });

  test("with an invalid name is not found", async () => {
    for (const name of ["12", "two words", "a#b", "%E0%A4%A", "a".repeat(201)]) {
      const path = `/api/v1/tags/${name === "%E0%A4%A" ? name : encodeURIComponent(name)}`;
      expect(refusal(await alice.get(path))).toEqual(NOT_FOUND);
      expect(refusal(await alice.post(`${path}/follow`))).toEqual(NOT_FOUND);
      expect(refusal(await alice.post(`${path}/feature`))).toEqual(NOT_FOUND);
    }
  });

  test("is not shown to an invalid token", async () => {
    const answer = await server.stranger().get("/api/v1/tags/tea", { headers: { authorization: "Bearer nonsense" } });
    expect(answer.status).toBe(401);
  });

  test("can be followed and featured with the scopes for that", async () => {
    await expectGuarded(server, alice, "write:follows", [
      ["post", "/api/v1/tags/tea/follow"],
      ["post", "/api/v1/tags/tea/unfollow"],
    ]);
    await expectGuarded(server, alice, "write:accounts", [
      ["post", "/api/v1/tags/tea/feature"],
      ["post", "/api/v1/tags/tea/unfeature"],
    ]);
    await expectGuarded(server, alice, "read:follows", [["get", "/api/v1/followed_tags"]]);
  });
});

describe("Following a hashtag", () => {
  test("returns the hashtag, and can be repeated", async () => {
    for (const spelling of ["Tea", "TEA"]) {
      const { status, json } = await act("follow", spelling);
      expect(status).toBe(200);
      expectShape(json, "Tag");
      expect(json).toMatchObject({ name: spelling, following: true, featuring: false });
    }
    expect((await alice.get("/api/v1/tags/tea")).json.following).toBe(true);
    expect((await bob.get("/api/v1/tags/tea")).json.following).toBe(false);
    for (const spelling of ["Tea", "TEA", "never"]) {
      expect(await act("unfollow", spelling)).toMatchObject({ status: 200, json: { following: false } });
    }
  });

  test("adds recent and future posts to the home timeline", async () => {
    await bob.publish("#tea before");
    await act("follow", "tea");
    await bob.publish("#Tea after");
    await bob.publish("no hashtag");
    expect(await atHome()).toEqual(["#Tea after", "#tea before"]);
  });

  test("adds replies, and each post once", async () => {
    await act("follow", "tea");
    await act("follow", "cake");
    await alice.follow(bob);
    const { id } = await (await server.person("carol")).publish("anyone?");
    await bob.publish({ status: "#tea #cake me", in_reply_to_id: id });
    expect(await atHome()).toEqual(["#tea #cake me"]);
  });

  test("adds public posts only", async () => {
    await act("follow", "tea");
    for (const visibility of ["unlisted", "private", "direct"]) await bob.publish({ status: "#tea", visibility });
    await bob.publish({ status: "@alice #tea", visibility: "direct" });
    expect(await atHome()).toEqual([]);
  });

  test("adds no posts by accounts that the user blocks or mutes, or that block the user", async () => {
    const [carol, dave] = [await server.person("carol"), await server.person("dave")];
    block(server, alice, bob);
    mute(server, alice, carol);
    block(server, dave, alice);
    for (const who of [bob, carol, dave]) await who.publish("#tea before");
    await act("follow", "tea");
    for (const who of [bob, carol, dave]) await who.publish("#tea after");
    expect(await atHome()).toEqual([]);
  });

  test("adds no posts that mention accounts that the user blocks or mutes", async () => {
    const [carol, dave] = [await server.person("carol"), await server.person("dave")];
    block(server, alice, carol);
    mute(server, alice, dave);
    for (const name of ["carol", "dave"]) await bob.publish(`#tea with @${name}`);
    await act("follow", "tea");
    for (const name of ["carol", "dave"]) await bob.publish(`#tea with @${name} again`);
    expect(await atHome()).toEqual([]);
  });

  test("adds no posts from a blocked domain", async () => {
    const spammer = remoteAccount(server, "spammer", "spam.example");
    const tagged = async (text: string): Promise<void> => {
      const { id } = await bob.publish("#tea");
      server.ctx.db.transaction((tx) => {
        tx.run("UPDATE statuses SET account_id = $spammer, content = $text WHERE id = $id", { spammer, text, id });
        tx.run("INSERT OR IGNORE INTO home_timeline (account_id, status_id) VALUES ($aliceId, $id)", {
          aliceId: alice.id,
          id,
        });
      });
    };
    await tagged("before");
    await act("follow", "tea");
    expect(await atHome()).toEqual(["before"]);
    await alice.post("/api/v1/domain_blocks", { domain: "spam.example" });
    await tagged("after");
    expect(await atHome()).toEqual([]);
    await act("unfollow", "tea");
    await act("follow", "tea");
    expect(await atHome()).toEqual([]);
  });

  test("adds a post whose hashtag is added by an edit", async () => {
    await act("follow", "tea");
    const { id } = await bob.publish("just brewed");
    await bob.put(`/api/v1/statuses/${id}`, { status: "just brewed #tea" });
    expect(await atHome()).toEqual(["just brewed #tea"]);
  });

  test("adds its posts to the user stream", async () => {
    await act("follow", "tea");
    const socket = await Socket.open(alice, "?stream=user");
    await bob.publish("no hashtag");
    const { id } = await bob.publish("#tea");
    expect(await socket.next()).toMatchObject({ stream: ["user"], event: "update", payload: { id } });
    await bob.delete(`/api/v1/statuses/${id}`);
    expect(await socket.next()).toEqual({ stream: ["user"], event: "delete", payload: id });
    await socket.close();
  });
});

describe("Unfollowing a hashtag", () => {
  test("removes the posts that have no other reason to be there", async () => {
    const carol = await server.person("carol");
    await alice.follow(carol);
    for (const tag of ["tea", "cake"]) await act("follow", tag);
    await bob.publish("#tea");
    await bob.publish("#tea and #cake");
    await carol.publish("#tea of a friend");
    await alice.publish("#tea of mine");
    await act("unfollow", "tea");
    expect(await atHome()).toEqual(["#tea of mine", "#tea of a friend", "#tea and #cake"]);
  });

  test("keeps later posts out", async () => {
    await act("follow", "tea");
    await act("unfollow", "tea");
    await bob.publish("#tea");
    expect(await atHome()).toEqual([]);
  });
});

describe("GET /api/v1/followed_tags", () => {
  test("has pages, the latest follow first", async () => {
    for (const tag of ["one", "two", "three"]) await act("follow", tag);
    await act("follow", "other", bob);
    const answer = await alice.get("/api/v1/followed_tags");
    expectShape(answer.json, ["Tag"]);
    expect(names(answer)).toEqual(["three", "two", "one"]);
    expect(answer.json.every(({ following }: { following: boolean }) => following)).toBe(true);
    const pages = await pagesOf(alice, "/api/v1/followed_tags?limit=2");
    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([["three", "two"], ["one"]]);
  });

  test("has a hundred tags per page by default, and two hundred at most", async () => {
    for (let n = 0; n < 201; n += 1) {
      server.ctx.db.transaction((tx) => {
        tx.run("INSERT INTO tags (id, name, display_name, created_at) VALUES ($id, 't' || $id, 't' || $id, 0)", {
          id: n + 1,
        });
        tx.run("INSERT INTO tag_follows (account_id, tag_id, created_at) VALUES ($aliceId, $tagId, 0)", {
          aliceId: Number(alice.id),
          tagId: n + 1,
        });
      });
    }
    const countOf = async (query: string) => idsOf(await alice.get(`/api/v1/followed_tags${query}`)).length;
    expect([await countOf(""), await countOf("?limit=200"), await countOf("?limit=999")]).toEqual([100, 200, 200]);
  });
});
