import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { createUser } from "../../src/core/people/users.ts";
import { IdentityProvider, type Lies } from "../support/identity-provider.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { Visitor, type Seen } from "./visitor.ts";

const PASSWORD = "correct horse";
const SECURITY = "/settings/security";
const FAILED = "Signing in with Example didn’t work, so nothing was changed.";

let provider: IdentityProvider;
let server: TestServer;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  server = await startServer(provider.settings);
  provider.clock = server.clock;
  await createUser(server.ctx, { username: "alice", email: "alice@mail.example", password: PASSWORD });
  await createUser(server.ctx, { username: "bob", email: "bob@mail.example", password: PASSWORD });
});
beforeEach(() => {
  provider.lies = {};
  // A provider's metadata and keys are cached for an hour.
  server.clock.advance(3_600_000);
  server.ctx.db.transaction((tx) => {
    for (const table of ["identities", "provider_attempts", "sessions"]) tx.run(`DELETE FROM ${table}`);
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});

const rows = () =>
  server.ctx.db.all<{ user_id: number; subject: string; label: string }>(
    "SELECT user_id, subject, label FROM identities",
  );
const attempts = () => server.ctx.db.all("SELECT * FROM provider_attempts");
const signedInAs = async (visitor: Visitor) => /@(\w+)/.exec((await visitor.get("/settings/apps")).html)?.[1] ?? null;

/** The address to which a page leads by itself, and with its link. */
function away({ headers, html }: Seen): string {
  const [, url] = /^0;url=(.*)$/.exec(headers.get("refresh") ?? "") ?? [];
  if (url === undefined) throw new Error(`this leads nowhere: ${html}`);
  expect(html).toContain(`href="${url.replaceAll("&", "&amp;")}"`);
  return url;
}

/** Presses the button of a provider on the sign-in page, and returns where it leads. */
async function leave(visitor = new Visitor(server), name = "Example"): Promise<string> {
  await visitor.get("/sign-in?lang=en");
  return away(await visitor.press(`Sign in with ${name}`));
}

async function linked(sub: string, user = "alice", name = "Example", from = provider): Promise<Seen> {
  const visitor = new Visitor(server);
  await visitor.signIn(user);
  await visitor.get(SECURITY);
  return visitor.get(from.approve(away(await visitor.press(`Link ${name}`)), { sub, email: `${user}@id.example` }));
}

describe("An account of a provider", () => {
  test("signs in the user who has linked it, and nobody else", async () => {
    expect((await linked("4711")).location).toBe(`${SECURITY}?linked`);
    expect(rows()).toMatchObject([{ subject: "4711", label: "alice@id.example" }]);
    const visitor = new Visitor(server);
    expect(await visitor.get(provider.approve(await leave(visitor), { sub: "4711" }))).toMatchObject({
      location: "/home",
    });
    expect((await visitor.get("/")).html).toContain("/@alice");
    const stranger = new Visitor(server);
    const { status, text } = await stranger.get(provider.approve(await leave(stranger), { sub: "4712" }));
    expect([status, text]).toEqual([403, expect.stringContaining("isn’t linked to any account here")]);
    expect(rows()).toHaveLength(1);
  });

  test("is no proof for sensitive pages as long as there are passwords", async () => {
    await linked("4711");
    const visitor = new Visitor(server);
    await visitor.get(provider.approve(await leave(visitor), { sub: "4711" }));
    const asked = await visitor.get(SECURITY);
    expect([asked.status, asked.html.includes('type="password"')]).toEqual([403, true]);
    expect(asked.text).not.toContain("Sign in with Example");
  });

  test("leads back to the page that asked, and a second factor is asked for as usual", async () => {
    await linked("4711");
    server.ctx.db.transaction((tx) =>
      tx.run("INSERT INTO one_time_codes (user_id, sealed_secret, last_step, created_at) VALUES (1, '', 0, 0)"),
    );
    const visitor = new Visitor(server);
    await visitor.get("/settings/profile?lang=en");
    const url = away(await visitor.press("Sign in with Example"));
    const { location } = await visitor.get(provider.approve(url, { sub: "4711" }));
    expect(location).toStartWith("/sign-in/second-step?return_to=%2Fsettings%2Fprofile");
    expect(server.ctx.db.all("SELECT * FROM sessions WHERE user_id = 1")).toHaveLength(1);
    server.ctx.db.transaction((tx) => tx.run("DELETE FROM one_time_codes"));
    const again = new Visitor(server);
    await again.get("/settings/profile?lang=en");
    const back = provider.approve(away(await again.press("Sign in with Example")), { sub: "4711" });
    expect((await again.get(back)).location).toStartWith("/settings/profile");
  });

  test("with the e-mail address of a user, but another subject, signs in nobody", async () => {
    await linked("4711");
    const visitor = new Visitor(server);
    const back = provider.approve(await leave(visitor), { sub: "666", email: "alice@mail.example" });
    expect((await visitor.get(back)).status).toBe(403);
    expect(await signedInAs(visitor)).toBeNull();
  });

  test("can be linked to one user only, and be unlinked", async () => {
    await linked("4711");
    const { status, text } = await linked("4711", "bob");
    expect([status, text]).toEqual([403, expect.stringContaining("already linked to another user")]);
    expect(rows()).toMatchObject([{ label: "alice@id.example" }]);
    const bob = new Visitor(server);
    await bob.signIn("bob");
    await bob.get(SECURITY);
    const { id } = server.ctx.db.get<{ id: number }>("SELECT id FROM identities")!;
    const csrf = /name="csrf" value="([^"]+)"/.exec((await bob.get(SECURITY)).html)![1]!;
    await bob.post(`${SECURITY}/identities/unlink`, { csrf, id: String(id) });
    expect(rows()).toHaveLength(1);
    const alice = new Visitor(server);
    await alice.signIn("alice");
    expect((await alice.get(SECURITY)).text).toContain("alice@id.example Example Linked on");
    expect((await alice.press("Unlink")).location).toBe(`${SECURITY}?unlinked`);
    expect(rows()).toEqual([]);
    const visitor = new Visitor(server);
    expect((await visitor.get(provider.approve(await leave(visitor), { sub: "4711" }))).status).toBe(403);
  });

  test("of a user who may not sign in opens no session", async () => {
    await linked("4711");
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET disabled = 1 WHERE id = 1"));
    const visitor = new Visitor(server);
    const { status } = await visitor.get(provider.approve(await leave(visitor), { sub: "4711" }));
    expect([status, await signedInAs(visitor)]).toEqual([403, null]);
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET disabled = 0"));
  });

  test("can only be linked from the page itself, by a user who has proved who they are", async () => {
    const visitor = new Visitor(server);
    await visitor.signIn("alice");
    const { html } = await visitor.get(SECURITY);
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)![1]!;
    const path = `${SECURITY}/identities/link`;
    await visitor.post(path, { provider: "openid" });
    await visitor.post(path, { provider: "openid", csrf }, { "sec-fetch-site": "cross-site" });
    server.clock.advance(16 * 60_000);
    expect((await visitor.post(path, { provider: "openid", csrf })).text).toContain("Is it still you?");
    expect(attempts()).toEqual([]);
  });
});

