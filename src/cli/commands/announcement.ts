import {
  createAnnouncement,
  editAnnouncement,
  listAnnouncements,
  removeAnnouncement,
  type AnnouncementDraft,
} from "../../core/server/announcements.ts";
import { ArgumentError } from "../argument-error.ts";
import { command, flag, option, word } from "../command.ts";
import { iso, list, minute } from "../list.ts";
import { withData } from "../open.ts";
import { endTime, idFrom, orNone, time } from "../parsers.ts";

const ID = word("", idFrom("announcement list"));
const TIMES = "A TIME is like 2026-12-24T18:00Z, or a date; in UTC unless it says another zone.";

export const commands = {
  "announcement create": command({
    summary: "Shows an announcement to all users, in their apps",
    details: TIMES,
    words: { text: word() },
    options: {
      "starts-at": option("TIME", "when the event begins", time),
      "ends-at": option("TIME", "when the event ends; the announcement is hidden from then on", endTime),
      "all-day": flag("the event lasts whole days; only dates count"),
      "publish-at": option("TIME", "when the announcement appears; at once without it", time),
    },
    run: async ({ text }, { "starts-at": startsAt, "ends-at": endsAt, "all-day": allDay, "publish-at": publishAt }) => {
      const times = { startsAt: startsAt ?? null, endsAt: endsAt ?? null, publishAt: publishAt ?? null };
      const id = await withData((ctx) => createAnnouncement(ctx, { text, allDay, ...times }));
      console.log(`Announcement ${id} is written.`);
    },
  }),
  "announcement list": list({
    summary: "Lists the announcements, including those that are over",
    find: () => withData(listAnnouncements),
    empty: () => "There are no announcements.",
    columns: {
      ID: ({ id }) => id,
      STATE: ({ state }) => state,
      PUBLISHED: ({ published_at }) => minute(published_at),
      STARTS: ({ starts_at }) => minute(starts_at),
      ENDS: ({ ends_at }) => minute(ends_at),
      "ALL DAY": ({ all_day }) => (all_day ? "yes" : "no"),
      TEXT: ({ text }) => text,
    },
    json: ({ id, state, published_at, starts_at, ends_at, all_day, text }) => ({
      id: String(id),
      state,
      published_at: iso(published_at),
      starts_at: iso(starts_at),
      ends_at: iso(ends_at),
      all_day: all_day === 1,
      text,
    }),
  }),
  "announcement edit": command({
    summary: "Changes an announcement for everyone",
    details: `${TIMES} What isn't given stays.`,
    words: { id: ID },
    options: {
      text: option("TEXT", "what it says"),
      "starts-at": option("TIME", 'when the event begins; "" for no time', orNone(time)),
      "ends-at": option("TIME", 'when the event ends; "" for no time', orNone(endTime)),
      "all-day": flag("the event lasts whole days"),
      "not-all-day": flag("the event's hours count"),
      "publish-at": option("TIME", "when the announcement appears", time),
    },
    run: async ({ id }, options) => {
      const changes = changesOf(options);
      await withData((ctx) => editAnnouncement(ctx, id, changes));
      console.log(`Announcement ${id} is changed.`);
    },
  }),
  "announcement delete": command({
    summary: "Deletes an announcement with its reactions",
    words: { id: ID },
    confirm: ({ id }) => `Delete announcement ${id}?`,
    run: async ({ id }) => {
      await withData((ctx) => removeAnnouncement(ctx, id));
      console.log(`Announcement ${id} is deleted.`);
    },
  }),
};

interface Changes {
  text: string | undefined;
  "starts-at": number | null | undefined;
  "ends-at": number | null | undefined;
  "all-day": boolean;
  "not-all-day": boolean;
  "publish-at": number | undefined;
}

function changesOf(options: Changes): Partial<AnnouncementDraft> {
  const { text, "starts-at": startsAt, "ends-at": endsAt, "publish-at": publishAt } = options;
  const { "all-day": allDay, "not-all-day": notAllDay } = options;
  if (allDay && notAllDay) throw new ArgumentError("Choose one of --all-day and --not-all-day.");
  const given = Object.entries({ text, startsAt, endsAt, publishAt }).filter(([, value]) => value !== undefined);
  if (given.length === 0 && !allDay && !notAllDay) throw new ArgumentError("Nothing to change was given.");
  return { ...Object.fromEntries(given), ...((allDay || notAllDay) && { allDay }) };
}
