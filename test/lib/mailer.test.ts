import type { Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { parseMailbox, parseMailServer } from "../../src/lib/mail/mail-server.ts";
import { MailError, Mailer } from "../../src/lib/mail/mailer.ts";
import { MailServer, rawMailServer } from "../support/mail-server.ts";

const FROM = { name: "Zoë, of Linnet", address: "linnet@mail.example" };
const MAIL = {
  to: "alice@mail.example",
  subject: "Grüße\r\nBcc: eve@mail.example",
  text: "Hallo.\n",
  html: "<p>Hallo.</p>",
};

const mailerFor = (url: string, timeout = 5000) =>
  new Mailer({ server: parseMailServer(url)!, from: FROM }, "social.example", timeout);

async function failure(mailer: Mailer, mail = MAIL): Promise<[string, string, string]> {
  const error = await mailer.send(mail).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MailError)) throw new Error(`no MailError: ${error}`);
  return [error.kind, error.message.replace(/127\.0\.0\.1:\d+/, "HOST"), error.response];
}

describe("The address of a mail server", () => {
  test.each([
    ["smtps://mail.example", { host: "mail.example", port: 465, encryption: "tls", login: null }],
    ["smtp://mail.example", { host: "mail.example", port: 587, encryption: "starttls", login: null }],
    ["smtp://mail.example:25/?tls=off", { host: "mail.example", port: 25, encryption: "none", login: null }],
    ["smtp://127.0.0.1:25", { host: "127.0.0.1", port: 25, encryption: "none", login: null }],
    ["smtp://[::1]", { host: "::1", port: 587, encryption: "none", login: null }],
    ["smtp://localhost.example", { host: "localhost.example", port: 587, encryption: "starttls", login: null }],
    [
      "smtps://me%40mail.example:p%2Fw%3A@mail.example:2465",
      { host: "mail.example", port: 2465, encryption: "tls", login: { user: "me@mail.example", password: "p/w:" } },
    ],
  ])("%s", (url, server) => {
    expect(parseMailServer(url)).toEqual(server as never);
  });

  test.each([
    "mail.example",
    "https://mail.example",
    "smtp://",
    "smtp://mail.example/path",
    "smtp://mail.example?tls=maybe",
    "smtps://mail.example?tls=off",
    "smtp://user@mail.example",
    "smtp://:password@mail.example",
    "smtp://user:%ff@mail.example",
  ])("%s is none", (url) => {
    expect(parseMailServer(url)).toBeNull();
  });
});

test.each([
  ["me@mail.example", { name: "", address: "me@mail.example" }],
  ["Me, too <me@mail.example>", { name: "Me, too", address: "me@mail.example" }],
  ['"Me" <me@mail.example>', { name: "Me", address: "me@mail.example" }],
  ["me@mail.example, you@mail.example", null],
  ["Me <me@mail.example> more", null],
  ["Me\n <me@mail.example>", null],
  ["me", null],
])("the sender %j is %j", (text, mailbox) => {
  expect(parseMailbox(text)).toEqual(mailbox);
});

