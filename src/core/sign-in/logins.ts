import type { Context } from "../../context.ts";
import { nameInHandle } from "../addresses.ts";
import { USER_COLUMNS, type UserRow } from "../people/users.ts";

/** A user who can sign in, with the hash of the password. */
export type LoginRow = UserRow & { password_hash: string };

/**
 * The user who signs in, and the key for counting failed attempts. It is the same for every spelling of a name or an address,
 * and doesn't depend on whether there is such a user.
 */
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
  return { user, key: `name ${name}` };
}

const BY_ACCOUNT = `${LOGIN} u.account_id = +$accountId`;

/** The user of a local account; null if it has none. */
export function loginOfAccount(ctx: Context, accountId: number): LoginRow | null {
  return ctx.db.get<LoginRow>(BY_ACCOUNT, { accountId });
}

const BY_ID = `${LOGIN} u.id = +$userId`;

export function loginOfUser(ctx: Context, userId: number): LoginRow | null {
  return ctx.db.get<LoginRow>(BY_ID, { userId });
}
