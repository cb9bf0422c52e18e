import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { storeFavourite } from "../../src/core/statuses/interactions.ts";
import { Client, type Json } from "../support/client.ts";
import { act, undo } from "../support/moderation.ts";
import { Device, PushService } from "../support/push-service.ts";
import { remoteAccount } from "../support/remote-rows.ts";
import { inProcess, startServer } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { server, alice, bob } = serverForEachTest(["alice", "bob"], {
  LINNET_ALLOW_PRIVATE_ADDRESSES: "on",
  LINNET_CONTACT_EMAIL: "ada@linnet.example",
});
let service: PushService;
let phone: Device;

beforeEach(() => {
  service = new PushService();
  phone = service.device();
});
afterEach(() => service.stop());

const PATH = "/api/v1/push/subscription";
const ALL = ["mention", "status", "reblog", "follow", "follow_request", "favourite", "poll", "update", "quote"];

interface Wishes {
  who?: Client;
  device?: Device;
  alerts?: string[];
  policy?: string;
  standard?: boolean;
}

/** Subscribes to all alerts by default. */
async function subscribe({ who = alice, device = phone, alerts = ALL, policy = "all", standard = true }: Wishes = {}) {
  const wanted = Object.fromEntries([...alerts, "quoted_update"].map((alert) => [alert, true]));
  const subscription = { ...device.subscription(), standard };
  const { status, json } = await who.post(PATH, { subscription, data: { alerts: wanted, policy } });
  expect(status).toBe(200);
  return json;
}

/** The types of the messages that a device has received when all due jobs have run. */
async function typesSent(device: Device = phone): Promise<string[]> {
  await server.drain();
  return device.messages.map((message) => message.notification_type);
}

const jobs = (): Json[] => server.ctx.db.all("SELECT kind, error, run_at FROM jobs WHERE kind = 'push.deliver'");

test.each(["disable", "suspend"] as const)(
  "An account that is shut out by a moderator (%s) gets no push messages",
  async (action) => {
    await subscribe();
    await bob.publish("@alice on the way");
    await act(server, action, alice);
    await bob.publish("@alice hello");
    expect(await typesSent()).toEqual([]);
    undo(server, action, alice);
    await bob.publish("@alice again");
    expect(await typesSent()).toEqual(["mention"]);
  },
);

