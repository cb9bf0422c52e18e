import { afterAll, beforeAll, beforeEach, describe, expect } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { mailLater } from "../../src/core/mail/mail-queue.ts";
import { createUser } from "../../src/core/people/users.ts";
import type { MailOrder } from "../../src/db/mail-order.ts";
import { Authenticator } from "../support/authenticator.ts";
import { IdentityProvider } from "../support/identity-provider.ts";
import { MailServer } from "../support/mail-server.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { Visitor } from "./visitor.ts";

const ORIGIN = "https://social.example";
const SECURITY = "/settings/security";
const OLD = "alice@mail.example";

let mail: MailServer;
let provider: IdentityProvider;
let server: TestServer;
let visitor: Visitor;
const lines: string[] = [];

beforeAll(async () => {
  mail = await MailServer.start();
  provider = await IdentityProvider.start();
  server = await startServer({ ...mail.settings(), ...provider.settings, LINNET_URL: ORIGIN });
  provider.clock = server.clock;
  await createUser(server.ctx, { username: "alice", email: OLD, password: "correct horse", locale: "de" });
  visitor = new Visitor(server, { "x-forwarded-for": "192.0.2.7", "accept-language": "en" });
  await visitor.signIn("alice");
  const write = (message: string, values: Record<string, string>) =>
    lines.push(message.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]!));
  Object.assign(server.ctx, { log: { ...server.ctx.log, info: write, warn: write } });
});
beforeEach(() => {
  lines.length = 0;
  mail.take();
  store(OLD);
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
  await provider.stop();
});

function store(email: string | null) {
  server.ctx.db.transaction((tx) =>
    tx.run("UPDATE users SET email = $email, unconfirmed_email = NULL, time_zone = 'Europe/Berlin'", { email }),
  );
}

async function press(path: string, label: string, fields = {}, action?: string) {
  await visitor.get(path);
  return visitor.press(label, fields, action);
}

async function turnCodesOn() {
  const { text } = await visitor.get(`${SECURITY}/codes`);
  const key = /type this key into the app: ([A-Z2-7 ]+) Then/.exec(text)![1]!;
  const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(" ", "")) });
  return visitor.press("Turn codes on", { code: app.generate({ timestamp: server.clock.now() }) });
}

async function addPasskey() {
  const { html } = await visitor.get(SECURITY);
  const options = /action="\/settings\/security\/passkeys" hidden data-passkey="([^"]*)"/.exec(html)![1]!;
  const passkey = new Authenticator(ORIGIN).create(JSON.parse(options.replaceAll("&quot;", '"')));
  return visitor.post(`${SECURITY}/passkeys`, { ...visitor.formTo(`${SECURITY}/passkeys`).fields, passkey });
}

async function removePasskey() {
  const { html } = await visitor.get(SECURITY);
  await visitor.get(/href="([^"]*passkeys\/remove[^"]*)"/.exec(html)![1]!);
  return visitor.press("Remove");
}

async function link() {
  const { headers } = await press(SECURITY, "Link Example");
  return visitor.get(provider.approve(headers.get("refresh")!.replace("0;url=", ""), { sub: "4711" }));
}

async function confirm() {
  await server.drain();
  const { pathname, search } = new URL(mail.received.find(({ to }) => to[0] === "new@mail.example")!.link);
  return press(pathname + search, "Yes, confirm it");
}

const PASSWORDS = { current_password: "correct horse", password: "battery staple" };

type Step = [change: string, subject: string, act: () => Promise<{ status: number }>];

