import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { notAllowed, ValidationRefusal, type Problem } from "../../errors.ts";
import { isLocale } from "../../lib/text/languages.ts";
import {
  hasUsers,
  insertUser,
  prepareUser,
  problemOf,
  tellOfSignUp,
  userProblems,
  type PreparedUser,
} from "./users.ts";

/** As with Mastodon. */
const MAX_REASON = 420;

/** Names that others would take for the server itself. Its owner may still give them to a user. */
const RESERVED = new Set(["linnet", "api", "oauth", "admin", "abuse", "postmaster", "root", "support"]);

/** What somebody says who wants an account. Empty is what they left out. */
export interface Registration {
  username: string;
  email: string;
  password: string;
  /** Whether they agree to the rules. */
  agreement: boolean;
  locale: string;
  reason: string;
}

/** Who may register now. Nobody before there is an owner: the first user would be taken for one. */
export function registrationMode(ctx: Context): "closed" | "open" | "approval" {
  return hasUsers(ctx) ? ctx.config.registrations : "closed";
}

/** Checks a registration, and gives back whom to insert. Refuses with every reason at once, by field. */
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

/** Makes the account of who registers; the user's id. Who must wait isn't spoken of before they are let in. */
export function register(ctx: Context, tx: Tx, user: PreparedUser): number {
  const { userId, accountId } = insertUser(ctx, tx, user);
  if (user.approved) tellOfSignUp(ctx, tx, accountId);
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
