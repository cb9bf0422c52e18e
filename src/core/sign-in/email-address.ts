import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";
import { endEmailTokens, findEmailToken } from "../mail/email-tokens.ts";
import { mailLater, sendsMail } from "../mail/mail-queue.ts";
import { reportSignInChange, type Changer } from "../mail/sign-in-changes.ts";
import { registrationMode } from "../people/registrations.ts";
import { approveWithin, awaitsConfirmation, emailProblem, refuseFor } from "../people/users.ts";

/** The addresses of a user. */
export interface EmailAddresses {
  email: string | null;
  /** Replaces the other one as soon as the user confirms it. */
  unconfirmed_email: string | null;
}

interface AddressRow extends EmailAddresses {
  username: string;
  approved: number;
  invitation_id: number | null;
}

const ADDRESSES = `
  SELECT a.username, u.email, u.unconfirmed_email, u.approved, u.invitation_id FROM users u JOIN accounts a ON a.id = u.account_id
  WHERE u.id = +$userId`;

export function emailAddresses(ctx: Context, userId: number): EmailAddresses {
  return ctx.db.get<AddressRow>(ADDRESSES, { userId })!;
}

/**
 * Changes the address of a user. If this server sends e-mails, the new address must be confirmed first. Null removes the
 * address.
 *
 * @throws ValidationRefusal for an unusable address
 */
export function changeEmail(ctx: Context, changer: Changer, wanted: string | null): void {
  const { userId } = changer;
  const address = wanted?.trim() || null;
  ctx.db.transaction((tx) => {
    const user = tx.get<AddressRow>(ADDRESSES, { userId })!;
    const problem = emailProblem(ctx, address, user.username, userId);
    if (problem) refuseFor([problem]);
    const change = address === null ? "email_removed" : "email";
    if (address !== user.email) reportSignInChange(ctx, tx, changer, change, address ?? "");
    if (address === null || !sendsMail(ctx)) return storeEmail(tx, userId, address);
    if (address === user.email) return storeUnconfirmed(tx, userId, null);
    storeUnconfirmed(tx, userId, address);
    mailLater(ctx, tx, { type: "confirm", userId });
  });
}

/** Keeps the address that a user has, instead of one that waits for its confirmation. */
export function cancelEmailChange(ctx: Context, userId: number): void {
  ctx.db.transaction((tx) =>
    tx.run("UPDATE users SET unconfirmed_email = NULL WHERE id = +$userId AND approved", { userId }),
  );
}

/** Sends the link that confirms an address again. */
export function resendConfirmation(ctx: Context, userId: number): void {
  ctx.db.transaction((tx) => mailLater(ctx, tx, { type: "confirm", userId }, `mail confirm ${userId}`));
}

/**
 * Sends the link for a sign-up again, to another address if one is given: the first one may have been wrong.
 *
 * @throws Refusal if the sign-up is confirmed, and for an unusable address
 */
export function resendSignUpConfirmation(ctx: Context, userId: number, other: string | null): void {
  ctx.db.transaction((tx) => {
    const user = tx.get<AddressRow>(ADDRESSES, { userId })!;
    if (!awaitsConfirmation(user)) {
      throw new Refusal("forbidden", "This method is only available while the e-mail is awaiting confirmation");
    }
    if (other !== null && other !== user.unconfirmed_email) {
      const problem = emailProblem(ctx, other, user.username, userId);
      if (problem) refuseFor([problem]);
      storeUnconfirmed(tx, userId, other);
    }
    mailLater(ctx, tx, { type: "confirm", userId }, `mail confirm ${userId}`);
  });
}

/**
 * The address that the link with this secret confirms; null if the link is not valid, or not any more. Links to an address that was
 * replaced stay, since they count against the limit of e-mails.
 */
export function addressToConfirm(ctx: Context, secret: string): string | null {
  const token = findEmailToken(ctx, ctx.db, "confirm", secret);
  return token && emailAddresses(ctx, token.user_id).unconfirmed_email === token.email ? token.email : null;
}

/**
 * Confirms an address with the secret of a link, and approves a sign-up that needs nothing else. `pending` if it still
 * waits for approval; null if the link is not valid, or not any more. `address` is the IP address of the browser.
 *
 * @throws ValidationRefusal if another user has confirmed the same address since
 */
export function confirmEmail(ctx: Context, secret: string, address: string): "confirmed" | "pending" | null {
  return ctx.db.transaction((tx) => {
    const token = findEmailToken(ctx, tx, "confirm", secret);
    const user = token && tx.get<AddressRow>(ADDRESSES, { userId: token.user_id })!;
    if (!token || user?.unconfirmed_email !== token.email) return null;
    const userId = token.user_id;
    const problem = emailProblem(ctx, token.email, user.username, userId);
    if (problem) refuseFor([problem]);
    reportSignInChange(ctx, tx, { userId, address }, "email_confirmed", token.email);
    storeEmail(tx, userId, token.email);
    endEmailTokens(tx, userId, "confirm");
    const needsApproval = registrationMode(ctx) !== "open" && user.invitation_id === null;
    if (!user.approved && needsApproval) return "pending";
    approveWithin(ctx, tx, userId);
    return "confirmed";
  });
}

function storeEmail(tx: Tx, userId: number, address: string | null): void {
  // Links to the previous address must not work any more.
  endEmailTokens(tx, userId, "password_reset");
  tx.run("UPDATE users SET email = $address, unconfirmed_email = NULL WHERE id = +$userId", { address, userId });
}

function storeUnconfirmed(tx: Tx, userId: number, address: string | null): void {
  tx.run("UPDATE users SET unconfirmed_email = $address WHERE id = +$userId", { address, userId });
}