const CHANGES: Record<string, Step[]> = {
  "the password": [["password", "Dein Passwort wurde geändert", () => press(SECURITY, "Change password", PASSWORDS)]],
  "one-time codes": [
    ["codes_on", "Einmalcodes wurden eingeschaltet", turnCodesOn],
    [
      "recovery_codes",
      "Du hast neue Wiederherstellungscodes",
      () => press(SECURITY, "Get new recovery codes", {}, `${SECURITY}/recovery-codes`),
    ],
    ["codes_off", "Einmalcodes wurden ausgeschaltet", () => press(`${SECURITY}/codes/off`, "Turn codes off")],
  ],
  "a passkey": [
    ["passkey_added", "Ein Passkey wurde hinzugefügt", addPasskey],
    ["passkey_removed", "Ein Passkey wurde entfernt", removePasskey],
  ],
  "an account of another service": [
    ["identity_linked", "Ein Konto wurde für die Anmeldung verknüpft", link],
    [
      "identity_unlinked",
      "Eine Verknüpfung wurde aufgehoben",
      () => press(SECURITY, "Unlink", {}, `${SECURITY}/identities/unlink`),
    ],
  ],
  "the e-mail address": [
    [
      "email",
      "Deine E-Mail-Adresse wird geändert",
      () => press("/settings/email", "Save", { email: "new@mail.example" }),
    ],
    ["email_confirmed", "Deine E-Mail-Adresse wurde geändert", confirm],
  ],
  "no e-mail address": [
    ["email_removed", "Deine E-Mail-Adresse wurde entfernt", () => press("/settings/email", "Save", { email: "" })],
  ],
};

describe("A change of how a user signs in", () => {
  inProcess.each(Object.entries(CHANGES))(
    "is a line of the log and an e-mail to the address until then: %s",
    async (_what, steps) => {
      for (const [change, , act] of steps) {
        expect((await act()).status).toBeLessThan(400);
        expect(lines.pop()).toBe(`Sign-in settings changed: address=192.0.2.7 user=alice change=${change}`);
        expect(lines).toEqual([]);
      }
      await server.drain();
      const received = mail.received.filter(({ to }) => to[0] !== "new@mail.example");
      expect(received).toMatchObject(steps.map(([, subject]) => ({ to: [OLD], subject: `${subject} · Linnet` })));
      const place = "Von der Adresse 192.0.2.7, am 21. November 2026 um 13:00 (Europe/Berlin).";
      for (const { text } of received) expect(text).toContain(place);
    },
  );

  inProcess("is an e-mail in English, with its date, to users of a language without a translation", async () => {
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET locale = 'ja'"));
    await turnCodesOn();
    await press(`${SECURITY}/codes/off`, "Turn codes off");
    await server.drain();
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET locale = 'de'"));
    expect(mail.received).toHaveLength(2);
    for (const { text } of mail.received) {
      expect(text).toMatch(/From the address 192.0.2.7, on November 21, 2026 at 1:00\sPM \(Europe\/Berlin\)\./);
    }
  });

  inProcess("that another version has enqueued as an e-mail of an unknown type is a warning", async () => {
    const order = { type: "password_changed", userId: 1, address: "192.0.2.7" } as unknown as MailOrder;
    server.ctx.db.transaction((tx) => mailLater(server.ctx, tx, order));
    await server.drain();
    expect(lines).toEqual(["an e-mail (password_changed) was not sent: this version does not know its type"]);
    expect(server.ctx.db.get("SELECT 1 FROM jobs WHERE kind = 'mail.send'")).toBeNull();
  });

  inProcess("is none if nothing changes", async () => {
    await visitor.get(SECURITY);
    const { csrf } = visitor.formTo(`${SECURITY}/password`).fields;
    for (const path of ["passkeys/remove", "codes/off", "identities/unlink"]) {
      expect((await visitor.post(`${SECURITY}/${path}`, { csrf, id: "1" })).status).toBe(303);
    }
    await press("/settings/email", "Save", { email: OLD });
    await server.drain();
    expect([lines, mail.received]).toEqual([[], []]);
  });

  inProcess("is only a line of the log for users without a confirmed address", async () => {
    store(null);
    await turnCodesOn();
    await press(`${SECURITY}/codes/off`, "Turn codes off");
    await server.drain();
    expect([lines.length, mail.received]).toEqual([2, []]);
  });
});
