/** @jsxImportSource preact */
import type { PageRequest } from "./page-request.tsx";

/** For visitors, and for users who have chosen no time zone. */
export const UTC = "UTC";

type Moment = string | number;

/** A day in the user's time zone. */
export function dayOf(page: PageRequest, moment: Moment, dateStyle: "medium" | "long" = "medium"): string {
  return format(page, moment, { dateStyle });
}

/** A date and time in the user's time zone, or in UTC, which the text then names. */
export function dateAndTime(page: PageRequest, moment: Moment): string {
  const text = format(page, moment, { dateStyle: "medium", timeStyle: "short" });
  return page.timeZone === null ? `${text} ${UTC}` : text;
}

type Style = Pick<Intl.DateTimeFormatOptions, "dateStyle" | "timeStyle">;

function format({ messages, timeZone }: PageRequest, moment: Moment, style: Style): string {
  return formatOf(messages.locale, { ...style, timeZone: timeZone ?? UTC }).format(new Date(moment));
}

/** Creating one takes up to 0.5 ms, and a page has twenty posts. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 100;

function formatOf(locale: string, options: Style & { timeZone: string }): Intl.DateTimeFormat {
  const key = [locale, options.timeZone, options.dateStyle, options.timeStyle].join(" ");
  const known = formats.get(key);
  if (known) return known;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const created = new Intl.DateTimeFormat(locale, options);
  formats.set(key, created);
  return created;
}

interface TimeProps {
  page: PageRequest;
  at: Moment;
  class?: string;
}

/** A date and time. If no time zone is chosen, the script of the page shows it in that of the browser. */
export function Time({ page, at, ...attributes }: TimeProps) {
  const isLocal = page.timeZone === null;
  if (isLocal) page.needsLocalTimes = true;
  return (
    <time {...attributes} dateTime={new Date(at).toISOString()} data-local={isLocal ? page.messages.locale : undefined}>
      {dateAndTime(page, at)}
    </time>
  );
}

/** A sentence with a date and time in it. */
export function TimeSentence({ text, ...time }: TimeProps & { text(date: string): string }) {
  const [before, after] = text("\n").split("\n");
  return (
    <>
      {before}
      <Time {...time} />
      {after}
    </>
  );
}
