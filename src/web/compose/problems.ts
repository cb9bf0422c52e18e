import { DatabaseLockedRefusal } from "../../errors.ts";
import { inLanguage } from "../i18n/error-messages.ts";
import { problemsOf, type FormProblems } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";

/** The fields of the form that a refusal is about, by the words of its message. */
const FIELDS: [field: string, message: RegExp][] = [
  ["poll", /poll|Choices|Deadline/],
  ["scheduled_at", /Scheduled at|scheduled posts/],
  ["media", /attach|Media|media|File|file|Description|Focus/],
  ["text", /Text/],
];

/** The problem beside the field that it is about; above the form if it is about none. */
export function composeProblems(page: UserPage, error: unknown): FormProblems {
  if (error instanceof DatabaseLockedRefusal) {
    return { problem: inLanguage(error.message, page.messages.language), fields: {}, status: 503 };
  }
  const problems = problemsOf(page, error);
  const { problem } = problems;
  const field = error instanceof Error && FIELDS.find(([, message]) => message.test(error.message))?.[0];
  if (!field || problem === undefined) return problems;
  // Without its beginning, "Validation failed:".
  const sentence = error.message.startsWith("Validation failed: ") ? problem.slice(problem.indexOf(": ") + 2) : problem;
  return { status: problems.status, fields: { [field]: sentence } };
}
