import type { Context } from "../context.ts";
import { localHandle } from "../core/addresses.ts";
import {
  createEmailToken,
  dropEmailToken,
  hasEnoughTokens,
  TOKEN_LIFETIMES,
  type TokenPurpose,
} from "../core/mail/email-tokens.ts";
import { findLogin } from "../core/sign-in/logins.ts";
import type { MailOrder } from "../db/mail-order.ts";
import { TryLater, type JobPayloads } from "../db/queue.ts";
import { mailTextsIn, type MailText, type MailTexts } from "../entities/mail-texts.ts";
import { writeMail } from "../entities/mails.ts";
import { signInMail } from "../entities/notifications/sign-ins.ts";
import { signInChangeMail } from "../entities/sign-in-changes.ts";
import { MailError } from "../lib/mail/mailer.ts";

/** How long an e-mail is worth sending, in milliseconds, unless its link expires earlier. */
const LIFETIME = 24 * 3600_000;

/** The pages to which links in e-mails lead. */
const PAGES: Partial<Record<TokenPurpose, string>> = {
  confirm: "/confirm-email",
  password_reset: "/password-reset/new",
};

interface Recipient {
  userId: number;
  username: string;
  locale: string;
  timeZone: string;
  address: string;
}

/** Sends an e-mail, if its user still exists and still needs it. */
export async function sendMail(ctx: Context, { order, requestedAt }: JobPayloads["mail.send"]): Promise<void> {
  const until = requestedAt + (order.type === "password_reset" ? TOKEN_LIFETIMES.password_reset : LIFETIME);
  const recipient = recipientOf(ctx, order);
  if (!ctx.mailer || !recipient || ctx.clock.now() > until) return;
  const texts = mailTextsIn(recipient.locale);
  const text = textOf(ctx, texts, { order, requestedAt }, recipient);
  if (!text) return;
  const purpose = order.type === "confirm" || order.type === "password_reset" ? order.type : null;
  if (purpose && hasEnoughTokens(ctx, recipient.userId, purpose)) return;
  const secret = purpose && createToken(ctx, recipient, purpose);
  const url = secret === null ? null : `${ctx.config.origin}${PAGES[purpose!]}?token=${secret}`;
  const { address, username: name } = recipient;
  try {
    const mail = writeMail(ctx, { address, name }, texts, text, url);
    await ctx.mailer.send(mail, ctx.stopping.signal);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    if (secret !== null) ctx.db.transaction((tx) => dropEmailToken(tx, secret));
    if (error.kind === "failed") throw new TryLater(error.message, { notBefore: 0, until });
    ctx.log.warn("an e-mail ({type}) was not sent: {error}", { type: order.type, error: error.message });
  }
}

function createToken(ctx: Context, { userId, address }: Recipient, purpose: TokenPurpose): string {
  return ctx.db.transaction((tx) => createEmailToken(ctx, tx, { userId, purpose, email: address }));
}

interface UserRow {
  username: string;
  locale: string;
  time_zone: string | null;
  email: string | null;
  unconfirmed_email: string | null;
}

const USER = `
  SELECT a.username, u.locale, u.time_zone, u.email, u.unconfirmed_email FROM users u JOIN accounts a ON a.id = u.account_id
  WHERE u.id = +$userId`;

/** The user and the address that get an e-mail; null if nobody should get it. */
function recipientOf(ctx: Context, order: MailOrder): Recipient | null {
  const userId = order.type === "password_reset" ? resettable(ctx, order.login) : order.userId;
  const user = userId === null ? null : ctx.db.get<UserRow>(USER, { userId });
  if (userId === null || !user) return null;
  const address =
    order.type === "confirm" ? user.unconfirmed_email : order.type === "sign_in_change" ? order.to : user.email;
  const { username, locale, time_zone: timeZone } = user;
  return address === null ? null : { userId, username, locale, timeZone: timeZone ?? "UTC", address };
}

/** The user with this name or address, if a new password would let them sign in. */
function resettable(ctx: Context, login: string): number | null {
  const { user } = findLogin(ctx, login);
  return user && user.approved && !user.shut_out ? user.id : null;
}

/** Null if there is nothing to say any more. */
function textOf(
  ctx: Context,
  texts: MailTexts,
  { order, requestedAt }: JobPayloads["mail.send"],
  { username, locale, timeZone }: Recipient,
): MailText | null {
  const handle = localHandle(ctx, username);
  switch (order.type) {
    case "confirm":
      return texts.confirm(handle);
    case "password_reset":
      return texts.passwordReset(handle);
    case "sign_in_change":
      return signInChangeMail({ locale, timeZone, handle }, { ...order, at: requestedAt });
    case "new_browser":
      return signInMail(ctx, order.aboutId);
    default: {
      // Another version has enqueued it. Only its type is safe to log.
      const { type } = order as MailOrder;
      ctx.log.warn("an e-mail ({type}) was not sent: this version does not know its type", { type });
      return null;
    }
  }
}
