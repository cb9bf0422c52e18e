/** Why a request was refused, independent of HTTP. Only `app.ts` maps a kind to a status. */
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

/** Thrown to refuse a request. The message is shown to the user, so it says what was wrong and what to do. */
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
  /** Seconds until the client should try again. */
  readonly retryAfter = 5;

  constructor() {
    super("unavailable", "Another program is using the database. Nothing was saved. Try again in a few seconds.");
  }
}

/** The same message whether a record is missing, hidden from the viewer or owned by another user. */
export function notFound(): Refusal {
  return new Refusal("not_found", "Record not found");
}

/** For an action that the user may not perform on a record that they can see. */
export function notAllowed(): Refusal {
  return new Refusal("forbidden", "This action is not allowed");
}

/** Rails' message for a failed validation. Clients show it verbatim. */
export function validationFailed(...reasons: string[]): Refusal {
  return new Refusal("invalid", `Validation failed: ${reasons.join(", ")}`);
}

/** A problem with one form field. `error` is for programs; `description` is for people and follows the field's name. */
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

/** A problem for refuseWhere(). Counts code points, so that a simple emoji is one character, not two UTF-16 units. */
export function tooLong(what: string, text: string | null | undefined, max: number): [boolean, string] {
  return [[...(text ?? "")].length > max, `${what} is too long (maximum is ${max} characters)`];
}

/** Throws a refusal with the messages of all conditions that hold, without duplicates. Does nothing if none holds. */
export function refuseWhere(problems: readonly (readonly [boolean, string])[]): void {
  const found = problems.filter(([holds]) => holds).map(([, sentence]) => sentence);
  if (found.length > 0) throw validationFailed(...new Set(found));
}

/**
 * A file of an accepted type that can't be read. `POST /api/v1/media` still responds with an attachment. `details` is
 * for the log.
 */
export class UnreadableFile extends Refusal {
  constructor(
    readonly details = "",
    message = "Validation failed: File content type is invalid, File is invalid",
  ) {
    super("invalid", message);
  }
}

/** An invalid setting or command-line argument. Printed as one line, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Codes of the file system (EDQUOT is a full quota) and of SQLite, which reports some failed writes to a full disk as
 * input/output errors.
 */
const DISK_FULL = /^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_(SHM|WRITE|TRUNCATE))/;

/** Whether an error, or one that caused it, means that there is no room left on the disk. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && DISK_FULL.test(String(error.code))) || isDiskFull(error.cause);
}

export function diskFullIn(folder: string): string {
  return `The disk of ${folder} is full. Free up space and try again.`;
}
