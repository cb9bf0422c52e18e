import { beforeAll, expect, test } from "bun:test";
import { challengeOf } from "../../src/lib/secrets.ts";
import { giveCode } from "../../src/oauth/codes.ts";
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

/** The code that the page gives after "Allow". */
function code(more: { challenge?: string; scopes?: string; redirectUri?: string } = {}): string {
  return giveCode(server.ctx, {
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

/** An exchange with everything right, changed by `more`. */
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

async function worksAs(token: string): Promise<string | number> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, json } = await server.stranger().get("/api/v1/accounts/verify_credentials", { headers });
  return status === 200 ? json.username : status;
}

function expectRefusal(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.json.error]).toEqual([status, error]);
  expect(answer.json.error_description).toBeString();
  expect(answer.headers.get("cache-control")).toBe("no-store");
}

test("a code becomes a token with the scopes that were approved", async () => {
  const { status, json, headers } = await exchange();
  expect(status).toBe(200);
  expect(json).toEqual({
    access_token: expect.any(String),
    token_type: "Bearer",
    scope: "read write",
    created_at: Math.floor(server.clock.now() / 1000),
  });
  expect(headers.get("cache-control")).toBe("no-store");
  expect(await worksAs(json.access_token)).toBe("alice");
});

test("a code is exchanged with a form, and with parameters that nobody knows", async () => {
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

test("an app shows who it is in the Authorization header, in the body, or in both", async () => {
  const nobody = { client_id: undefined, client_secret: undefined };
  const right = basic(app.client_id, app.client_secret);
  const send = (more: object) =>
    ask({ grant_type: "authorization_code", redirect_uri: CALLBACK, code: code(), ...more }, right);
  expect((await send(nobody)).status).toBe(200);
  expect((await send({ client_id: app.client_id, client_secret: app.client_secret })).status).toBe(200);
  expect((await send({ client_id: app.client_id })).status).toBe(200);
});

test("an app that shows two identities is refused", async () => {
  const other = await register("read");
  const body = { grant_type: "client_credentials", client_id: other.client_id, client_secret: other.client_secret };
  expectRefusal(await ask(body, basic(app.client_id, app.client_secret)), 401, "invalid_client");
});

test.each([
  ["an unknown id", () => ({ client_id: "nobody" })],
  ["a wrong secret", () => ({ client_secret: "guess" })],
  ["no secret", () => ({ client_secret: undefined })],
  ["no id", () => ({ client_id: undefined })],
])("%s is refused with 401 invalid_client, so that apps register again", async (_, more) => {
  expectRefusal(await exchange(more()), 401, "invalid_client");
});

test("a wrong secret in the Authorization header is refused, and so is one that is cut short", async () => {
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

test("a code works once: the second time it is refused and the token it gave is taken back", async () => {
  const shown = code();
  const { json } = await exchange({ code: shown });
  expect(await worksAs(json.access_token)).toBe("alice");
  expectRefusal(await exchange({ code: shown }), 400, "invalid_grant");
  expect(await worksAs(json.access_token)).toBe(401);
});

test("a code works for ten minutes", async () => {
  const [early, late] = [code(), code()];
  server.clock.advance(10 * 60_000 - 1);
  expect((await exchange({ code: early })).status).toBe(200);
  server.clock.advance(1);
  expectRefusal(await exchange({ code: late }), 400, "invalid_grant");
});

test("a code works for the app it was given to, and another app's try doesn't spoil it", async () => {
  const thief = await register("read write");
  const shown = code();
  const identity = { client_id: thief.client_id, client_secret: thief.client_secret };
  expectRefusal(await exchange({ code: shown, ...identity }), 400, "invalid_grant");
  const { status, json } = await exchange({ code: shown });
  expect(status).toBe(200);
  expectRefusal(await exchange({ code: shown, ...identity }), 400, "invalid_grant");
  expect(await worksAs(json.access_token)).toBe("alice");
});

test("a code works with the redirect address it was given for", async () => {
  expectRefusal(await exchange({ redirect_uri: "icecubesapp://" }), 400, "invalid_grant");
  expectRefusal(await exchange({ redirect_uri: `${CALLBACK}/` }), 400, "invalid_grant");
  const { status } = await exchange({ code: code({ redirectUri: "icecubesapp://" }), redirect_uri: "icecubesapp://" });
  expect(status).toBe(200);
});

test("a code that nobody gave is refused", async () => {
  expectRefusal(await exchange({ code: "nonsense" }), 400, "invalid_grant");
});

test("with PKCE only the verifier behind the challenge opens the code", async () => {
  const challenge = challengeOf(VERIFIER);
  const shown = code({ challenge });
  expectRefusal(await exchange({ code: shown }), 400, "invalid_grant");
  expectRefusal(await exchange({ code: shown, code_verifier: `${VERIFIER}x` }), 400, "invalid_grant");
  expectRefusal(await exchange({ code: shown, code_verifier: challenge }), 400, "invalid_grant");
  expect((await exchange({ code: shown, code_verifier: VERIFIER })).status).toBe(200);
});

test("a verifier without a challenge is refused, since somebody has removed the challenge", async () => {
  expectRefusal(await exchange({ code_verifier: VERIFIER }), 400, "invalid_grant");
});

test.each(["grant_type", "code", "redirect_uri"])("without %s the request is refused by name", async (name) => {
  const answer = await exchange({ [name]: undefined });
  expectRefusal(answer, 400, "invalid_request");
  expect(answer.json.error_description).toContain(name);
});

test("another kind of grant is refused", async () => {
  expectRefusal(await exchange({ grant_type: "password" }), 400, "unsupported_grant_type");
});

test("a request that can't be read is refused in OAuth's words", async () => {
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

test("an app gets a token of its own, for reading unless it asks for more", async () => {
  const identity = { grant_type: "client_credentials", client_id: app.client_id, client_secret: app.client_secret };
  const { status, json } = await ask(identity);
  expect([status, json.scope]).toEqual([200, "read"]);
  expect((await ask({ ...identity, scope: "read:accounts write" })).json.scope).toBe("read:accounts write");
  expect(await worksAs(json.access_token)).toBe(422);
});

test("an app's own token holds no scope that it didn't register for", async () => {
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

test("an app gives its token back, and giving it back twice is no mistake", async () => {
  const { json } = await exchange();
  for (const _ of [1, 2]) {
    const answer = await revoke({ token: json.access_token });
    expect([answer.status, answer.json]).toEqual([200, {}]);
  }
  expect(await worksAs(json.access_token)).toBe(401);
});

test("another app's token can't be revoked", async () => {
  const { json } = await exchange();
  const other = await register("read");
  const identity = { client_id: other.client_id, client_secret: other.client_secret };
  expectRefusal(await revoke({ token: json.access_token, ...identity }), 403, "unauthorized_client");
  expect(await worksAs(json.access_token)).toBe("alice");
});

test("revoking nothing is refused, and so is an app that can't show who it is", async () => {
  expectRefusal(await revoke({}), 403, "unauthorized_client");
  expectRefusal(await revoke({ token: "x", client_secret: "guess" }), 401, "invalid_client");
});

test("revoking with a form and with the Authorization header works as well", async () => {
  const { json } = await exchange();
  const form = new URLSearchParams({ token: json.access_token });
  const headers = basic(app.client_id, app.client_secret);
  expect((await server.stranger().post("/oauth/revoke", form, { headers })).status).toBe(200);
  expect(await worksAs(json.access_token)).toBe(401);
});

test("a trailing slash makes no difference", async () => {
  const body = { grant_type: "client_credentials", client_id: app.client_id, client_secret: app.client_secret };
  expect((await server.stranger().post("/oauth/token/", body)).status).toBe(200);
  expect((await server.stranger().post("/oauth/revoke/", { ...body, token: "x" })).status).toBe(200);
  expect((await server.stranger().get("/.well-known/oauth-authorization-server/")).status).toBe(200);
});

test("the metadata tell apps where everything is and what is possible", async () => {
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

test("with the scope profile an app learns who somebody is, by either method, and nothing more", async () => {
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

test("userinfo needs the scope profile and a person", async () => {
  const get = (token: string) =>
    server.stranger().get("/oauth/userinfo", { headers: { authorization: `Bearer ${token}` } });
  const refused = await get(server.token(userId, "read"));
  expect([refused.status, refused.json.error]).toEqual([403, "This action is outside the authorized scopes"]);
  expect((await get(server.token(null, "profile"))).status).toBe(422);
  expect((await server.stranger().get("/oauth/userinfo")).status).toBe(401);
});

test("no secret is kept as it was given", async () => {
  const { json } = await exchange();
  const shown = code();
  const dump = server.ctx.db.all("SELECT * FROM oauth_tokens JOIN oauth_apps JOIN oauth_codes");
  const text = JSON.stringify(dump);
  for (const secret of [json.access_token, app.client_secret, shown]) expect(text).not.toContain(secret);
  expect(text).toContain(app.client_id);
});

test("whoever asks too often is told so", async () => {
  const busy = await startServer({ LINNET_RATE_LIMITS: "address=2/300" });
  const statuses = [];
  for (const _ of [1, 2, 3]) statuses.push((await busy.stranger().post("/oauth/token", {})).status);
  expect(statuses).toEqual([400, 400, 429]);
  await busy.stop();
});
