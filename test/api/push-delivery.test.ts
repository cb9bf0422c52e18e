import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client, type Json } from "../support/client.ts";
import { act, undo } from "../support/moderation.ts";
import { Device, PushService } from "../support/push-service.ts";
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

/** Subscribes with what alerts of everything unless told otherwise. */
async function subscribe({ who = alice, device = phone, alerts = ALL, policy = "all", standard = true }: Wishes = {}) {
  const wanted = Object.fromEntries([...alerts, "quoted_update"].map((alert) => [alert, true]));
  const subscription = { ...device.subscription(), standard };
  const { status, json } = await who.post(PATH, { subscription, data: { alerts: wanted, policy } });
  expect(status).toBe(200);
  return json;
}

/** The types that a device was told of, once every job that is due was done. */
async function told(device: Device = phone): Promise<string[]> {
  await server.drain();
  return device.messages.map((message) => message.notification_type);
}

const jobs = (): Json[] => server.ctx.db.all("SELECT kind, error, run_at FROM jobs WHERE kind = 'push.deliver'");

test.each(["disable", "suspend"] as const)("Whom a moderator shuts out (%s) gets no push message", async (action) => {
  await subscribe();
  await bob.publish("@alice on the way");
  await act(server, action, alice);
  await bob.publish("@alice hello");
  expect(await told()).toEqual([]);
  undo(server, action, alice);
  await bob.publish("@alice again");
  expect(await told()).toEqual(["mention"]);
});

