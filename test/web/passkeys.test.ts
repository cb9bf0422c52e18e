import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Authenticator } from "../support/authenticator.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor, type Seen } from "./visitor.ts";

const ORIGIN = "https://social.example";
const SECURITY = "/settings/security";
const PASSKEYS = `${SECURITY}/passkeys`;
const MINUTE = 60_000;
const { server } = serverForAllTests(["alice", "bob"], { LINNET_URL: ORIGIN });
const device = new Authenticator(ORIGIN);
let visitor: Visitor;
let recoveryCodes: string[];

beforeAll(async () => {
  const owner = new Visitor(server);
  await owner.signIn("alice");
  const seen = await addPasskey(owner, "My <b>phone</b>");
  recoveryCodes = [...seen.html.matchAll(/<code>([a-z\d-]{19})<\/code>/g)].map(([, code]) => code!);
});
beforeEach(() => {
  visitor = new Visitor(server);
});

/** The page's options for the browser's authenticator, by where its form leads. */
function optionsOf({ html }: Seen, action: string) {
  const form = new RegExp(`<form method="post" action="${action}" hidden data-passkey="([^"]*)"`).exec(html)!;
  return JSON.parse(form[1]!.replaceAll("&quot;", '"'));
}

async function addPasskey(browser: Visitor, name: string, authenticator = device): Promise<Seen> {
  const options = optionsOf(await browser.get(SECURITY), PASSKEYS);
  const { fields } = browser.formTo(PASSKEYS);
  return browser.post(PASSKEYS, { ...fields, name, passkey: authenticator.create(options) });
}

type Wrong = Parameters<Authenticator["get"]>[1];

/** Signs in with the passkey alone. */
async function signIn(wrong: Wrong = {}, authenticator = device): Promise<Seen> {
  const options = optionsOf(await visitor.get("/sign-in"), "/sign-in/passkey");
  return send("/sign-in/passkey", authenticator.get(options, wrong));
}

function send(action: string, passkey: string): Promise<Seen> {
  return visitor.post(action, { ...visitor.formTo(action).fields, passkey });
}

/** Removes the only passkey, on the page that asks whether to do so. */
async function removePasskey(visitor: Visitor): Promise<void> {
  const { html } = await visitor.get(SECURITY);
  await visitor.get(/href="([^"]*passkeys\/remove[^"]*)"/.exec(html)![1]!);
  await visitor.press("Remove");
}

