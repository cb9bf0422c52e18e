import {
  createAnnouncement,
  editAnnouncement,
  listAnnouncements,
  removeAnnouncement,
  type AnnouncementDraft,
} from "../core/announcements.ts";
import { UsageError } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import { parseMoment } from "../lib/moments.ts";
import { readArguments } from "./arguments.ts";
import { withData } from "./open.ts";

const OPTIONS = {
  "starts-at": { type: "string" },
  "ends-at": { type: "string" },
  "all-day": { type: "boolean" },
  "publish-at": { type: "string" },
} as const;

const LAST_MILLISECOND = 24 * 3600_000 - 1;

export async function createAnnouncementCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, OPTIONS, ["TEXT"]);
  const draft = {
    text: words[0]!,
    startsAt: moment("--starts-at", values["starts-at"]) ?? null,
    endsAt: end(values["ends-at"]) ?? null,
    allDay: values["all-day"] ?? false,
    publishAt: moment("--publish-at", values["publish-at"]) ?? null,
  };
  const id = await withData((ctx) => createAnnouncement(ctx, draft));
  console.log(`Announcement ${id} is written.`);
}

/** A line an announcement: id, whether it is shown, since or from when, and its text; beneath it when it is about. */
export async function listAnnouncementsCommand(args: string[]): Promise<void> {
  readArguments(args, {});
  for (const row of await withData(listAnnouncements)) {
    console.log(`${String(row.id).padEnd(5)}${row.state.padEnd(9)}${shown(row.published_at)}  ${oneLine(row.text)}`);
    const times = [
      row.starts_at !== null && `starts ${shown(row.starts_at)}`,
      row.ends_at !== null && `ends ${shown(row.ends_at)}`,
      row.all_day === 1 && "all day",
    ].filter(Boolean);
    if (times.length > 0) console.log(`     ${times.join(", ")}`);
  }
}

export async function editAnnouncementCommand(args: string[]): Promise<void> {
  const options = { ...OPTIONS, text: { type: "string" }, "not-all-day": { type: "boolean" } } as const;
  const { values, words } = readArguments(args, options, ["ID"]);
  if (Object.keys(values).length === 0) {
    throw new UsageError("Nothing to change was given. See --help for what can be.");
  }
  if (values["all-day"] && values["not-all-day"]) throw new UsageError("Choose one of --all-day and --not-all-day.");
  const changes: Partial<AnnouncementDraft> = {};
  const { text, "starts-at": starts, "ends-at": ends, "publish-at": publish } = values;
  if (text !== undefined) changes.text = text;
  if (starts !== undefined) changes.startsAt = starts === "" ? null : moment("--starts-at", starts)!;
  if (ends !== undefined) changes.endsAt = ends === "" ? null : end(ends)!;
  if (values["all-day"] || values["not-all-day"]) changes.allDay = values["all-day"] ?? false;
  if (publish !== undefined) changes.publishAt = moment("--publish-at", publish)!;
  const id = idOf(words[0]!);
  await withData((ctx) => editAnnouncement(ctx, id, changes));
  console.log(`Announcement ${id} is changed.`);
}

export async function deleteAnnouncementCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["ID"]);
  const id = idOf(words[0]!);
  await withData((ctx) => removeAnnouncement(ctx, id));
  console.log(`Announcement ${id} is deleted.`);
}

function moment(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const time = parseMoment(given);
  if (time === null) {
    throw new UsageError(`${option} is "${given}", but should be a time like 2026-12-24T18:00Z, or a date.`);
  }
  return time;
}

/** A date ends when its day is over. */
function end(given: string | undefined): number | undefined {
  const time = moment("--ends-at", given);
  return time !== undefined && !/[T ]/i.test(given!.trim()) ? time + LAST_MILLISECOND : time;
}

function shown(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}Z`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

function idOf(given: string): number {
  const id = parseId(given);
  if (id !== null) return id;
  throw new UsageError(`ID is "${given}", but should be a number, as "linnet announcement list" prints it.`);
}
