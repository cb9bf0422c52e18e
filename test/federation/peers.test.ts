import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { listPeers, retryPeer } from "../../src/federation/peers/list.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import { VERSION } from "../../src/version.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { followerWithInbox } from "../support/remote-rows.ts";
import type { TestServer } from "../support/server.ts";
import { Site } from "../support/site.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { alice, bob, drain, advance, befriend } = neighboursForEachTest(["alice", "bob"]);
let site: Site;

beforeEach(() => void (site = new Site()));
afterEach(() => site.stop());

const peersOf = (server: TestServer) => listPeers(server.ctx.db);

/** Runs the hourly job that asks other servers for their software. */
async function askForSoftware(server: TestServer): Promise<void> {
  server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "software.refresh", server.clock.now()));
  await server.drain();
}

describe("The list of peers", () => {
  test("has the software of each, and when it last sent something and was reached", async () => {
    await befriend(alice, bob);
    const before = alice.server.clock.now();
    await askForSoftware(alice.server);
    const { host } = new URL(bob.server.ctx.config.origin);
    expect(peersOf(alice.server)).toEqual([
      {
        domain: host,
        software: `linnet ${VERSION}`,
        last_received_at: expect.any(Number),
        last_reached_at: expect.any(Number),
        down_since: null,
        waiting: 0,
      },
    ]);
    advance(2 * HOUR);
    await bob.publish("Still here");
    await drain();
    const [later] = peersOf(alice.server);
    expect(later!.last_received_at).toBeGreaterThanOrEqual(before + 2 * HOUR);
    expect(later!.last_reached_at).toBeLessThan(before + HOUR);
    await alice.publish("So am I");
    await drain();
    expect(peersOf(alice.server)[0]!.last_reached_at).toBeGreaterThanOrEqual(before + 2 * HOUR);
  });

  test("has what waits for a host that is down, and since when", async () => {
    site.put("/users/rita/inbox", () => new Response(null, { status: 503 }));
    followerWithInbox(alice.server, site.url("", "far.test"), "rita", alice);
    await alice.publish("Hello");
    await alice.server.drain();
    expect(peersOf(alice.server)).toMatchObject([
      { last_reached_at: null, last_received_at: null, down_since: alice.server.clock.now(), waiting: 2 },
    ]);
  });
});

describe("The software of a host", () => {
  const nodeInfo = (document: object) => {
    const href = site.put("/nodeinfo", () => Response.json(document), "far.test");
    const links = [
      { rel: "http://nodeinfo.diaspora.software/ns/schema/1.0", href: `${href}/old` },
      { rel: "http://nodeinfo.diaspora.software/ns/schema/2.0", href },
      { rel: "something else", href: 7 },
    ];
    site.put("/.well-known/nodeinfo", () => Response.json({ links }));
  };
  const asked = () => site.asked.filter((path) => path.endsWith("nodeinfo")).length;

  beforeEach(async () => {
    site.put("/users/rita/inbox", () => new Response(null, { status: 202 }));
    followerWithInbox(alice.server, site.url("", "far.test"), "rita", alice);
    await alice.server.drain();
  });

  test("is asked for once a week, and stays known when the host stops saying it", async () => {
    nodeInfo({ software: { name: "mastodon", version: "4.5.0" } });
    await askForSoftware(alice.server);
    expect(peersOf(alice.server)).toMatchObject([{ software: "mastodon 4.5.0" }]);
    expect(asked()).toBe(2);
    alice.server.clock.advance(6 * DAY);
    await askForSoftware(alice.server);
    expect(asked()).toBe(2);
    site.remove("/.well-known/nodeinfo");
    alice.server.clock.advance(2 * DAY);
    await askForSoftware(alice.server);
    expect(asked()).toBe(3);
    expect(peersOf(alice.server)).toMatchObject([{ software: "mastodon 4.5.0" }]);
  });

  test.each([
    ["nothing", { software: null }, null],
    ["numbers", { software: { name: 7, version: 4 } }, null],
    ["a name of any length", { software: { name: "x".repeat(5000) } }, "x".repeat(50)],
  ])("may be %s", async (_, document, software) => {
    nodeInfo(document);
    await askForSoftware(alice.server);
    expect(peersOf(alice.server)).toMatchObject([{ software }]);
  });
});

describe("A retry", () => {
  test("delivers at once what waits for a host that is back", async () => {
    let status = 503;
    for (const name of ["rita", "rob"]) {
      site.put(`/users/${name}/inbox`, () => new Response(null, { status }));
      followerWithInbox(alice.server, site.url("", "far.test"), name, alice);
    }
    await alice.server.drain();
    advance(3 * MINUTE);
    await alice.server.drain();
    status = 202;
    await alice.server.drain();
    const [peer] = peersOf(alice.server);
    expect(peer).toMatchObject({ waiting: 2 });
    expect(retryPeer(alice.server.ctx, peer!.domain)).toBe(2);
    await alice.server.drain();
    expect(peersOf(alice.server)).toMatchObject([{ waiting: 0, down_since: null }]);
    expect(retryPeer(alice.server.ctx, peer!.domain)).toBe(0);
  });

  test("of an unknown host is refused", () => {
    expect(() => retryPeer(alice.server.ctx, "nowhere.test")).toThrow("The host nowhere.test is unknown.");
  });
});