describe("A return from the provider is refused", () => {
  beforeEach(() => linked("4711"));

  async function refusedFor(visitor: Visitor, path: string): Promise<void> {
    const { status, text } = await visitor.get(path);
    expect([status, text]).toEqual([403, expect.stringContaining(FAILED)]);
    expect([await signedInAs(visitor), attempts()]).toEqual([null, []]);
  }

  test("in another browser", async () => {
    const back = provider.approve(await leave(), { sub: "4711" });
    const victim = new Visitor(server);
    await victim.get("/sign-in");
    await refusedFor(victim, back);
  });

  test("the second time", async () => {
    const visitor = new Visitor(server);
    const back = provider.approve(await leave(visitor), { sub: "4711" });
    provider.lies = { acceptsAnything: true };
    expect((await visitor.get(back)).status).toBe(303);
    await visitor.get("/");
    visitor.cookies.delete("linnet_session");
    await refusedFor(visitor, back);
  });

  test("after ten minutes", async () => {
    const visitor = new Visitor(server);
    const back = provider.approve(await leave(visitor), { sub: "4711" });
    server.clock.advance(10 * 60_000);
    await refusedFor(visitor, back);
  });

  test.each(["state", "code"])("with another %s", async (name) => {
    const visitor = new Visitor(server);
    const back = provider.approve(await leave(visitor), { sub: "4711" });
    const { status, text } = await visitor.get(back.replace(new RegExp(`${name}=[^&]+`), `${name}=made-up`));
    expect([status, text]).toEqual([403, expect.stringContaining(FAILED)]);
    expect(await signedInAs(visitor)).toBeNull();
  });

  test("as another provider's", async () => {
    const visitor = new Visitor(server);
    const back = provider.approve(await leave(visitor), { sub: "4711" });
    await refusedFor(visitor, `${back}&iss=${encodeURIComponent("https://other.example")}`);
  });

  test("that only says that the user has cancelled, and the page says so", async () => {
    const visitor = new Visitor(server);
    const back = provider.approve(await leave(visitor), { sub: "4711" }).replace(/code=[^&]+/, "error=access_denied");
    expect((await visitor.get(back)).text).toContain("You didn’t sign in with Example.");
  });

  test("from a link that an attacker has begun, in the session of a user", async () => {
    const attacker = new Visitor(server);
    await attacker.signIn("bob");
    await attacker.get(SECURITY);
    const back = provider.approve(away(await attacker.press("Link Example")), { sub: "evil" });
    const alice = new Visitor(server);
    await alice.signIn("alice");
    expect((await alice.get(back)).status).toBe(403);
    expect(rows()).toMatchObject([{ subject: "4711" }]);
  });
});

