import { expect, test } from "bun:test";
import { rebuildHomeLater } from "../../src/core/timelines/home-backfill.ts";
import { Client } from "../support/client.ts";
import { serverForEachTest } from "../support/setup.ts";

const DAY = 24 * 3600_000;

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

/** Queues a job that rebuilds Alice's home timeline, without running it. */
const rebuildHome = () => server.ctx.db.transaction((tx) => rebuildHomeLater(server.ctx, tx, Number(alice.id)));
const header = async () => (await alice.get("/api/v1/timelines/home")).headers.get("mastodon-async-refresh");
const idIn = (text: string | null) => /^id="([\w-]+)", retry=5$/.exec(text ?? "")![1]!;
const ask = (id: string, who = alice) => who.get(`/api/v1_alpha/async_refreshes/${id}`);

test("A home timeline that is being rebuilt names its refresh, which runs until the job is done", async () => {
  expect(await header()).toBeNull();
  rebuildHome();
  const id = idIn(await header());
  expect(idIn(await header())).toBe(id);
  const { status, json } = await ask(id);
  expect([status, json]).toEqual([200, { async_refresh: { id, status: "running", result_count: null } }]);
  await server.drain();
  expect((await ask(id)).json.async_refresh.status).toBe("finished");
  expect(await header()).toBeNull();
});

test("A finished refresh stays finished, and the next rebuild has a refresh of its own", async () => {
  rebuildHome();
  const first = idIn(await header());
  await server.drain();
  await ask(first);
  rebuildHome();
  expect((await ask(first)).json.async_refresh.status).toBe("finished");
  const second = idIn(await header());
  expect(second).not.toBe(first);
  expect((await ask(second)).json.async_refresh.status).toBe("running");
});

test("A refresh is visible to its user for a day, with a suitable scope", async () => {
  rebuildHome();
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
