import { describe, expect, test } from "bun:test";
import { createRestAPIClient } from "masto";
import { issueToken } from "../../src/oauth/tokens.ts";
import { Client, type Answer, type Json } from "../support/client.ts";
import { expectGuarded } from "../support/guards.ts";
import { Device } from "../support/push-service.ts";
import { serverForEachTest } from "../support/setup.ts";

const PATH = "/api/v1/push/subscription";
const ALERTS = [
  "mention",
  "status",
  "reblog",
  "follow",
  "follow_request",
  "favourite",
  "poll",
  "update",
  "quote",
  "quoted_update",
  "admin.sign_up",
  "admin.report",
];

const { server, alice } = serverForEachTest(["alice"]);

const device = new Device("https://push.example/send/Ab?c=d");
const refusal = ({ status, json }: Answer) => [status, json.error];

/** A subscription as sent by an app, with another endpoint or other keys. */
function payload({ endpoint = device.endpoint, keys = {} }: { endpoint?: unknown; keys?: object } = {}): object {
  return { subscription: { ...device.subscription(), endpoint, keys: { ...device.subscription().keys, ...keys } } };
}

function alertsOf(...wanted: string[]): Record<string, boolean> {
  return Object.fromEntries(ALERTS.map((alert) => [alert, wanted.includes(alert)]));
}

function userIdOf(who: Client): number {
  return server.ctx.db.get<{ id: number }>("SELECT id FROM users WHERE account_id = $whoId", {
    whoId: Number(who.id),
  })!.id;
}

