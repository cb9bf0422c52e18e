import type { Messages } from "../i18n/messages.ts";

/** Formats a time in UTC, because the reader's time zone is unknown. */
export function dateAndTime(messages: Messages, time: string): string {
  const options = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;
  return `${new Intl.DateTimeFormat(messages.locale, options).format(new Date(time))} UTC`;
}
