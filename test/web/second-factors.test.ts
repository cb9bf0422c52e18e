import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { resetPassword } from "../../src/core/people/users.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const SECURITY = "/settings/security";
const CODES = `${SECURITY}/codes`;
const MINUTE = 60_000;
const { server } = serverForAllTests(["alice"]);
let visitor: Visitor;
let totp: TOTP;
let recoveryCodes: string[];

beforeAll(async () => {
  const owner = new Visitor(server);
  await owner.signIn("alice");
  ({ totp, recoveryCodes } = await turnOn(owner));
});
beforeEach(() => {
  visitor = new Visitor(server);
  // Each test needs a code that was not used before.
  server.clock.advance(2 * MINUTE);
});

/** Sets up an authenticator app for the user of a browser. */
async function turnOn(browser: Visitor): Promise<{ totp: TOTP; recoveryCodes: string[] }> {
  const { text, html } = await browser.get(CODES);
  const key = /type this key into the app: ([A-Z2-7 ]+) Then/.exec(text)![1]!;
  const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(" ", "")) });
  expect(html).toMatch(/<svg class="qr" viewBox="0 0 \d+ \d+" role="img" aria-label="QR code/);
  expect((await browser.press("Turn codes on", { code: "000000" })).status).toBe(422);
  const { html: shown } = await browser.press("Turn codes on", { code: codeOf(app) });
  return { totp: app, recoveryCodes: [...shown.matchAll(/<code>([a-z\d-]{19})<\/code>/g)].map(([, code]) => code!) };
}

const codeOf = (app: TOTP, after = 0) => app.generate({ timestamp: server.clock.now() + after });

async function isSignedIn(browser = visitor): Promise<boolean> {
  return (await browser.signedInAs()) !== null;
}

/** Sends the password, and then a code. */
async function signInWith(code: string, browser = visitor) {
  await browser.signIn("alice");
  await browser.follow();
  return browser.press("Sign in", { code });
}

