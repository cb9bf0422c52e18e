import { beforeAll, beforeEach, expect, test } from "bun:test";
import { resetPassword } from "../../src/core/people/users.ts";
import { startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const { server } = serverForAllTests();
let visitor: Visitor;

const DAY = 24 * 3600_000;

beforeAll(async () => {
  await server.person("Alice");
  server.ctx.db.transaction((tx) => tx.run("UPDATE users SET email = 'alice@mail.example'"));
});
beforeEach(() => {
  visitor = new Visitor(server);
});

const signedInAs = (who = visitor) => who.signedInAs();

test.each([
  "Alice",
  "alice",
  " ALICE ",
  "@alice",
  "alice@localhost:3000",
  "@Alice@localhost:3000",
  "Alice@Mail.example",
])("%p signs in", async (login) => {
  const { status, location } = await visitor.signIn(login);
  expect([status, location]).toEqual([303, "/home"]);
  expect(await signedInAs()).toBe("Alice");
});

test.each([
  ["a wrong password", "alice", "wrong password"],
  ["an unknown name", "nobody", "correct horse"],
  ["no password", "alice", ""],
  ["a password of 10,000 characters", "alice", "x".repeat(10_000)],
  ["a name of 10,000 characters", "x".repeat(10_000), "correct horse"],
  ["empty fields", "", ""],
])("%s is refused with the same message beside the field", async (_, login, password) => {
  const { status, html, text } = await visitor.signIn(login, password);
  expect(status).toBe(422);
  expect(text).toContain("Wrong username or password.");
  expect(html).toMatch(/<input id="password"[^>]* aria-invalid="true"[^>]* aria-describedby="password-about"/);
  expect(html).toMatch(/<p class="error" id="password-about" role="alert">/);
  expect(html).not.toContain(`value="${password || "-"}"`);
  expect(await signedInAs()).toBeNull();
});

test("the form keeps the typed name, and prevents phones from changing it", async () => {
  const { html } = await visitor.signIn('al"ice<', "wrong password");
  expect(html).toContain('value="al&quot;ice&lt;"');
  expect(html).toMatch(/<input id="login"[^>]* autocomplete="username" autocapitalize="none" autocorrect="off"/);
  expect(html).toContain('autocomplete="current-password"');
});

test("the session cookie is hidden from scripts and other sites, and stored only as a hash", async () => {
  const { headers } = await visitor.signIn("alice");
  const cookie = headers.getSetCookie().find((line) => line.startsWith("linnet_session="))!;
  expect(cookie).toMatch(/^linnet_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/);
  const kept = JSON.stringify(server.ctx.db.all("SELECT * FROM sessions"));
  expect(kept).not.toContain(visitor.cookies.get("linnet_session")!);
});

test("on https the cookies are limited to this host and to encrypted connections", async () => {
  const safe = await startServer({ LINNET_URL: "https://social.example" });
  await safe.person("alice");
  const browser = new Visitor(safe);
  await browser.get("/sign-in");
  // The test uses plain HTTP, like the proxy in front of the server.
  const origin = { origin: "https://social.example" };
  const form = (await browser.get("/sign-in")).forms[0]!;
  const { headers } = await browser.post(
    "/sign-in",
    { ...form.fields, login: "alice", password: "correct horse" },
    origin,
  );
  const cookie = headers.getSetCookie().find((line) => line.startsWith("__Host-linnet_session="))!;
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000$/);
  const known = headers.getSetCookie().find((line) => line.startsWith("__Host-linnet_known_"))!;
  expect(known).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000$/);
  expect(await browser.signedInAs()).toBe("alice");
  await safe.stop();
});

test("signing in sets a second cookie, which survives signing out, to recognise the browser", async () => {
  const { headers } = await visitor.signIn("alice");
  const cookie = headers.getSetCookie().find((line) => line.startsWith("linnet_known_"))!;
  expect(cookie).toMatch(/^linnet_known_\d+=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/);
  await visitor.signOut();
  expect([...visitor.cookies.keys()]).toContain(cookie.split("=")[0]!);
});

test("signing in replaces a session that an attacker planted", async () => {
  const thief = new Visitor(server);
  await thief.signIn("alice");
  const laidIn = thief.cookies.get("linnet_session")!;
  visitor.cookies.set("linnet_session", laidIn);
  await visitor.signIn("alice");
  expect(visitor.cookies.get("linnet_session")).not.toBe(laidIn);
  expect(await signedInAs(thief)).toBeNull();
  expect(await signedInAs()).toBe("Alice");
});

