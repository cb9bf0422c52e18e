import { beforeEach, describe, expect, test } from "bun:test";
import { registerApp } from "../../src/oauth/apps.ts";
import { issueCode } from "../../src/oauth/codes.ts";
import { issueToken } from "../../src/oauth/tokens.ts";
import { Client } from "../support/client.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Socket } from "../support/streams.ts";
import { Visitor } from "./visitor.ts";

const HOUR = 3600_000;
const PAGE = "/settings/apps";
const OOB = "urn:ietf:wg:oauth:2.0:oob";

const { server, alice } = serverForEachTest(["alice"]);
let visitor: Visitor;

beforeEach(() => {
  visitor = new Visitor(server);
});

function userOf(name: string): number {
  return server.ctx.db.get<{ id: number }>(
    "SELECT u.id FROM users u JOIN accounts a ON a.id = u.account_id WHERE a.username = $name",
    { name },
  )!.id;
}

/** Registers an app with a token for each of the scopes, and returns clients that use them. */
function authorizeApp(name: string, username: string, ...scopes: string[]): { appId: number; clients: Client[] } {
  const { ctx } = server;
  return ctx.db.transaction((tx) => {
    const website = "https://app.example/about";
    const { app } = registerApp(ctx, tx, { name, website, redirectUris: [OOB], scopes: "read write push" });
    const tokens = scopes.map((granted) =>
      issueToken(ctx, tx, { appId: app.id, userId: userOf(username), scopes: granted }),
    );
    return { appId: app.id, clients: tokens.map(({ secret }) => new Client(server.origin, secret)) };
  });
}

const statusOf = async (client: Client) => (await client.get("/api/v1/accounts/verify_credentials")).status;
const lastUse = () =>
  server.ctx.db
    .all<{ at: number | null }>("SELECT last_used_at AS at FROM oauth_tokens ORDER BY id")
    .map(({ at }) => at);

describe("The page of apps", () => {
  test("asks visitors to sign in", async () => {
    const { forms, text } = await visitor.get(PAGE);
    expect(forms.map(({ action }) => action)).toEqual(["/sign-in"]);
    expect(text).not.toContain("Revoke");
    const { location } = await visitor.press("Sign in", { login: "alice", password: "correct horse" });
    expect(location).toBe(PAGE);
  });

  test("lists each app of the user once, with its website, date, last use and permissions", async () => {
    await server.person("bob");
    authorizeApp("Theirs", "bob", "read");
    authorizeApp("Phanpy <b>", "alice", "read", "write:statuses read:lists");
    await visitor.signIn("alice");
    const { html, text } = await visitor.get(PAGE);
    expect(text).toContain("Phanpy <b> app.example Authorized on ");
    expect(text).toMatch(/Authorized on \d+ \w+ \d{4} Not used yet/);
    expect(text.split("Phanpy <b> app.example").length).toBe(2);
    expect(text).not.toContain("Theirs");
    expect(text).toContain("Read everything you can read");
    expect(text).toContain("Write, edit and delete posts");
    expect(text).not.toContain("See your lists");
    expect(html).toContain('aria-label="Revoke access for Phanpy &lt;b>"');
  });

  test("shows the last use to the hour, so that few calls cost a write", async () => {
    const { clients } = authorizeApp("Phanpy", "alice", "read");
    const first = server.clock.now();
    await statusOf(clients[0]!);
    expect(lastUse()).toEqual([null, first]);
    server.clock.advance(HOUR - 1000);
    await statusOf(clients[0]!);
    expect(lastUse()).toEqual([null, first]);
    server.clock.advance(1000);
    await statusOf(clients[0]!);
    expect(lastUse()).toEqual([null, first + HOUR]);
    await visitor.signIn("alice");
    expect((await visitor.get(PAGE)).text).toMatch(/Last used on \d+ \w+ \d{4}/);
  });
});

