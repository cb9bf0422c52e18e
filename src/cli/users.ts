import type { Context } from "../context.ts";
import { findUser, type UserRow } from "../core/users.ts";
import { Refusal } from "../errors.ts";

/** The user of this name; refuses when there is none. */
export function userNamed(ctx: Context, name: string): UserRow {
  const user = findUser(ctx, name);
  if (!user) throw new Refusal("not_found", `There is no user called "${name}".`);
  return user;
}
