import { expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";

const { server } = serverForAllTests();

const OOB = "urn:ietf:wg:oauth:2.0:oob";

function register(body: object) {
  return server.stranger().post("/api/v1/apps", { client_name: "Test", redirect_uris: OOB, ...body });
}

test("an app registers with JSON and receives its credentials", async () => {
  const { status, json } = await register({
    client_name: " Tusky ",
    website: "https://tusky.app",
    scopes: "read write",
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    name: "Tusky",
    website: "https://tusky.app",
    scopes: ["read", "write"],
    redirect_uri: OOB,
    redirect_uris: [OOB],
    client_secret_expires_at: 0,
  });
  expect(json.id).toMatch(/^\d+$/);
  expect([json.client_id.length, json.client_secret.length]).toEqual([43, 43]);
  expect(json.vapid_key).toMatch(/^[\w-]{87}$/);
});

test("an app registers with a form", async () => {
  const form = new URLSearchParams({
    client_name: "Phanpy",
    redirect_uris: "https://phanpy.social",
    scopes: "read push",
  });
  const { status, json } = await server.stranger().post("/api/v1/apps", form);
  expect([status, json.redirect_uris, json.scopes, json.website]).toEqual([
    200,
    ["https://phanpy.social"],
    ["read", "push"],
    null,
  ]);
});

test.each([
  "icecubesapp://",
  "com.tapbots.Ivory.10217:/request_token/6A1F2C5B-0D6A-4E5B-9A0B-1B8E2A7C9D10",
  "tuba://auth_code",
  "http://localhost:5173/callback?server=a",
  "https://elk.zone/api/example.org/oauth/https%3A%2F%2Felk.zone",
])("the redirect URI %p of a real app is stored unchanged", async (uri) => {
  const { status, json } = await register({ redirect_uris: uri });
  expect([status, json.redirect_uri, json.redirect_uris]).toEqual([200, uri, [uri]]);
});

test("several redirect URIs may be an array, lines, or separated by spaces", async () => {
  const uris = ["https://a.example/cb", OOB, "tuba://auth_code"];
  for (const redirect_uris of [uris, uris.join("\n"), ` ${uris.join("  ")}\r\n`]) {
    const { json } = await register({ redirect_uris });
    expect([json.redirect_uris, json.redirect_uri]).toEqual([uris, uris.join("\n")]);
  }
  const form = new URLSearchParams(uris.map((uri) => ["redirect_uris[]", uri]));
  form.set("client_name", "Form");
  expect((await server.stranger().post("/api/v1/apps", form)).json.redirect_uris).toEqual(uris);
});

test.each([
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "data:text/html,hello",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://a.example/1",
  "/callback",
  "callback",
  "https:callback",
  "https://",
  "https://user:secret@a.example/cb",
  "https://a.example/\u0007cb",
  "https://a.example/<script>",
  "https://münchen.example/cb",
  "https://x;frame-ancestors/cb",
  "https://x,script-src/cb",
  "https://x'none'/cb",
  "https://*/cb",
  "https://a.example;report-uri:1/cb",
])("the redirect URI %p is refused", async (uri) => {
  const { status, json } = await register({ redirect_uris: [OOB, uri] });
  expect([status, json.error]).toEqual([422, "Validation failed: Redirect URI must be an absolute URI."]);
});

test("a redirect URI with a fragment is refused", async () => {
  const { status, json } = await register({ redirect_uris: "https://a.example/#cb" });
  expect([status, json.error]).toEqual([422, "Validation failed: Redirect URI cannot contain a fragment."]);
});

test("an app that registers no scopes gets read", async () => {
  for (const scopes of [undefined, null, "", "  "]) expect((await register({ scopes })).json.scopes).toEqual(["read"]);
});

test("an unknown scope is refused", async () => {
  const { status, json } = await register({ scopes: "read everything" });
  expect([status, json.error]).toEqual([422, "Validation failed: Scopes doesn't match configured on the server."]);
});

test.each([
  ["no name", { client_name: undefined }, "Client name can't be blank"],
  ["no redirect URI", { redirect_uris: undefined }, "Redirect uris can't be blank"],
  ["blank redirect URIs", { redirect_uris: [" "] }, "Redirect uris can't be blank"],
  ["a name of 10,000 characters", { client_name: "n".repeat(10_000) }, "Client name is too long"],
  ["a name of 61 characters", { client_name: "n".repeat(61) }, "Application name is too long"],
  ["an invisible name", { client_name: "\u202e\u0007" }, "Application name can't be blank"],
  ["an invalid website", { website: "javascript:alert(1)" }, "Website must be a valid URL"],
  [
    "too many redirect URIs",
    { redirect_uris: Array.from({ length: 200 }, (_, i) => `app${i}://callback`) },
    "Redirect ",
  ],
])("%s is refused with a message", async (_, body, words) => {
  const { status, json } = await register(body);
  expect(status).toBe(422);
  expect(json.error).toStartWith(`Validation failed: ${words}`);
});

test("direction marks are removed from an app's name", async () => {
  expect((await register({ client_name: "Good\u202eppA" })).json.name).toBe("GoodppA");
});

test("any valid token identifies its app", async () => {
  const alone = await server.stranger().get("/api/v1/apps/verify_credentials", {
    headers: { authorization: `Bearer ${server.token(null, "push")}` },
  });
  expect([alone.status, alone.json.name, alone.json.scopes]).toEqual([200, "Test", ["push"]]);
  expect(alone.json).not.toContainKeys(["client_secret", "client_id"]);
  const person = await server.person("verifier", { scopes: "write" });
  const { status, json } = await person.get("/api/v1/apps/verify_credentials");
  expect([status, json.redirect_uris, json.vapid_key.length]).toEqual([200, [OOB], 87]);
});

test.each([
  ["no token", undefined],
  ["an unknown token", "Bearer nonsense"],
  ["another authorization scheme", "Basic YTpi"],
])("%s is refused when verifying an app", async (_, authorization) => {
  const headers = new Headers(authorization ? { authorization } : {});
  const { status, json } = await server.stranger().get("/api/v1/apps/verify_credentials", { headers });
  expect([status, json.error]).toEqual([401, "The access token is invalid"]);
});

test.each(["Bearer nonsense", "Bearer (null)", "Bearer", "Basic YTpi"])(
  "an app that sends %p before it has a token can register and read public data",
  async (authorization) => {
    const stranger = server.stranger();
    const init = { headers: { authorization } };
    const app = { client_name: "Early", redirect_uris: OOB };
    expect((await stranger.post("/api/v1/apps", app, init)).status).toBe(200);
    for (const path of ["/api/v1/instance", "/api/v2/instance", "/nodeinfo/2.0", "/health"]) {
      expect((await stranger.get(path, init)).status).toBe(200);
    }
  },
);

test("an app registered ten years ago still works", async () => {
  const { json: app } = await register({ client_name: "Old" });
  server.clock.advance(10 * 365 * 24 * 3600_000);
  await server.drain();
  const { status } = await server.stranger().post("/oauth/token", { grant_type: "client_credentials", ...app });
  expect(status).toBe(200);
});

test("the VAPID key is the same for every app", async () => {
  const keys = [(await register({})).json.vapid_key, (await register({})).json.vapid_key];
  expect(keys[0]).toBe(keys[1]);
  expect(Buffer.from(keys[0], "base64url")[0]).toBe(4);
});
