import { beforeAll, expect, test } from "bun:test";
import { challengeOf } from "../../src/lib/secrets.ts";
import { issueCode } from "../../src/oauth/codes.ts";
import type { Answer, Json } from "../support/client.ts";
import { startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";

const { server } = serverForAllTests();
let app: Json;
let userId: number;

beforeAll(async () => {
  app = await register("read write follow push");
  await server.person("alice");
  userId = server.ctx.db.get<{ id: number }>("SELECT id FROM users")!.id;
});

const CALLBACK = "https://app.example/callback";
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

async function register(scopes: string): Promise<Json> {
  const body = { client_name: "App", redirect_uris: [CALLBACK, "icecubesapp://"], scopes };
  return (await server.stranger().post("/api/v1/apps", body)).json;
}

/** The authorization code that the page issues after "Allow". */
function code(more: { challenge?: string; scopes?: string; redirectUri?: string } = {}): string {
  return issueCode(server.ctx, {
    appId: Number(app.id),
    userId,
    redirectUri: more.redirectUri ?? CALLBACK,
    scopes: more.scopes ?? "read write",
    challenge: more.challenge ?? null,
  });
}

function ask(body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return server.stranger().post("/oauth/token", body, { headers });
}

/** Sends a valid exchange, changed by `more`. */
function exchange(more: object = {}): Promise<Answer> {
  return ask({
    grant_type: "authorization_code",
    client_id: app.client_id,
    client_secret: app.client_secret,
    redirect_uri: CALLBACK,
    code: code(),
    ...more,
  });
}

function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
}

async function userOf(token: string): Promise<string | number> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, json } = await server.stranger().get("/api/v1/accounts/verify_credentials", { headers });
  return status === 200 ? json.username : status;
}

function expectRefusal(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.json.error]).toEqual([status, error]);
  expect(answer.json.error_description).toBeString();
  expect(answer.headers.get("cache-control")).toBe("no-store");
}

test("a code is exchanged for a token with the approved scopes", async () => {
  const { status, json, headers } = await exchange();
  expect(status).toBe(200);
  expect(json).toEqual({
    access_token: expect.any(String),
    token_type: "Bearer",
    scope: "read write",
    created_at: Math.floor(server.clock.now() / 1000),
  });
  expect(headers.get("cache-control")).toBe("no-store");
  expect(await userOf(json.access_token)).toBe("alice");
});

test("a code can be exchanged with a form, and unknown parameters are ignored", async () => {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: app.client_id,
    client_secret: app.client_secret,
    redirect_uri: CALLBACK,
    code: code(),
    scope: "admin:write",
    device: "phone",
  });
  const { status, json } = await server.stranger().post("/oauth/token", form);
  expect([status, json.scope]).toEqual([200, "read write"]);
});

test("an app authenticates in the Authorization header, in the body, or in both", async () => {
  const none = { client_id: undefined, client_secret: undefined };
  const right = basic(app.client_id, app.client_secret);
  const send = (more: object) =>
    ask({ grant_type: "authorization_code", redirect_uri: CALLBACK, code: code(), ...more }, right);
  expect((await send(none)).status).toBe(200);
  expect((await send({ client_id: app.client_id, client_secret: app.client_secret })).status).toBe(200);
  expect((await send({ client_id: app.client_id })).status).toBe(200);
});

test("an app with different credentials in header and body is refused", async () => {
  const other = await register("read");
  const body = { grant_type: "client_credentials", client_id: other.client_id, client_secret: other.client_secret };
  expectRefusal(await ask(body, basic(app.client_id, app.client_secret)), 401, "invalid_client");
});

test.each([
  ["an unknown client_id", () => ({ client_id: "nobody" })],
  ["a wrong client_secret", () => ({ client_secret: "guess" })],
  ["no client_secret", () => ({ client_secret: undefined })],
  ["no client_id", () => ({ client_id: undefined })],
])("%s is refused with 401 invalid_client, so that apps register again", async (_, more) => {
  expectRefusal(await exchange(more()), 401, "invalid_client");
});

test("a wrong or malformed Authorization header is refused", async () => {
  for (const headers of [
    basic(app.client_id, "guess"),
    { authorization: "Basic %%%" },
    { authorization: "Basic YQ==" },
  ]) {
    expectRefusal(await ask({ grant_type: "client_credentials" }, headers), 401, "invalid_client");
  }
  const answer = await ask({ grant_type: "client_credentials" }, basic(app.client_id, "guess"));
  expect(answer.headers.get("www-authenticate")).toStartWith("Basic ");
  expect((await exchange({ client_secret: "guess" })).headers.get("www-authenticate")).toBeNull();
});

