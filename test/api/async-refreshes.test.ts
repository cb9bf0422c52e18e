import { expect, test } from "bun:test";
import { rebuildHomeLater } from "../../src/core/timelines/home-backfill.ts";
import { Client } from "../support/client.ts";
import { serverForEachTest } from "../support/setup.ts";

const DAY = 24 * 3600_000;

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

/** Has alice's home timeline made anew, by a job that doesn't run yet. */
const rebuild = () => server.ctx.db.transaction((tx) => rebuildHomeLater(server.ctx, tx, Number(alice.id)));
const header = async () => (await alice.get("/api/v1/timelines/home")).headers.get("mastodon-async-refresh");
const idIn = (text: string | null) => /^id="([\w-]+)", retry=5$/.exec(text ?? "")![1]!;
const ask = (id: string, who = alice) => who.get(`/api/v1_alpha/async_refreshes/${id}`);

test("a home timeline that is being filled tells where to ask whether it is whole", async () => {
  expect(await header()).toBeNull();
  rebuild();
  const id = idIn(await header());
  expect(idIn(await header())).toBe(id);
  const { status, json } = await ask(id);
  expect([status, json]).toEqual([200, { async_refresh: { id, status: "running", result_count: null } }]);
  await server.drain();
  expect((await ask(id)).json.async_refresh.status).toBe("finished");
  expect(await header()).toBeNull();
});

test("what has been finished stays so, and the next time is another one", async () => {
  rebuild();
  const first = idIn(await header());
  await server.drain();
  await ask(first);
  rebuild();
  expect((await ask(first)).json.async_refresh.status).toBe("finished");
  const second = idIn(await header());
  expect(second).not.toBe(first);
  expect((await ask(second)).json.async_refresh.status).toBe("running");
});

test("one can ask for a day, about one's own, and with the scope for it", async () => {
  rebuild();
  const id = idIn(await header());
  const missing = [404, { error: "Record not found" }];
  const of = ({ status, json }: { status: number; json: unknown }) => [status, json];
  expect(of(await ask(id, bob))).toEqual(missing);
  expect(of(await ask("nonsense"))).toEqual(missing);
  expect((await ask(id, server.stranger())).status).toBe(401);
  const narrow = new Client(server.origin, server.token(1, "read:statuses write"));
  expect((await ask(id, narrow)).status).toBe(403);
  server.clock.advance(DAY);
  expect(of(await ask(id))).toEqual(missing);
});
