import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Folder } from "./folder.ts";

/** Each test starts programs, possibly on a busy machine. */
setDefaultTimeout(60_000);

let folder: Folder;

beforeAll(async () => {
  folder = Folder.begun();
  await folder.createUser("alice");
});
afterAll(() => folder.remove());

test("the server doesn't start if no owner could sign in, and says what to do", async () => {
  const { code, stderr } = await folder.run(["serve"], { settings: { LINNET_PASSWORD_SIGN_IN: "off" } });
  expect([code, stderr]).toEqual([1, expect.stringContaining("no owner could sign in. Start the server without it")]);
});

test("user sign-in-link prints a link for a user", async () => {
  const { code, stdout } = await folder.run(["user", "sign-in-link", "alice"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/\nhttp:\/\/localhost:3000\/sign-in\/link\?token=[\w-]{43}\n$/),
  ]);
});
