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

/** What one may not see does not exist: the same words whether a record is missing, hidden or another's. */
export function notFound(): Refusal {
  return new Refusal("not_found", "Record not found");
}

/** Rails' sentence for a failed validation, which clients show as it is. */
export function validationFailed(...reasons: string[]): Refusal {
  return new Refusal("invalid", `Validation failed: ${reasons.join(", ")}`);
}

/** A setting or an argument of the command line that cannot be used. Printed as one line, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