describe("A passkey", () => {
  test("signs in without a name and without a second step, once for each page", async () => {
    const options = optionsOf(await visitor.get("/sign-in"), "/sign-in/passkey");
    expect(options).toMatchObject({ rpId: "social.example", userVerification: "required", allowCredentials: [] });
    const { fields } = visitor.formTo("/sign-in/passkey");
    const passkey = device.get(options);
    expect((await send("/sign-in/passkey", passkey)).location).toBe("/home");
    expect(await visitor.signedInAs()).toBe("alice");
    const again = await visitor.post("/sign-in/passkey", { ...fields, passkey });
    expect(again.status).not.toBe(303);
    visitor.cookies.delete("__Host-linnet_session");
    const replayed = await visitor.post("/sign-in/passkey", { ...fields, passkey });
    expect([replayed.status, replayed.text]).toEqual([422, expect.stringContaining("not accepted")]);
    expect(await visitor.signedInAs()).toBeNull();
  });

  test("without a counter, as on several devices, signs in once for each page, too", async () => {
    const synchronised = new Authenticator(ORIGIN);
    const bob = new Visitor(server);
    await bob.signIn("bob");
    await addPasskey(bob, "", synchronised);
    const options = optionsOf(await visitor.get("/sign-in"), "/sign-in/passkey");
    const { fields } = visitor.formTo("/sign-in/passkey");
    const passkey = synchronised.get(options, { counter: 0 });
    expect((await visitor.post("/sign-in/passkey", { ...fields, passkey })).status).toBe(303);
    visitor.cookies.delete("__Host-linnet_session");
    expect((await visitor.post("/sign-in/passkey", { ...fields, passkey })).status).toBe(422);
    visitor = new Visitor(server);
    expect((await signIn({ counter: 0 }, synchronised)).status).toBe(303);
    await removePasskey(bob);
  });

  test.each<[string, Wrong]>([
    ["for another origin", { origin: "https://evil.example" }],
    ["for another server", { rpId: "evil.example" }],
    ["for a subdomain", { origin: "https://a.social.example" }],
    ["without a check of its user", { isVerified: false }],
    ["with a counter that was seen before", { counter: 1 }],
    ["of another user", { userHandle: "Ym9i" }],
  ])("%s is refused", async (_, wrong) => {
    await signIn();
    visitor = new Visitor(server);
    const { status, text } = await signIn(wrong);
    expect([status, text]).toEqual([422, expect.stringContaining("The passkey was not accepted.")]);
    expect(await visitor.signedInAs()).toBeNull();
  });

  test("that nobody has added is refused", async () => {
    expect((await signIn({}, new Authenticator(ORIGIN))).status).toBe(422);
  });

  test.each(["", "x", "null", "[]", "{}", '{"id":{}}', '{"id":"a","rawId":"a","type":"public-key"}'])(
    "may send %p, and that is refused",
    async (passkey) => {
      await visitor.get("/sign-in");
      expect((await send("/sign-in/passkey", passkey)).status).toBe(422);
    },
  );

  test("is refused ten minutes after the page was opened, and the new page works", async () => {
    const options = optionsOf(await visitor.get("/sign-in"), "/sign-in/passkey");
    server.clock.advance(10 * MINUTE);
    const late = await send("/sign-in/passkey", device.get(options));
    expect([late.status, late.text]).toEqual([422, expect.stringContaining("open for too long")]);
    const passkey = device.get(optionsOf(late, "/sign-in/passkey"));
    expect((await send("/sign-in/passkey", passkey)).location).toBe("/home");
  });

  test("is refused if it answers another page, another browser or nobody's challenge", async () => {
    await visitor.signIn("alice");
    const step = optionsOf(await visitor.follow(), "/sign-in/second-step");
    const elsewhere = optionsOf(await new Visitor(server).get("/sign-in"), "/sign-in/passkey");
    await visitor.get("/sign-in");
    for (const challenge of [step.challenge, elsewhere.challenge, "AAAA", ""]) {
      const passkey = device.get({ challenge, rpId: "social.example" });
      expect((await send("/sign-in/passkey", passkey)).status).toBe(422);
      await visitor.get("/sign-in");
    }
  });

  test("is asked for after the password, where its user need not be checked again", async () => {
    const { location } = await visitor.signIn("alice");
    expect(location).toStartWith("/sign-in/second-step");
    const page = await visitor.follow();
    const options = optionsOf(page, "/sign-in/second-step");
    expect([options.allowCredentials.length, options.userVerification]).toEqual([1, "preferred"]);
    const stranger = new Authenticator(ORIGIN);
    expect((await send("/sign-in/second-step", stranger.get(options))).status).toBe(422);
    const passkey = device.get(options, { isVerified: false });
    expect((await send("/sign-in/second-step", passkey)).location).toBe("/home");
    expect(await visitor.signedInAs()).toBe("alice");
  });

  test("of another user is no second step", async () => {
    const bobs = new Authenticator(ORIGIN);
    const bob = new Visitor(server);
    await bob.signIn("bob");
    await addPasskey(bob, "", bobs);
    await visitor.signIn("alice");
    const options = optionsOf(await visitor.follow(), "/sign-in/second-step");
    expect((await send("/sign-in/second-step", bobs.get(options))).status).toBe(422);
    await removePasskey(bob);
    expect((await new Visitor(server).signIn("bob")).location).toBe("/home");
  });

  test("comes with recovery codes, which sign in without it", async () => {
    expect(recoveryCodes).toHaveLength(10);
    await visitor.signIn("alice");
    await visitor.follow();
    expect((await visitor.press("Sign in", { code: recoveryCodes[3]! })).location).toBe("/home");
  });

  test("proves to sensitive pages who the user is", async () => {
    await signIn();
    server.clock.advance(15 * MINUTE);
    const asked = await visitor.get(SECURITY);
    const passkey = device.get(optionsOf(asked, "/settings/confirm"));
    const { fields } = visitor.formTo("/settings/confirm");
    expect((await visitor.post("/settings/confirm", { ...fields, proof_passkey: passkey })).location).toBe(SECURITY);
    expect((await visitor.follow()).status).toBe(200);
  });

  test("can be renamed and removed by its user only, and added only once", async () => {
    await signIn();
    const { text, html } = await visitor.get(SECURITY);
    expect(text).toContain("My <b>phone</b> Added on");
    expect(optionsOf(await visitor.get(SECURITY), PASSKEYS).excludeCredentials).toHaveLength(1);
    expect(html).not.toContain("<b>phone");
    const { fields } = visitor.formTo(`${PASSKEYS}/rename`);
    await visitor.post(`${PASSKEYS}/rename`, { ...fields, name: " Old \u202Ephone " });
    expect((await visitor.follow()).text).toContain("Old phone Added on");

    const twice = await addPasskey(visitor, "again");
    expect([twice.status, twice.text]).toEqual([422, expect.stringContaining("No passkey was added.")]);

    const bob = new Visitor(server);
    await bob.signIn("bob");
    const { csrf } = (await bob.get(SECURITY)).forms.find(({ action }) => action === PASSKEYS)!.fields;
    await bob.post(`${PASSKEYS}/rename`, { csrf, id: fields["id"], name: "bob's" });
    await bob.post(`${PASSKEYS}/remove`, { csrf, id: fields["id"] });
    expect((await visitor.get(SECURITY)).text).toContain("Old phone Added on");

    const asked = await visitor.get(
      /href="([^"]*passkeys\/remove[^"]*)"/.exec((await visitor.get(SECURITY)).html)![1]!,
    );
    expect(asked.text).toMatch(/Remove the passkey “Old phone”\?.*such as your password, is enough to sign in/);
    expect((await visitor.get(SECURITY)).text).toContain("Old phone");
    await removePasskey(visitor);
    expect((await visitor.follow()).text).not.toContain("Old phone");
    expect(server.ctx.db.all("SELECT 1 FROM recovery_codes")).toEqual([]);
    expect((await new Visitor(server).signIn("alice")).location).toBe("/home");
    const back = await addPasskey(visitor, "back again");
    expect(back.html).toContain("<code>");
  });
});
