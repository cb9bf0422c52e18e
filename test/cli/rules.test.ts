import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { Folder } from "./folder.ts";

/** Each test starts several programs. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(() => {
  folder = Folder.begun();
});
afterEach(() => folder.remove());

async function rule(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(["rule", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("the owner adds rules, and a running server shows them to apps at once", async () => {
  const { origin } = await folder.serve();
  const rules = async () => (await fetch(`${origin}/api/v1/instance/rules`)).json();
  expect(await rules()).toEqual([]);
  expect(await rule("add", "Be kind.")).toBe("Added rule 1.\n");
  await rule("add", "No adverts.", "--hint", "Your own work is fine.");
  await rule("translate", "2", "de", "Keine Werbung.", "--hint", "Eigenes ist in Ordnung.");
  expect(await rules()).toEqual([
    { id: "1", text: "Be kind.", hint: "", translations: {} },
    {
      id: "2",
      text: "No adverts.",
      hint: "Your own work is fine.",
      translations: { de: { text: "Keine Werbung.", hint: "Eigenes ist in Ordnung." } },
    },
  ]);
});

test("rules are listed in order, changed, moved and removed", async () => {
  for (const text of ["one", "two", "three"]) await rule("add", text);
  await rule("edit", "3", "--place", "1", "--hint", "the third");
  await rule("edit", "1", "--text", "uno");
  await rule("translate", "1", "de", "eins");
  expect(await rule("list")).toBe(
    ["ID  TEXT", "3   three", "    the third", "1   uno", "    de: eins", "2   two\n"].join("\n"),
  );
  expect(await folder.json("rule", "list")).toEqual([
    { id: "3", text: "three", hint: "the third", translations: {} },
    { id: "1", text: "uno", hint: "", translations: { de: { text: "eins", hint: "" } } },
    { id: "2", text: "two", hint: "", translations: {} },
  ]);
  await rule("translate", "1", "de", "");
  await rule("edit", "3", "--hint", "", "--place", "99");
  await rule("remove", "2", "--yes");
  expect(await rule("list")).toBe("ID  TEXT\n1   uno\n3   three\n");
  expect(await rule("add", "four")).toContain("rule 4");
  expect(await rule("list")).toBe("ID  TEXT\n1   uno\n3   three\n4   four\n");
});

test.each([
  [["remove", "2", "--yes"], "There is no rule 2"],
  [["edit", "2", "--text", "two"], "There is no rule 2"],
  [["translate", "2", "de", "zwei"], "There is no rule 2"],
  [["translate", "1", "German", "eins"], '"German" is not a language code'],
  [["translate", "1", "de", "x".repeat(301)], "The rule is too long"],
  [["edit", "1", "--text", ""], "The rule is empty"],
  [["edit", "1", "--hint", "x".repeat(1001)], "The hint is too long"],
])("linnet rule %j fails with a one-line reason", async (args, words) => {
  await rule("add", "one");
  const { code, stdout, stderr } = await folder.run(["rule", ...args]);
  expect([code, stdout, stderr.trimEnd().split("\n")]).toEqual([1, "", [expect.stringContaining(words)]]);
  expect(await rule("list")).toBe("ID  TEXT\n1   one\n");
});
