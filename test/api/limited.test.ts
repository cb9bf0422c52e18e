import { beforeEach, describe, expect, test } from "bun:test";
import { schedule } from "../../src/jobs/recurring.ts";
import type { Client, Json } from "../support/client.ts";
import { act, undo } from "../support/moderation.ts";
import { homeOf, idsOf, wordsOf } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { Socket } from "../support/streams.ts";
import { page, Site } from "../support/site.ts";
import { uploaded } from "../support/uploads.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"], {
  LINNET_SEARCH: "public",
  LINNET_ALLOW_PRIVATE_ADDRESSES: "on",
});

beforeEach(async () => {
  await bob.patch("/api/v1/accounts/update_credentials", { discoverable: true, indexable: true });
});

const limit = () => act(server, "silence", bob);

describe("A limited account", () => {
  test("is marked as limited wherever it is shown", async () => {
    const { id } = await bob.publish("post");
    await alice.get(`/api/v1/statuses/${id}`);
    await limit();
    const { json } = await alice.get(`/api/v1/accounts/${bob.id}`);
    expectShape(json, "Account");
    expect(json).toMatchObject({ acct: "bob", limited: true, discoverable: true });
    expect((await alice.get(`/api/v1/statuses/${id}`)).json.account.limited).toBe(true);
    undo(server, "silence", bob);
    expect((await alice.get(`/api/v1/accounts/${bob.id}`)).json).not.toHaveProperty("limited");
  });

  test("appears in no public timeline, and still in its followers' home timelines", async () => {
    await alice.follow(bob);
    await server.drain();
    await bob.publish("before #tag");
    await limit();
    await bob.publish("after #tag");
    for (const path of ["public", "public?local=true", "tag/tag", "tag/tag?any[]=other"]) {
      for (const who of [alice, server.stranger()]) {
        expect([path, (await who.get(`/api/v1/timelines/${path}`)).json]).toEqual([path, []]);
      }
    }
    expect(await homeOf(alice)).toEqual(["after #tag", "before #tag"]);
    expect(wordsOf(await server.stranger().get(`/api/v1/accounts/${bob.id}/statuses`))).toEqual([
      "after #tag",
      "before #tag",
    ]);
    undo(server, "silence", bob);
    expect(wordsOf(await alice.get("/api/v1/timelines/public"))).toEqual(["after #tag", "before #tag"]);
  });

  test("causes no events in public streams", async () => {
    const [publicly, tagged, own] = [
      await Socket.open(alice, "?stream=public"),
      await Socket.open(alice, "?stream=hashtag&tag=tag"),
      await Socket.open(bob, "?stream=user"),
    ];
    await limit();
    const { id } = await bob.publish("quiet #tag");
    await bob.put(`/api/v1/statuses/${id}`, { status: "quieter #tag" });
    await bob.delete(`/api/v1/statuses/${id}`);
    undo(server, "silence", bob);
    await bob.publish("loud #tag");
    for (const socket of [publicly, tagged]) {
      const { event, payload } = await socket.next();
      expect([event, payload.content]).toEqual(["update", expect.stringContaining("loud")]);
    }
    const events: string[] = [];
    while (events.at(-1) !== "delete") events.push((await own.next()).event);
    expect(events).toContain("status.update");
  });

  test("is missing in threads and searches of viewers who don't follow it", async () => {
    const root = await alice.publish("root");
    await bob.publish({ status: "reply words", in_reply_to_id: root.id });
    const carol = await server.person("carol");
    await carol.follow(bob);
    await limit();
    const seen = async (who: Client) => {
      const { descendants } = (await who.get(`/api/v1/statuses/${root.id}/context`)).json;
      const found = who.token ? (await who.get("/api/v2/search?q=words&type=statuses")).json.statuses : [];
      return [descendants.length, found.length];
    };
    expect(await seen(alice)).toEqual([0, 0]);
    expect(await seen(server.stranger())).toEqual([0, 0]);
    expect(await seen(carol)).toEqual([1, 1]);
    expect(await seen(bob)).toEqual([1, 1]);
  });

  test("is found by name, but not suggested or listed in the directory", async () => {
    const carol = await server.person("carol");
    await alice.follow(carol);
    await carol.follow(bob);
    const found = async () => ({
      directory: idsOf(await alice.get("/api/v1/directory")),
      suggested: (await alice.get("/api/v2/suggestions")).json.map((it: Json) => it.account.id),
      search: idsOf(await alice.get("/api/v1/accounts/search?q=bob")),
    });
    expect(await found()).toEqual({ directory: [bob.id], suggested: [bob.id], search: [bob.id] });
    await limit();
    expect(await found()).toEqual({ directory: [], suggested: [], search: [bob.id] });
  });

  test("needs approval for each of its follows", async () => {
    await limit();
    const { json } = await bob.follow(alice);
    expect([json.following, json.requested]).toEqual([false, true]);
    expect(idsOf(await alice.get("/api/v1/follow_requests"))).toEqual([bob.id]);
    for (const locked of [true, false]) await alice.patch("/api/v1/accounts/update_credentials", { locked });
    expect(idsOf(await alice.get("/api/v1/follow_requests"))).toEqual([bob.id]);
    await alice.post(`/api/v1/follow_requests/${bob.id}/authorize`);
    expect(idsOf(await alice.get(`/api/v1/accounts/${alice.id}/followers`))).toEqual([bob.id]);
  });

  test("notifies only its followers by default", async () => {
    const carol = await server.person("carol");
    await carol.follow(bob);
    await limit();
    await bob.publish("@alice @carol hello");
    expect((await alice.get("/api/v1/notifications")).json).toEqual([]);
    expect((await carol.get("/api/v1/notifications")).json).toMatchObject([{ type: "mention" }]);
  });

  test.each([
    ["silence", 1],
    ["suspend", 1],
    ["sensitive", 2],
  ] as const)(
    "contributes nothing to trends, nor do accounts with another restriction (%s)",
    async (action, openly) => {
      const site = new Site();
      const link = site.put("/story", page("A story"));
      const carol = await server.person("carol");
      for (const who of [alice, carol]) {
        await who.patch("/api/v1/accounts/update_credentials", { discoverable: true });
      }
      const { id } = await bob.publish(`#tag ${link}`);
      for (const who of [alice, carol]) await who.post(`/api/v1/statuses/${id}/favourite`);
      await alice.publish(`#tag ${link}`);
      await server.drain();
      const trends = async () => {
        server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "trends.rank", server.clock.now()));
        await server.drain();
        const kinds = ["tags", "statuses", "links"];
        return Promise.all(kinds.map(async (kind) => (await alice.get(`/api/v1/trends/${kind}`)).json.length));
      };
      const linked = async () =>
        (await alice.get(`/api/v1/timelines/link?url=${encodeURIComponent(link)}`)).json.length;
      expect(await trends()).toEqual([1, 1, 1]);
      expect(await linked()).toBe(2);
      await act(server, action, bob);
      expect(await linked()).toBe(openly);
      expect((await alice.get("/api/v1/trends/statuses")).json).toEqual([]);
      server.clock.advance(3600_000);
      expect(await trends()).toEqual([0, 0, 0]);
      await site.stop();
    },
  );
});