test("an unknown session signs in no user", async () => {
  visitor.cookies.set("linnet_session", "nonsense");
  expect(await signedInAs()).toBeNull();
});

test("the sign-in form works only in the browser that loaded it", async () => {
  const { forms } = await visitor.get("/sign-in");
  const fields = { ...forms[0]!.fields, login: "alice", password: "correct horse" };
  const other = new Visitor(server);
  const without = await other.post("/sign-in", fields);
  expect([without.status, without.text]).toEqual([403, expect.stringContaining("Allow cookies")]);
  await other.get("/sign-in");
  expect((await other.post("/sign-in", fields)).status).toBe(403);
  const crossSite = { "sec-fetch-site": "cross-site" };
  expect((await visitor.post("/sign-in", fields, crossSite)).status).toBe(403);
  expect((await visitor.post("/sign-in", fields)).status).toBe(303);
});

test.each([
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "/%2F/..//evil.example",
  "/.//evil.example/",
  "/\t/evil.example",
  "javascript:alert(1)",
  "\r\n/oauth/authorize?x",
])("signing in never redirects to %p", async (return_to) => {
  await visitor.get("/sign-in");
  const { status, location } = await visitor.press("Sign in", { login: "alice", password: "correct horse", return_to });
  expect([status, location]).toEqual([303, "/home"]);
});

test("the parameters of an app's request are encoded in the redirect", async () => {
  await visitor.get("/sign-in");
  const return_to = "/oauth/authorize?state=é\r\nset-cookie: x=y&scope=read";
  const { location } = await visitor.press("Sign in", { login: "alice", password: "correct horse", return_to });
  expect(location).toBe("/oauth/authorize?state=%C3%A9%0D%0Aset-cookie%3A+x%3Dy&scope=read");
});

test("signing out ends the session, not only the cookie", async () => {
  await visitor.signIn("alice");
  const kept = visitor.cookies.get("linnet_session")!;
  expect((await visitor.signOut()).location).toBe("/");
  expect(visitor.cookies.has("linnet_session")).toBe(false);
  visitor.cookies.set("linnet_session", kept);
  expect(await signedInAs()).toBeNull();
});

test("another site can't sign a user out", async () => {
  await visitor.signIn("alice");
  const { forms } = await visitor.get("/settings");
  const { csrf } = forms.find(({ action }) => action === "/sign-out")!.fields;
  await visitor.post("/sign-out", {}, {});
  await visitor.post("/sign-out", { csrf: csrf! }, { "sec-fetch-site": "cross-site" });
  expect(await signedInAs()).toBe("Alice");
  expect((await visitor.get("/sign-out")).status).toBe(404);
});

test("a session lasts a year after its last use", async () => {
  await visitor.signIn("alice");
  for (const _ of [1, 2]) {
    server.clock.advance(300 * DAY);
    const { headers } = await visitor.get("/");
    expect(headers.getSetCookie().join()).toContain("Max-Age=31536000");
  }
  expect((await visitor.get("/")).headers.getSetCookie()).toEqual([]);
  server.clock.advance(366 * DAY);
  expect(await signedInAs()).toBeNull();
});

test("a new password ends all sessions", async () => {
  await visitor.signIn("alice");
  const { id } = server.ctx.db.get<{ id: number }>("SELECT id FROM users")!;
  await resetPassword(server.ctx, id, "correct horse");
  expect(await signedInAs()).toBeNull();
});

test("pages have their own rate limit, separate from the API's, and report it", async () => {
  const slow = await startServer({ LINNET_RATE_LIMITS: "pages=2/300,address=3/300" });
  const reader = new Visitor(slow);
  await reader.get("/");
  await reader.get("/");
  const { status, text, headers } = await reader.get("/");
  expect([status, headers.get("retry-after")]).toEqual([429, "300"]);
  expect(text).toContain("Too many requests from your network. Try again in 5 minutes.");
  const calls = [1, 2, 3, 4].map(() => slow.stranger().get("/api/v2/instance"));
  expect((await Promise.all(calls)).map((answer) => answer.status).toSorted()).toEqual([200, 200, 200, 429]);
  slow.clock.advance(300_000);
  expect((await reader.get("/")).status).toBe(200);
  await slow.stop();
});

test("a form that is too large or malformed is refused with a page", async () => {
  const large = await visitor.post("/sign-in", { login: "x".repeat(300_000) });
  expect([large.status, large.headers.get("content-type")]).toEqual([413, "text/html; charset=utf-8"]);
  const odd = await visitor.post("/sign-in", { "login[a]": "1", login: "2", "login[b]": "3" });
  expect([odd.status, odd.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
});
