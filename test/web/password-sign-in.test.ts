import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createUser } from "../../src/core/people/users.ts";
import { refuseLockingOut } from "../../src/core/sign-in/identities.ts";
import { createSignInLink } from "../../src/core/sign-in/sign-in-links.ts";
import { IdentityProvider } from "../support/identity-provider.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { Visitor } from "./visitor.ts";

const SECURITY = "/settings/security";
let provider: IdentityProvider;
let server: TestServer;
let userId: number;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  server = await startServer({ ...provider.settings, LINNET_PASSWORD_SIGN_IN: "off" });
  ({ userId } = await createUser(server.ctx, { username: "alice", password: "correct horse" }));
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});

function link(issuer = provider.issuer, subject = "4711"): void {
  server.ctx.db.transaction((tx) =>
    tx.run(
      "INSERT INTO identities (user_id, issuer, subject, label, created_at) VALUES ($userId, $issuer, $subject, '', 0)",
      {
        userId,
        issuer,
        subject,
      },
    ),
  );
}
const unlinkAll = () => server.ctx.db.transaction((tx) => tx.run("DELETE FROM identities"));

/** A browser in which the user has signed in with a link of the administrator. */
async function withLink(): Promise<Visitor> {
  const visitor = new Visitor(server);
  const { search } = new URL(createSignInLink(server.ctx, userId));
  await visitor.get(`/sign-in/link${search}&lang=en`);
  expect((await visitor.press("Sign in")).location).toBe(SECURITY);
  return visitor;
}

describe("With LINNET_PASSWORD_SIGN_IN=off", () => {
  test("sensitive pages ask for a sign-in with the provider, and take no password", async () => {
    link();
    const visitor = await withLink();
    server.clock.advance(15 * 60_000);
    provider.clock = server.clock;
    const asked = await visitor.get(SECURITY);
    expect([asked.status, asked.html.includes('type="password"')]).toEqual([403, false]);
    const { csrf } = asked.forms[0]!.fields;
    const typed = { csrf, proof_csrf: csrf, proof: "correct horse", return_to: SECURITY };
    expect((await visitor.post("/settings/confirm", typed)).status).toBe(422);
    await visitor.get(SECURITY);
    const { headers } = await visitor.press("Sign in with Example");
    const back = await visitor.get(provider.approve(headers.get("refresh")!.slice("0;url=".length), { sub: "4711" }));
    expect(back.location).toBe(SECURITY);
    expect((await visitor.follow()).status).toBe(200);
    unlinkAll();
  });

  test("the sign-in page asks for no password, and none is accepted", async () => {
    const visitor = new Visitor(server);
    const { html, text } = await visitor.get("/sign-in?lang=en");
    expect([html.includes('type="password"'), text]).toEqual([
      false,
      expect.stringContaining("linnet user sign-in-link"),
    ]);
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)![1]!;
    const refused = await visitor.post("/sign-in", { csrf, login: "alice", password: "correct horse" });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining("nobody can sign in with a password"),
    ]);
    expect(visitor.cookies.has("linnet_session")).toBe(false);
    expect((await visitor.get("/password-reset")).status).toBe(404);
  });

  test("the server refuses to start unless an owner has another way to sign in", () => {
    unlinkAll();
    const start = () => refuseLockingOut(server.ctx);
    expect(start).toThrow("With LINNET_PASSWORD_SIGN_IN=off, no owner could sign in.");
    link("https://removed.example");
    expect(start).toThrow("no owner could sign in");
    link();
    expect(start).not.toThrow();
    for (const change of ["users SET role = 'admin'", "users SET disabled = 1", "accounts SET suspended_at = 1"]) {
      const { db } = server.ctx;
      expect(() =>
        db.transaction((tx) => {
          tx.run(`UPDATE ${change}`);
          start();
        }),
      ).toThrow("no owner could sign in");
    }
    unlinkAll();
    server.ctx.db.transaction((tx) =>
      tx.run(
        `INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, name, created_at)
         VALUES ($userId, 'x', 'x', 0, '[]', 'key', 0)`,
        { userId },
      ),
    );
    expect(start).not.toThrow();
    server.ctx.db.transaction((tx) => tx.run("DELETE FROM passkeys"));
  });

  test("the last linked account can't be unlinked, and the others can", async () => {
    unlinkAll();
    link();
    link(provider.issuer, "4712");
    const visitor = await withLink();
    await visitor.get(`${SECURITY}?lang=en`);
    expect((await visitor.press("Unlink")).location).toBe(`${SECURITY}?unlinked`);
    await visitor.get(`${SECURITY}?lang=en`);
    const { status, text } = await visitor.press("Unlink");
    expect([status, text]).toEqual([422, expect.stringContaining("This is your only way to sign in.")]);
    expect(server.ctx.db.all("SELECT id FROM identities")).toHaveLength(1);
  });
});

describe("A link of the administrator", () => {
  test("signs in once, and only after its page was confirmed", async () => {
    const { search } = new URL(createSignInLink(server.ctx, userId));
    const path = `/sign-in/link${search}&lang=en`;
    const [first, second] = [new Visitor(server), new Visitor(server)];
    for (const visitor of [first, second]) expect((await visitor.get(path)).text).toContain("Sign in as @alice?");
    expect((await first.press("Sign in")).location).toBe(SECURITY);
    expect((await second.press("Sign in")).status).toBe(404);
    expect((await first.get(path)).status).toBe(404);
  });

  test("expires after a quarter of an hour, and is of no use to a disabled user", async () => {
    const { search } = new URL(createSignInLink(server.ctx, userId));
    const visitor = new Visitor(server);
    await visitor.get(`/sign-in/link${search}&lang=en`);
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET disabled = 1"));
    expect((await visitor.press("Sign in")).status).toBe(403);
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET disabled = 0"));
    server.clock.advance(15 * 60_000);
    expect((await visitor.press("Sign in")).text).toContain("This link is not valid");
    expect(visitor.cookies.has("linnet_session")).toBe(false);
  });
});
