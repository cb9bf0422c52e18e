import type { Context } from "../../../context.ts";
import { deleteAccount } from "../../../core/people/account-deletion.ts";
import { createSignInLink } from "../../../core/sign-in/sign-in-links.ts";
import { rebuildHomeLater } from "../../../core/timelines/home-backfill.ts";
import { updateProfile } from "../../../core/people/profile.ts";
import {
  approveUser,
  awaitsConfirmation,
  updateUser,
  createUser,
  findUser,
  listUsers,
  rejectUser,
  resetPassword,
  ROLES,
  type Role,
  type UserChanges,
  userDetails,
  type UserRow,
} from "../../../core/people/users.ts";
import { removeSecondFactors } from "../../../core/sign-in/second-factors.ts";
import { Refusal } from "../../../errors.ts";
import { ArgumentError } from "../../argument-error.ts";
import { command, flag, option, argument } from "../../command.ts";
import { day, iso, list, show } from "../../list.ts";
import { withData, withNewData } from "../../data-folder.ts";
import { oneOf } from "../../parsers.ts";
import { newPassword } from "../../passwords.ts";
import { passwordFromStdin } from "../../terminal.ts";
import { userNamed, withUserProblems } from "../../users.ts";
import { localHandle } from "../../../core/addresses.ts";

const NAME = argument();
const PASSWORD = flag("reads the password from standard input (default: generates one and prints it on the last line)");

export const commands = {
  "user create": command({
    summary: "Creates a user",
    details: "The default role is owner for the first user, and user for all others.",
    args: { name: NAME },
    options: {
      email: option("ADDRESS", "an e-mail address, which can also be used to sign in"),
      "password-stdin": PASSWORD,
      role: option("ROLE", "owner, admin, moderator or user", oneOf(ROLES)),
    },
    run: ({ name }, { email, "password-stdin": piped, role }) => create(name, { email, piped, role }),
  }),
  "user list": list({
    summary: "Lists users, including pending sign-ups",
    find: () => withData(listUsers),
    empty: () => "There are no users.",
    columns: {
      NAME: ({ username }) => username,
      ROLE: ({ role }) => role,
      STATE: stateOf,
      SINCE: ({ created_at }) => day(created_at),
      "E-MAIL": ({ email, unconfirmed_email }) => email ?? unconfirmed_email ?? "-",
      REASON: ({ approved, reason }) => (!approved && reason) || "-",
    },
    json: toJson,
  }),
  "user show": show({
    summary: "Shows a user's role, e-mail address and usage",
    args: { name: NAME },
    find: ({ name }) =>
      withData((ctx) => {
        const user = userNamed(ctx, name);
        return { ...user, ...userDetails(ctx.db, user.id), handle: localHandle(ctx, user.username) };
      }),
    facts: (user) => ({
      Handle: [user.handle],
      "Display name": [user.display_name],
      Role: [user.role],
      State: [stateOf(user)],
      "E-mail": [user.email],
      "Unconfirmed e-mail": [user.unconfirmed_email],
      Reason: [user.approved ? null : user.reason],
      Since: [day(user.created_at)],
      "Last use": [day(user.last_used_at)],
      Posts: [user.statuses_count],
      Followers: [user.followers_count],
      Following: [user.following_count],
      Uploads: [`${user.uploads}, ${(user.upload_bytes / 1_000_000).toFixed(1)} MB`],
      Tokens: [user.tokens],
      Passkeys: [user.passkeys],
      "One-time codes": [user.has_codes ? "on" : "off"],
    }),
    json: (user) => ({
      ...toJson(user),
      handle: user.handle,
      display_name: user.display_name,
      last_used_at: iso(user.last_used_at),
      statuses_count: user.statuses_count,
      followers_count: user.followers_count,
      following_count: user.following_count,
      uploads: user.uploads,
      upload_bytes: user.upload_bytes,
      tokens: user.tokens,
      passkeys: user.passkeys,
      one_time_codes: user.has_codes === 1,
    }),
  }),
  "user set": command({
    summary: "Changes a user's e-mail address, role or display name",
    args: { name: NAME },
    options: {
      email: option("ADDRESS", 'an e-mail address, which can also be used to sign in; "" removes it'),
      role: option("ROLE", ROLES.join(", "), oneOf(ROLES)),
      "display-name": option("TEXT", "the name that others see"),
    },
    run: ({ name }, { email, role, "display-name": displayName }) => changeUser(name, { email, role }, displayName),
  }),
  "user delete": command({
    summary: "Deletes a user with all posts and files; the name can't be used again",
    details: "The account disappears immediately. The server removes its data in the background, or at its next start.",
    args: { name: NAME },
    confirm: ({ name }) =>
      withData((ctx) => {
        const { id, username } = userNamed(ctx, name);
        const { statuses_count, uploads } = userDetails(ctx.db, id);
        return `Delete @${username} with ${statuses_count} posts and ${uploads} uploads?`;
      }),
    run: ({ name }) => remove(name),
  }),
  "user approve": command({
    summary: "Approves a sign-up",
    args: { name: NAME },
    run: ({ name }) =>
      withPending(name, (ctx, user) => {
        approveUser(ctx, user.id);
        console.log(`Approved @${user.username}.`);
      }),
  }),
  "user reject": command({
    summary: "Rejects a sign-up and deletes it",
    args: { name: NAME },
    confirm: ({ name }) => `Reject and delete the sign-up of ${name}?`,
    run: ({ name }) =>
      withPending(name, (ctx, user) => {
        rejectUser(ctx, user.id);
        console.log(`Rejected and deleted @${user.username}.`);
      }),
  }),
  "user reset-password": command({
    summary: "Sets a new password and signs the user out of all browsers",
    args: { name: NAME },
    options: { "password-stdin": PASSWORD },
    run: ({ name }, { "password-stdin": piped }) => setPassword(name, piped),
  }),
  "user remove-second-factors": command({
    summary: "Removes a user's passkeys, one-time codes and recovery codes, so that the password is enough again",
    details: "For users who have lost theirs. Make sure that the request comes from the user.",
    args: { name: NAME },
    confirm: ({ name }) => `Remove all second factors of ${name}?`,
    run: ({ name }) => removeFactors(name),
  }),
  "user sign-in-link": command({
    summary: "Prints a link with which a user can sign in once",
    details: `For users who can't sign in any more, or not yet: with LINNET_PASSWORD_SIGN_IN=off, a new user has no other way. The link
works for a quarter of an hour. A second factor is asked for as usual.`,
    args: { name: NAME },
    run: ({ name }) =>
      withData((ctx) => {
        const user = userNamed(ctx, name);
        const link = createSignInLink(ctx, user.id);
        console.log(`With this link, @${user.username} can sign in once within 15 minutes:\n${link}`);
      }),
  }),
  "user rebuild-home": command({
    summary: "Rebuilds a user's home timeline from the accounts they follow",
    details: `The running server does this within a minute. Until then, the timeline responds with status 206 and the posts it
has.`,
    args: { name: NAME },
    run: ({ name }) => rebuildHome(name),
  }),
};

