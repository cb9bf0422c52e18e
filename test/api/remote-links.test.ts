import { afterEach, beforeEach, expect, test } from "bun:test";
import { remoteAccount, type RemoteAccount } from "../support/remote-rows.ts";
import { followRow, reblogFrom, type Sent, storeFrom, updateFrom } from "../support/remote-statuses.ts";
import { serverForEachTest } from "../support/setup.ts";
import { page, Site } from "../support/site.ts";

const MINUTE = 60_000;

const { server, alice } = serverForEachTest(["alice"], { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
let site: Site;
let rita: RemoteAccount;
let linked: Sent;

beforeEach(() => {
  site = new Site();
  const url = site.put("/news", page("News"));
  linked = { content: `<p><a href="${url}">news</a></p>`, links: [url] };
  rita = remoteAccount(server);
});
afterEach(() => site.stop());

const cardOf = async (id: string | null) => (await alice.get(`/api/v1/statuses/${id}`)).json.card;

/** Advances the clock and runs all jobs. */
async function drainAfter(later: number): Promise<void> {
  server.clock.advance(later);
  await server.drain();
}

test("The preview of a remote status is fetched at a random time between one second and one minute after it", async () => {
  followRow(server, alice, rita);
  const times = new Set<number>();
  for (let more = 0; more < 20; more += 1) {
    const url = site.url(`/${more}`);
    storeFrom(server, rita, { content: `<p><a href="${url}">news</a></p>`, links: [url] });
  }
  const rows = server.ctx.db.all<{ run_at: number }>("SELECT run_at FROM jobs WHERE kind = 'card.fetch'");
  for (const { run_at } of rows) times.add(run_at - server.clock.now());
  expect(times.size).toBeGreaterThan(10);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(1000);
  expect(Math.max(...times)).toBeLessThanOrEqual(MINUTE);
});

test("The preview of a status in a home timeline is shown once it was fetched", async () => {
  followRow(server, alice, rita);
  const id = storeFrom(server, rita, linked);
  await server.drain();
  expect(await cardOf(id)).toBeNull();
  await drainAfter(MINUTE);
  expect(await cardOf(id)).toMatchObject({ title: "News" });
});

test("The preview of a status that mentions a user is fetched", async () => {
  const id = storeFrom(server, rita, { ...linked, mentions: [alice] });
  await drainAfter(MINUTE);
  expect(await cardOf(id)).toMatchObject({ title: "News" });
});

test("The preview of a status that no timeline has is fetched only when an account that a user follows boosts it", async () => {
  const id = storeFrom(server, rita, { ...linked, mentions: [alice] }, "fetched");
  await drainAfter(MINUTE);
  expect(site.asked).toEqual([]);
  const ann = remoteAccount(server, { username: "ann" });
  reblogFrom(server, ann, id);
  await drainAfter(MINUTE);
  expect(site.asked).toEqual([]);
  const ben = remoteAccount(server, { username: "ben" });
  followRow(server, alice, ben);
  reblogFrom(server, ben, id);
  await drainAfter(MINUTE);
  expect(await cardOf(id)).toMatchObject({ title: "News" });
});

test("An edit fetches the preview of a new link only if a timeline has the status", async () => {
  followRow(server, alice, rita);
  const shown = storeFrom(server, rita);
  const hidden = storeFrom(server, rita, {}, "fetched");
  const url = site.put("/other", page("Other"));
  await drainAfter(1000);
  updateFrom(server, hidden, { content: `<p><a href="${url}">other</a></p>`, links: [url] });
  await drainAfter(MINUTE);
  expect(site.asked).toEqual([]);
  updateFrom(server, shown, linked);
  await drainAfter(MINUTE);
  expect(site.asked).toEqual(["/news"]);
});

test("A local post with the same link doesn't wait for the preview", async () => {
  followRow(server, alice, rita);
  storeFrom(server, rita, linked);
  const { id } = await alice.publish(site.url("/news"));
  await server.drain();
  expect(await cardOf(id)).toMatchObject({ title: "News" });
  await drainAfter(MINUTE);
  expect(site.asked).toEqual(["/news"]);
});
