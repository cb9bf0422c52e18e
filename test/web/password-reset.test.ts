import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createUser, findUser, resetPassword } from "../../src/core/people/users.ts";
import { Client } from "../support/client.ts";
import { MailServer } from "../support/mail-server.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { Visitor } from "./visitor.ts";

const HOUR = 3600_000;
const NEW = "a new password";

let mail: MailServer;
let server: TestServer;

beforeAll(async () => {
  mail = await MailServer.start();
});
beforeEach(async () => {
  mail.refusal = null;
  mail.take();
  server = await startServer(mail.settings());
  const alice = { username: "Alice", email: "alice@mail.example", password: "correct horse", locale: "fr" } as const;
  await createUser(server.ctx, alice);
});
afterEach(() => server.stop());
afterAll(() => mail.stop());

/** Asks for a new password on the page that the sign-in page leads to. */
async function ask(login: string, visitor = new Visitor(server)) {
  const { html } = await visitor.get("/sign-in?lang=en");
  await visitor.get(/href="(\/password-reset[^"]*)"/.exec(html)![1]!.replaceAll("&amp;", "&"));
  return visitor.press("Send the link", { login });
}

/** Opens the link in the only e-mail. */
async function open(visitor = new Visitor(server)) {
  expect(mail.received).toHaveLength(1);
  const { pathname, search } = new URL(mail.take()[0]!.link);
  const path = `${pathname}${search}&lang=en`;
  await visitor.get(path);
  return { path, visitor, set: (fields = {}) => visitor.press("Set the password", { password: NEW, ...fields }) };
}

const signsIn = async (password: string) => (await new Visitor(server).signIn("alice", password)).status === 303;