describe("An e-mail", () => {
  let server: MailServer;
  let mailer: Mailer;

  beforeAll(async () => {
    server = await MailServer.start();
    mailer = mailerFor(server.settings().LINNET_SMTP_URL);
  });
  beforeEach(() => {
    server.refusal = null;
  });
  afterAll(() => server.stop());

  test("arrives as text and HTML, and no value can add a header or a recipient", async () => {
    await mailer.send(MAIL);
    const [mail] = server.take();
    expect(mail).toMatchObject({
      from: FROM.address,
      to: [MAIL.to],
      text: "Hallo.\n",
      html: "<p>Hallo.</p>\n",
      user: "",
    });
    expect(mail!.subject).toStartWith("Grüße");
    expect(mail!.headers.has("bcc")).toBe(false);
    expect(mail!.headers.has("x-mailer")).toBe(false);
    expect(mail!.headers.get("auto-submitted")).toBe("auto-generated");
    expect(mail!.headers.get("message-id")).toEndWith("@social.example>");
    for (const to of ["a@b.example>\r\nRCPT TO:<eve@mail.example", "a,eve@mail.example", "<eve@mail.example>"]) {
      expect(await failure(mailer, { ...MAIL, to })).toEqual([
        "rejected",
        "the recipient is not an e-mail address",
        "",
      ]);
    }
    expect(server.take()).toEqual([]);
  });

  test.each([
    ["MAIL", 550, "rejected", "the mail server HOST refused the sender or the recipient (550)"],
    ["RCPT", 550, "rejected", "the mail server HOST refused the sender or the recipient (550)"],
    ["RCPT", 451, "failed", "the mail server HOST refused the sender or the recipient (451)"],
    ["DATA", 554, "rejected", "the mail server HOST refused the e-mail (554)"],
    ["DATA", 452, "failed", "the mail server HOST refused the e-mail (452)"],
  ] as const)("refused at %s with %d is %s", async (stage, status, kind, message) => {
    server.refusal = { stage, status, text: `no\u202e\u001b[2J ${"x".repeat(1000)}` };
    const [found, said, response] = await failure(mailer);
    expect([found, said]).toEqual([kind, message]);
    expect(response).toMatch(/^\d{3} no +\[2J x+$/);
    expect(response.length).toBe(300);
  });

  test("ends when the server stops", async () => {
    const stopping = new AbortController();
    const sending = mailer.send(MAIL, stopping.signal).catch((error: MailError) => error.kind);
    stopping.abort();
    expect(await sending).toBe("failed");
  });
});

describe("A login", () => {
  let server: MailServer;

  beforeAll(async () => {
    server = await MailServer.start({ user: "linnet", password: "s3cret/" });
  });
  afterAll(() => server.stop());

  test("is used", async () => {
    await mailerFor(server.settings("linnet:s3cret%2F").LINNET_SMTP_URL).send(MAIL);
    expect(server.take().map(({ user }) => user)).toEqual(["linnet"]);
  });

  test("that the server refuses is in no error, even if the server repeats it", async () => {
    const [kind, message, response] = await failure(mailerFor(server.settings("linnet:wr0ng%2F").LINNET_SMTP_URL));
    expect([kind, message]).toEqual(["failed", "the mail server HOST doesn't accept the user name and password (535)"]);
    expect(response).toBe("535 Wrong password …");
  });

  test("is not left out when the server doesn't ask for it", async () => {
    const open = await MailServer.start();
    const [kind] = await failure(mailerFor(open.settings("linnet:s3cret").LINNET_SMTP_URL));
    expect([kind, open.take()]).toEqual(["failed", []]);
    await open.stop();
  });
});

describe("A mail server that", () => {
  const endless = (socket: Socket) => {
    const chunk = Buffer.alloc(65_536, "x");
    const write = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", write);
    write();
  };
  /** Speaks SMTP up to a command, which gets another answer. */
  const until = (command: string, then: (socket: Socket) => void) => (socket: Socket) => {
    socket.write("220 mail.example ESMTP\r\n");
    socket.on("data", (data: Buffer) => {
      const line = data.toString();
      if (line.startsWith(command)) then(socket);
      else socket.write(line.startsWith("DATA") ? "354 go ahead\r\n" : "250 ok\r\n");
    });
  };

  test.each<[string, (socket: Socket) => void, RegExp]>([
    ["says nothing", () => {}, /took too long$/],
    ["closes at once", (socket) => socket.end(), /broke off the connection$/],
    [
      "speaks another protocol",
      (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
      /doesn't speak SMTP|broke off/,
    ],
    ["never stops talking", endless, /doesn't speak SMTP|broke off/],
    ["hangs after the sender", until("MAIL", () => {}), /took too long$/],
    ["breaks off in the e-mail", until("DATA", (socket) => socket.destroy()), /broke off the connection$/],
    [
      "hangs after the e-mail",
      until("DATA", (socket) => socket.removeAllListeners("data").write("354 go ahead\r\n")),
      /took too long$/,
    ],
    ["greets with an error", (socket) => socket.end("554 go away\r\n"), /the mail server HOST /],
  ])("%s costs little, and the e-mail can be sent again", async (_, talk, words) => {
    const server = await rawMailServer(talk);
    // Only the servers that hang need the limit.
    const limit = words.source.startsWith("took") ? 300 : 20_000;
    const [kind, message] = await failure(mailerFor(`smtp://127.0.0.1:${server.port}`, limit));
    expect([kind, message]).toEqual(["failed", expect.stringMatching(words)]);
    server.stop();
  });

  test("offers no encryption gets neither a login nor an e-mail", async () => {
    const lines: string[] = [];
    const server = await rawMailServer((socket) => {
      socket.write("220 mail.example ESMTP\r\n");
      socket.on("data", (data: Buffer) => {
        lines.push(data.toString().slice(0, 4));
        socket.write(data.toString().startsWith("STARTTLS") ? "454 not now\r\n" : "250 AUTH PLAIN LOGIN\r\n");
      });
    });
    const settings = { host: "127.0.0.1", port: server.port, login: { user: "linnet", password: "s3cret" } };
    const mailer = new Mailer({ server: { ...settings, encryption: "starttls" }, from: FROM }, "social.example", 2000);
    expect(await failure(mailer)).toEqual(["failed", expect.stringContaining("encryption"), expect.anything()]);
    expect(lines.filter((line) => line.startsWith("AUTH") || line.startsWith("MAIL"))).toEqual([]);
    server.stop();
  });
});
