import type { Context } from "../context.ts";
import { rebuildHomeLater } from "../core/home-filling.ts";
import {
  approveUser,
  createUser,
  findUser,
  listUsers,
  rejectUser,
  resetPassword,
  ROLES,
  type Role,
  type UserRow,
} from "../core/users.ts";
import { Refusal, UsageError } from "../errors.ts";
import { readArguments } from "./arguments.ts";
import { withData, withNewData } from "./open.ts";
import { newPassword } from "./passwords.ts";
import { passwordFromStdin, quoted } from "./terminal.ts";

const PASSWORD = { "password-stdin": { type: "boolean" } } as const;

/** Makes a user, and prints the password alone on the last line when it made one. */
export async function createUserCommand(args: string[]): Promise<void> {
  const options = { ...PASSWORD, email: { type: "string" }, role: { type: "string" } } as const;
  const { values, words } = readArguments(args, options, ["NAME"]);
  const wanted = roleOf(values.role);
  const given = values["password-stdin"] ? await passwordFromStdin() : null;
  const password = given ?? newPassword();
  await withNewData(async (ctx) => {
    await createUser(ctx, { username: words[0]!, password, role: wanted ?? undefined, email: values.email });
    const { username, role } = findUser(ctx, words[0]!)!;
    console.log(`Created @${username}@${ctx.config.handleDomain}, ${role}.`);
  });
  if (given === null) showPassword(password);
}

export async function listUsersCommand(args: string[]): Promise<void> {
  readArguments(args, {});
  const users = await withData(listUsers);
  const width = Math.max(0, ...users.map(({ username }) => username.length)) + 2;
  for (const { username, role, approved, shut_out, created_at, email, reason } of users) {
    const since = new Date(created_at).toISOString().slice(0, 10);
    const wish = approved || !reason ? "" : `  ${quoted(JSON.stringify(reason))}`;
    const rank = (shut_out ? "shut out" : approved ? role : "waiting").padEnd(11);
    console.log(`${username.padEnd(width)}${rank}${since}  ${quoted(email ?? "")}${wish}`.trimEnd());
  }
}

export async function approveUserCommand(args: string[]): Promise<void> {
  await withWaiting(args, (ctx, user) => {
    approveUser(ctx, user.id);
    console.log(`@${user.username} is in.`);
  });
}

export async function rejectUserCommand(args: string[]): Promise<void> {
  await withWaiting(args, (ctx, user) => {
    rejectUser(ctx, user.id);
    console.log(`@${user.username} is turned away, and nothing is kept of them.`);
  });
}

/** Leaves the work to the server that runs, or to the next one. */
export async function rebuildHomeCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["NAME"]);
  await withData((ctx) => {
    const user = userNamed(ctx, words[0]!);
    ctx.db.transaction((tx) => rebuildHomeLater(ctx, tx, user.account_id));
    console.log(`The server makes @${user.username}'s home timeline anew: within a minute, or when it starts.`);
  });
}

/** For what is decided about somebody who waits for it. */
async function withWaiting(args: string[], decide: (ctx: Context, user: UserRow) => void): Promise<void> {
  const { words } = readArguments(args, {}, ["NAME"]);
  await withData((ctx) => {
    const user = userNamed(ctx, words[0]!);
    if (user.approved) throw new Refusal("conflict", `@${user.username} doesn't wait for approval.`);
    decide(ctx, user);
  });
}

function userNamed(ctx: Context, name: string): UserRow {
  const user = findUser(ctx, name);
  if (!user) throw new Refusal("not_found", `There is no user called "${name}".`);
  return user;
}

/** Sets a password, and prints it alone on the last line when it made one. */
export async function resetPasswordCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, PASSWORD, ["NAME"]);
  const given = values["password-stdin"] ? await passwordFromStdin() : null;
  const password = given ?? newPassword();
  await withData(async (ctx) => {
    const user = userNamed(ctx, words[0]!);
    await resetPassword(ctx, user.id, password);
    console.log(`@${user.username} has a new password, and is signed out of every browser.`);
  });
  if (given === null) showPassword(password);
}

function showPassword(password: string): void {
  console.log(`The password:\n${password}`);
}

function roleOf(given: string | undefined): Role | null {
  if (given === undefined) return null;
  const role = ROLES.find((known) => known === given);
  if (!role) throw new UsageError(`--role is "${given}", but should be one of ${ROLES.join(", ")}.`);
  return role;
}