describe("A push message", () => {
  test.each([
    ["by the standard", true, "aes128gcm"],
    ["for old apps", false, "aesgcm"],
  ])("is encrypted %s, names its sender, and contains the fields that apps read", async (_, standard, encoding) => {
    const { server_key } = await subscribe({ standard });
    await bob.patch("/api/v1/accounts/update_credentials", { display_name: "Bob ❤" });
    await bob.publish("@alice <b>hello</b> &\n\nhttps://example.org/a/long/address/that/is/shortened/on/a/screen");
    expect(await typesSent()).toEqual(["mention"]);
    const [{ headers, claims, signer, message }] = phone.received as [(typeof phone.received)[0]];
    expect([headers.get("content-encoding"), headers.get("ttl"), headers.get("urgency")]).toEqual([
      encoding,
      "172800",
      "normal",
    ]);
    expect([headers.get("topic"), headers.get("user-agent")]).toEqual([null, expect.stringContaining("Linnet/")]);
    expect(signer).toBe(server_key);
    expect(claims).toEqual({
      aud: `http://${service.host}`,
      sub: "mailto:ada@linnet.example",
      exp: expect.any(Number),
    });
    // The library uses the system clock.
    expect(Math.abs(claims.exp - Date.now() / 1000 - 12 * 3600)).toBeLessThan(600);
    const [notification] = (await alice.get("/api/v1/notifications")).json;
    expect(message).toEqual({
      access_token: alice.token,
      preferred_locale: "en",
      notification_id: Number(notification.id),
      notification_type: "mention",
      icon: notification.account.avatar_static,
      title: "Bob ❤ mentioned you",
      body: "@alice <b>hello</b> &\n\nhttps://example.org/a/long/address/that/is/shortened/on/a/screen",
    });
  });

  test("contains the notification's id, with which service workers fetch it", async () => {
    await subscribe();
    await bob.publish("@alice hello");
    await server.drain();
    const [{ access_token, notification_id }] = phone.messages;
    const app = new Client(server.origin, access_token);
    const { status, json } = await app.get(`/api/v1/notifications/${notification_id}`);
    expect([status, json.type, json.status.content]).toEqual([200, "mention", expect.stringContaining("hello")]);
  });

  test("names the server's address if no contact is set", async () => {
    const other = await startServer({ LINNET_ALLOW_PRIVATE_ADDRESSES: "on", LINNET_URL: "https://linnet.example" });
    const [carol, dave] = [await other.person("carol"), await other.person("dave")];
    await subscribe({ who: carol });
    await dave.publish("@carol hello");
    await other.drain();
    expect(phone.received.map(({ claims }) => claims.sub)).toEqual(["https://linnet.example"]);
    await other.stop();
  });

  test("shows the content warning instead of the text, and at most 140 characters", async () => {
    await subscribe();
    await bob.publish({ status: "@alice the end of the film", spoiler_text: "a film" });
    await bob.publish(`@alice ${"😀".repeat(200)}`);
    await server.drain();
    const bodies = phone.messages.map(({ body }) => body);
    expect(bodies).toEqual(["a film", `@alice ${"😀".repeat(132)}…`]);
    expect([...bodies[1]]).toHaveLength(140);
  });

  test.each([
    ["en", "Rita reacted with 🎉"],
    ["de", "Rita hat mit 🎉 reagiert"],
    ["fr", "Rita a réagi avec 🎉"],
  ])("shows the emoji of a reaction (%s), which is a favourite to apps", async (locale, title) => {
    await subscribe();
    const { ctx } = server;
    ctx.db.transaction((tx) => tx.run("UPDATE users SET locale = $locale", { locale }));
    const post = await alice.publish("hello");
    const status = { id: Number(post.id), account_id: Number(alice.id) };
    for (const [username, emoji] of [
      ["rita", "🎉"],
      ["sven", null],
    ] as const) {
      const accountId = Number(remoteAccount(server, { username, displayName: "Rita" }).id);
      const favourite = { accountId, status, uri: `https://far.example/${username}`, emoji, isQuiet: false };
      ctx.db.transaction((tx) => storeFavourite(ctx, tx, favourite));
    }
    expect(await typesSent()).toEqual(["favourite", "favourite"]);
    const titles: string[] = phone.messages.map((message) => message.title);
    expect(titles).toContain(title);
    expect(titles.filter((each) => each.includes("🎉"))).toHaveLength(1);
  });

  test("shows a new follower's note", async () => {
    await subscribe();
    await bob.patch("/api/v1/accounts/update_credentials", { note: "I am\n\nBob & co." });
    await bob.follow(alice);
    await server.drain();
    expect(phone.messages.map(({ title, body }) => [title, body])).toEqual([["bob followed you", "I am\n\nBob & co."]]);
  });

  test("is in the user's language if Linnet supports it", async () => {
    await subscribe();
    for (const locale of ["de", "fr-CA", "ja"]) {
      server.ctx.db.transaction((tx) =>
        tx.run("UPDATE users SET locale = $locale WHERE account_id = $aliceId", { locale, aliceId: Number(alice.id) }),
      );
      await bob.publish("@alice hello");
      await server.drain();
    }
    expect(phone.messages.map(({ preferred_locale, title }) => [preferred_locale, title])).toEqual([
      ["de", "bob hat dich erwähnt"],
      ["fr-CA", "bob vous mentionne"],
      ["ja", "bob mentioned you"],
    ]);
  });
});

