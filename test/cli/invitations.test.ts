import { afterEach, beforeEach, expect, test } from "bun:test";
import { Folder } from "./folder.ts";

let folder: Folder;

beforeEach(() => {
  folder = Folder.begun();
});
afterEach(() => folder.remove());

test("linnet invite creates, lists and revokes invitations", async () => {
  await folder.createUser("alice");
  const { stdout } = await folder.run(["invite", "create", "--uses", "3", "--expires", "2999-12-31"]);
  const code = /^http:\/\/localhost:3000\/invite\/([\w-]{16})\n$/.exec(stdout)![1]!;
  const revoke = (which: string) => folder.run(["invite", "revoke", which, "--yes"]);
  const [revoked, unknown] = await Promise.all([revoke(code), revoke("nothing")]);
  expect(revoked.stdout).toBe(`Revoked the invitation ${code}.\n`);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("There is no invitation nothing.")]);
  const [row] = await folder.json("invite", "list");
  expect(row).toMatchObject({ code, state: "revoked", uses: 0, max_uses: 3, expires_at: "2999-12-31T23:59:59.999Z" });
});
