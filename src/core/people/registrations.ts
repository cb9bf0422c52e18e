import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { notAllowed, ValidationRefusal, type Problem } from "../../errors.ts";
import { isLocale } from "../../lib/text/languages.ts";
import {
  hasUsers,
  insertUser,
  prepareUser,
  problemOf,
  notifyStaffOfSignUp,
  userProblems,
  type PreparedUser,
} from "./users.ts";

/** Mastodon's limit. */
const MAX_REASON = 420;

/** Usernames that look official. The owner can still assign them. */
const RESERVED = new Set(["linnet", "api", "oauth", "admin", "abuse", "postmaster", "root", "support"]);

/** The sign-up form. Empty strings are missing values. */
export interface Registration {
  username: string;
  email: string;
  password: string;
  /** Whether the user agrees to the rules. */
  agreement: boolean;
  locale: string;
  reason: string;
}

/** The current sign-up mode. Closed while there is no owner, because the first user becomes the owner. */
export function registrationMode(ctx: Context): "closed" | "open" | "approval" {
  return hasUsers(ctx) ? ctx.config.registrations : "closed";
}

/**
 * Checks a sign-up and prepares the user to insert.
 *
 * @throws ValidationRefusal with all problems by field
 */
export async function prepareRegistration(ctx: Context, given: Registration): Promise<PreparedUser> {
  const mode = registrationMode(ctx);
  if (mode === "closed") throw notAllowed();
  const reason = given.reason.trim();
  const problems = [
    ...userProblems(ctx, given).map(problemOf),
    ...problemsOf({ ...given, reason }, mode === "approval"),
  ];
  if (problems.length > 0) throw new ValidationRefusal(problems);
  const { username, email, password } = given;
  const locale = isLocale(given.locale) ? given.locale : ctx.config.languages[0]!;
  const approved = mode === "open";
  return prepareUser(ctx, { username, email, password, locale, role: "user", approved, reason: reason || undefined });
}

/**
 * Creates the account of a sign-up and returns the user's id. Notifies the staff, for sign-ups pending approval only
 * after approval.
 */
export function register(ctx: Context, tx: Tx, user: PreparedUser): number {
  const { userId, accountId } = insertUser(ctx, tx, user);
  if (user.approved) notifyStaffOfSignUp(ctx, tx, accountId);
  return userId;
}

function problemsOf(given: Registration, needsReason: boolean): Problem[] {
  const isReserved = RESERVED.has(given.username.trim().toLowerCase());
  const problems: (Problem | false)[] = [
    isReserved && { field: "username", error: "ERR_RESERVED", description: "is reserved" },
    given.email.trim() === "" && blank("email"),
    !given.agreement && { field: "agreement", error: "ERR_ACCEPTED", description: "must be accepted" },
    given.locale === "" && blank("locale"),
    needsReason && given.reason === "" && blank("reason"),
    [...given.reason].length > MAX_REASON && {
      field: "reason",
      error: "ERR_TOO_LONG",
      description: `is too long (maximum is ${MAX_REASON} characters)`,
    },
  ];
  return problems.filter((problem) => problem !== false);
}

function blank(field: string): Problem {
  return { field, error: "ERR_BLANK", description: "can't be blank" };
}
