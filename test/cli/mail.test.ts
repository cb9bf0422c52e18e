import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { MailServer } from "../support/mail-server.ts";
import { Folder } from "./folder.ts";

/** Each test starts programs, possibly on a busy machine. */
setDefaultTimeout(60_000);

let folder: Folder;
let mail: MailServer;

beforeAll(async () => {
  folder = Folder.begun();
  mail = await MailServer.start({ user: "linnet", password: "s3cret" });
});
afterAll(async () => {
  await folder.remove();
  await mail.stop();
});

const sendTest = (settings: Record<string, string>) => folder.run(["mail", "test", "me@mail.example"], { settings });

test("mail test sends an e-mail with the settings, and says what the mail server answered", async () => {
  const { code, stdout } = await sendTest(mail.settings("linnet:s3cret"));
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^127\.0\.0\.1:\d+ accepted the e-mail to me@mail\.example/),
  ]);
  expect(mail.take()).toMatchObject([{ to: ["me@mail.example"], subject: "Test e-mail · Linnet", user: "linnet" }]);
});

test("mail test says what is wrong, without the password", async () => {
  const refused = await sendTest(mail.settings("linnet:wr0ng"));
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("doesn't accept the user name and password"),
  ]);
  expect(refused.stderr).toContain("It said: 535 Wrong password …");
  const invalid = await sendTest({
    LINNET_SMTP_URL: "smtp://linnet:wr0ng@@127.0.0.1:x",
    LINNET_SMTP_FROM: "me@mail.example",
  });
  expect([invalid.code, invalid.stderr]).toEqual([
    2,
    expect.stringContaining("LINNET_SMTP_URL should be an address like"),
  ]);
  expect(refused.stderr + invalid.stderr).not.toContain("wr0ng");
  const { code, stderr } = await sendTest({});
  expect([code, stderr]).toEqual([1, expect.stringContaining("Set LINNET_SMTP_URL and LINNET_SMTP_FROM first.")]);
});
