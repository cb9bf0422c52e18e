import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createUser, findUser } from "../../src/core/people/users.ts";
import { MailServer } from "../support/mail-server.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const PATH = "/settings/email";
const PASSWORD = "correct horse";

describe("With a mail server, another address", () => {
  let mail: MailServer;
  let server: TestServer;
  let alice: Visitor;

  beforeAll(async () => {
    mail = await MailServer.start();
    server = await startServer(mail.settings());
    await createUser(server.ctx, { username: "alice", email: "alice@mail.example", password: PASSWORD });
    await createUser(server.ctx, { username: "bob", email: "bob@mail.example", password: PASSWORD });
    alice = new Visitor(server);
    await alice.signIn("alice");
  });
  beforeEach(() => {
    mail.take();
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE users SET email = 'alice@mail.example', unconfirmed_email = NULL, locale = 'en' WHERE id = 1"),
    );
  });
  afterAll(async () => {
    await server.stop();
    await mail.stop();
  });

  async function change(email: string) {
    await alice.get(PATH);
    const seen = await alice.press("Save", { email });
    await server.drain();
    return seen;
  }
  const addresses = () => {
    const { email, unconfirmed_email } = findUser(server.ctx, "alice")!;
    return [email, unconfirmed_email];
  };
  const linkTo = (to: string) => {
    const { pathname, search } = new URL(
      mail.received.findLast(({ link, ...each }) => each.to[0] === to && link)!.link,
    );
    return pathname + search;
  };

  test("counts when it is confirmed, and the previous one gets a notice at once", async () => {
    await change("new@mail.example");
    expect(addresses()).toEqual(["alice@mail.example", "new@mail.example"]);
    expect((await alice.get(PATH)).text).toContain("new@mail.example is not confirmed yet");
    const notice = mail.received.find(({ to }) => to[0] === "alice@mail.example");
    expect(notice).toMatchObject({ link: "", text: expect.stringContaining("is being changed to new@mail.example") });
    expect((await new Visitor(server).signIn("new@mail.example")).status).toBe(422);
    await alice.get(linkTo("new@mail.example"));
    expect((await alice.press("Yes, confirm it")).text).toContain("is confirmed");
    expect(addresses()).toEqual(["new@mail.example", null]);
    expect((await new Visitor(server).signIn("new@mail.example")).status).toBe(303);
    expect((await new Visitor(server).signIn("alice@mail.example")).status).toBe(422);
  });

  test("needs a recent proof of who the user is, and what was typed stays", async () => {
    await alice.get(PATH);
    server.clock.advance(16 * 60_000);
    const { text, forms } = await alice.press("Save", { email: "new@mail.example" });
    expect([text, addresses()]).toEqual([expect.stringContaining("Is it still you?"), ["alice@mail.example", null]]);
    expect(forms.find(({ action }) => action === PATH)!.fields["email"]).toBe("new@mail.example");
    await alice.press("Continue", { proof: PASSWORD });
    expect(addresses()).toEqual(["alice@mail.example", "new@mail.example"]);
    await server.drain();
  });

  test.each(["nonsense", "BOB@mail.example", "bob@localhost:3000"])("%p is refused beside its field", async (email) => {
    const { status, html } = await change(email);
    expect([status, html]).toEqual([422, expect.stringContaining('id="email-about" role="alert"')]);
    expect([addresses(), mail.received]).toEqual([["alice@mail.example", null], []]);
  });

  test("can be cancelled, which ends its link", async () => {
    await change("new@mail.example");
    await alice.get(PATH);
    await alice.press("Send it again");
    await server.drain();
    expect(mail.received.filter(({ link }) => link)).toHaveLength(2);
    await alice.get(PATH);
    await alice.press("Cancel the change");
    expect(addresses()).toEqual(["alice@mail.example", null]);
    expect((await alice.get(linkTo("new@mail.example"))).status).toBe(404);
  });

  test("ends the links that the previous one got", async () => {
    await alice.get("/password-reset");
    await alice.press("Send the link", { login: "alice" });
    await server.drain();
    const link = linkTo("alice@mail.example");
    await change("");
    expect(addresses()).toEqual([null, null]);
    expect((await alice.get(link)).status).toBe(404);
  });

  test("that is confirmed gets an e-mail about each sign-in from a new browser, and about no other", async () => {
    const browser = new Visitor(server, {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    });
    for (const _ of [1, 2]) await browser.signIn("alice");
    await server.drain();
    expect(mail.received).toMatchObject([{ to: ["alice@mail.example"], subject: "New sign-in · Linnet" }]);
    expect(mail.received[0]!.text).toContain("with Firefox on Linux, from the address 127.0.0.1.");
  });

  test("gets these e-mails in one language, with the date", async () => {
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET locale = 'es' WHERE id = 1"));
    await new Visitor(server, { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0" }).signIn("alice");
    await server.drain();
    expect(mail.received).toHaveLength(1);
    expect(mail.received[0]!.text).toMatch(/You signed in with [^]*\nNovember \d+, 2026 at [\d:]+\s[AP]M \(UTC\)\n/);
  });
});

describe("Without a mail server", () => {
  const { server } = serverForAllTests(["alice"]);

  test("the address changes at once, and the page says that no e-mails are sent", async () => {
    const visitor = new Visitor(server);
    await visitor.signIn("alice");
    expect((await visitor.get(PATH)).text).toContain("This server sends no e-mails.");
    await visitor.press("Save", { email: "alice@mail.example" });
    expect((await visitor.follow()).text).toContain("Saved.");
    expect(findUser(server.ctx, "alice")).toMatchObject({ email: "alice@mail.example", unconfirmed_email: null });
  });
});