describe("A push subscription", () => {
  test("contains everything that apps decode: a numeric id, every alert and the server's key", async () => {
    const { json: instance } = await alice.get("/api/v2/instance");
    const data = { alerts: { mention: true, "admin.report": true }, policy: "followed" };
    const { status, json } = await alice.post(PATH, { ...payload(), data });
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.any(Number),
      endpoint: device.endpoint,
      standard: false,
      alerts: alertsOf("mention", "admin.report"),
      policy: "followed",
      server_key: instance.configuration.vapid.public_key,
    });
    expect((await alice.get(PATH)).json).toEqual(json);
  });

  test("has no alerts and the policy all by default", async () => {
    const { json } = await alice.post(PATH, payload());
    expect([json.alerts, json.policy, json.standard]).toEqual([alertsOf(), "all", false]);
  });

  test("can be created with either form encoding and with a query", async () => {
    const { endpoint, keys } = device.subscription("base64");
    const fields = {
      "subscription[endpoint]": endpoint,
      "subscription[keys][p256dh]": keys.p256dh,
      "subscription[keys][auth]": keys.auth,
      "subscription[standard]": "true",
      "data[alerts][admin.sign_up]": "1",
      "data[alerts][mention]": "false",
      "data[policy]": "none",
    };
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const made = [
      (await alice.post(PATH, new URLSearchParams(fields))).json,
      (await alice.post(PATH, form)).json,
      (await alice.post(`${PATH}?${new URLSearchParams(fields)}`)).json,
    ];
    expect(made.map(({ endpoint: given, standard, policy }: Json) => [given, standard, policy])).toEqual(
      made.map(() => [device.endpoint, true, "none"]),
    );
    for (const { alerts } of made) expect(alerts).toEqual(alertsOf("admin.sign_up"));
  });

  test("accepts keys in any variant of Base64", async () => {
    const { p256dh, auth } = device.subscription("base64").keys;
    const urlSafe = device.subscription().keys;
    for (const keys of [
      urlSafe,
      { p256dh: `${urlSafe.p256dh}=`, auth: `${urlSafe.auth}==` },
      { p256dh: p256dh.replace("=", ""), auth: auth.replace("==", "") },
      { p256dh: `${p256dh.slice(0, 76)}\n${p256dh.slice(76)}\n`, auth: `${auth}\n` },
    ]) {
      expect((await alice.post(PATH, payload({ keys }))).status).toBe(200);
    }
  });

  test("is created, changed and removed by masto.js in the way Elk does", async () => {
    const { subscription } = createRestAPIClient({ url: server.origin, accessToken: alice.token! }).v1.push;
    await expect(subscription.fetch()).rejects.toMatchObject({ statusCode: 404 });
    const { keys } = device.subscription();
    const made = await subscription.create({
      subscription: { endpoint: device.endpoint, keys },
      data: { alerts: { mention: true, favourite: true } },
      policy: "follower",
    });
    expect(made).toMatchObject({ alerts: { mention: true, favourite: true, poll: false }, policy: "follower" });
    const changed = await subscription.update({ data: { alerts: { poll: true } } });
    expect(changed).toMatchObject({ alerts: { mention: false, poll: true }, policy: "follower" });
    await subscription.remove();
    await expect(subscription.fetch()).rejects.toMatchObject({ statusCode: 404 });
  });

  test("belongs to its token; other apps have their own, and creating another replaces it", async () => {
    const other = server.otherApp(alice, "read write push");
    const first = await alice.post(PATH, payload());
    expect((await other.get(PATH)).status).toBe(404);
    const others = await other.post(PATH, payload());
    const second = await alice.post(PATH, payload({ endpoint: "https://push.example/2" }));
    expect(second.json.id).not.toBe(first.json.id);
    expect((await alice.get(PATH)).json).toEqual(second.json);
    expect((await other.get(PATH)).json).toEqual(others.json);
    expect((await alice.delete(PATH)).status).toBe(200);
    expect((await other.get(PATH)).json).toEqual(others.json);
  });

  test("is changed with PUT and PATCH only in its alerts and policy", async () => {
    const made = await alice.post(PATH, { ...payload(), data: { alerts: { mention: true }, policy: "followed" } });
    const both = await alice.put(PATH, { data: { alerts: { follow: true, poll: false }, policy: "follower" } });
    expect(both.json).toEqual({ ...made.json, alerts: alertsOf("follow"), policy: "follower" });
    const kept = await alice.put(PATH, { data: { policy: "all" }, subscription: { endpoint: "https://a.example" } });
    expect(kept.json).toEqual({ ...both.json, policy: "all" });
    const alerts = await alice.patch(PATH, new URLSearchParams("data[alerts][poll]=true"));
    expect(alerts.json).toEqual({ ...kept.json, alerts: alertsOf("poll") });
    // At the top level, as documented.
    expect((await alice.put(PATH, { policy: "none" })).json).toEqual({ ...alerts.json, policy: "none" });
    expect((await alice.get(PATH)).json.policy).toBe("none");
  });

  test("ends with DELETE, which also succeeds without one, and is not found afterwards", async () => {
    await alice.post(PATH, payload());
    for (let times = 0; times < 2; times++) {
      const { status, json } = await alice.delete(PATH);
      expect([status, json]).toEqual([200, {}]);
    }
    expect(refusal(await alice.get(PATH))).toEqual([404, "Record not found"]);
    expect(refusal(await alice.put(PATH, { data: {} }))).toEqual([404, "Record not found"]);
  });

  test("ends with its token", async () => {
    const named = { client_name: "A", redirect_uris: "urn:ietf:wg:oauth:2.0:oob", scopes: "push" };
    const { client_id, client_secret, id } = (await server.stranger().post("/api/v1/apps", named)).json;
    const { ctx } = server;
    const { secret: token } = ctx.db.transaction((tx) =>
      issueToken(ctx, tx, { appId: Number(id), userId: userIdOf(alice), scopes: "push" }),
    );
    const app = new Client(server.origin, token);
    await app.post(PATH, payload());
    await alice.post(PATH, payload());
    expect((await server.stranger().post("/oauth/revoke", { client_id, client_secret, token })).status).toBe(200);
    expect([(await app.get(PATH)).status, (await alice.get(PATH)).status]).toEqual([401, 200]);
    expect(ctx.db.all("SELECT id FROM push_subscriptions")).toHaveLength(1);
  });

  test("requires a user token with the scope", async () => {
    await expectGuarded(server, alice, "push", [
      ["post", PATH, payload()],
      ["get", PATH],
      ["put", PATH, { data: {} }],
      ["patch", PATH, { data: {} }],
      ["delete", PATH],
    ]);
  });
});

