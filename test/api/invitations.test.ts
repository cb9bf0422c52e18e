import { beforeEach, describe, expect, test } from "bun:test";
import { createInvitation, revokeByCode, type NewInvitation } from "../../src/core/people/invitations.ts";
import { findUser, updateUser, type Role } from "../../src/core/people/users.ts";
import { Client, type Answer } from "../support/client.ts";
import { MailServer } from "../support/mail-server.ts";
import { act } from "../support/moderation.ts";
import { startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "../web/visitor.ts";

const HOUR = 3600_000;
const { server, alice } = serverForAllTests(["alice"]);
let app: Client;
let names = 0;

beforeEach(() => {
  app = new Client(server.origin, server.token(null, "read write follow"));
});

/** The code of an invitation by the owner. */
const invite = (limits: Partial<NewInvitation> = {}, by = alice): string =>
  createInvitation(server.ctx, Number(by.id), { maxUses: null, expiresAt: null, ...limits });

function register(code: string | undefined, more: object = {}): Promise<Answer> {
  const username = `guest${++names}`;
  const user = {
    username,
    email: `${username}@mail.example`,
    password: "correct horse",
    agreement: true,
    locale: "de",
  };
  return app.post("/api/v1/accounts", { ...user, invite_code: code, ...more });
}

const OVER = [403, "This invitation is no longer valid. Ask for a new one."];
const refusal = ({ status, json }: Answer) => [status, json.error];
const pageOf = (code: string) => new Visitor(server).get(`/invite/${code}?lang=en`);

describe("An invitation", () => {
  test("lets an app sign up while sign-ups are closed, without approval", async () => {
    expect((await register(undefined)).status).toBe(403);
    const { status, json } = await register(invite());
    expect(status).toBe(200);
    const guest = new Client(server.origin, json.access_token);
    expect((await guest.get("/api/v1/accounts/verify_credentials")).status).toBe(200);
  });

  test("works as often as it says, also for two at the same time", async () => {
    const code = invite({ maxUses: 2 });
    const wrong = await register(code, { email: "" });
    expect(wrong.status).toBe(422);
    const answers = await Promise.all([register(code), register(code), register(code)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 403]);
    expect(refusal(await register(code))).toEqual(OVER);
    expect((await pageOf(code)).status).toBe(410);
  });

  test.each([
    ["expired", () => invite({ expiresAt: server.clock.now() - HOUR })],
    ["used up", () => invite({ maxUses: 0 })],
    ["unknown", () => "unknown"],
    [
      "revoked",
      () => {
        const code = invite();
        revokeByCode(server.ctx, code);
        return code;
      },
    ],
  ])("that is %s is refused, by the API, by the page and as JSON", async (_, make) => {
    const code = make();
    expect(refusal(await register(code))).toEqual(OVER);
    expect(refusal(await register(code, { email: "" }))).toEqual(OVER);
    const { status, text } = await pageOf(code);
    expect([status, text]).toEqual([410, expect.stringContaining("This invitation is over")]);
    const headers = { accept: "application/json" };
    expect((await fetch(`${server.origin}/invite/${code}`, { headers })).status).toBe(401);
  });

  test("ends with the right of its user to invite, and to sign in", async () => {
    const mod = await server.person("mod", { role: "moderator" });
    const code = invite({}, mod);
    expect((await pageOf(code)).status).toBe(200);
    const role = (role: Role) => updateUser(server.ctx, findUser(server.ctx, "mod")!, { role });
    role("user");
    expect((await pageOf(code)).status).toBe(410);
    role("moderator");
    await act(server, "suspend", mod);
    expect((await pageOf(code)).status).toBe(410);
    const user = await server.person("plain", { role: "user" });
    expect(() => invite({}, user)).toThrow("not allowed");
  });

  test("is known to apps by its address", async () => {
    const code = invite();
    const headers = { accept: "application/json" };
    const answer = await fetch(`${server.origin}/invite/${code}`, { headers });
    const instance = `${server.ctx.config.origin}/api/v2/instance`;
    expect(await answer.json()).toEqual({ invite_code: code, instance_api_url: instance });
  });
});

describe("The page of an invitation", () => {
  test("signs a visitor up and in, and keeps what was typed", async () => {
    const visitor = new Visitor(server);
    const path = `/invite/${invite({ maxUses: 1 })}`;
    await visitor.get(`${path}?lang=en`);
    const typed = { username: "Dora", email: "dora@mail.example", password: "correct horse" };
    const refused = await visitor.press("Create my account", { ...typed, username: "alice" });
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining('id="username-about"')]);
    expect(refused.html).toContain('id="agreement-about"');
    expect(visitor.formTo(path).fields).toMatchObject({ username: "alice", email: "dora@mail.example" });
    const { location } = await visitor.press("Create my account", { ...typed, agreement: "1" });
    expect(location).toBe("/welcome");
    expect(await visitor.signedInAs()).toBe("Dora");
    expect((await pageOf(path.split("/").at(-1)!)).status).toBe(410);
  });

  test("asks for a confirmation of the address if the server sends e-mails, and then for no approval", async () => {
    const mail = await MailServer.start();
    const other = await startServer({ ...mail.settings(), LINNET_REGISTRATIONS: "approval" });
    const owner = await other.person("owner");
    const code = createInvitation(other.ctx, Number(owner.id), { maxUses: 1, expiresAt: null });
    const visitor = new Visitor(other);
    await visitor.get(`/invite/${code}?lang=en`);
    const typed = { username: "dora", email: "dora@mail.example", password: "correct horse", agreement: "1" };
    const { text } = await visitor.press("Create my account", typed);
    expect(text).toContain("We have sent a link to dora@mail.example.");
    expect(await visitor.signedInAs()).toBeNull();
    await other.drain();
    const { pathname, search } = new URL(mail.received.at(-1)!.link);
    await visitor.get(`${pathname}${search}&lang=en`);
    await visitor.press("Yes, confirm it");
    await visitor.signIn("dora");
    expect(await visitor.signedInAs()).toBe("dora");
    await other.stop();
    await mail.stop();
  });

  test("refuses a form that did not come from it", async () => {
    const code = invite();
    const fields = { username: "eve", email: "eve@mail.example", password: "correct horse", agreement: "1" };
    expect((await new Visitor(server).post(`/invite/${code}`, fields)).status).toBe(403);
    expect((await server.stranger().get("/api/v1/accounts/lookup?acct=eve")).status).toBe(404);
  });
});

test("the page for invitations creates and revokes links, for staff only", async () => {
  const path = "/settings/invitations";
  const visitor = new Visitor(server);
  await visitor.signIn("alice");
  await visitor.get(`${path}?lang=en`);
  await visitor.press("Create link", { uses: "5", expiry: "86400" });
  const { html, text } = await visitor.get(`${path}?lang=en`);
  const code = /\/invite\/([\w-]{16})</.exec(html)![1]!;
  expect(text).toContain("0 of 5 accounts · until");
  expect((await register(code)).status).toBe(200);
  expect((await visitor.get(`${path}?lang=en`)).text).toContain("1 of 5 accounts · until");
  await visitor.press("Revoke");
  expect((await visitor.get(`${path}?lang=en`)).text).toContain("1 of 5 accounts · revoked");
  expect(refusal(await register(code))).toEqual(OVER);
  await server.person("reader", { role: "user" });
  const reader = new Visitor(server);
  await reader.signIn("reader");
  expect((await reader.get(path)).status).toBe(404);
  expect((await reader.get("/settings")).html).not.toContain(path);
});
