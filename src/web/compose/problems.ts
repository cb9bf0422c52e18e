import { MAX_DESCRIPTION } from "../../core/media/limits.ts";
import { DatabaseLockedRefusal } from "../../errors.ts";
import { countCharacters } from "../../lib/text/text.ts";
import { onPage } from "../i18n/error-messages.ts";
import { type FieldsByReason, type FormProblems, problemsOf } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { composeTexts } from "./texts.ts";
import type { Values } from "./values.ts";

const FIELDS: FieldsByReason = [
  ["poll", /poll|Choices|Deadline/],
  ["scheduled_at", /Scheduled at|scheduled posts/],
  ["media", /attach|Media|media|File|file|Description|Focus/],
  ["text", /Text/],
];

/** The problem beside the field that it is about; above the form if it is about none. */
export function composeProblems(page: UserPage, error: unknown, values: Values): FormProblems {
  if (error instanceof DatabaseLockedRefusal) {
    return { problem: onPage(error.message, page.messages.language), fields: {}, status: 503 };
  }
  const problems = problemsOf(page, error, [...descriptionField(page, values), ...FIELDS]);
  const excess = countCharacters(values.text.trim(), values.spoilerText.trim()) - page.ctx.config.maxCharacters;
  if (!problems.fields["text"] || excess <= 0) return problems;
  const text = page.texts(composeTexts).tooLong(excess, excess.toLocaleString(page.messages.locale));
  return { ...problems, fields: { ...problems.fields, text } };
}

/** The first description that is too long. */
function descriptionField(page: UserPage, { media }: Values): FieldsByReason {
  const name = media.map((id) => `description_${id}`).find((each) => [...page.text(each)].length > MAX_DESCRIPTION);
  return name === undefined ? [] : [[name, /^Description/]];
}
