import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client, type Answer } from "../support/client.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";
import { Visitor } from "../web/visitor.ts";

/* Servers that show less to anonymous visitors than others. */

const of = ({ status, json }: Answer) => [status, json];
const FEEDS = ["live_feeds", "hashtag_feeds", "trending_link_feeds"];
const LINK = `/api/v1/timelines/link?url=${encodeURIComponent("https://example.org/")}`;

let server: TestServer;
let alice: Client;
let appAlone: Client;

async function start(settings: Record<`LINNET_${string}`, string>): Promise<string> {
  server = await startServer(settings);
  alice = await server.person("alice");
  appAlone = new Client(server.origin, server.token(null, "read write"));
  return (await alice.publish("hello #cats")).id;
}

describe("Without a public preview of the timelines", () => {
  const timelines = ["/api/v1/timelines/public", "/api/v1/timelines/tag/cats", LINK];

  beforeAll(() => start({ LINNET_PUBLIC_PREVIEW: "off" }));
  afterAll(() => server.stop());

  test.each(timelines)("anonymous clients can't see %s", async (path) => {
    expect(of(await server.stranger().get(path))).toEqual([401, { error: "The access token is invalid" }]);
  });

  test.each(timelines.slice(0, 2))("apps with a token see %s if they have the scope", async (path) => {
    for (const who of [alice, appAlone]) expect(of(await who.get(path))).toMatchObject([200, [{ account: {} }]]);
    const narrow = new Client(server.origin, server.token(null, "read:accounts"));
    expect((await narrow.get(path)).status).toBe(403);
  });

  test("the instance document says so, and other public data stays public", async () => {
    const { json } = await server.stranger().get("/api/v2/instance");
    expectShape(json, "Instance");
    const closed = { local: "authenticated", remote: "authenticated" };
    expect(json.configuration.timelines_access).toEqual(Object.fromEntries(FEEDS.map((feed) => [feed, closed])));
    expect(json.configuration.limited_federation).toBe(false);
    const { status } = await server.stranger().get(`/api/v1/accounts/${alice.id}/statuses`);
    expect(status).toBe(200);
  });
});

describe("With limited federation", () => {
  let statusId: string;

  beforeAll(async () => {
    statusId = await start({ LINNET_LIMITED_FEDERATION: "on", LINNET_REGISTRATIONS: "open" });
  });
  afterAll(() => server.stop());

  const members: string[] = [
    "/api/v1/timelines/public",
    "/api/v1/timelines/tag/cats",
    "/api/v1/accounts/ACCOUNT",
    "/api/v1/accounts/ACCOUNT/statuses",
    "/api/v1/accounts/lookup?acct=alice",
    "/api/v1/statuses/STATUS",
    "/api/v1/statuses/STATUS/context",
    "/api/v1/tags/cats",
    "/api/v1/trends/tags",
    "/api/v1/directory",
    "/api/v1/instance/rules",
    "/api/v1/instance/peers",
    "/api/v1/instance/activity",
    "/api/v1/instance/privacy_policy",
    "/api/v1/instance/translation_languages",
    "/api/v2/search?q=alice",
    "/api/v1/custom_emojis",
    "/api/oembed?url=ORIGIN/@alice/STATUS",
  ];

  test.each(members)("%s is only for users, not for app tokens", async (path) => {
    const { origin } = server.ctx.config;
    const own = path.replace("ACCOUNT", alice.id).replace("STATUS", statusId).replace("ORIGIN", origin);
    const refused = [401, { error: "This API requires an authenticated user" }];
    expect(of(await server.stranger().get(own))).toEqual(refused);
    expect(of(await appAlone.get(own))).toEqual(refused);
    expect((await alice.get(own)).status).toBe(200);
  });

  test("methods that always require a token return their usual errors", async () => {
    const { status, json } = await server.stranger().get("/api/v1/timelines/home");
    expect([status, json]).toEqual([401, { error: "The access token is invalid" }]);
    expect((await appAlone.get("/api/v1/timelines/home")).status).toBe(422);
  });

  test("apps can read about the server, register, and sign users in and up as usual", async () => {
    const stranger = server.stranger();
    for (const path of [
      "/api/v1/instance",
      "/api/v2/instance",
      "/nodeinfo/2.0",
      "/.well-known/nodeinfo",
      "/.well-known/host-meta",
      "/.well-known/oauth-authorization-server",
      "/api/v1/streaming/health",
      "/health",
    ]) {
      expect([path, (await stranger.get(path)).status]).toEqual([path, 200]);
    }
    const app = { client_name: "App", redirect_uris: "urn:ietf:wg:oauth:2.0:oob" };
    expect((await stranger.post("/api/v1/apps", app)).status).toBe(200);
    expect((await appAlone.get("/api/v1/apps/verify_credentials")).status).toBe(200);
    const bob = {
      username: "bob",
      email: "bob@mail.example",
      password: "correct horse",
      agreement: true,
      locale: "en",
    };
    const { json } = await appAlone.post("/api/v1/accounts", bob);
    expect((await new Client(server.origin, json.access_token).get("/api/v1/timelines/public")).status).toBe(200);
  });

  test("the instance document says so, and hides the statistics", async () => {
    const { json } = await server.stranger().get("/api/v2/instance");
    expect(json.configuration).toMatchObject({
      limited_federation: true,
      timelines_access: { live_feeds: { local: "authenticated" } },
    });
    expect(json.usage.users.active_month).toBe(0);
    const { stats } = (await server.stranger().get("/api/v1/instance")).json;
    expect(stats).toEqual({ user_count: 0, status_count: 0, domain_count: 0 });
    const { usage } = (await server.stranger().get("/nodeinfo/2.0")).json;
    expect(usage).toEqual({ users: { total: 0, activeMonth: 0, activeHalfyear: 0 }, localPosts: 0 });
  });

  test("the contact account is shown only to signed-in users", async () => {
    const stranger = server.stranger();
    for (const path of ["/api/v1/instance", "/api/v2/instance"]) {
      const { json } = await stranger.get(path);
      expect([path, json.contact ? json.contact.account : json.contact_account]).toEqual([path, null]);
      expect(JSON.stringify(json)).not.toContain("alice");
    }
    const visitor = new Visitor(server);
    expect((await visitor.get("/about")).html).not.toContain("alice");
    await visitor.signIn("alice");
    expect((await visitor.get("/about")).text).toContain("@alice@localhost");
  });

  test("the start page names people only to signed-in users", async () => {
    const visitor = new Visitor(server);
    expect((await visitor.get("/")).text).not.toContain("@alice");
    await visitor.signIn("alice");
    expect((await visitor.get("/")).text).toContain("@alice@localhost");
  });
});

test("by default timelines are public, and the instance document says so", async () => {
  await start({});
  const { json } = await server.stranger().get("/api/v2/instance");
  const open = { local: "public", remote: "public" };
  expect(json.configuration.timelines_access).toEqual(Object.fromEntries(FEEDS.map((feed) => [feed, open])));
  expect((await server.stranger().get("/api/v1/timelines/public")).json).toHaveLength(1);
  await server.stop();
});
