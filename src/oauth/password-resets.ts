import type { Context } from "../context.ts";
import { endEmailTokens, findEmailToken } from "../core/mail/email-tokens.ts";
import { mailLater } from "../core/mail/mail-queue.ts";
import { reportSignInChange } from "../core/mail/sign-in-changes.ts";
import { hashNewPassword, storePassword } from "../core/people/users.ts";
import { hashSecret } from "../lib/secrets.ts";
import { revokeTokensOf } from "./tokens.ts";

/**
 * Enqueues the e-mail with the link for a new password. The job looks for the user, so that neither the response nor its
 * time tells whether there is one.
 */
export function requestPasswordReset(ctx: Context, login: string): void {
  ctx.db.transaction((tx) =>
    mailLater(ctx, tx, { type: "password_reset", login }, `mail reset ${hashSecret(login.toLowerCase())}`),
  );
}

/** Whether the link with this secret works. */
export function isResetLink(ctx: Context, secret: string): boolean {
  return findEmailToken(ctx, ctx.db, "password_reset", secret) !== null;
}

/**
 * Sets a new password with the secret of a link, which then no longer works. Returns false if it doesn't. Other means of
 * signing in, such as one-time codes, stay as they are. `signOut` ends all sessions, and the access of all apps. `address` is the
 * IP address of the browser.
 *
 * @throws ValidationRefusal for an unusable password
 */
export async function resetWithLink(
  ctx: Context,
  { secret, password, signOut, address }: { secret: string; password: string; signOut: boolean; address: string },
): Promise<boolean> {
  const passwordHash = await hashNewPassword(ctx, password);
  return ctx.db.transaction((tx) => {
    const token = findEmailToken(ctx, tx, "password_reset", secret);
    if (!token) return false;
    const userId = token.user_id;
    storePassword(tx, userId, passwordHash);
    endEmailTokens(tx, userId, "password_reset");
    if (signOut) {
      tx.run("DELETE FROM sessions WHERE user_id = +$userId", { userId });
      tx.run("DELETE FROM home_feeds WHERE user_id = +$userId", { userId });
      revokeTokensOf(ctx, tx, userId);
    }
    reportSignInChange(ctx, tx, { userId, address }, "password_reset");
    return true;
  });
}
