import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { countAttempt, type Attempt } from "./attempts.ts";
import { loginOfUser } from "./logins.ts";
import { checkCode, hasCodes, isCode } from "./one-time-codes.ts";
import { isPasswordOf } from "./passwords.ts";

/**
 * Counts an attempt of a signed-in user to prove who they are: separately from sign-ins, so that a stolen session can't
 * keep the user from signing in.
 */
export function countProof(ctx: Context, userId: number): Attempt {
  return countAttempt(ctx, [`proof ${userId}`]);
}

/**
 * Checks what a signed-in user typed as a proof, a code of the authenticator app or, if this server has passwords, the
 * password; null if it is wrong. The function that is returned uses a code up, and is false if it was used meanwhile.
 */
export async function checkTypedProof(
  ctx: Context,
  userId: number,
  typed: string,
): Promise<((tx: Tx) => boolean) | null> {
  if (isCode(typed) && hasCodes(ctx.db, userId)) return checkCode(ctx, userId, typed);
  if (!ctx.config.passwordSignIn) return null;
  return (await isPasswordOf(ctx, loginOfUser(ctx, userId), typed)) ? () => true : null;
}
