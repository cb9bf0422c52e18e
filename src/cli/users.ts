import type { Context } from "../context.ts";
import { findUser, problemOf, type UserProblem, type UserRow } from "../core/people/users.ts";
import { Refusal, ValidationRefusal } from "../errors.ts";

/** The user of this name; refuses when there is none. */
export function userNamed(ctx: Context, name: string): UserRow {
  const user = findUser(ctx, name);
  if (!user) throw new Refusal("not_found", `There is no user called "${name}".`);
  return user;
}

/** Used instead of Mastodon's sentences, which are for apps to show beside a field. */
const PROBLEMS: Record<UserProblem, string> = {
  username_blank: "The name is empty.",
  username_too_long: "The name is too long: it may have 30 characters.",
  username_invalid: "The name may only have letters (a to z), numbers and underscores.",
  username_taken: "The name is taken: a user has it, or had it until they were deleted. Choose another.",
  password_blank: "The password is empty.",
  password_too_short: "The password is too short: it needs at least 8 characters.",
  password_too_long: "The password is too long: it may have 256 characters.",
  email_invalid: "This is no e-mail address.",
  email_is_handle: "The e-mail address must not be at the domain of this server's handles.",
  email_taken: "Another user has this e-mail address.",
  display_name_too_long: "The display name is too long: it may have 30 characters.",
};

/** Runs what may find something wrong with the values of a user, and says so in the program's own words. */
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