describe("A provider that lies signs in nobody, and links nothing:", () => {
  const other = generateKeyPair("RS256");
  /** The same server by another name, which may not lead to a private address. */
  const internal = (issuer: string) => issuer.replace("id.example", "internal.example");
  const lies: [string, Lies][] = [
    ["another issuer", { claims: (claims) => ({ ...claims, iss: "https://other.example" }) }],
    ["another audience", { claims: (claims) => ({ ...claims, aud: "another client" }) }],
    [
      "several audiences and no authorized party",
      { claims: (claims) => ({ ...claims, aud: [String(claims.aud), "x"] }) },
    ],
    ["another authorized party", { claims: (claims) => ({ ...claims, azp: "another client" }) }],
    ["another nonce", { claims: (claims) => ({ ...claims, nonce: "old" }) }],
    ["no nonce", { claims: (claims) => ({ ...claims, nonce: undefined }) }],
    ["an expired token", { claims: (claims) => ({ ...claims, exp: claims.iat! - 61 }) }],
    ["no expiry", { claims: (claims) => ({ ...claims, exp: undefined }) }],
    ["an old token", { claims: (claims) => ({ ...claims, iat: claims.iat! - 3600 }) }],
    ["a token from the future", { claims: (claims) => ({ ...claims, iat: claims.iat! + 3600 }) }],
    ["no subject", { claims: (claims) => ({ ...claims, sub: undefined }) }],
    ["an empty subject", { claims: (claims) => ({ ...claims, sub: "" }) }],
    ["a subject that is too long", { claims: (claims) => ({ ...claims, sub: "4711".padEnd(256, "x") }) }],
    ["a subject of another type", { claims: (claims) => ({ ...claims, sub: ["4711"] as unknown as string }) }],
    ["no signature", { idToken: (claims) => new UnsecuredJWT(claims).encode() }],
    [
      "a signature with the client's secret",
      {
        idToken: (claims) =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: "HS256" })
            .sign(new TextEncoder().encode("s3cret: %".padEnd(32))),
      },
    ],
    [
      "the signature of another key",
      {
        idToken: async (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "1" }).sign((await other).privateKey),
      },
    ],
    [
      "an unknown key",
      {
        idToken: (claims, { privateKey }) =>
          new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "2" }).sign(privateKey),
      },
    ],
    ["a token that is none", { idToken: () => "e30.e30.e30" }],
    ["no token", { answers: { "/token": () => Response.json({ access_token: "x" }) } }],
    ["a response that isn't JSON", { answers: { "/token": () => new Response("<html>") } }],
    ["a response that is a list", { answers: { "/token": () => Response.json([]) } }],
    ["a response that is too large", { answers: { "/token": () => Response.json({ id_token: "x".repeat(300_000) }) } }],
    ["an error", { answers: { "/token": () => new Response(null, { status: 500 }) } }],
    ["a redirect", { answers: { "/token": () => Response.redirect("https://other.example") } }],
    ["no keys", { answers: { "/keys": () => Response.json({}) } }],
    [
      "keys that are none",
      { answers: { "/keys": () => Response.json({ keys: [null, { kty: "RSA", kid: "1", n: 1 }] }) } },
    ],
    ["keys on an internal host", { metadata: (issuer) => ({ jwks_uri: `${internal(issuer)}/keys` }) }],
    [
      "a token endpoint on an internal host",
      { metadata: (issuer) => ({ token_endpoint: `${internal(issuer)}/token` }) },
    ],
  ];

  test.each(lies)("%s", async (_, lie) => {
    server.ctx.db.transaction((tx) =>
      tx.run(
        "INSERT INTO identities (user_id, issuer, subject, label, created_at) VALUES (1, $issuer, '4711', '', 0)",
        {
          issuer: provider.issuer,
        },
      ),
    );
    provider.lies = lie;
    const visitor = new Visitor(server);
    const { status, text } = await visitor.get(provider.approve(await leave(visitor), { sub: "4711" }));
    expect([status, text]).toEqual([403, expect.stringContaining(FAILED)]);
    expect([await signedInAs(visitor), attempts()]).toEqual([null, []]);
    const refused = await linked("4712");
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining(FAILED)]);
    expect(rows()).toHaveLength(1);
  });

  test.each<[string, Lies]>([
    ["the metadata of another issuer", { metadata: () => ({ issuer: "https://other.example" }) }],
    ["metadata without addresses", { metadata: () => ({ authorization_endpoint: 1 }) }],
    ["an address that is no web address", { metadata: () => ({ authorization_endpoint: "javascript:alert(1)" }) }],
    ["an address with a password", { metadata: () => ({ token_endpoint: "http://a:b@id.example/token" }) }],
    ["no metadata", { answers: { "/.well-known/openid-configuration": () => new Response(null, { status: 404 }) } }],
  ])("%s", async (_, lie) => {
    provider.lies = lie;
    const visitor = new Visitor(server);
    await visitor.get("/sign-in?lang=en");
    const { status, text, headers } = await visitor.press("Sign in with Example");
    expect([status, text, headers.get("refresh")]).toEqual([403, expect.stringContaining(FAILED), null]);
  });
});

