import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { idsOf, wordsOf } from "../support/reading.ts";
import { serverForAllTests } from "../support/setup.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob"]);

const HOUR = 3600_000;
const here = (status: string, more: object = {}) => alice.publish({ status, local_only: true, ...more });
const statusOf = async (path: string) => (await server.stranger().get(path)).status;

describe("A local-only post", () => {
  test("is for users of the server, and hidden from visitors", async () => {
    const post = await here("hello");
    expect(post).toMatchObject({ local_only: true, visibility: "public" });
    expect((await alice.publish("for everyone")).local_only).toBe(false);
    expect((await bob.get(`/api/v1/statuses/${post.id}`)).json.local_only).toBe(true);
    expect(idsOf(await bob.get("/api/v1/timelines/public"))).toContain(post.id);
    expect(idsOf(await server.stranger().get("/api/v1/timelines/public"))).not.toContain(post.id);
    const { pathname } = new URL(post.url);
    for (const path of [`/api/v1/statuses/${post.id}`, pathname, `/api/oembed?url=${encodeURIComponent(post.url)}`]) {
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    }
    const page = (await server.stranger().get("/@alice")).json;
    expect([page.includes("for everyone"), page.includes("hello")]).toEqual([true, false]);
    await alice.delete(`/api/v1/statuses/${post.id}`);
    expect(await statusOf(pathname)).toBe(404);
  });

  test("stays local-only when it is edited", async () => {
    const { id } = await here("hello");
    const { json } = await alice.put(`/api/v1/statuses/${id}`, { status: "edited", local_only: false });
    expect([json.content, json.local_only]).toEqual(["<p>edited</p>", true]);
  });

  test("makes its boosts, its quotes and, unless their author says otherwise, its replies local-only", async () => {
    const { id } = await here("hello");
    const boost = (await bob.post(`/api/v1/statuses/${id}/reblog`)).json;
    expect([boost.local_only, boost.reblog.local_only]).toEqual([true, true]);
    const reply = await bob.publish({ status: "yes", in_reply_to_id: id });
    const other = await bob.publish({ status: "no", in_reply_to_id: id, local_only: false });
    const quote = await bob.publish({ status: "look", quoted_status_id: id, local_only: false });
    expect([reply, other, quote].map((post: Json) => post.local_only)).toEqual([true, false, true]);
    const names = wordsOf(await server.stranger().get(`/api/v1/accounts/${bob.id}/statuses`));
    expect(names).toEqual(["no"]);
  });

  test("can be scheduled, also as a reply whose parent is deleted meanwhile", async () => {
    const parent = await here("hello");
    const scheduled_at = new Date(server.clock.now() + HOUR).toISOString();
    const later = { status: "later", in_reply_to_id: parent.id, scheduled_at };
    expect((await alice.post("/api/v1/statuses", later)).json.params.local_only).toBe(true);
    await alice.delete(`/api/v1/statuses/${parent.id}`);
    server.clock.advance(HOUR);
    await server.drain();
    const [newest] = (await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json;
    expect(newest).toMatchObject({ content: "<p>later</p>", in_reply_to_id: null, local_only: true });
  });

  test("counts for no trend, and gives its hashtags no spelling", async () => {
    const before = server.ctx.db.all("SELECT * FROM trend_uses");
    await here("#GreenTea");
    expect(server.ctx.db.all("SELECT * FROM trend_uses")).toEqual(before);
    expect((await server.stranger().get("/api/v1/tags/greentea")).json.name).toBe("greentea");
    await alice.publish("#GreenTea");
    expect((await server.stranger().get("/api/v1/tags/greentea")).json.name).toBe("GreenTea");
  });
});
