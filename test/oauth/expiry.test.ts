import { beforeEach, describe, expect, test } from "bun:test";
import { registerApp } from "../../src/oauth/apps.ts";
import { validTokenIds } from "../../src/oauth/guard.ts";
import { issueToken } from "../../src/oauth/tokens.ts";
import { Client } from "../support/client.ts";
import { Device, PushService } from "../support/push-service.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Visitor } from "../web/visitor.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;

const { server, alice } = serverForEachTest(["alice"], { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
/** Has a token that expires an hour after the start. */
let script: Client;

beforeEach(() => {
  const { ctx } = server;
  const user = ctx.db.get<{ id: number }>("SELECT id FROM users")!;
  const { secret } = ctx.db.transaction((tx) => {
    const scopes = "read write push";
    const { app } = registerApp(ctx, tx, {
      name: "Backup script",
      website: null,
      redirectUris: ["urn:ietf:wg:oauth:2.0:oob"],
      scopes,
    });
    return issueToken(ctx, tx, { appId: app.id, userId: user.id, scopes, expiresAt: ctx.clock.now() + HOUR });
  });
  script = new Client(server.origin, secret, alice.id);
});

const responseTo = async (client: Client, path = "/api/v1/accounts/verify_credentials") => {
  const { status, json } = await client.get(path);
  return [status, json.error];
};

describe("A token with an expiry date", () => {
  test("is valid until that time, and then refused as expired", async () => {
    server.clock.advance(HOUR - 1);
    expect(await responseTo(script)).toEqual([200, undefined]);
    server.clock.advance(1);
    expect(await responseTo(script)).toEqual([401, "The access token expired"]);
    expect(await responseTo(script, "/api/v1/timelines/public")).toEqual([401, "The access token expired"]);
    expect(await responseTo(alice)).toEqual([200, undefined]);
  });

  test("is deleted by the clean-up a month later", async () => {
    await server.cleanUpAfter(HOUR + 29 * DAY);
    expect(await responseTo(script)).toEqual([401, "The access token expired"]);
    await server.cleanUpAfter(2 * DAY);
    expect(await responseTo(script)).toEqual([401, "The access token is invalid"]);
    expect(await responseTo(alice)).toEqual([200, undefined]);
  });

  inProcess("keeps no stream open beyond that time", () => {
    const ids = server.ctx.db.all<{ id: number }>("SELECT id FROM oauth_tokens ORDER BY id").map(({ id }) => id);
    expect([...validTokenIds(server.ctx, ids)]).toEqual(ids);
    server.clock.advance(HOUR);
    expect([...validTokenIds(server.ctx, ids)]).toEqual(ids.slice(0, -1));
  });

  test("receives no push messages beyond that time", async () => {
    const service = new PushService();
    const phone: Device = service.device();
    const data = { alerts: { mention: true }, policy: "all" };
    const { status } = await script.post("/api/v1/push/subscription", { subscription: phone.subscription(), data });
    expect(status).toBe(200);
    const bob = await server.person("bob");
    await bob.publish("@alice in time");
    await server.drain();
    await bob.publish("@alice on the way");
    server.clock.advance(HOUR);
    await bob.publish("@alice too late");
    await server.drain();
    await service.stop();
    expect(phone.messages).toHaveLength(1);
  });

  test("is listed on the page of apps with its name and expiry date until that time", async () => {
    const visitor = new Visitor(server);
    await visitor.signIn("alice");
    const shown = async () => (await visitor.get("/settings/apps")).text;
    expect(await shown()).toMatch(/Backup script Authorized on \d+ \w+ 2026 Not used yet Expires on \d+ \w+ 2026/);
    server.clock.advance(HOUR);
    expect(await shown()).not.toContain("Backup script");
  });
});
