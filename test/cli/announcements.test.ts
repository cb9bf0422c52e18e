import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { Client } from "../support/client.ts";
import { EventReader } from "../support/streams.ts";
import { Folder } from "./folder.ts";

/** Each test starts several programs. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(() => {
  folder = Folder.begun();
});
afterEach(() => folder.remove());

/** The dates on which the holiday announcement is published, starts and ends. */
const TIMES = ["2090-12-01T09:00", "2090-12-24T00:00", "2090-12-26T23:59"];

async function announcement(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(["announcement", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("a running server streams an announcement, its change and its end within seconds", async () => {
  const { origin } = await folder.serve();
  await folder.createUser("alice");
  const token = (await folder.run(["token", "create", "alice", "--scopes", "read"])).stdout.trim();
  const alice = new Client(origin, token);
  const stream = await EventReader.open(alice, "user");
  const before = performance.now();
  expect(await announcement("create", "Cake at *five*")).toBe("Created announcement 1.\n");
  const first = await stream.next();
  expect([first.event, first.payload.content]).toEqual(["announcement", "<p>Cake at *five*</p>"]);
  expect((await alice.get("/api/v1/announcements")).json).toEqual([first.payload]);
  expect(await announcement("edit", "1", "--text", "Cake at six")).toBe("Updated announcement 1.\n");
  expect((await stream.next()).payload.content).toBe("<p>Cake at six</p>");
  expect(await announcement("delete", "1", "--yes")).toBe("Deleted announcement 1.\n");
  expect(await stream.block()).toBe("event: announcement.delete\ndata: 1");
  // Without a wake-up, the worker would sleep for a minute each time.
  expect(performance.now() - before).toBeLessThan(20_000);
  await stream.close();
});

test("announcements are listed with their state and dates, and an edit changes only the given options", async () => {
  expect(await announcement("list")).toBe("There are no announcements.\n");
  await announcement("create", "one\ntwo");
  const holiday = ["--starts-at", "2090-12-24", "--ends-at", "2090-12-26", "--all-day"];
  await announcement("create", "Holidays", ...holiday, "--publish-at", "2090-12-01T10:00+01:00");
  const [head, one, two] = (await announcement("list")).split("\n").map((line) => line.split(/ {2,}/));
  expect(head).toEqual(["ID", "STATE", "PUBLISHED", "STARTS", "ENDS", "ALL DAY", "TEXT"]);
  const minute = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\dZ$/);
  expect(one).toEqual(["1", "shown", minute, "-", "-", "no", "one two"]);
  expect(two).toEqual(["2", "waiting", ...TIMES.map((time) => `${time}Z`), "yes", "Holidays"]);
  const second = async () => (await folder.json("announcement", "list"))[1];
  const [published_at, starts_at] = TIMES.map((time) => `${time}:00.000Z`);
  const ends_at = "2090-12-26T23:59:59.999Z";
  const before = { id: "2", state: "waiting", published_at, starts_at, ends_at, all_day: true, text: "Holidays" };
  expect(await second()).toEqual(before);
  await announcement("edit", "2", "--not-all-day", "--starts-at", "", "--ends-at", "2090-12-26T12:00Z");
  const changed = { ...before, starts_at: null, ends_at: "2090-12-26T12:00:00.000Z", all_day: false };
  expect(await second()).toEqual(changed);
  await announcement("edit", "2", "--ends-at", "", "--text", "Holiday");
  expect(await second()).toEqual({ ...changed, ends_at: null, text: "Holiday" });
  await announcement("delete", "1", "--yes");
  expect(await announcement("create", "three")).toContain("announcement 3");
});

test.each([
  [["create", " "], "The announcement is empty"],
  [["create", "x".repeat(5001)], "The announcement is too long"],
  [["create", "a", "--ends-at", "2001-01-01"], "end before it is published"],
  [["create", "a", "--starts-at", "2090-02-01", "--ends-at", "2090-01-01"], "end before it starts"],
  [["create", "a", "--all-day", "--ends-at", "2090-01-01"], "An all-day announcement needs a start and an end date"],
  [["edit", "1", "--text", ""], "The announcement is empty"],
  [["edit", "1", "--all-day"], "An all-day announcement needs a start and an end date"],
  [["edit", "2", "--text", "two"], "There is no announcement 2"],
  [["delete", "2", "--yes"], "There is no announcement 2"],
])("linnet announcement %j fails with a one-line reason", async (args, words) => {
  await announcement("create", "one");
  const { code, stdout, stderr } = await folder.run(["announcement", ...args]);
  expect([code, stdout, stderr.trimEnd().split("\n")]).toEqual([1, "", [expect.stringContaining(words)]]);
  expect(await folder.json("announcement", "list")).toMatchObject([{ id: "1", state: "shown", text: "one" }]);
});
