import {
  createAnnouncement,
  editAnnouncement,
  listAnnouncements,
  removeAnnouncement,
  type AnnouncementDraft,
} from "../../../core/server/announcements.ts";
import { ArgumentError } from "../../argument-error.ts";
import { command, flag, option, argument } from "../../command.ts";
import { iso, list, minute } from "../../list.ts";
import { withData } from "../../data-folder.ts";
import { endTime, idFrom, orNone, time } from "../../parsers.ts";

const ID = argument("", idFrom("announcement list"));
const TIMES = "TIME is a date, or a date and time such as 2026-12-24T18:00Z. Times without a zone are in UTC.";

export const commands = {
  "announcement create": command({
    summary: "Creates an announcement that apps show to all users",
    details: TIMES,
    args: { text: argument() },
    options: {
      "starts-at": option("TIME", "when the event begins", time),
      "ends-at": option("TIME", "when the event ends; the announcement is hidden from then on", endTime),
      "all-day": flag("the event lasts whole days; only dates count"),
      "publish-at": option("TIME", "when to publish it (default: now)", time),
    },
    run: async ({ text }, { "starts-at": startsAt, "ends-at": endsAt, "all-day": allDay, "publish-at": publishAt }) => {
      const times = { startsAt: startsAt ?? null, endsAt: endsAt ?? null, publishAt: publishAt ?? null };
      const id = await withData((ctx) => createAnnouncement(ctx, { text, allDay, ...times }));
      console.log(`Created announcement ${id}.`);
    },
  }),
  "announcement list": list({
    summary: "Lists announcements, including past ones",
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
    summary: "Changes an announcement",
    details: `${TIMES} Properties without an option stay unchanged.`,
    args: { id: ID },
    options: {
      text: option("TEXT", "the new text"),
      "starts-at": option("TIME", 'when the event begins; "" for no time', orNone(time)),
      "ends-at": option("TIME", 'when the event ends; "" for no time', orNone(endTime)),
      "all-day": flag("the event lasts whole days"),
      "not-all-day": flag("the event starts and ends at exact times"),
      "publish-at": option("TIME", "when to publish it", time),
    },
    run: async ({ id }, options) => {
      const changes = changesOf(options);
      await withData((ctx) => editAnnouncement(ctx, id, changes));
      console.log(`Updated announcement ${id}.`);
    },
  }),
  "announcement delete": command({
    summary: "Deletes an announcement with its reactions",
    args: { id: ID },
    confirm: ({ id }) => `Delete announcement ${id}?`,
    run: async ({ id }) => {
      await withData((ctx) => removeAnnouncement(ctx, id));
      console.log(`Deleted announcement ${id}.`);
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
  if (allDay && notAllDay) throw new ArgumentError("Use either --all-day or --not-all-day, not both.");
  const given = Object.entries({ text, startsAt, endsAt, publishAt }).filter(([, value]) => value !== undefined);
  if (given.length === 0 && !allDay && !notAllDay)
    throw new ArgumentError("There is nothing to change. Use at least one of the options.");
  return { ...Object.fromEntries(given), ...((allDay || notAllDay) && { allDay }) };
}