describe("With one-time codes", () => {
  test("the password leads to a second step, and only a code signs in", async () => {
    const { location } = await visitor.signIn("alice");
    expect(location).toStartWith("/sign-in/second-step?");
    expect(await isSignedIn()).toBe(false);
    await visitor.get(location!);
    const wrong = await visitor.press("Sign in", { code: "123456" });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("wrong or has already been used")]);
    expect((await visitor.press("Sign in", { code: ` ${codeOf(totp).replace(/(...)/, "$1 ")}` })).location).toBe(
      "/home",
    );
    expect(await isSignedIn()).toBe(true);
    const again = await visitor.get(location!);
    expect(again.location).toStartWith("/sign-in?expired=1");
  });

  test("a code works once, also in another browser, and earlier ones no more", async () => {
    const [earlier, code] = [codeOf(totp, -MINUTE / 2), codeOf(totp)];
    expect((await signInWith(code)).status).toBe(303);
    const thief = new Visitor(server);
    expect((await signInWith(code, thief)).status).toBe(422);
    expect((await signInWith(earlier, thief)).status).toBe(422);
    expect(await isSignedIn(thief)).toBe(false);
  });

  test("codes of the neighbouring half minutes are accepted, and no others", async () => {
    expect((await signInWith(codeOf(totp, -MINUTE))).status).toBe(422);
    expect((await signInWith(codeOf(totp, MINUTE))).status).toBe(422);
    expect((await signInWith(codeOf(totp, -MINUTE / 2))).status).toBe(303);
    server.clock.advance(2 * MINUTE);
    const other = new Visitor(server);
    expect((await signInWith(codeOf(totp, MINUTE / 2), other)).status).toBe(303);
  });

  test("a recovery code signs in once, however it is typed", async () => {
    expect(recoveryCodes).toHaveLength(10);
    const typed = recoveryCodes[0]!.toUpperCase().replaceAll("-", " ");
    expect((await signInWith(typed)).status).toBe(303);
    expect((await signInWith(typed, new Visitor(server))).status).toBe(422);
    await visitor.get(SECURITY);
    expect((await visitor.get(SECURITY)).text).toContain("9 codes left.");
  });

  test("the second step works only in the browser that sent the password, for ten minutes", async () => {
    const { location } = await visitor.signIn("alice");
    const stranger = new Visitor(server);
    expect((await stranger.get(location!)).location).toStartWith("/sign-in?expired=1");
    await visitor.get(location!);
    server.clock.advance(10 * MINUTE);
    const late = await visitor.press("Sign in", { code: codeOf(totp) });
    expect(late.location).toStartWith("/sign-in?expired=1");
    expect((await visitor.follow()).text).toContain("That took too long.");
    expect(await isSignedIn()).toBe(false);
  });

  test("a form of the second step that has expired can be sent again", async () => {
    await visitor.signIn("alice");
    await visitor.follow();
    const refused = await visitor.press("Sign in", { csrf: "old", code: codeOf(totp) });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("nothing was changed")]);
    expect((await visitor.press("Sign in", { code: codeOf(totp) })).status).toBe(303);
  });

  test("a form that sets up an app and has expired keeps its secret, which no other user can turn on", async () => {
    await server.person("bob");
    const bob = new Visitor(server);
    await bob.signIn("bob");
    const keyOf = (html: string) => /<output class="code">([^<]*)</.exec(html)![1]!;
    const key = keyOf((await bob.get(CODES)).html);
    const { fields } = bob.formTo(CODES);
    expect(keyOf((await bob.press("Turn codes on", { csrf: "old", code: "123456" })).html)).toBe(key);
    const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(" ", "")) });
    await signInWith(codeOf(totp));
    const { csrf } = (await visitor.get(CODES)).forms.find(({ action }) => action === CODES)!.fields;
    const stolen = await visitor.post(CODES, { csrf, secret: fields["secret"], code: codeOf(app) });
    expect([stolen.status, keyOf(stolen.html) === key]).toEqual([422, false]);
    expect((await bob.press("Turn codes on", { code: codeOf(app) })).text).toContain("Codes are on.");
  });

  test("turning them off is confirmed on a page, which says what follows", async () => {
    await server.person("carla");
    const carla = new Visitor(server);
    await carla.signIn("carla");
    await turnOn(carla);
    expect((await carla.get("/settings/security")).html).toContain(`href="${CODES}/off"`);
    const asked = await carla.get(`${CODES}/off`);
    expect(asked.text).toMatch(/Turn codes off\?.*such as your password, is enough to sign in/);
    expect((await new Visitor(server).signIn("carla")).location).toStartWith("/sign-in/second-step");
    expect((await carla.press("Turn codes off")).location).toContain("codesTurnedOff");
    expect((await new Visitor(server).signIn("carla")).location).toBe("/home");
  });

  test("an app's request goes on after the second step", async () => {
    const redirect_uri = "urn:ietf:wg:oauth:2.0:oob";
    const { json } = await server
      .stranger()
      .post("/api/v1/apps", { client_name: "Test", redirect_uris: [redirect_uri] });
    const query = new URLSearchParams({ response_type: "code", client_id: json.client_id, redirect_uri });
    await visitor.get(`/oauth/authorize?${query}&lang=en`);
    await visitor.press("Sign in", { login: "alice", password: "correct horse" });
    await visitor.follow();
    await visitor.press("Sign in", { code: "999999" });
    expect((await visitor.press("Sign in", { code: codeOf(totp) })).location).toStartWith("/oauth/authorize?");
    expect((await visitor.follow()).text).toContain("Allow Test to use your account?");
  });

  test("no app gets a token for a password", async () => {
    const { json } = await server.stranger().post("/api/v1/apps", {
      client_name: "Test",
      redirect_uris: ["urn:ietf:wg:oauth:2.0:oob"],
    });
    const { client_id, client_secret } = json;
    const grant = { grant_type: "password", username: "alice", password: "correct horse", client_id, client_secret };
    const answer = await server.stranger().post("/oauth/token", grant);
    expect([answer.status, answer.json.error]).toEqual([400, "unsupported_grant_type"]);
  });

  test("neither the database nor a page contains the secret or a recovery code", async () => {
    const kept = JSON.stringify([
      server.ctx.db.all("SELECT * FROM one_time_codes"),
      server.ctx.db.all("SELECT * FROM recovery_codes"),
    ]);
    await signInWith(codeOf(totp));
    const { html } = await visitor.get(SECURITY);
    for (const secret of [totp.secret.base32, ...recoveryCodes]) {
      expect(kept).not.toContain(secret);
      expect(html).not.toContain(secret);
    }
  });

  test("new recovery codes replace the old ones", async () => {
    await signInWith(codeOf(totp));
    await visitor.get(SECURITY);
    const { html } = await visitor.press("Get new recovery codes");
    const fresh = [...html.matchAll(/<code>([a-z\d-]{19})<\/code>/g)].map(([, code]) => code!);
    expect(fresh).toHaveLength(10);
    expect((await signInWith(recoveryCodes[5]!, new Visitor(server))).status).toBe(422);
    expect((await signInWith(fresh[9]!, new Visitor(server))).status).toBe(303);
  });
});