test("a code works once, and using it again revokes its token", async () => {
  const shown = code();
  const { json } = await exchange({ code: shown });
  expect(await userOf(json.access_token)).toBe("alice");
  expectRefusal(await exchange({ code: shown }), 400, "invalid_grant");
  expect(await userOf(json.access_token)).toBe(401);
});

test("a code expires after ten minutes", async () => {
  const [early, late] = [code(), code()];
  server.clock.advance(10 * 60_000 - 1);
  expect((await exchange({ code: early })).status).toBe(200);
  server.clock.advance(1);
  expectRefusal(await exchange({ code: late }), 400, "invalid_grant");
});

test("a code works only for its own app, and an attempt by another app doesn't invalidate it", async () => {
  const thief = await register("read write");
  const shown = code();
  const identity = { client_id: thief.client_id, client_secret: thief.client_secret };
  expectRefusal(await exchange({ code: shown, ...identity }), 400, "invalid_grant");
  const { status, json } = await exchange({ code: shown });
  expect(status).toBe(200);
  expectRefusal(await exchange({ code: shown, ...identity }), 400, "invalid_grant");
  expect(await userOf(json.access_token)).toBe("alice");
});

test("a code works only with the redirect URI of its request", async () => {
  expectRefusal(await exchange({ redirect_uri: "icecubesapp://" }), 400, "invalid_grant");
  expectRefusal(await exchange({ redirect_uri: `${CALLBACK}/` }), 400, "invalid_grant");
  const { status } = await exchange({ code: code({ redirectUri: "icecubesapp://" }), redirect_uri: "icecubesapp://" });
  expect(status).toBe(200);
});

test("an unknown code is refused", async () => {
  expectRefusal(await exchange({ code: "nonsense" }), 400, "invalid_grant");
});

test("with PKCE a code requires the verifier of its challenge", async () => {
  const challenge = challengeOf(VERIFIER);
  const shown = code({ challenge });
  expectRefusal(await exchange({ code: shown }), 400, "invalid_grant");
  expectRefusal(await exchange({ code: shown, code_verifier: `${VERIFIER}x` }), 400, "invalid_grant");
  expectRefusal(await exchange({ code: shown, code_verifier: challenge }), 400, "invalid_grant");
  expect((await exchange({ code: shown, code_verifier: VERIFIER })).status).toBe(200);
});

test("a verifier without a challenge is refused, because an attacker may have removed the challenge", async () => {
  expectRefusal(await exchange({ code_verifier: VERIFIER }), 400, "invalid_grant");
});

test.each(["grant_type", "code", "redirect_uri"])("a missing %s is named in the error", async (name) => {
  const answer = await exchange({ [name]: undefined });
  expectRefusal(answer, 400, "invalid_request");
  expect(answer.json.error_description).toContain(name);
});

test("another grant type is refused", async () => {
  expectRefusal(await exchange({ grant_type: "password" }), 400, "unsupported_grant_type");
});

