import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { approveUser, findUser } from "../../src/core/people/users.ts";
import { translate } from "../../src/web/i18n/error-messages.ts";
import { Client, type Answer } from "../support/client.ts";
import { MailServer } from "../support/mail-server.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { Visitor } from "../web/visitor.ts";

const HOUR = 3600_000;
const CONFIRM = "/api/v1/emails/confirmations";
const CHECK = "/api/v1/emails/check_confirmation";

let mail: MailServer;
let server: TestServer;
let owner: Client;
let count = 0;

beforeAll(async () => {
  mail = await MailServer.start();
  server = await startServer({ ...mail.settings(), LINNET_REGISTRATIONS: "open" });
  owner = await server.person("owner");
});
beforeEach(() => {
  mail.refusal = null;
  mail.take();
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});

const of = ({ status, json }: Answer) => [status, json];

/** Signs up through an app with another name each time. */
async function signUp(where = server, locale = "en"): Promise<{ name: string; email: string; app: Client }> {
  const name = `user${(count += 1)}`;
  const email = `${name}@mail.example`;
  const app = new Client(where.origin, where.token(null, "read write"));
  const form = { username: name, email, password: "correct horse", agreement: true, locale, reason: "birds" };
  const { json } = await app.post("/api/v1/accounts", form);
  return { name, email, app: new Client(where.origin, json.access_token) };
}

/** Opens the link in the newest e-mail, and confirms. */
async function confirm(link = mail.received.at(-1)!.link): Promise<string> {
  const { pathname, search } = new URL(link);
  const visitor = new Visitor(server);
  const { status, text } = await visitor.get(`${pathname}${search}&lang=en`);
  return status === 200 ? (await visitor.press("Yes, confirm it")).text : text;
}

test("A sign-up is invisible and can do nothing until its address is confirmed with the link in an e-mail", async () => {
  const { name, email, app } = await signUp(server, "de");
  const { account_id } = findUser(server.ctx, name)!;
  expect(of(await app.get("/api/v1/accounts/verify_credentials"))).toEqual([
    403,
    { error: translate("Your login is missing a confirmed e-mail address", "de") },
  ]);
  expect(of(await app.get(CHECK))).toEqual([200, false]);
  expect((await owner.get(`/api/v1/accounts/${account_id}`)).status).toBe(404);
  const visitor = new Visitor(server);
  expect(await visitor.signIn(name)).toMatchObject({
    status: 403,
    text: expect.stringContaining("Confirm your e-mail"),
  });
  expect((await visitor.signIn(email)).status).toBe(422);

  await server.drain();
  const [sent] = mail.received;
  expect(sent).toMatchObject({ to: [email], subject: "Bestätige deine E-Mail-Adresse · Linnet" });
  expect(sent!.html).toContain(sent!.link);
  // Programs that check e-mails open their links.
  await fetch(sent!.link);
  expect(of(await app.get(CHECK))).toEqual([200, false]);

  expect(await confirm()).toContain("Your address is confirmed");
  expect(of(await app.get(CHECK))).toEqual([200, true]);
  expect((await app.get("/api/v1/accounts/verify_credentials")).json.username).toBe(name);
  expect((await owner.get(`/api/v1/accounts/${account_id}`)).status).toBe(200);
  expect((await visitor.signIn(email)).status).toBe(303);
  expect(await confirm(sent!.link)).toContain("This link is not valid");
});

test("The link is sent again when asked for, also to another address, which ends the first link", async () => {
  const { app, name } = await signUp();
  const { app: other, email: taken } = await signUp();
  await server.drain();
  const [first, second] = mail.take();
  expect(await confirm(second!.link)).toContain("is confirmed");
  expect(of(await app.post(CONFIRM, { email: taken }))).toEqual([
    422,
    expect.objectContaining({ error: "Validation failed: Email has already been taken" }),
  ]);
  expect((await app.post(CONFIRM, { email: "nonsense" })).status).toBe(422);
  expect(of(await app.post(CONFIRM, { email: `${name}@other.example` }))).toEqual([200, {}]);
  await server.drain();
  expect(mail.received.map(({ to }) => to)).toEqual([[`${name}@other.example`]]);
  expect(await confirm(first!.link)).toContain("This link is not valid");
  const token = new URL(first!.link).searchParams.get("token")!;
  expect((await new Visitor(server).post("/confirm-email", { token })).status).toBe(404);
  expect(await confirm()).toContain("is confirmed");
  const refused = { error: "This method is only available while the e-mail is awaiting confirmation" };
  for (const each of [app, other]) expect(of(await each.post(CONFIRM))).toEqual([403, refused]);
});

test("Nobody's mailbox is flooded: a user gets at most four links within an hour, and each expires after two days", async () => {
  const { app } = await signUp();
  for (let at = 0; at < 8; at++) {
    expect((await app.post(CONFIRM, at % 2 ? { email: `victim${at}@mail.example` } : {})).status).toBe(200);
    await server.drain();
  }
  const sent = mail.take();
  expect(sent).toHaveLength(4);
  server.clock.advance(HOUR);
  await app.post(CONFIRM);
  await server.drain();
  expect(mail.received).toHaveLength(1);
  server.clock.advance(47 * HOUR);
  expect(await confirm(sent[0]!.link)).toContain("This link is not valid");
  expect(await confirm()).toContain("is confirmed");
});

test("Of two sign-ups with the same address, the first to confirm gets it", async () => {
  const { app } = await signUp();
  const { app: rival, name } = await signUp();
  await server.drain();
  const [
    ,
    {
      to: [address],
    },
  ] = mail.take() as [unknown, { to: [string] }];
  await app.post(CONFIRM, { email: address });
  await server.drain();
  expect(await confirm()).toContain("is confirmed");
  await rival.post(CONFIRM);
  await server.drain();
  expect(await confirm()).toContain("This is already taken.");
  expect(findUser(server.ctx, name)).toMatchObject({ email: null, approved: 0 });
});

test("A sign-up that is not confirmed within a week is deleted, and its name is free again", async () => {
  const { name } = await signUp();
  const { name: approved } = await signUp();
  approveUser(server.ctx, findUser(server.ctx, approved)!.id);
  await server.cleanUpAfter(6 * 24 * HOUR);
  expect(findUser(server.ctx, name)).not.toBeNull();
  await server.cleanUpAfter(24 * HOUR + 1);
  expect(findUser(server.ctx, name)).toBeNull();
  expect(findUser(server.ctx, approved)).not.toBeNull();
  expect(server.ctx.db.all("SELECT * FROM email_tokens")).toEqual([]);
});

test("With approval by the owner, a confirmed sign-up still waits for that", async () => {
  const careful = await startServer({ ...mail.settings(), LINNET_REGISTRATIONS: "approval" });
  await careful.person("owner");
  const { app, name } = await signUp(careful);
  await careful.drain();
  const { search } = new URL(mail.received[0]!.link);
  const visitor = new Visitor(careful);
  await visitor.get(`/confirm-email${search}`);
  expect((await visitor.press("Yes, confirm it")).text).toContain("waiting for approval");
  const { status, json } = await app.get("/api/v1/accounts/verify_credentials");
  expect([status, json.error]).toEqual([403, "Your login is currently pending approval"]);
  approveUser(careful.ctx, findUser(careful.ctx, name)!.id);
  expect((await app.get("/api/v1/accounts/verify_credentials")).status).toBe(200);
  await careful.stop();
});
