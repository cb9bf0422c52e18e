/** @jsxImportSource preact */
import { validationFailed } from "../../errors.ts";
import { Field, Select } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { composeTexts } from "./texts.ts";
import type { Values } from "./values.ts";

const MINUTE = 60_000;
const HOUR = 60;
/** The offsets from UTC that clocks on Earth have, in minutes: all hours, and some in between. */
const BETWEEN = [-570, -210, 210, 270, 330, 345, 390, 525, 570, 630, 765];
const OFFSETS = [...Array.from({ length: 27 }, (_, at) => (at - 12) * HOUR), ...BETWEEN].toSorted((a, b) => a - b);

/** The fields for a later publication. */
export function Schedule({ page, values, error }: { page: UserPage; values: Values; error: string | undefined }) {
  const texts = page.texts(composeTexts);
  return (
    <details class="part" open={values.scheduledAt !== "" || error !== undefined}>
      <summary>{texts.schedule}</summary>
      <div class="pair even">
        <Field
          name="scheduled_at"
          type="datetime-local"
          label={texts.date}
          value={values.scheduledAt}
          autocomplete="off"
          help={texts.dateHelp}
          error={error}
        />
        <Select
          name="utc_offset"
          label={texts.clock}
          value={String(values.utcOffset)}
          choices={clocks(page)}
          help={texts.clockHelp}
        />
      </div>
    </details>
  );
}

/** The times that clocks show now, with their offset from UTC: easier to choose than a time zone. */
function clocks({ ctx, messages }: UserPage) {
  const now = ctx.clock.now();
  const time = new Intl.DateTimeFormat(messages.locale, {
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  });
  return OFFSETS.map((offset) => ({
    value: String(offset),
    label: `${time.format(now + offset * MINUTE)} (${nameOf(offset)})`,
  }));
}

/** `UTC+05:30` */
function nameOf(offset: number): string {
  const minutes = Math.abs(offset);
  const digits = (part: number) => String(part).padStart(2, "0");
  const distance = `${digits(Math.floor(minutes / HOUR))}:${digits(minutes % HOUR)}`;
  return `UTC${offset < 0 ? "−" : "+"}${distance}`;
}

/** The time in milliseconds since 1970; null to publish at once. */
export function timeOf({ scheduledAt, utcOffset }: Values): number | null {
  if (scheduledAt === "") return null;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(scheduledAt);
  const time = isTime && OFFSETS.includes(utcOffset) ? Date.parse(`${scheduledAt}Z`) : NaN;
  if (Number.isNaN(time)) throw validationFailed("Scheduled at is invalid");
  return time - utcOffset * MINUTE;
}
