import type { Context } from "../../context.ts";
import type { SignInChange } from "../../db/mail-order.ts";
import type { Tx } from "../../db/open.ts";
import { mailLater } from "./mail-queue.ts";

/** A user who changes how they sign in, and the IP address of their browser. */
export interface Changer {
  userId: number;
  address: string;
}

const USER = "SELECT a.username, u.email FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.id = +$userId";

/**
 * Reports a change of how a user signs in, in its transaction: a line of the log, and an e-mail to the confirmed address that the
 * user has until then. So it is called before an address is changed; `wanted` is the new one.
 */
export function reportSignInChange(
  ctx: Context,
  tx: Tx,
  { userId, address }: Changer,
  change: SignInChange,
  wanted = "",
): void {
  const { username, email } = tx.get<{ username: string; email: string | null }>(USER, { userId })!;
  if (email !== null) mailLater(ctx, tx, { type: "sign_in_change", userId, change, to: email, address, wanted });
  tx.afterCommit(() =>
    ctx.log.info("Sign-in settings changed: address={address} user={user} change={change}", {
      address,
      user: username,
      change,
    }),
  );
}
