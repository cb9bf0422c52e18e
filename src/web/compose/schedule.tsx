/** @jsxImportSource preact */
import { validationFailed } from "../../errors.ts";
import { localTimeAt, parseLocalTime } from "../../lib/dates.ts";
import { UTC } from "../page/dates.tsx";
import { Field } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { APPEARANCE } from "../settings/account/appearance.tsx";
import { composeTexts } from "./texts.ts";
import type { Values } from "./values.ts";

/** The field for a later publication. */
export function Schedule({ page, values, error }: { page: UserPage; values: Values; error: string | undefined }) {
  const texts = page.texts(composeTexts);
  return (
    <details class="part" open={values.scheduledAt !== "" || error !== undefined}>
      <summary>{texts.schedule}</summary>
      <Field
        name="scheduled_at"
        type="datetime-local"
        label={texts.dateIn(zoneOf(page).replaceAll("_", " "))}
        value={values.scheduledAt}
        autocomplete="off"
        help={
          <>
            {texts.dateHelp} {values.scheduled === null && texts.emptyDate}{" "}
            <a href={APPEARANCE}>{texts.changeTimeZone}</a>
          </>
        }
        error={error}
      />
    </details>
  );
}

/**
 * The time in milliseconds since 1970; null to publish at once. The form shows a present time to the minute, and a time that
 * clocks show twice like the other one: if it was not changed, the present time stays.
 */
export function timeOf(page: UserPage, { scheduledAt }: Values, present: number | null = null): number | null {
  if (scheduledAt === "") return null;
  if (present !== null && scheduledAt === localTimeAt(present, zoneOf(page))) return present;
  const time = parseLocalTime(scheduledAt, zoneOf(page));
  if (time === null) throw validationFailed("Scheduled at is invalid");
  return time;
}

function zoneOf({ timeZone }: UserPage): string {
  return timeZone ?? UTC;
}