describe("A device", () => {
  /** Lets bob cause every type of notification for alice. */
  async function oneOfEach(): Promise<void> {
    const { id } = await alice.publish("hello");
    await alice.follow(bob, { notify: true });
    await bob.follow(alice);
    await bob.publish("@alice hi");
    await bob.publish("by the way");
    for (const verb of ["favourite", "reblog"]) await bob.post(`/api/v1/statuses/${id}/${verb}`);
    await alice.put(`/api/v1/statuses/${id}`, { status: "hello, world" });
    const quoted = await bob.publish({ status: "look", quoted_status_id: id });
    const own = await bob.publish("mine");
    await alice.post(`/api/v1/statuses/${own.id}/reblog`);
    await bob.put(`/api/v1/statuses/${own.id}`, { status: "mine, really" });
    await alice.publish({ status: "so do I", quoted_status_id: quoted.id });
    await bob.put(`/api/v1/statuses/${quoted.id}`, { status: "look here" });
    await alice.publish({ status: "tea?", poll: { options: ["yes", "no"], expires_in: 300 } });
    await alice.patch("/api/v1/accounts/update_credentials", { locked: true });
    await bob.post(`/api/v1/accounts/${alice.id}/unfollow`);
    await bob.follow(alice);
    server.clock.advance(301_000);
    await server.drain();
  }

  test("receives every type of notification", async () => {
    await subscribe();
    await oneOfEach();
    const { json } = await alice.get("/api/v1/notifications");
    const types = json.map((notification: Json) => notification.type);
    expect(new Set(types)).toEqual(new Set([...ALL, "quoted_update"].filter((type) => type !== "follow")));
    // The message for a follow that ended before it was sent is dropped.
    expect((await typesSent()).toSorted()).toEqual(types.toSorted());
    const titles = new Map(phone.messages.map(({ notification_type, title }) => [notification_type, title]));
    expect(titles.get("poll")).toBe("A poll by alice has ended");
    expect(titles.get("quoted_update")).toBe("bob edited a post that you quoted");
  });

  test("receives only the requested types", async () => {
    await subscribe({ alerts: ["reblog", "poll"] });
    await oneOfEach();
    expect((await typesSent()).toSorted()).toEqual(["poll", "quoted_update", "reblog"]);
  });

  test.each([{ alerts: { poll: true } }, { policy: "followed" }])(
    "doesn't receive pending messages that the changed %j excludes",
    async (data) => {
      await subscribe();
      await bob.publish("@alice hello");
      await alice.put(PATH, { data });
      expect(await typesSent()).toEqual([]);
      expect(jobs()).toEqual([]);
    },
  );

  test("without a subscription causes no jobs", async () => {
    await subscribe({ alerts: ["reblog"] });
    await bob.publish("@alice hello");
    expect(jobs()).toEqual([]);
  });

  test("receives messages beside the user's other devices", async () => {
    const tablet = service.device();
    const other = server.otherApp(alice, "read write push");
    await subscribe();
    await subscribe({ who: other, device: tablet, standard: false });
    await bob.publish("@alice hello");
    await server.drain();
    expect([phone, tablet].map(({ messages }) => messages.map((message) => message.access_token))).toEqual([
      [alice.token],
      [other.token],
    ]);
  });

  test("receives no more messages when its subscription or its token has ended", async () => {
    await subscribe();
    await bob.publish("@alice hello");
    await alice.delete(PATH);
    await bob.publish("@alice hello?");
    expect(await typesSent()).toEqual([]);
    await subscribe();
    await bob.publish("@alice hello!");
    server.ctx.db.transaction((tx) => tx.run("DELETE FROM oauth_tokens"));
    expect(await typesSent()).toEqual([]);
    expect(jobs()).toEqual([]);
  });

  test.each([
    ["all", ["mention", "mention", "mention"]],
    ["followed", ["mention"]],
    ["follower", ["mention", "mention"]],
    ["none", []],
  ])("with the policy %p receives only messages from matching accounts", async (policy, expected) => {
    const carol = await server.person("carol");
    // Bob is followed and follows, carol follows, and dave does neither.
    await alice.follow(bob);
    for (const who of [bob, carol]) await who.follow(alice);
    await subscribe({ policy });
    for (const who of [bob, carol, await server.person("dave")]) await who.publish("@alice hello");
    expect(await typesSent()).toEqual(expected);
  });

  test.each([
    ["followed", ["poll"]],
    ["none", []],
  ])("with the policy %p receives for the user's own poll: %p", async (policy, expected) => {
    await subscribe({ policy });
    await alice.publish({ status: "tea?", poll: { options: ["yes", "no"], expires_in: 300 } });
    server.clock.advance(301_000);
    expect(await typesSent()).toEqual(expected);
  });

  test("receives nothing from blocked or muted accounts", async () => {
    const carol = await server.person("carol");
    await subscribe();
    await alice.post(`/api/v1/accounts/${bob.id}/block`);
    await alice.post(`/api/v1/accounts/${carol.id}/mute`);
    for (const who of [bob, carol]) await who.publish("@alice hello");
    expect(await typesSent()).toEqual([]);
  });

  test.each([
    ["filters", 1],
    ["drops", 2],
  ])("receives nothing that the notification policy %s", async (_, verdict) => {
    await subscribe();
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET for_not_following = $verdict", { verdict }));
    await bob.publish("@alice hello");
    expect([await typesSent(), jobs()]).toEqual([[], []]);
    await alice.follow(bob);
    await bob.publish("@alice hello");
    expect(await typesSent()).toEqual(["mention"]);
  });

  test("receives nothing that was deleted, dismissed or blocked before sending", async () => {
    await subscribe();
    const { id } = await bob.publish("@alice hello");
    await bob.delete(`/api/v1/statuses/${id}`);
    await bob.publish("@alice again");
    const [notification] = (await alice.get("/api/v1/notifications")).json;
    await alice.post(`/api/v1/notifications/${notification.id}/dismiss`);
    await bob.publish("@alice still there?");
    await alice.post(`/api/v1/accounts/${bob.id}/block`);
    expect(await typesSent()).toEqual([]);
    expect([jobs(), service.asked]).toEqual([[], 0]);
  });
});