describe("A sensitive page", () => {
  const SCRIPT = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };

  beforeEach(async () => {
    await signInWith(codeOf(totp));
  });

  test("asks again after 15 minutes, and then leads on", async () => {
    expect((await visitor.get(SECURITY)).status).toBe(200);
    server.clock.advance(15 * MINUTE);
    const asked = await visitor.get(`${SECURITY}?lang=en`);
    expect([asked.status, asked.text]).toEqual([403, expect.stringContaining("Is it still you?")]);
    expect(asked.text).not.toContain("Authenticator app");
    expect((await visitor.press("Continue", { proof: "wrong password" })).text).toContain("That was not right.");
    expect((await visitor.press("Continue", { proof: "correct horse" })).location).toBe(`${SECURITY}?lang=en`);
    expect((await visitor.follow()).text).toContain("Authenticator app");
  });

  test("accepts a code instead of the password, once", async () => {
    server.clock.advance(15 * MINUTE);
    const code = codeOf(totp);
    await visitor.get(SECURITY);
    expect((await visitor.press("Continue", { proof: code })).status).toBe(303);
    server.clock.advance(15 * MINUTE);
    await visitor.get(SECURITY);
    expect((await visitor.press("Continue", { proof: code })).status).toBe(422);
  });

  test("keeps what a form says, except passwords, while it asks", async () => {
    await visitor.get(SECURITY);
    server.clock.advance(15 * MINUTE);
    const asked = await visitor.press("Change password", {
      current_password: "correct horse",
      password: "battery staple",
    });
    expect(asked.status).toBe(403);
    expect(asked.html).not.toContain("battery staple");
    const fields = { sign_out_others: "1" };
    expect(visitor.formTo(`${SECURITY}/password`).fields).toMatchObject(fields);
    const back = await visitor.press("Continue", { proof: "correct horse" });
    expect([back.status, back.text]).toEqual([422, expect.stringContaining("This is not your current password.")]);
  });

  test("answers no script, frame or other site, not even with a proof", async () => {
    const script = new Visitor(server, SCRIPT);
    const frame = new Visitor(server, { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" });
    const olderScript = new Visitor(server, { "sec-fetch-mode": "same-origin" });
    await visitor.get(SECURITY);
    const { fields } = visitor.formTo(`${SECURITY}/recovery-codes`);
    for (const other of [script, olderScript, frame]) {
      for (const [name, value] of visitor.cookies) other.cookies.set(name, value);
      const seen = await other.get(SECURITY);
      expect([seen.status, seen.text]).toEqual([400, expect.stringContaining("can't be used by scripts")]);
      expect((await other.post(`${SECURITY}/recovery-codes`, fields)).status).toBe(400);
    }
    const crossSite = { "sec-fetch-site": "cross-site" };
    expect((await visitor.post(`${SECURITY}/recovery-codes`, fields, crossSite)).status).toBe(403);
  });

  test("is not opened by a form of another session, nor by a proof that another site sends", async () => {
    server.clock.advance(15 * MINUTE);
    await visitor.get(SECURITY);
    const { fields } = visitor.formTo("/settings/confirm");
    const forged = { ...fields, proof: "correct horse", proof_csrf: "forged" };
    expect((await visitor.post("/settings/confirm", forged)).status).toBe(403);
    const sent = { ...fields, proof: "correct horse" };
    expect((await visitor.post("/settings/confirm", sent, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await visitor.get(SECURITY)).status).toBe(403);
  });

  test("asks even after a sign-in for an app", async () => {
    const browser = new Visitor(server);
    const { json } = await server
      .stranger()
      .post("/api/v1/apps", { client_name: "Web", redirect_uris: ["https://a.example"] });
    const query = new URLSearchParams({
      response_type: "code",
      client_id: json.client_id,
      redirect_uri: "https://a.example",
    });
    server.clock.advance(2 * MINUTE);
    await browser.get(`/oauth/authorize?${query}&lang=en`);
    await browser.press("Sign in", { login: "alice", password: "correct horse" });
    await browser.follow();
    await browser.press("Sign in", { code: codeOf(totp) });
    expect((await browser.get(SECURITY)).status).toBe(403);
  });
});

describe("A new password", () => {
  test("ends sign-ins that wait for their second step", async () => {
    const { location } = await visitor.signIn("alice");
    const { id } = server.ctx.db.get<{ id: number }>("SELECT id FROM users")!;
    await resetPassword(server.ctx, id, "correct horse");
    expect((await visitor.get(location!)).location).toStartWith("/sign-in?expired=1");
  });

  test("needs the old one, and signs out other browsers only if wanted", async () => {
    await signInWith(codeOf(totp));
    server.clock.advance(MINUTE);
    const other = new Visitor(server);
    await signInWith(codeOf(totp), other);
    await visitor.get(SECURITY);
    const fields = { current_password: "correct horse", password: "battery staple" };
    const wrong = await visitor.press("Change password", { ...fields, current_password: "wrong password" });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("not your current password")]);
    const short = await visitor.press("Change password", { ...fields, password: "short" });
    expect([short.status, short.text]).toEqual([422, expect.stringContaining("too short")]);
    const { location } = await visitor.press("Change password", { ...fields, sign_out_others: undefined });
    expect(location).toBe(`${SECURITY}?done=passwordChanged`);
    expect([await isSignedIn(), await isSignedIn(other)]).toEqual([true, true]);
    await visitor.get(SECURITY);
    await visitor.press("Change password", { current_password: "battery staple", password: "correct horse" });
    expect([await isSignedIn(), await isSignedIn(other)]).toEqual([true, false]);
  });
});
