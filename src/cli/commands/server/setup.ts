import type { Context } from "../../../context.ts";
import { createUser, hasUsers, userProblems, type UserProblem } from "../../../core/people/users.ts";
import { refuseBesideServer } from "../../../core/server/server-address.ts";
import { Refusal } from "../../../errors.ts";
import { english } from "../../../web/i18n/en.ts";
import { ArgumentError } from "../../argument-error.ts";
import { command, flag, option } from "../../command.ts";
import { isRunning } from "../../server-lock.ts";
import { configOfProcess, hasDatabase, withData, withNewData } from "../../data-folder.ts";
import { Dialogue, isInteractive, passwordFromStdin } from "../../terminal.ts";
import { withUserProblems } from "../../users.ts";
import { localHandle } from "../../../core/addresses.ts";

interface Owner {
  username: string;
  displayName: string;
  password: string;
}

export const commands = {
  setup: command({
    summary: "Creates the account that owns the server",
    details: "Asks for a name and a password, unless they are given as options.",
    options: {
      name: option("NAME", "letters, numbers and underscores"),
      "password-stdin": flag("reads the password from standard input"),
      "display-name": option("TEXT", "the name that others see (optional)"),
    },
    run: (_, { name, "display-name": displayName = "", "password-stdin": piped }) => setup(name, displayName, piped),
  }),
};

/** Does the same in the terminal as the page of the setup link in a browser. */
async function setup(name: string | undefined, displayName: string, piped: boolean): Promise<void> {
  const config = configOfProcess();
  if (hasDatabase(config)) await withData(refuseSecondOwner);
  if (name === undefined && (piped || !isInteractive())) {
    throw new ArgumentError("There is no terminal to ask in. Use --name and --password-stdin.");
  }
  if (name !== undefined && !piped) throw new ArgumentError("--name also needs --password-stdin.");
  const given = name === undefined ? null : { username: name, displayName, password: await passwordFromStdin() };
  await withNewData(async (ctx) => {
    refuseSecondOwner(ctx);
    const owner = given ?? (await askForOwner(ctx));
    // A server may have started during the questions.
    refuseBesideServer(ctx.db, ctx.config, () => isRunning(ctx.config.data));
    await withUserProblems(() => createUser(ctx, { ...owner, role: "owner", onlyAsFirst: true }));
    console.log(`\n${localHandle(ctx, owner.username.trim())} is the owner of this server.`);
    const next = isRunning(ctx.config.data) ? "Enter" : 'Start the server with "linnet serve", then enter';
    console.log(`${next} ${new URL(ctx.config.origin).host} in your app.`);
  });
}

function refuseSecondOwner(ctx: Context): void {
  if (!hasUsers(ctx)) return;
  throw new Refusal("conflict", 'This server already has an owner. To add users, use "linnet user create".');
}

async function askForOwner(ctx: Context): Promise<Owner> {
  console.log(`This creates the account that owns ${ctx.config.origin}. Its name can't be changed later.\n`);
  const dialogue = new Dialogue();
  try {
    const owner: Owner = { username: "", displayName: "", password: "" };
    owner.username = await askUntil(ctx, owner, "username", () => dialogue.ask("Name: "));
    owner.displayName = await askUntil(ctx, owner, "display_name", () => dialogue.ask("Display name (optional): "));
    owner.password = await askUntil(ctx, owner, "password", () => dialogue.askSecret("Password (hidden): "));
    while ((await dialogue.askSecret("Repeat password: ")) !== owner.password)
      console.log("The passwords don't match.");
    return owner;
  } finally {
    dialogue.close();
  }
}

const FIELDS = { username: "username", display_name: "displayName", password: "password" } as const;

async function askUntil(
  ctx: Context,
  owner: Owner,
  field: keyof typeof FIELDS,
  question: () => Promise<string>,
): Promise<string> {
  for (;;) {
    const typed = await question();
    const problems = userProblems(ctx, { ...owner, [FIELDS[field]]: typed });
    const problem = problems.find((name: UserProblem) => name.startsWith(field));
    if (!problem) return typed;
    console.log(english.userProblems[problem]);
  }
}
