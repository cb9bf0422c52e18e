import { afterEach, beforeEach, expect, test } from "bun:test";
import { Client } from "../support/client.ts";
import { EventReader } from "../support/streams.ts";
import { Folder } from "./folder.ts";

let folder: Folder;

beforeEach(() => {
  folder = Folder.begun();
});
afterEach(() => folder.remove());

async function announcement(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(["announcement", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("what the owner writes reaches those who listen to a running server within seconds, as do its change and its end", async () => {
  const { origin } = await folder.serve();
  await folder.run(["user", "create", "alice"]);
  const token = (await folder.run(["token", "create", "alice", "--scopes", "read"])).stdout.trim();
  const alice = new Client(origin, token);
  const stream = await EventReader.open(alice, "user");
  const before = performance.now();
  expect(await announcement("create", "Cake at *five*")).toBe("Announcement 1 is written.\n");
  const first = await stream.next();
  expect([first.event, first.payload.content]).toEqual(["announcement", "<p>Cake at *five*</p>"]);
  expect((await alice.get("/api/v1/announcements")).json).toEqual([first.payload]);
  expect(await announcement("edit", "1", "--text", "Cake at six")).toBe("Announcement 1 is changed.\n");
  expect((await stream.next()).payload.content).toBe("<p>Cake at six</p>");
  expect(await announcement("delete", "1")).toBe("Announcement 1 is deleted.\n");
  expect(await stream.block()).toBe("event: announcement.delete\ndata: 1");
  // The loop by itself would sleep a minute each time.
  expect(performance.now() - before).toBeLessThan(20_000);
  await stream.close();
}, 30_000);

test("announcements are listed with their state and their times, and changed where something is named", async () => {
  expect(await announcement("list")).toBe("");
  await announcement("create", "one\ntwo");
  const holiday = ["--starts-at", "2090-12-24", "--ends-at", "2090-12-26", "--all-day"];
  await announcement("create", "Holidays", ...holiday, "--publish-at", "2090-12-01T10:00+01:00");
  const today = expect.stringMatching(/^1 {4}shown {4}20\d\d-\d\d-\d\dT\d\d:\d\dZ {2}one two$/);
  const lines = async () => (await announcement("list")).trimEnd().split("\n");
  expect(await lines()).toEqual([
    today,
    "2    waiting  2090-12-01T09:00Z  Holidays",
    "     starts 2090-12-24T00:00Z, ends 2090-12-26T23:59Z, all day",
  ]);
  await announcement("edit", "2", "--not-all-day", "--starts-at", "", "--ends-at", "2090-12-26T12:00Z");
  expect((await lines()).slice(1)).toEqual([
    "2    waiting  2090-12-01T09:00Z  Holidays",
    "     ends 2090-12-26T12:00Z",
  ]);
  await announcement("edit", "2", "--ends-at", "", "--text", "Holiday");
  expect((await lines()).slice(1)).toEqual(["2    waiting  2090-12-01T09:00Z  Holiday"]);
  await announcement("delete", "1");
  expect(await announcement("create", "three")).toContain("Announcement 3");
});

test.each([
  [["create", " "], "An announcement can't be empty"],
  [["create", "x".repeat(5001)], "too long for an announcement"],
  [["create", "a", "--ends-at", "2001-01-01"], "over before anybody sees it"],
  [["create", "a", "--starts-at", "2090-02-01", "--ends-at", "2090-01-01"], "end before it begins"],
  [["create", "a", "--all-day", "--ends-at", "2090-01-01"], "needs a day on which it starts and ends"],
  [["edit", "1", "--text", ""], "An announcement can't be empty"],
  [["edit", "1", "--all-day"], "needs a day on which it starts and ends"],
  [["edit", "2", "--text", "two"], "There is no announcement 2"],
  [["delete", "2"], "There is no announcement 2"],
])("linnet announcement %j is refused in one line that says why", async (args, words) => {
  await announcement("create", "one");
  const { code, stdout, stderr } = await folder.run(["announcement", ...args]);
  expect([code, stdout, stderr.trimEnd().split("\n")]).toEqual([1, "", [expect.stringContaining(words)]]);
  expect(await announcement("list")).toMatch(/^1 {4}shown .* one\n$/);
});
