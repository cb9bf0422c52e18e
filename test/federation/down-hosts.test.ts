import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { count } from "../support/hostile-peer.ts";
import { followerWithInbox } from "../support/remote-rows.ts";
import { Site } from "../support/site.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;

const { alice } = neighboursForEachTest(["alice"]);
let site: Site;

beforeEach(() => void (site = new Site()));
afterEach(() => site.stop());

const follower = (username: string, domain = "far.test") =>
  followerWithInbox(alice.server, site.url("", domain), username, alice);

const OLDEST = "SELECT min(created_at) AS at FROM outgoing_activities";

describe("A host that is down for good", () => {
  test("keeps nothing waiting that is older than seven days, in any of its inboxes", async () => {
    const status = () => new Response(null, { status: 503 });
    for (const name of ["bob", "carol", "dave"]) {
      follower(name);
      site.put(`/users/${name}/inbox`, status);
    }
    for (let day = 0; day < 10; day += 1) {
      await alice.publish("Is anyone there?");
      for (let hours = 0; hours < 24; hours += 6) {
        await alice.server.drain();
        alice.server.clock.advance(6 * HOUR);
      }
    }
    expect(alice.server.ctx.db.get<Json>(OLDEST)!.at).toBeGreaterThan(alice.server.clock.now() - 8 * DAY);
    const down = "SELECT domain FROM hosts WHERE down_since IS NOT NULL";
    expect(alice.server.ctx.db.all(down)).toHaveLength(1);
    alice.server.clock.advance(8 * DAY);
    await alice.server.drain();
    expect(count(alice.server, "deliveries")).toBe(0);
    expect(count(alice.server, "outgoing_activities")).toBe(0);
    expect(count(alice.server, "jobs WHERE lane = 'deliveries'")).toBe(0);
    expect(alice.server.ctx.db.all(down)).toHaveLength(1);
  });
});

describe("A host that is back", () => {
  test("gets everything at once, also if it says that an inbox is gone", async () => {
    let status = 503;
    for (const name of ["bob", "carol", "dave"]) {
      follower(name);
      site.put(`/users/${name}/inbox`, () => new Response(null, { status }));
    }
    await alice.publish("Is anyone there?");
    await alice.server.drain();
    status = 410;
    alice.server.clock.advance(HOUR);
    await alice.server.drain();
    expect(count(alice.server, "deliveries")).toBe(0);
    expect(count(alice.server, "missing_inboxes")).toBe(3);
  });
});

describe("A host that was not used for months", () => {
  test("is forgotten, and an inbox that was given up as long ago", async () => {
    const hosts = () =>
      alice.server.ctx.db.all<Json>("SELECT domain FROM hosts").map(({ domain }) => domain.split(":")[0]);
    for (const [name, domain, status] of [
      ["bob", "old.test", 410],
      ["carol", "new.test", 503],
    ] as const) {
      follower(name, domain);
      site.put(`/users/${name}/inbox`, () => new Response(null, { status }));
      await alice.publish("Is anyone there?");
      await alice.server.drain();
      expect(hosts()).toContain(domain);
      expect(count(alice.server, "missing_inboxes")).toBe(1);
      await alice.server.cleanUpAfter(46 * DAY);
    }
    expect(hosts()).toEqual(["new.test"]);
    expect(count(alice.server, "missing_inboxes")).toBe(0);
  });
});
