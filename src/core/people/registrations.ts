import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { notAllowed, ValidationRefusal, type Problem } from "../../errors.ts";
import { mailLater, sendsMail } from "../mail/mail-queue.ts";
import { isLocale } from "../../lib/text/languages.ts";
import { invitationOver, isInvited, redeemInvitation } from "./invitations.ts";
import {
  AWAITS_CONFIRMATION,
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
  /** From the link of an invitation. It needs no approval. */
  inviteCode: string;
}

/** A sign-up that passed the checks. */
export interface PreparedRegistration extends PreparedUser {
  inviteCode: string;
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
export async function prepareRegistration(ctx: Context, given: Registration): Promise<PreparedRegistration> {
  const { inviteCode } = given;
  if (inviteCode !== "" && !isInvited(ctx, ctx.db, inviteCode)) throw invitationOver();
  const mode = inviteCode === "" ? registrationMode(ctx) : "open";
  if (mode === "closed") throw notAllowed();
  const reason = given.reason.trim();
  const problems = [
    ...userProblems(ctx, given).map(problemOf),
    ...problemsOf({ ...given, reason }, mode === "approval"),
  ];
  if (problems.length > 0) throw new ValidationRefusal(problems);
  const locale = isLocale(given.locale) ? given.locale : ctx.config.languages[0]!;
  const unconfirmed = sendsMail(ctx);
  const approved = mode === "open" && !unconfirmed;
  const { username, email, password } = given;
  const wanted = { username, email, password, locale, reason: reason || undefined };
  return { ...(await prepareUser(ctx, { ...wanted, role: "user", approved, unconfirmed })), inviteCode };
}

/**
 * Creates the account of a sign-up and returns the user's id. If this server sends e-mails, the user has to confirm the
 * address first. Notifies the staff, for sign-ups pending approval or confirmation only after that.
 */
export function register(ctx: Context, tx: Tx, user: PreparedRegistration): number {
  // It may have been used up while the password was hashed.
  const invitationId = user.inviteCode === "" ? null : redeemInvitation(ctx, tx, user.inviteCode);
  const { userId, accountId } = insertUser(ctx, tx, user);
  tx.run("UPDATE users SET invitation_id = $invitationId WHERE id = +$userId", { invitationId, userId });
  if (user.unconfirmed) mailLater(ctx, tx, { type: "confirm", userId });
  else if (user.approved) notifyStaffOfSignUp(ctx, tx, accountId);
  return userId;
}

/** How long a sign-up may wait for the confirmation of its address, in milliseconds. */
const CONFIRM_WITHIN = 7 * 24 * 3600_000;

/** Deletes sign-ups whose address was never confirmed, which frees their usernames. */
export function removeUnconfirmed(ctx: Context, tx: Tx): void {
  tx.run(
    `DELETE FROM accounts WHERE id IN (
       SELECT u.account_id FROM users u WHERE ${AWAITS_CONFIRMATION} AND u.created_at < +$before)`,
    { before: ctx.clock.now() - CONFIRM_WITHIN },
  );
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