test("a malformed request is refused with an OAuth error", async () => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.origin}/oauth/token`, { method: "POST", headers, body: "{" });
  expectRefusal(
    { status: response.status, headers: response.headers, json: await response.json() },
    400,
    "invalid_request",
  );
  expectRefusal(await exchange({ code: { nested: true } }), 400, "invalid_request");
  expectRefusal(await exchange({ code: "x".repeat(5000) }), 400, "invalid_request");
  expectRefusal(await exchange({ padding: "x".repeat(70_000) }), 400, "invalid_request");
});

test("an app token has the scope read by default", async () => {
  const identity = { grant_type: "client_credentials", client_id: app.client_id, client_secret: app.client_secret };
  const { status, json } = await ask(identity);
  expect([status, json.scope]).toEqual([200, "read"]);
  expect((await ask({ ...identity, scope: "read:accounts write" })).json.scope).toBe("read:accounts write");
  expect(await userOf(json.access_token)).toBe(422);
});

test("an app token can't have a scope that the app didn't register", async () => {
  const narrow = await register("write read:accounts");
  const identity = {
    grant_type: "client_credentials",
    client_id: narrow.client_id,
    client_secret: narrow.client_secret,
  };
  for (const scope of ["read", "admin:write", "write nonsense", undefined]) {
    expectRefusal(await ask({ ...identity, scope }), 400, "invalid_scope");
  }
  expect((await ask({ ...identity, scope: "write:statuses read:accounts" })).status).toBe(200);
});

function revoke(body: object): Promise<Answer> {
  return server
    .stranger()
    .post("/oauth/revoke", { client_id: app.client_id, client_secret: app.client_secret, ...body });
}

test("an app revokes its token, and revoking it again succeeds", async () => {
  const { json } = await exchange();
  for (const _ of [1, 2]) {
    const answer = await revoke({ token: json.access_token });
    expect([answer.status, answer.json]).toEqual([200, {}]);
  }
  expect(await userOf(json.access_token)).toBe(401);
});

test("another app's token can't be revoked", async () => {
  const { json } = await exchange();
  const other = await register("read");
  const identity = { client_id: other.client_id, client_secret: other.client_secret };
  expectRefusal(await revoke({ token: json.access_token, ...identity }), 403, "unauthorized_client");
  expect(await userOf(json.access_token)).toBe("alice");
});

test("revoking without a token or with wrong credentials is refused", async () => {
  expectRefusal(await revoke({}), 403, "unauthorized_client");
  expectRefusal(await revoke({ token: "x", client_secret: "guess" }), 401, "invalid_client");
});

test("revoking works with a form and with the Authorization header", async () => {
  const { json } = await exchange();
  const form = new URLSearchParams({ token: json.access_token });
  const headers = basic(app.client_id, app.client_secret);
  expect((await server.stranger().post("/oauth/revoke", form, { headers })).status).toBe(200);
  expect(await userOf(json.access_token)).toBe(401);
});

test("a trailing slash makes no difference", async () => {
  const body = { grant_type: "client_credentials", client_id: app.client_id, client_secret: app.client_secret };
  expect((await server.stranger().post("/oauth/token/", body)).status).toBe(200);
  expect((await server.stranger().post("/oauth/revoke/", { ...body, token: "x" })).status).toBe(200);
  expect((await server.stranger().get("/.well-known/oauth-authorization-server/")).status).toBe(200);
});

test("the metadata list the endpoints and capabilities", async () => {
  const { status, json } = await server.stranger().get("/.well-known/oauth-authorization-server");
  expect(status).toBe(200);
  expect(json).toMatchObject({
    issuer: `${server.origin}/`,
    service_documentation: "https://docs.joinmastodon.org/",
    authorization_endpoint: `${server.origin}/oauth/authorize`,
    token_endpoint: `${server.origin}/oauth/token`,
    app_registration_endpoint: `${server.origin}/api/v1/apps`,
    revocation_endpoint: `${server.origin}/oauth/revoke`,
    userinfo_endpoint: `${server.origin}/oauth/userinfo`,
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment", "form_post"],
    code_challenge_methods_supported: ["S256"],
    grant_types_supported: ["authorization_code", "client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  });
  for (const scope of ["read", "write:media", "follow", "push", "profile", "admin:write:reports"]) {
    expect(json.scopes_supported).toContain(scope);
  }
});

test("the scope profile gives access to userinfo with GET and POST, and to nothing else", async () => {
  const token = server.token(userId, "profile");
  const headers = { authorization: `Bearer ${token}` };
  for (const answer of [
    await server.stranger().get("/oauth/userinfo", { headers }),
    await server.stranger().post("/oauth/userinfo", undefined, { headers }),
  ]) {
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        iss: `${server.origin}/`,
        sub: expect.stringContaining("/users/alice"),
        name: "",
        preferred_username: "alice",
        profile: expect.stringContaining("/@alice"),
        picture: expect.stringContaining("missing.png"),
      },
    ]);
  }
  expect((await server.stranger().get("/api/v1/timelines/home", { headers })).status).toBe(403);
});

test("userinfo requires the scope profile and a user token", async () => {
  const get = (token: string) =>
    server.stranger().get("/oauth/userinfo", { headers: { authorization: `Bearer ${token}` } });
  const refused = await get(server.token(userId, "read"));
  expect([refused.status, refused.json.error]).toEqual([403, "This action is outside the authorized scopes"]);
  expect((await get(server.token(null, "profile"))).status).toBe(422);
  expect((await server.stranger().get("/oauth/userinfo")).status).toBe(401);
});

test("secrets are stored only as hashes", async () => {
  const { json } = await exchange();
  const shown = code();
  const dump = server.ctx.db.all("SELECT * FROM oauth_tokens JOIN oauth_apps JOIN oauth_codes");
  const text = JSON.stringify(dump);
  for (const secret of [json.access_token, app.client_secret, shown]) expect(text).not.toContain(secret);
  expect(text).toContain(app.client_id);
});

test("too many requests are refused with 429", async () => {
  const busy = await startServer({ LINNET_RATE_LIMITS: "address=2/300" });
  const statuses = [];
  for (const _ of [1, 2, 3]) statuses.push((await busy.stranger().post("/oauth/token", {})).status);
  expect(statuses).toEqual([400, 400, 429]);
  await busy.stop();
});
