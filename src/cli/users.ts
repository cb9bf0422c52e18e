import type { Context } from "../context.ts";
import { findUser, problemOf, type UserProblem, type UserRow } from "../core/people/users.ts";
import { Refusal, ValidationRefusal } from "../errors.ts";

/** The user with this name. Throws a Refusal if there is none. */
export function userNamed(ctx: Context, name: string): UserRow {
  const user = findUser(ctx, name);
  if (!user) throw new Refusal("not_found", `There is no user called "${name}".`);
  return user;
}

/** Replace Mastodon's messages, which apps show beside a form field. */
const PROBLEMS: Record<UserProblem, string> = {
  username_blank: "The name is empty.",
  username_too_long: "The name is too long. The limit is 30 characters.",
  username_invalid: "The name may only contain letters (a to z), numbers and underscores.",
  username_taken: "The name belongs to a current or deleted user. Choose another.",
  password_blank: "The password is empty.",
  password_too_short: "The password is too short. It needs at least 8 characters.",
  password_too_long: "The password is too long. The limit is 256 characters.",
  email_invalid: "The e-mail address is invalid.",
  email_is_handle: "The e-mail address must not use the domain of this server's handles.",
  email_taken: "Another user already has this e-mail address.",
  display_name_too_long: "The display name is too long. The limit is 30 characters.",
};

/** Runs `work`, and replaces the messages for invalid values of a user. */
export async function withUserProblems<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ValidationRefusal)) throw error;
    const names = (Object.keys(PROBLEMS) as UserProblem[]).filter((name) => {
      const known = problemOf(name);
      return error.problems.some((problem) => problem.field === known.field && problem.error === known.error);
    });
    throw new Refusal(error.kind, names.map((name) => PROBLEMS[name]).join(" "));
  }
}
