/** @jsxImportSource preact */
import { POLL_LIMITS, type PollDraft } from "../../core/statuses/polls.ts";
import type { PollJson } from "../../entities/statuses/polls.ts";
import { durationChoices } from "../page/choices.ts";
import { Checkbox, Field, Select } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { composeTexts } from "./texts.ts";
import type { PollValues, Values } from "./values.ts";

/** In seconds. */
const DURATIONS = [5 * 60, 30 * 60, 3600, 6 * 3600, 12 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600, 30 * 24 * 3600];

/** The fields for a poll. */
export function PollFields({ page, values, error }: { page: UserPage; values: Values; error: string | undefined }) {
  const texts = page.texts(composeTexts);
  const { choices, duration, multiple } = values.poll;
  const isEdit = values.edited !== null;
  const times = durationChoices(page, durationsWith(duration));
  return (
    <details class="part" open={choices.some(Boolean) || error !== undefined}>
      <summary>{texts.poll}</summary>
      <p class="help">{isEdit ? texts.pollEditHelp : texts.pollHelp}</p>
      <div class="choices">
        {Array.from({ length: POLL_LIMITS.options }, (_, at) => (
          <Field
            name={`choice_${at}`}
            label={texts.choice(at + 1)}
            value={choices[at] ?? ""}
            autocomplete="off"
            isProse
            optional={at > 1 ? page.messages.optional : undefined}
            error={at === 0 ? error : undefined}
          />
        ))}
      </div>
      <Select
        name="duration"
        label={texts.duration}
        value={duration}
        choices={isEdit ? [{ value: "", label: texts.unchanged }, ...times] : times}
      />
      <Checkbox name="multiple" label={texts.multiple} checked={multiple} />
    </details>
  );
}

/** Apps can choose any duration. A form keeps the present one. */
function durationsWith(present: string): number[] {
  const isOther = /^[1-9]\d{0,8}$/.test(present) && !DURATIONS.includes(Number(present));
  return isOther ? [...DURATIONS, Number(present)].toSorted((a, b) => a - b) : DURATIONS;
}

/** Null without choices. An edit that keeps the end of a poll passes the seconds that are left. */
export function pollDraftOf(
  { choices, duration, multiple }: PollValues,
  secondsLeft: number | null = null,
): PollDraft | null {
  const options = choices.map((choice) => choice.trim()).filter(Boolean);
  if (options.length === 0) return null;
  const expiresIn = duration === "" ? secondsLeft : Math.trunc(Number(duration)) || 0;
  return { options, expiresIn, multiple, hideTotals: false };
}

/** Whether an edit leaves the poll as it is, with its votes and its end. */
export function keepsPoll(poll: PollJson, { choices, duration, multiple }: PollValues): boolean {
  const options = choices.map((choice) => choice.trim()).filter(Boolean);
  const isSame = options.length === poll.options.length && poll.options.every(({ title }, at) => title === options[at]);
  return isSame && multiple === poll.multiple && duration === "";
}