interface UserOptions {
  email: string | undefined;
  piped: boolean;
  role: Role | undefined;
}

async function create(username: string, { email, piped, role }: UserOptions): Promise<void> {
  await withPassword(piped, (password) =>
    withNewData(async (ctx) => {
      await withUserProblems(() => createUser(ctx, { username, password, role, email }));
      const user = findUser(ctx, username)!;
      console.log(`Created ${localHandle(ctx, user.username)} with the role ${user.role}.`);
    }),
  );
}

async function setPassword(name: string, piped: boolean): Promise<void> {
  await withPassword(piped, (password) =>
    withData(async (ctx) => {
      const user = userNamed(ctx, name);
      await withUserProblems(() => resetPassword(ctx, user.id, password));
      console.log(`Set a new password for @${user.username} and signed them out of all browsers.`);
    }),
  );
}

/** Uses the password on standard input, or a generated one, which is printed alone on the last line. */
async function withPassword(piped: boolean, use: (password: string) => Promise<void>): Promise<void> {
  const given = piped ? await passwordFromStdin() : null;
  const password = given ?? newPassword();
  await use(password);
  if (given === null) console.log(`Password:\n${password}`);
}

function stateOf(user: UserRow): string {
  const { approved, disabled, suspended_at } = user;
  if (awaitsConfirmation(user)) return "unconfirmed";
  if (!approved) return "pending";
  return suspended_at !== null ? "suspended" : disabled ? "frozen" : "active";
}

function toJson(user: UserRow) {
  const { username, role, created_at, email, unconfirmed_email, reason } = user;
  return { username, role, state: stateOf(user), created_at: iso(created_at), email, unconfirmed_email, reason };
}

async function changeUser(name: string, changes: UserChanges, displayName: string | undefined): Promise<void> {
  if (Object.values({ ...changes, displayName }).every((value) => value === undefined)) {
    throw new ArgumentError("There is nothing to change. Use at least one of the options.");
  }
  await withData(async (ctx) => {
    const user = userNamed(ctx, name);
    await withUserProblems(() =>
      ctx.db.transaction(() => {
        updateUser(ctx, user, changes);
        if (displayName !== undefined) updateProfile(ctx, user.account_id, { displayName: displayName.trim() });
      }),
    );
    console.log(`Changed @${user.username}.`);
  });
}

async function remove(name: string): Promise<void> {
  await withData((ctx) => {
    const user = userNamed(ctx, name);
    if (!user.approved) {
      throw new Refusal("conflict", `@${user.username} is a pending sign-up: use "linnet user reject".`);
    }
    deleteAccount(ctx, user.account_id);
    console.log(`Deleted @${user.username}. The server removes posts and files now, or at its next start.`);
  });
}

async function removeFactors(name: string): Promise<void> {
  await withData((ctx) => {
    const { id, username } = userNamed(ctx, name);
    if (!removeSecondFactors(ctx, id)) throw new Refusal("conflict", `@${username} has no second factor.`);
    console.log(`Removed all second factors of @${username}. The password is enough to sign in.`);
  });
}

/** Enqueues the work for the running server, or for its next start. */
async function rebuildHome(name: string): Promise<void> {
  await withData((ctx) => {
    const user = userNamed(ctx, name);
    ctx.db.transaction((tx) => rebuildHomeLater(ctx, tx, user.account_id));
    console.log(
      `The server will rebuild the home timeline of @${user.username} within a minute, or at its next start.`,
    );
  });
}

/** Approves or rejects a pending sign-up. Throws a Refusal if it is not pending. */
async function withPending(name: string, decide: (ctx: Context, user: UserRow) => void): Promise<void> {
  await withData((ctx) => {
    const user = userNamed(ctx, name);
    if (user.approved) throw new Refusal("conflict", `@${user.username} is not a pending sign-up.`);
    decide(ctx, user);
  });
}