describe("An account whose media are marked as sensitive", () => {
  const mark = () => act(server, "sensitive", bob);

  test("has sensitive statuses for other viewers, and unchanged ones for itself", async () => {
    const picture = await uploaded(bob);
    const old = await bob.publish({ status: "old", media_ids: [picture.id] });
    const carol = await server.person("carol");
    const boost = (await carol.post(`/api/v1/statuses/${old.id}/reblog`)).json;
    const sensitive = async (who: Client, id: string) => {
      const { json } = await who.get(`/api/v1/statuses/${id}`);
      return (json.reblog ?? json).sensitive;
    };
    expect(await sensitive(alice, old.id)).toBe(false);
    await mark();
    const fresh = await bob.publish("fresh");
    const careful = await bob.publish({ status: "careful", sensitive: true });
    for (const id of [old.id, boost.id, fresh.id]) {
      expect([await sensitive(alice, id), await sensitive(bob, id)]).toEqual([true, false]);
    }
    expect(await sensitive(server.stranger(), old.id)).toBe(true);
    expect(await sensitive(bob, careful.id)).toBe(true);
    expect(wordsOf(await alice.get("/api/v1/timelines/public"))).toContain("fresh");
    undo(server, "sensitive", bob);
    expect([await sensitive(alice, old.id), await sensitive(alice, careful.id)]).toEqual([false, true]);
  });

  test("keeps its own setting in edits", async () => {
    await mark();
    const { id } = await bob.publish("once");
    await bob.put(`/api/v1/statuses/${id}`, { status: "twice" });
    undo(server, "sensitive", bob);
    expect((await alice.get(`/api/v1/statuses/${id}`)).json.sensitive).toBe(false);
  });
});
