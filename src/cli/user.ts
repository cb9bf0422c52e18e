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
import { Refusal } from "../errors.ts";
import { command, flag, option, word } from "./command.ts";
import { day, iso, list } from "./list.ts";
import { withData, withNewData } from "./open.ts";
import { oneOf } from "./parsers.ts";
import { newPassword } from "./passwords.ts";
import { passwordFromStdin } from "./terminal.ts";
import { userNamed } from "./users.ts";

const NAME = word();
const PASSWORD = flag("reads the password from standard input; otherwise one is made and printed on the last line");

export const commands = {
  "user create": command({
    summary: "Creates a user",
    details: "The first user becomes the owner unless a role is given; later ones become users.",
    words: { name: NAME },
    options: {
      email: option("ADDRESS", "an address to sign in with, besides the name"),
      "password-stdin": PASSWORD,
      role: option("ROLE", "owner, admin, moderator or user", oneOf(ROLES)),
    },
    run: ({ name }, { email, "password-stdin": piped, role }) => create(name, { email, piped, role }),
  }),
  "user list": list({
    summary: "Lists the users, including sign-ups that wait for approval",
    find: () => withData(listUsers),
    empty: () => "There are no users.",
    columns: {
      NAME: ({ username }) => username,
      ROLE: ({ role }) => role,
      STATE: stateOf,
      SINCE: ({ created_at }) => day(created_at),
      "E-MAIL": ({ email }) => email ?? "-",
      REASON: ({ approved, reason }) => (!approved && reason) || "-",
    },
    json: (user) => ({
      username: user.username,
      role: user.role,
      state: stateOf(user),
      created_at: iso(user.created_at),
      email: user.email,
      reason: user.reason,
    }),
  }),
  "user approve": command({
    summary: "Approves a sign-up",
    words: { name: NAME },
    run: ({ name }) =>
      withPending(name, (ctx, user) => {
        approveUser(ctx, user.id);
        console.log(`Approved @${user.username}.`);
      }),
  }),
  "user reject": command({
    summary: "Rejects a sign-up and deletes it",
    words: { name: NAME },
    confirm: ({ name }) => `Reject the sign-up of ${name} and delete it?`,
    run: ({ name }) =>
      withPending(name, (ctx, user) => {
        rejectUser(ctx, user.id);
        console.log(`Rejected and deleted @${user.username}.`);
      }),
  }),
  "user reset-password": command({
    summary: "Sets a new password, and signs the user out of every browser",
    words: { name: NAME },
    options: { "password-stdin": PASSWORD },
    run: ({ name }, { "password-stdin": piped }) => setPassword(name, piped),
  }),
  "user rebuild-home": command({
    summary: "Rebuilds a user's home timeline from the accounts they follow",
    details: `The running server does it, within a minute. Until it is done, the timeline answers with status 206 and the posts
it has.`,
    words: { name: NAME },
    run: ({ name }) => rebuildHome(name),
  }),
};

interface Wanted {
  email: string | undefined;
  piped: boolean;
  role: Role | undefined;
}

async function create(username: string, { email, piped, role }: Wanted): Promise<void> {
  await withPassword(piped, (password) =>
    withNewData(async (ctx) => {
      await createUser(ctx, { username, password, role, email });
      const user = findUser(ctx, username)!;
      console.log(`Created @${user.username}@${ctx.config.handleDomain}, ${user.role}.`);
    }),
  );
}

async function setPassword(name: string, piped: boolean): Promise<void> {
  await withPassword(piped, (password) =>
    withData(async (ctx) => {
      const user = userNamed(ctx, name);
      await resetPassword(ctx, user.id, password);
      console.log(`@${user.username} has a new password, and is signed out of every browser.`);
    }),
  );
}

/** Uses the piped password, or a new one, which is printed alone on the last line. */
async function withPassword(piped: boolean, use: (password: string) => Promise<void>): Promise<void> {
  const given = piped ? await passwordFromStdin() : null;
  const password = given ?? newPassword();
  await use(password);
  if (given === null) console.log(`The password:\n${password}`);
}

function stateOf({ approved, disabled, suspended_at }: UserRow): string {
  if (!approved) return "pending";
  return suspended_at !== null ? "suspended" : disabled ? "frozen" : "active";
}

/** Leaves the work to the running server, or to its next start. */
async function rebuildHome(name: string): Promise<void> {
  await withData((ctx) => {
    const user = userNamed(ctx, name);
    ctx.db.transaction((tx) => rebuildHomeLater(ctx, tx, user.account_id));
    console.log(`The server rebuilds @${user.username}'s home timeline: within a minute, or when it starts.`);
  });
}

/** For decisions about a sign-up that is pending. */
async function withPending(name: string, decide: (ctx: Context, user: UserRow) => void): Promise<void> {
  await withData((ctx) => {
    const user = userNamed(ctx, name);
    if (user.approved) throw new Refusal("conflict", `@${user.username} isn't waiting for approval.`);
    decide(ctx, user);
  });
}