describe("A push subscription is refused", () => {
  const NO_ADDRESS = "Validation failed: Endpoint must be a public https:// address";
  const NO_POINT = "Validation failed: Key p256dh must be an uncompressed point of the curve P-256 in Base64";
  const NO_SECRET = "Validation failed: Key auth must be 16 bytes in Base64";
  const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64url");
  const zeros = (count: number) => Array.from({ length: count }, () => 0);

  test.each<[string, unknown]>([
    ["is invalid", "push"],
    ["isn't encrypted", "http://push.example/"],
    ["has another scheme", "ftp://push.example/"],
    ["is this machine", "https://127.0.0.1/"],
    ["is this machine in another notation", "https://0x7f.1/"],
    ["is in a private network", "https://[fd00::1]:8443/"],
    ["contains a password", "https://me:secret@push.example/"],
  ])("if its endpoint %s", async (_, endpoint) => {
    expect(refusal(await alice.post(PATH, payload({ endpoint })))).toEqual([422, NO_ADDRESS]);
  });

  test("if its keys are invalid", async () => {
    const { p256dh, auth } = device.subscription().keys;
    for (const wrong of [
      "?",
      p256dh.slice(2),
      `${p256dh}AA`,
      p256dh.replace(/^./, "C"),
      base64(4, ...zeros(64)),
      `${p256dh.slice(0, -4)}AAAA`,
    ]) {
      expect([wrong, ...refusal(await alice.post(PATH, payload({ keys: { p256dh: wrong } })))]).toEqual([
        wrong,
        422,
        NO_POINT,
      ]);
    }
    for (const wrong of ["?", auth.slice(4), `${auth}AAAA`, `${auth.slice(0, -1)}é`]) {
      expect(refusal(await alice.post(PATH, payload({ keys: { auth: wrong } })))).toEqual([422, NO_SECRET]);
    }
    expect((await alice.get(PATH)).status).toBe(404);
  });

  test("with all reasons at once, and the existing one stays", async () => {
    const { json } = await alice.post(PATH, payload());
    const sent = payload({ endpoint: "x", keys: { p256dh: "x", auth: "x" } });
    expect((await alice.post(PATH, sent)).json.error).toBe(
      [NO_ADDRESS, NO_POINT, NO_SECRET].join(", ").replaceAll(/, Validation failed:/g, ","),
    );
    expect((await alice.get(PATH)).json).toEqual(json);
  });

  test("if a part is missing, too long or unsupported", async () => {
    const { endpoint } = device;
    const sent: [object, string][] = [
      [{}, "Validation failed: Subscription can't be blank"],
      [{ subscription: "x" }, "Validation failed: Subscription is invalid"],
      [{ subscription: { endpoint } }, "Validation failed: Subscription keys can't be blank"],
      [payload({ endpoint: "" }), "Validation failed: Subscription endpoint can't be blank"],
      [
        payload({ endpoint: `https://push.example/${"x".repeat(2048)}` }),
        "Validation failed: Subscription endpoint is too long (maximum is 2048 characters)",
      ],
      [payload({ keys: { auth: " " } }), "Validation failed: Subscription keys auth can't be blank"],
      [{ ...payload(), data: { policy: "friends" } }, "'friends' is not a valid policy"],
      [
        { ...payload(), data: { alerts: { mention: "perhaps" } } },
        "Validation failed: Data alerts mention must be true or false",
      ],
    ];
    for (const [body, error] of sent) expect(refusal(await alice.post(PATH, body))).toEqual([422, error]);
    await alice.post(PATH, payload());
    expect(refusal(await alice.put(PATH, { policy: "friends" }))).toEqual([422, "'friends' is not a valid policy"]);
  });
});