describe("A new password", () => {
  test.each(["alice", "@Alice@localhost:3000", "ALICE@mail.example"])("can be asked for as %p", async (login) => {
    await ask(login);
    await server.drain();
    expect(mail.received).toMatchObject([
      { to: ["alice@mail.example"], subject: "Choisissez un nouveau mot de passe · Linnet" },
    ]);
    const { set } = await open();
    expect((await set()).text).toContain("has been changed");
    expect([await signsIn("correct horse"), await signsIn(NEW)]).toEqual([false, true]);
    await server.drain();
    expect(mail.take().map(({ subject }) => subject)).toEqual(["Votre mot de passe a été modifié · Linnet"]);
  });

  test("gets the same response whether there is such a user or not, and the database the same write", async () => {
    const writes = () =>
      server.ctx.db.all<{ kind: string; lane: string }>("SELECT kind, lane, host FROM jobs WHERE kind = 'mail.send'");
    const seen = await Promise.all(["alice", "nobody", "nobody@mail.example", ""].map((login) => ask(login)));
    expect(new Set(seen.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(writes()).toHaveLength(4);
    expect(new Set(writes().map((row) => JSON.stringify(row))).size).toBe(1);
    await server.drain();
    expect(mail.received).toHaveLength(1);
  });

  test("works once, and ends the other links", async () => {
    await ask("alice");
    await server.drain();
    const first = await open();
    await ask("alice");
    await server.drain();
    const second = await open();
    expect((await second.set()).text).toContain("has been changed");
    expect((await first.set({ password: "third password" })).status).toBe(404);
    expect((await second.visitor.get(second.path)).text).toContain("This link is not valid");
    expect(await signsIn(NEW)).toBe(true);
  });

  test("must be set within an hour", async () => {
    await ask("alice");
    await server.drain();
    const link = await open();
    server.clock.advance(HOUR);
    expect((await link.set()).text).toContain("This link is not valid");
    expect(await signsIn("correct horse")).toBe(true);
  });

  test("that is too short is refused beside its field, and the link still works", async () => {
    await ask("alice");
    await server.drain();
    const { set } = await open();
    const { status, text, forms } = await set({ password: "short", sign_out: undefined });
    expect([status, text, forms[0]!.fields["sign_out"]]).toEqual([
      422,
      expect.stringContaining("This is too short. Use at least 8 characters."),
      undefined,
    ]);
    expect((await set()).status).toBe(200);
  });

  test.each([
    ["ends all sessions and the access of all apps", "1", [401, false]],
    ["leaves them alone if the user wants that", undefined, [200, true]],
  ] as const)("%s", async (_, choice, left) => {
    const browser = new Visitor(server);
    await browser.signIn("alice");
    const app = new Client(server.origin, server.token(findUser(server.ctx, "alice")!.id, "read"));
    await ask("alice");
    await server.drain();
    await (await open()).set({ sign_out: choice });
    const { status } = await app.get("/api/v1/accounts/verify_credentials");
    const { html } = await browser.get("/settings");
    expect([status, html.includes("/settings/profile")]).toEqual([...left]);
  });

  test("leaves the second factor, which is then asked for", async () => {
    server.ctx.db.transaction((tx) =>
      tx.run("INSERT INTO one_time_codes (user_id, sealed_secret, last_step, created_at) VALUES (1, '', 0, 0)"),
    );
    await ask("alice");
    await server.drain();
    await (await open()).set();
    const { location } = await new Visitor(server).signIn("alice", NEW);
    expect(location).toStartWith("/sign-in/second-step");
  });

  test("can't be set by another site that knows nothing of the link", async () => {
    const visitor = new Visitor(server);
    for (const token of ["", "x".repeat(43)]) {
      expect((await visitor.post("/password-reset/new", { token, password: NEW })).status).toBe(404);
    }
    await ask("alice");
    await server.drain();
    const { token } = Object.fromEntries(new URL(mail.received[0]!.link).searchParams) as { token: string };
    const crossSite = { "sec-fetch-site": "cross-site" };
    expect((await visitor.post("/password-reset/new", { token, password: NEW }, crossSite)).status).toBe(403);
    expect(await signsIn("correct horse")).toBe(true);
  });
});

describe("No e-mail is sent", () => {
  test.each([
    ["without an address", "UPDATE users SET email = NULL"],
    ["to an address that is not confirmed", "UPDATE users SET email = NULL, unconfirmed_email = 'alice@mail.example'"],
    ["to a disabled user", "UPDATE users SET disabled = 1"],
    ["to a pending user", "UPDATE users SET approved = 0"],
    ["to a suspended user", "UPDATE accounts SET suspended_at = 1"],
    ["to an address that isn't one", "UPDATE users SET email = 'alice,eve@mail.example'"],
  ])("%s", async (_, sql) => {
    server.ctx.db.transaction((tx) => tx.run(sql));
    expect((await ask("alice")).text).toContain("Check your e-mail");
    await server.drain();
    expect(mail.received).toEqual([]);
    expect(server.ctx.db.all("SELECT * FROM email_tokens")).toEqual([]);
  });

  test("more than four times in an hour, however often someone asks", async () => {
    for (const login of ["alice", "@alice", "Alice ", "alice@mail.example", "ALICE", "alice@localhost:3000"]) {
      await ask(login);
      await server.drain();
    }
    expect(mail.received).toHaveLength(4);
  });
});

test("Requests for new passwords are limited per IP address", async () => {
  const limited = await startServer({ ...mail.settings(), LINNET_RATE_LIMITS: "sign_in=2/300" });
  await limited.person("alice");
  const visitor = new Visitor(limited);
  for (const status of [200, 200, 429]) expect((await ask("alice", visitor)).status).toBe(status);
  await limited.stop();
});

describe("A mail server that", () => {
  const jobs = () =>
    server.ctx.db.all<{ attempts: number; error: string; payload: string }>("SELECT * FROM jobs WHERE lane = 'mail'");

  test("fails gets the e-mail later, with another link, and nothing of the first one is left", async () => {
    mail.refusal = { stage: "DATA", status: 451 };
    await ask("alice");
    await server.drain();
    expect(jobs()).toMatchObject([
      { attempts: 1, error: expect.stringMatching(/^the mail server 127.0.0.1:\d+ refused/) },
    ]);
    expect(server.ctx.db.all("SELECT * FROM email_tokens")).toEqual([]);
    mail.refusal = null;
    server.clock.advance(HOUR / 2);
    await server.drain();
    expect((await (await open()).set()).text).toContain("has been changed");
  });

  test("fails for longer than the link would work gets no e-mail any more", async () => {
    mail.refusal = { stage: "DATA", status: 451 };
    await ask("alice");
    await server.drain();
    mail.refusal = null;
    server.clock.advance(HOUR + 1);
    await server.drain();
    expect([mail.received, jobs()]).toEqual([[], []]);
  });

  test("refuses the recipient isn't asked again", async () => {
    mail.refusal = { stage: "RCPT", status: 550 };
    await ask("alice");
    await server.drain();
    expect(jobs()).toEqual([]);
    expect(server.ctx.db.all("SELECT * FROM email_tokens")).toEqual([]);
  });

  test("is down delays nothing but e-mails", async () => {
    await mail.stop();
    await ask("alice");
    await server.drain();
    expect(jobs()).toMatchObject([{ attempts: 1, error: expect.stringContaining("can't be reached") }]);
    mail = await MailServer.start();
  });
});

describe("The secret of a link", () => {
  test("can't be set by a link that is older than the password", async () => {
    await ask("alice");
    await server.drain();
    const { set } = await open();
    await resetPassword(server.ctx, findUser(server.ctx, "alice")!.id, "changed meanwhile");
    expect((await set()).status).not.toBe(200);
    expect([await signsIn(NEW), await signsIn("changed meanwhile")]).toEqual([false, true]);
  });

  inProcess("is neither logged nor stored", async () => {
    const lines: string[] = [];
    const write = (message: string, values: object) => lines.push(`${message} ${JSON.stringify(values)}`);
    Object.assign(server.ctx.log, { debug: write, info: write, warn: write, error: write });
    await ask("alice");
    await server.drain();
    const { token } = Object.fromEntries(new URL(mail.received[0]!.link).searchParams) as { token: string };
    const { set } = await open();
    const stored = Buffer.from(server.ctx.db.raw.serialize()).toString("latin1");
    await set();
    expect(token.length).toBeGreaterThan(40);
    expect([stored.includes(token), lines.join("\n").includes(token)]).toEqual([false, false]);
    expect(lines.join("\n")).not.toContain("alice@mail.example");
  });
});

test("Without a mail server, the page names the command that sets a new password", async () => {
  const silent = await startServer();
  const visitor = new Visitor(silent);
  expect((await visitor.get("/password-reset")).text).toContain("linnet user reset-password");
  expect((await visitor.post("/password-reset", { login: "alice" })).text).toContain("linnet user reset-password");
  expect((await visitor.get("/password-reset/new?token=x")).status).toBe(404);
  expect(silent.ctx.db.all("SELECT * FROM jobs WHERE lane = 'mail'")).toEqual([]);
  await silent.stop();
});
