import type { Context } from "../../context.ts";
import { Refusal } from "../../errors.ts";
import { hashPassword, MAX_PASSWORD } from "../people/users.ts";
import { loginOfAccount, type LoginRow } from "./logins.ts";

/**
 * Asks a signed-in user for the password again, before something that can't be undone. Attempts are limited like
 * sign-ins, but counted separately: a stolen token must not keep the user from signing in.
 *
 * @throws Refusal if the password is wrong
 */
export async function requirePassword(ctx: Context, accountId: number, password: string): Promise<void> {
  const user = loginOfAccount(ctx, accountId);
  const [key, now] = [`password ${accountId}`, ctx.clock.now()];
  if (ctx.rates?.sign_in.take(key, now).exceeded) throw new Refusal("too_many", "Too many requests");
  if (!(await isPasswordOf(ctx, user, password))) throw new Refusal("forbidden", "The password is wrong.");
  ctx.rates?.sign_in.giveBack(key, now);
}

/**
 * Whether a password is the user's. Users who are pending approval or disabled pass as well: the caller tells them so and
 * does not sign them in.
 */
export async function isPasswordOf(ctx: Context, user: LoginRow | null, password: string): Promise<boolean> {
  if (password === "" || password.length > MAX_PASSWORD) return false;
  if (user) return Bun.password.verify(password, user.password_hash);
  // The response must take as long as for a name that exists.
  await hashPassword(ctx, password);
  return false;
}
