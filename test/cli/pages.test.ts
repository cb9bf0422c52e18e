import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Folder } from "./folder.ts";

/** Each test starts several programs. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(() => {
  folder = Folder.begun();
});
afterEach(() => folder.remove());

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(args);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("the owner sets pages from files, and a running server shows them to apps at once", async () => {
  const { origin } = await folder.serve();
  const policy = async () =>
    (await (await fetch(`${origin}/api/v1/instance/privacy_policy`)).json()) as { content: string };
  const before = (await policy()).content;
  expect(before).toContain("they are not encrypted");
  await Bun.write(join(folder.path, "policy.md"), "# We keep *little*\n");
  expect(await run("page", "set", "privacy-policy", "policy.md")).toBe("Set the privacy-policy.\n");
  expect((await policy()).content).toBe("<h1>We keep <em>little</em></h1>\n");
  expect(await run("page", "show", "privacy-policy")).toBe("# We keep *little*\n");
  await run("page", "remove", "privacy-policy", "--yes");
  expect((await policy()).content).toBe(before);
});

test("a page can come from stdin", async () => {
  const { code } = await folder.run(["page", "set", "extended-description", "-"], { stdin: "Hello.\n" });
  expect([code, await run("page", "show", "extended-description")]).toEqual([0, "Hello.\n"]);
});

test("terms are published for a future date, replaced before that date, and removed", async () => {
  await Bun.write(join(folder.path, "terms.md"), "Be nice.");
  expect(await run("terms", "list")).toBe("There are no terms of service.\n");
  expect(await run("terms", "publish", "terms.md", "--effective-date", "2999-01-31")).toContain("2999-01-31");
  expect(await run("terms", "publish", "terms.md", "--effective-date", "2999-01-31")).toContain("2999-01-31");
  expect(await run("terms", "publish", "terms.md")).toContain(new Date().toISOString().slice(0, 10));
  expect(await run("terms", "list")).toMatch(/^EFFECTIVE FROM\n20\d\d-\d\d-\d\d\n2999-01-31\n$/);
  await run("terms", "remove", "2999-01-31", "--yes");
  const today = new Date().toISOString().slice(0, 10);
  expect(await folder.json("terms", "list")).toEqual([{ effective_date: today }]);
});

test.each([
  [["page", "set", "imprint", "text.md"], 2, 'NAME is "imprint", but should be extended-description or privacy-policy'],
  [["page", "set", "privacy-policy", "nowhere.md"], 1, 'There is no file "nowhere.md"'],
  [["page", "set", "privacy-policy", "empty.md"], 1, "The text is empty"],
  [["terms", "publish", "text.md", "--effective-date", "31.1.2999"], 1, '"31.1.2999" is not a date'],
  [["terms", "publish", "text.md", "--effective-date", "2999-02-30"], 1, '"2999-02-30" is not a date'],
  [["terms", "publish", "text.md", "--effective-date", "2020-01-01"], 1, "2020-01-01 is in the past"],
  [["terms", "remove", "2999-01-31", "--yes"], 1, "There are no terms of service effective from 2999-01-31"],
])("linnet %j fails with a reason", async (args, exit, words) => {
  await Bun.write(join(folder.path, "text.md"), "Text.");
  await Bun.write(join(folder.path, "empty.md"), " \n");
  const { code, stdout, stderr } = await folder.run(args);
  expect([code, stdout, stderr.split("\n")[0]]).toEqual([exit, "", expect.stringContaining(words)]);
});

test("terms already in force can't be changed", async () => {
  await Bun.write(join(folder.path, "terms.md"), "Be nice.");
  await run("terms", "publish", "terms.md");
  const { code, stderr } = await folder.run(["terms", "publish", "terms.md"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("already take effect today")]);
});
