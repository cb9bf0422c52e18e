import type { Context } from "../../context.ts";
import { hashPassword, MAX_PASSWORD, USER_COLUMNS, type UserRow } from "./users.ts";
import { Refusal } from "../../errors.ts";
import { nameInHandle } from "../addresses.ts";

/** A user who can sign in, with the hash of the password. */
export type LoginRow = UserRow & { password_hash: string };

/** The user who signs in, and the key for counting failed attempts, which is the same for every spelling. */
export interface Login {
  user: LoginRow | null;
  key: string;
}

const LOGIN = `
  SELECT ${USER_COLUMNS}, u.password_hash FROM users u JOIN accounts a ON a.id = u.account_id
  WHERE`;
const BY_NAME = `${LOGIN} lower(a.username) = +$name AND a.domain IS NULL`;
const BY_EMAIL = `${LOGIN} lower(u.email) = +$name`;

/**
 * Finds a user by what was typed: the name, `@name`, the handle, or the e-mail address. An address at the domain of the
 * handles is always a handle, so that nobody can register the handle of another user as an e-mail address.
 */
export function findLogin(ctx: Context, typed: string): Login {
  const login = typed.normalize("NFKC").trim().toLowerCase().replace(/^@/, "");
  const name = nameInHandle(ctx, login) ?? login;
  const user = ctx.db.get<LoginRow>(name.includes("@") ? BY_EMAIL : BY_NAME, { name });
  return { user, key: user ? `user ${user.id}` : `name ${name}` };
}

const BY_ACCOUNT = `${LOGIN} u.account_id = +$accountId`;

/**
 * Asks a signed-in user for the password again, before something that can't be undone. Attempts are limited like
 * sign-ins, but counted separately: a stolen token must not keep the user from signing in.
 *
 * @throws Refusal if the password is wrong
 */
export async function requirePassword(ctx: Context, accountId: number, password: string): Promise<void> {
  const user = ctx.db.get<LoginRow>(BY_ACCOUNT, { accountId });
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