describe("A push service", () => {
  const answer = (status: number, headers: Record<string, string> = {}) =>
    service.answers.push(() => new Response("no", { status, headers }));

  test.each([404, 410])("that responds with %d ends the subscription", async (status) => {
    await subscribe();
    answer(status);
    await bob.publish("@alice hello");
    expect(await typesSent()).toEqual([]);
    expect((await alice.get(PATH)).status).toBe(404);
    await bob.publish("@alice hello?");
    await server.drain();
    expect([jobs(), service.asked]).toEqual([[], 1]);
  });

  test("that no longer knows a device ends that subscription, not its replacement", async () => {
    await subscribe();
    const tablet = service.device();
    service.answers.push(async () => {
      await subscribe({ device: tablet });
      return new Response(null, { status: 410 });
    });
    await bob.publish("@alice hello");
    await server.drain();
    expect((await alice.get(PATH)).json.endpoint).toBe(tablet.endpoint);
  });

  test.each([429, 500, 503])("that responds with %d is retried with increasing delays", async (status) => {
    await subscribe();
    for (let times = 0; times < 2; times++) answer(status);
    await bob.publish("@alice hello");
    expect([await typesSent(), service.asked]).toEqual([[], 1]);
    server.clock.advance(5000);
    expect([await typesSent(), service.asked]).toEqual([[], 1]);
    server.clock.advance(10_000);
    expect([await typesSent(), service.asked]).toEqual([[], 2]);
    server.clock.advance(10_000);
    expect([await typesSent(), service.asked]).toEqual([[], 2]);
    server.clock.advance(20_000);
    expect([await typesSent(), service.asked]).toEqual([["mention"], 3]);
    expect(jobs()).toEqual([]);
  });

  test.each([
    ["seconds", "3600"],
    ["a date", new Date(Date.UTC(2026, 10, 21, 13)).toUTCString()],
  ])("is not contacted before the end of Retry-After in %s", async (_, after) => {
    await subscribe();
    answer(503, { "retry-after": after });
    await bob.publish("@alice hello");
    await server.drain();
    server.clock.advance(59 * MINUTE);
    expect([await typesSent(), service.asked]).toEqual([[], 1]);
    server.clock.advance(2 * MINUTE);
    expect(await typesSent()).toEqual(["mention"]);
  });

  inProcess("that doesn't respond blocks neither other messages nor other jobs", async () => {
    await subscribe();
    const held = Promise.withResolvers<Response>();
    const asked = Array.from({ length: 7 }, () => Promise.withResolvers<void>());
    for (const { resolve } of asked) {
      service.answers.push(() => {
        resolve();
        return held.promise;
      });
    }
    for (const _ of asked) await bob.publish("@alice hello");
    const drained = [server.drain()];
    await Promise.all(asked.map(({ promise }) => promise));
    const scheduled_at = new Date(server.clock.now() + HOUR).toISOString();
    await bob.post("/api/v1/statuses", { status: "@alice now", scheduled_at });
    server.clock.advance(HOUR);
    drained.push(server.drain());
    while (!(await alice.get("/api/v1/notifications?limit=1")).json[0].status.content.includes("now"));
    drained.push(server.drain());
    await phone.woken.promise;
    expect(phone.messages.map(({ body }) => body)).toEqual(["@alice now"]);
    held.resolve(new Response(null, { status: 201 }));
    await Promise.all(drained);
    expect(jobs()).toEqual([]);
  });

  test("that is unreachable is given up after two days, and no job remains", async () => {
    await subscribe();
    const { host } = service;
    await service.stop();
    await bob.publish("@alice hello");
    await server.drain();
    expect(jobs()).toEqual([{ kind: "push.deliver", error: expect.any(String), run_at: expect.any(Number) }]);
    expect(jobs()[0].error).toBe(`the push service ${host} gave no answer (unreachable)`);
    for (let hours = 0; hours < 47; hours += 1) {
      server.clock.advance(HOUR);
      await server.drain();
    }
    server.clock.advance(8 * HOUR);
    await server.drain();
    expect(jobs()).toEqual([]);
    expect((await alice.get(PATH)).status).toBe(200);
  });

  test("doesn't receive messages that became two days old while the server was down", async () => {
    await subscribe();
    await bob.publish("@alice hello");
    server.clock.advance(48 * HOUR + 1);
    expect([await typesSent(), jobs()]).toEqual([[], []]);
  });

  test.each([302, 400, 401, 403, 413])("that responds with %d gets no retry", async (status) => {
    await subscribe();
    answer(status, { location: phone.endpoint });
    await bob.publish("@alice hello");
    await server.drain();
    server.clock.advance(HOUR);
    expect([await typesSent(), jobs(), service.asked]).toEqual([[], [], 1]);
    await bob.publish("@alice hello?");
    expect(await typesSent()).toEqual(["mention"]);
  });

  inProcess("is named in the log, without the endpoint and the message", async () => {
    const lines: string[] = [];
    const warn = (text: string, values: object) => void lines.push(text + JSON.stringify(values));
    server.ctx.log = { ...server.ctx.log, warn } as typeof server.ctx.log;
    await subscribe();
    for (const status of [403, 500]) {
      answer(status);
      await bob.publish("@alice hello");
      await server.drain();
    }
    expect(lines).toHaveLength(2);
    const all = lines.join("\n");
    expect(all).toContain(`${service.host} answered 403`);
    expect(all).toContain(`${service.host} answered 500`);
    for (const secret of [new URL(phone.endpoint).pathname, alice.token!, "hello"]) expect(all).not.toContain(secret);
  });

  test("at a private address is not contacted, whatever its name", async () => {
    const strict = await startServer();
    const [carol, dave] = [await strict.person("carol"), await strict.person("dave")];
    const inside = new Device(`https://${service.host}/wpush/0`);
    expect((await carol.post(PATH, { subscription: inside.subscription(), data: {} })).status).toBe(200);
    await carol.put(PATH, { data: { alerts: { mention: true } } });
    await dave.publish("@carol hello");
    await strict.drain();
    expect([service.asked, strict.ctx.db.all("SELECT id FROM jobs WHERE kind = 'push.deliver'")]).toEqual([0, []]);
    await strict.stop();
  });
});