describe("A push message", () => {
  test.each([
    ["by the standard", true, "aes128gcm"],
    ["as old apps know it", false, "aesgcm"],
  ])("is encrypted %s, says who sends it, and holds what apps read", async (_, standard, encoding) => {
    const { server_key } = await subscribe({ standard });
    await bob.patch("/api/v1/accounts/update_credentials", { display_name: "Bob ❤" });
    await bob.publish("@alice <b>hello</b> &\n\nhttps://example.org/a/long/address/that/is/shortened/on/a/screen");
    expect(await told()).toEqual(["mention"]);
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
    // The library looks at the clock of the machine.
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

  test("leads to the notification, as service workers ask for it", async () => {
    await subscribe();
    await bob.publish("@alice hello");
    await server.drain();
    const [{ access_token, notification_id }] = phone.messages;
    const app = new Client(server.origin, access_token);
    const { status, json } = await app.get(`/api/v1/notifications/${notification_id}`);
    expect([status, json.type, json.status.content]).toEqual([200, "mention", expect.stringContaining("hello")]);
  });

  test("names the address of the server where no contact is set", async () => {
    const other = await startServer({ LINNET_ALLOW_PRIVATE_ADDRESSES: "on", LINNET_URL: "https://linnet.example" });
    const [carol, dave] = [await other.person("carol"), await other.person("dave")];
    await subscribe({ who: carol });
    await dave.publish("@carol hello");
    await other.drain();
    expect(phone.received.map(({ claims }) => claims.sub)).toEqual(["https://linnet.example"]);
    await other.stop();
  });

  test("shows the warning instead of what it warns of, and no more than 140 characters", async () => {
    await subscribe();
    await bob.publish({ status: "@alice the end of the film", spoiler_text: "a film" });
    await bob.publish(`@alice ${"😀".repeat(200)}`);
    await server.drain();
    const bodies = phone.messages.map(({ body }) => body);
    expect(bodies).toEqual(["a film", `@alice ${"😀".repeat(132)}…`]);
    expect([...bodies[1]]).toHaveLength(140);
  });

  test("tells of a follower what they say of themselves", async () => {
    await subscribe();
    await bob.patch("/api/v1/accounts/update_credentials", { note: "I am\n\nBob & co." });
    await bob.follow(alice);
    await server.drain();
    expect(phone.messages.map(({ title, body }) => [title, body])).toEqual([["bob follows you", "I am\n\nBob & co."]]);
  });

  test("is in the language of whom it is for, where we speak it", async () => {
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
  /** Everything that alice can be told of by what bob does. */
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

  test("is told of all that a notification is made of", async () => {
    await subscribe();
    await oneOfEach();
    const { json } = await alice.get("/api/v1/notifications");
    const types = json.map((notification: Json) => notification.type);
    expect(new Set(types)).toEqual(new Set([...ALL, "quoted_update"].filter((type) => type !== "follow")));
    // A follow that ended before anything was sent is told of no more.
    expect((await told()).toSorted()).toEqual(types.toSorted());
    const titles = new Map(phone.messages.map(({ notification_type, title }) => [notification_type, title]));
    expect(titles.get("poll")).toBe("A poll by alice has ended");
    expect(titles.get("quoted_update")).toBe("bob edited a post that you quoted");
  });

  test("is told of nothing but what it asked for", async () => {
    await subscribe({ alerts: ["reblog", "poll"] });
    await oneOfEach();
    expect((await told()).toSorted()).toEqual(["poll", "quoted_update", "reblog"]);
  });

  test.each([{ alerts: { poll: true } }, { policy: "followed" }])("isn't told what %j left out since", async (data) => {
    await subscribe();
    await bob.publish("@alice hello");
    await alice.put(PATH, { data });
    expect(await told()).toEqual([]);
    expect(jobs()).toEqual([]);
  });

  test("costs nothing where nobody subscribed", async () => {
    await subscribe({ alerts: ["reblog"] });
    await bob.publish("@alice hello");
    expect(jobs()).toEqual([]);
  });

  test("is one of several, and each is told", async () => {
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

  test("hears no more once its subscription or its token has ended", async () => {
    await subscribe();
    await bob.publish("@alice hello");
    await alice.delete(PATH);
    await bob.publish("@alice hello?");
    expect(await told()).toEqual([]);
    await subscribe();
    await bob.publish("@alice hello!");
    server.ctx.db.transaction((tx) => tx.run("DELETE FROM oauth_tokens"));
    expect(await told()).toEqual([]);
    expect(jobs()).toEqual([]);
  });

  test.each([
    ["all", ["mention", "mention", "mention"]],
    ["followed", ["mention"]],
    ["follower", ["mention", "mention"]],
    ["none", []],
  ])("with the policy %p is told by those alone whom it names", async (policy, expected) => {
    const carol = await server.person("carol");
    // Followed and following; following; neither.
    await alice.follow(bob);
    for (const who of [bob, carol]) await who.follow(alice);
    await subscribe({ policy });
    for (const who of [bob, carol, await server.person("dave")]) await who.publish("@alice hello");
    expect(await told()).toEqual(expected);
  });

  test.each([
    ["followed", ["poll"]],
    ["none", []],
  ])("with the policy %p, of one's own poll: %p", async (policy, expected) => {
    await subscribe({ policy });
    await alice.publish({ status: "tea?", poll: { options: ["yes", "no"], expires_in: 300 } });
    server.clock.advance(301_000);
    expect(await told()).toEqual(expected);
  });

  test("hears nothing by people who are blocked or muted", async () => {
    const carol = await server.person("carol");
    await subscribe();
    await alice.post(`/api/v1/accounts/${bob.id}/block`);
    await alice.post(`/api/v1/accounts/${carol.id}/mute`);
    for (const who of [bob, carol]) await who.publish("@alice hello");
    expect(await told()).toEqual([]);
  });

  test.each([
    ["held back", 1],
    ["dropped", 2],
  ])("hears nothing of what the notification policy has %s", async (_, verdict) => {
    await subscribe();
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET for_not_following = $verdict", { verdict }));
    await bob.publish("@alice hello");
    expect([await told(), jobs()]).toEqual([[], []]);
    await alice.follow(bob);
    await bob.publish("@alice hello");
    expect(await told()).toEqual(["mention"]);
  });

  test("hears nothing of what was taken back, dismissed or blocked before it was sent", async () => {
    await subscribe();
    const { id } = await bob.publish("@alice hello");
    await bob.delete(`/api/v1/statuses/${id}`);
    await bob.publish("@alice again");
    const [notification] = (await alice.get("/api/v1/notifications")).json;
    await alice.post(`/api/v1/notifications/${notification.id}/dismiss`);
    await bob.publish("@alice still there?");
    await alice.post(`/api/v1/accounts/${bob.id}/block`);
    expect(await told()).toEqual([]);
    expect([jobs(), service.asked]).toEqual([[], 0]);
  });
});

describe("A push service", () => {
  const answer = (status: number, headers: Record<string, string> = {}) =>
    service.answers.push(() => new Response("no", { status, headers }));

  test.each([404, 410])("that answers %d ends the subscription", async (status) => {
    await subscribe();
    answer(status);
    await bob.publish("@alice hello");
    expect(await told()).toEqual([]);
    expect((await alice.get(PATH)).status).toBe(404);
    await bob.publish("@alice hello?");
    await server.drain();
    expect([jobs(), service.asked]).toEqual([[], 1]);
  });

  test("that doesn't know a device any more ends that subscription, not the one which took its place meanwhile", async () => {
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

  test.each([429, 500, 503])("that answers %d is asked again, later and later", async (status) => {
    await subscribe();
    for (let times = 0; times < 2; times++) answer(status);
    await bob.publish("@alice hello");
    expect([await told(), service.asked]).toEqual([[], 1]);
    server.clock.advance(5000);
    expect([await told(), service.asked]).toEqual([[], 1]);
    server.clock.advance(10_000);
    expect([await told(), service.asked]).toEqual([[], 2]);
    server.clock.advance(10_000);
    expect([await told(), service.asked]).toEqual([[], 2]);
    server.clock.advance(20_000);
    expect([await told(), service.asked]).toEqual([["mention"], 3]);
    expect(jobs()).toEqual([]);
  });

  test.each([
    ["seconds", "3600"],
    ["a date", new Date(Date.UTC(2026, 10, 21, 13)).toUTCString()],
  ])("is left alone for as long as it asks for, in %s", async (_, after) => {
    await subscribe();
    answer(503, { "retry-after": after });
    await bob.publish("@alice hello");
    await server.drain();
    server.clock.advance(59 * MINUTE);
    expect([await told(), service.asked]).toEqual([[], 1]);
    server.clock.advance(2 * MINUTE);
    expect(await told()).toEqual(["mention"]);
  });

  inProcess("that doesn't come to an answer holds up neither other messages nor other work", async () => {
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

  test("that is gone is given up after two days, and nothing is left of it", async () => {
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

  test("isn't asked for what is two days old when we come to it", async () => {
    await subscribe();
    await bob.publish("@alice hello");
    server.clock.advance(48 * HOUR + 1);
    expect([await told(), jobs()]).toEqual([[], []]);
  });

  test.each([302, 400, 401, 403, 413])("that answers %d has its way: nothing is sent again", async (status) => {
    await subscribe();
    answer(status, { location: phone.endpoint });
    await bob.publish("@alice hello");
    await server.drain();
    server.clock.advance(HOUR);
    expect([await told(), jobs(), service.asked]).toEqual([[], [], 1]);
    await bob.publish("@alice hello?");
    expect(await told()).toEqual(["mention"]);
  });

  inProcess("is named in the log, but neither the address of the device nor what it was sent", async () => {
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

  test("at a private address is not asked, whatever its name is", async () => {
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

  test("is in no table, and sealed with a key that only the server's own user can read", async () => {
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

  test("opens for its own row alone", async () => {
    const other = server.otherApp(alice, "read write push");
    await subscribe();
    await subscribe({ who: other, device: service.device() });
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE push_subscriptions SET sealed_token = (SELECT sealed_token FROM push_subscriptions LIMIT 1)"),
    );
    await bob.publish("@alice hello");
    expect(await told()).toEqual(["mention"]);
    expect((await other.get(PATH)).status).toBe(404);
  });

  test("is lost with the key: the subscription ends, and the app makes another", async () => {
    await subscribe();
    rmSync(keyFile());
    await bob.publish("@alice hello");
    expect(await told()).toEqual([]);
    expect([(await alice.get(PATH)).status, service.asked]).toEqual([404, 0]);
    await subscribe();
    await bob.publish("@alice again");
    expect(await told()).toEqual(["mention"]);
  });
});
