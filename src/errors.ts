/** Why something was refused, in words that know nothing of HTTP; `app.ts` alone turns them into a status. */
export type RefusalKind =
  | "bad_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "too_large"
  | "invalid"
  | "too_many"
  | "unavailable";

/** Thrown whenever we say no. The message is shown to whoever asked, so it says what was wrong and what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message);
  }
}

/** Another program held the database's write lock for too long. Nothing was written. */
export class DatabaseLockedRefusal extends Refusal {
  /** Seconds after which trying again makes sense. */
  readonly retryAfter = 5;

  constructor() {
    super("unavailable", "Another program is using the database. Nothing was saved. Try again in a few seconds.");
  }
}

/** What one may not see does not exist: the same words whether a record is missing, hidden or another's. */
export function notFound(): Refusal {
  return new Refusal("not_found", "Record not found");
}

/** For what somebody may see but not do. */
export function notAllowed(): Refusal {
  return new Refusal("forbidden", "This action is not allowed");
}

/** Rails' sentence for a failed validation, which clients show as it is. */
export function validationFailed(...reasons: string[]): Refusal {
  return new Refusal("invalid", `Validation failed: ${reasons.join(", ")}`);
}

/** What is wrong with one field of a form: for programs, and for people after the field's name. */
export interface Problem {
  field: string;
  error: `ERR_${string}`;
  description: string;
}

/** A failed validation that also says which field each reason is about (Mastodon's entity ValidationError). */
export class ValidationRefusal extends Refusal {
  constructor(readonly problems: readonly Problem[]) {
    const reasons = problems.map(({ field, description }) => `${titleOf(field)} ${description}`);
    super("invalid", `Validation failed: ${reasons.join(", ")}`);
  }

  /** The reasons by field, with the descriptions translated by `translate`. */
  detailsWith(translate: (description: string) => string): Record<string, Omit<Problem, "field">[]> {
    const byField = Map.groupBy(this.problems, ({ field }) => field);
    const shown = ({ error, description }: Problem) => ({ error, description: translate(description) });
    return Object.fromEntries([...byField].map(([field, found]) => [field, found.map(shown)]));
  }
}

function titleOf(field: string): string {
  return field.charAt(0).toUpperCase() + field.slice(1).replaceAll("_", " ");
}

/** For refuseWhere(). Counts as people do: an emoji is one character, though it takes two in our memory. */
export function tooLong(what: string, text: string | null | undefined, max: number): [boolean, string] {
  return [[...(text ?? "")].length > max, `${what} is too long (maximum is ${max} characters)`];
}

/** Refuses with the sentence of every condition that holds, each once, if one does. */
export function refuseWhere(problems: readonly (readonly [boolean, string])[]): void {
  const found = problems.filter(([holds]) => holds).map(([, sentence]) => sentence);
  if (found.length > 0) throw validationFailed(...new Set(found));
}

/**
 * A file of an accepted kind that can't be read. `POST /api/v1/media` answers with an attachment all the same. `details`
 * is for the log.
 */
export class UnreadableFile extends Refusal {
  constructor(
    readonly details = "",
    message = "Validation failed: File content type is invalid, File is invalid",
  ) {
    super("invalid", message);
  }
}

/** A setting or an argument of the command line that cannot be used. Printed as one line, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
