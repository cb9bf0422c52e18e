import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { createEmailToken, endEmailTokens, findEmailToken } from "../mail/email-tokens.ts";
import { loginOfUser, type LoginRow } from "./logins.ts";

export const SIGN_IN_LINK = "/sign-in/link";

/** A link with which a user who can't sign in any more can do so once, within a quarter of an hour. */
export function createSignInLink(ctx: Context, userId: number): string {
  const secret = ctx.db.transaction((tx) => createEmailToken(ctx, tx, { userId, purpose: "sign_in", email: "" }));
  return `${ctx.config.origin}${SIGN_IN_LINK}?token=${secret}`;
}

/** The user of the link with this secret; null if it is not valid, or not any more. */
export function findSignInLink(ctx: Context, secret: string): LoginRow | null {
  const token = findEmailToken(ctx, ctx.db, "sign_in", secret);
  return token && loginOfUser(ctx, token.user_id);
}

/** The same, and the link no longer works. */
export function useSignInLink(ctx: Context, tx: Tx, secret: string): LoginRow | null {
  const token = findEmailToken(ctx, tx, "sign_in", secret);
  if (!token) return null;
  endEmailTokens(tx, token.user_id, "sign_in");
  return loginOfUser(ctx, token.user_id);
}