describe("The token of a subscription", () => {
  const keyFile = () => join(server.ctx.config.data, "push.key");

  test("is stored only encrypted, with a key that only the server's system user can read", async () => {
    await subscribe();
    const { db } = server.ctx;
    const tables = db.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'",
    );
    expect(tables.length).toBeGreaterThan(20);
    const everything = tables.map(({ name }) => JSON.stringify(db.all(`SELECT * FROM ${name}`))).join();
    expect(everything).toContain(phone.endpoint);
    expect(everything).not.toContain(alice.token!);
    expect(everything).not.toContain(Buffer.from(alice.token!).toString("base64url"));
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(statSync(keyFile()).size).toBe(32);
  });

  test("can be decrypted only in its own row", async () => {
    const other = server.otherApp(alice, "read write push");
    await subscribe();
    await subscribe({ who: other, device: service.device() });
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE push_subscriptions SET sealed_token = (SELECT sealed_token FROM push_subscriptions LIMIT 1)"),
    );
    await bob.publish("@alice hello");
    expect(await typesSent()).toEqual(["mention"]);
    expect((await other.get(PATH)).status).toBe(404);
  });

  test("is lost with the key, which ends the subscription until the app renews it", async () => {
    await subscribe();
    rmSync(keyFile());
    await bob.publish("@alice hello");
    expect(await typesSent()).toEqual([]);
    expect([(await alice.get(PATH)).status, service.asked]).toEqual([404, 0]);
    await subscribe();
    await bob.publish("@alice again");
    expect(await typesSent()).toEqual(["mention"]);
  });
});
