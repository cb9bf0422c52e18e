import { expect, test } from "bun:test";
import { isTimeZone, localTimeAt, parseLocalTime } from "../../src/lib/dates.ts";

test.each([
  ["in winter", "2026-01-15T09:30", "2026-01-15T08:30:00.000Z"],
  ["in summer", "2026-07-15T09:30:15", "2026-07-15T07:30:15.000Z"],
  ["that clocks skip, later by as much as they are put forward", "2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
  ["that clocks show twice, the first time", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ["at midnight", "2026-06-01T00:00", "2026-05-31T22:00:00.000Z"],
])("a time %s, is read as clocks there show it", (_, text, expected) => {
  expect(new Date(parseLocalTime(text, "Europe/Berlin")!).toISOString()).toBe(expected);
});

test.each(["2026-01-15T09:30", "2026-07-15T00:00", "2026-10-25T02:30"])(
  "the local time %p is written as it is read",
  (text) => expect(localTimeAt(parseLocalTime(text, "Europe/Berlin")!, "Europe/Berlin")).toBe(text),
);

test.each([
  "",
  "tomorrow",
  "2026-13-01T00:00",
  "2026-02-30T00:00",
  "2026-01-01",
  "2026-01-01T25:00",
  "2026-01-01T00:00Z",
])("%p is no local time", (text) => expect(parseLocalTime(text, "Europe/Berlin")).toBeNull());

test.each([
  ["UTC", true],
  ["Europe/Berlin", true],
  ["America/Argentina/Buenos_Aires", true],
  ["Etc/GMT+5", true],
  ["Asia/Calcutta", true],
  ["", false],
  ["+01:00", false],
  ["Europe/Atlantis", false],
  ["../etc/localtime", false],
  [`Europe/${"x".repeat(9999)}`, false],
])("whether %p names a time zone: %p", (name, expected) => {
  expect(isTimeZone(name)).toBe(expected);
});