inProcess("a request succeeds even if its time can't be stored, as on a full disk", async () => {
  server.ctx.db.raw.run(`
    CREATE TEMP TRIGGER full_disk BEFORE UPDATE OF last_used_at ON main.oauth_tokens
    BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
  expect(await statusOf(alice)).toBe(200);
  expect(lastUse()).toEqual([null]);
});

describe("A revoked app", () => {
  test("loses all its tokens, and other apps keep theirs", async () => {
    const { clients } = authorizeApp("Phanpy", "alice", "read", "read push");
    await visitor.signIn("alice");
    await visitor.get(PAGE);
    expect(await Promise.all([...clients, alice].map(statusOf))).toEqual([200, 200, 200]);
    expect((await visitor.press("Revoke")).location).toBe(PAGE);
    expect(await Promise.all([...clients, alice].map(statusOf))).toEqual([401, 401, 200]);
    expect((await visitor.follow()).text).not.toContain("Phanpy");
    await visitor.press("Revoke");
    expect((await visitor.follow()).text).toContain("No app has access to your account.");
    expect(await statusOf(alice)).toBe(401);
  });

  test("loses its pending authorization codes", async () => {
    const { appId } = authorizeApp("Phanpy", "alice", "read");
    const grant = { appId, userId: userOf("alice"), redirectUri: OOB, scopes: "read", challenge: null };
    issueCode(server.ctx, grant);
    await visitor.signIn("alice");
    await visitor.get(PAGE);
    await visitor.press("Revoke");
    expect(server.ctx.db.all("SELECT 1 FROM oauth_codes")).toEqual([]);
  });

  test("loses its open streams", async () => {
    const { clients } = authorizeApp("Phanpy", "alice", "read");
    const socket = await Socket.open(clients[0]!, "?stream=user");
    await visitor.signIn("alice");
    await visitor.get(PAGE);
    await visitor.press("Revoke");
    expect((await socket.closed).reason).toBe("The access token was revoked");
  });

  test("can only be revoked by its user, and not by another site", async () => {
    await server.person("bob");
    const { appId, clients } = authorizeApp("Phanpy", "alice", "read");
    const bob = new Visitor(server);
    await bob.signIn("bob");
    const { csrf } = (await bob.get(PAGE)).forms[0]!.fields;
    await bob.post(`${PAGE}/revoke`, { csrf: csrf!, id: String(appId) });
    await visitor.signIn("alice");
    const fields = (await visitor.get(PAGE)).forms[0]!.fields;
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
      const refused = await visitor.post(`${PAGE}/revoke`, fields, headers);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("nothing was changed")]);
    }
    expect((await visitor.post(`${PAGE}/revoke`, { id: String(appId) })).status).toBe(403);
    expect((await new Visitor(server).post(`${PAGE}/revoke`, fields)).status).toBe(403);
    expect(await statusOf(clients[0]!)).toBe(200);
  });

  test.each(["", "0", "999", "x", "1e99"])("may have any id in a form, and %p does no harm", async (id) => {
    await visitor.signIn("alice");
    const { csrf } = (await visitor.get(PAGE)).forms[0]!.fields;
    expect((await visitor.post(`${PAGE}/revoke`, { csrf: csrf!, id })).location).toBe(PAGE);
    expect(await statusOf(alice)).toBe(200);
  });
});

describe("Browsers", () => {
  test("are signed out together, except the current one", async () => {
    const others = [new Visitor(server), new Visitor(server)];
    for (const browser of [...others, visitor]) await browser.signIn("alice");
    await visitor.get(PAGE);
    await visitor.press("Sign out all other browsers");
    expect((await visitor.follow()).text).not.toContain("others");
    expect(await visitor.signedInAs()).toBe("alice");
    for (const browser of others) expect(await browser.signedInAs()).toBeNull();
  });

  test("are listed with their device, last use and address, and are signed out one by one", async () => {
    const phone = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0";
    const other = new Visitor(server, { "user-agent": phone });
    await other.signIn("alice");
    await visitor.signIn("alice");
    const { text } = await visitor.get(PAGE);
    expect(text).toMatch(/Firefox on Android Signed in on \d+ \w+ \d{4} Last used on \d+ \w+ \d{4} 127\.0\.0\.1/);
    expect(text).toContain("Bun This browser");
    await visitor.post(`${PAGE}/sign-out`, visitor.formTo(`${PAGE}/sign-out`).fields);
    expect((await visitor.get(PAGE)).text).not.toContain("Firefox");
    expect([await other.signedInAs(), await visitor.signedInAs()]).toEqual([null, "alice"]);
  });

  test("can't be signed out by other users", async () => {
    await server.person("bob");
    await visitor.signIn("alice");
    const { id } = server.ctx.db.get<{ id: number }>("SELECT id FROM sessions")!;
    const bob = new Visitor(server);
    await bob.signIn("bob");
    const { csrf } = (await bob.get(PAGE)).forms[0]!.fields;
    await bob.post(`${PAGE}/sign-out`, { csrf, id: String(id) });
    expect(await visitor.signedInAs()).toBe("alice");
  });

  test("are listed while they are signed in, without those of other users", async () => {
    await server.person("bob");
    await new Visitor(server).signIn("bob");
    await new Visitor(server).signIn("alice");
    server.clock.advance(366 * 24 * HOUR);
    await visitor.signIn("alice");
    const { text } = await visitor.get(PAGE);
    expect(text.split("Signed in on")).toHaveLength(2);
    expect(text).not.toMatch(/other/);
  });
});

test("the page of apps is also in German and French", async () => {
  authorizeApp("Phanpy", "alice", "read");
  await visitor.signIn("alice");
  expect((await visitor.get(`${PAGE}?lang=de`)).text).toContain("Apps und Browser");
  expect((await visitor.get(`${PAGE}?lang=fr`)).text).toContain("Applications et navigateurs");
});