describe("A provider that does not respond", () => {
  inProcess.each(["/.well-known/openid-configuration", "/token", "/keys"])(
    "at %s costs no more than a while",
    async (path) => {
      const client = (server.ctx.providers[0] as unknown as { client: { timeout: number } }).client;
      client.timeout = 100;
      provider.lies = { answers: { [path]: null } };
      const visitor = new Visitor(server);
      await visitor.get("/sign-in?lang=en");
      const seen = await visitor.press("Sign in with Example");
      const last = path.includes("well-known")
        ? seen
        : await visitor.get(provider.approve(away(seen), { sub: "4711" }));
      expect([last.status, last.text]).toEqual([403, expect.stringContaining(FAILED)]);
      client.timeout = 8000;
    },
  );
});

test("a key that the provider has replaced is fetched again, at most once a minute", async () => {
  await linked("4711");
  const before = provider.asked.filter((path) => path === "/keys").length;
  provider.lies = {
    idToken: (claims) => new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "2" }).sign(provider.privateKey),
  };
  for (const more of [0, 0, 1]) {
    if (more) server.clock.advance(60_000);
    const visitor = new Visitor(server);
    await visitor.get(provider.approve(await leave(visitor), { sub: "4711" }));
    expect(provider.asked.filter((path) => path === "/keys")).toHaveLength(before + more);
  }
});

test("sign-ins with providers are limited per IP address", async () => {
  const limited = await startServer({ ...provider.settings, LINNET_RATE_LIMITS: "sign_in=2/300" });
  await limited.person("alice");
  const visitor = new Visitor(limited);
  for (const status of [200, 200, 429]) {
    await visitor.get("/sign-in?lang=en");
    expect((await visitor.press("Sign in with Example")).status).toBe(status);
  }
  await limited.stop();
});

describe("GitHub", () => {
  test("signs in a linked account, by its number and not by its name", async () => {
    const github = await startServer({ ...provider.settings, ...provider.gitHubSettings });
    const { userId } = await createUser(github.ctx, { username: "alice", password: PASSWORD });
    const visitor = new Visitor(github);
    await visitor.signIn("alice");
    await visitor.get(SECURITY);
    await visitor.get(provider.approve(away(await visitor.press("Link GitHub")), { sub: "42" }));
    expect(github.ctx.db.all("SELECT user_id, subject, label FROM identities")).toEqual([
      { user_id: userId, subject: "42", label: "user42" },
    ]);
    for (const [sub, status] of [
      ["42", 303],
      ["43", 403],
    ] as const) {
      const other = new Visitor(github);
      await other.get("/sign-in?lang=en");
      const back = provider.approve(away(await other.press("Sign in with GitHub")), { sub });
      expect((await other.get(back)).status).toBe(status);
    }
    // Even if the provider checks nothing, its state counts in one browser, and for one provider.
    provider.lies = { acceptsAnything: true };
    const [one, two] = [new Visitor(github), new Visitor(github)];
    for (const [visitor, name] of [
      [one, "GitHub"],
      [two, "Example"],
    ] as const) {
      await visitor.get("/sign-in?lang=en");
      const path = provider.approve(away(await visitor.press(`Sign in with ${name}`)), { sub: "42" });
      expect((await two.get(path.replace("/openid/", "/github/"))).status).toBe(403);
    }
    provider.lies = { answers: { "/api/v3/user": () => Response.json({ login: "user42" }) } };
    const nameless = new Visitor(github);
    await nameless.get("/sign-in?lang=en");
    const back = provider.approve(away(await nameless.press("Sign in with GitHub")), { sub: "42" });
    expect((await nameless.get(back)).text).toContain("Signing in with GitHub didn’t work");
    await github.stop();
  });
});
