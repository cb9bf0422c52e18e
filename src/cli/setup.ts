import type { Context } from "../context.ts";
import { createUser, hasUsers, userProblems, type UserProblem } from "../core/users.ts";
import { Refusal, UsageError } from "../errors.ts";
import { english } from "../web/words-en.ts";
import { readArguments } from "./arguments.ts";
import { withNewData } from "./open.ts";
import { Dialogue, isInteractive, passwordFromStdin } from "./terminal.ts";

interface Owner {
  username: string;
  displayName: string;
  password: string;
}

/** Makes the owner: what the page behind the one-time link does, without a browser. */
export async function setup(args: string[]): Promise<void> {
  const { values } = readArguments(args, {
    name: { type: "string" },
    "display-name": { type: "string" },
    "password-stdin": { type: "boolean" },
  });
  const { name, "display-name": displayName = "", "password-stdin": piped } = values;
  if (name === undefined && (piped || !isInteractive())) {
    throw new UsageError("--name and --password-stdin are needed, since there is no terminal to ask in.");
  }
  if (name !== undefined && !piped) throw new UsageError("--name needs --password-stdin.");
  const given = name === undefined ? null : { username: name, displayName, password: await passwordFromStdin() };
  await withNewData(async (ctx) => {
    if (hasUsers(ctx)) {
      throw new Refusal("conflict", 'This server has its owner already; "linnet user create" makes more users.');
    }
    const owner = given ?? (await interview(ctx));
    await createUser(ctx, { ...owner, role: "owner", onlyAsFirst: true });
    console.log(`\n@${owner.username.trim()}@${ctx.config.handleDomain} owns this server.`);
    console.log(`Start it with "linnet serve", and enter ${new URL(ctx.config.origin).host} in your app.`);
  });
}

async function interview(ctx: Context): Promise<Owner> {
  console.log(`This makes the account that owns ${ctx.config.origin}. Its name can't be changed later.\n`);
  const dialogue = new Dialogue();
  try {
    const owner: Owner = { username: "", displayName: "", password: "" };
    owner.username = await askUntil(ctx, owner, "username", () => dialogue.ask("Name: "));
    owner.displayName = await askUntil(ctx, owner, "display_name", () => dialogue.ask("Display name (if you like): "));
    owner.password = await askUntil(ctx, owner, "password", () => dialogue.askSecret("Password (it is not shown): "));
    while ((await dialogue.askSecret("Once more: ")) !== owner.password) console.log("That was another one.");
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
