import { Refusal, UsageError } from "../errors.ts";
import { storageProblem } from "./storage-problems.ts";
import { COMMANDS, GROUPS, type Command } from "./commands.ts";

/** The program ended as it should, something went wrong, or it was asked for what it doesn't know. */
const [DONE, FAILED, MISUSED] = [0, 1, 2];

/** Runs the command that the arguments name, and returns the exit code. */
export async function run(argv: string[]): Promise<number> {
  try {
    const { name, args } = split(argv);
    if (name === null) return print(overview(args[0]));
    const command = COMMANDS[name]!;
    if (args.includes("--help") || args.includes("-h")) return print(helpOf(command));
    const start = await command.load();
    await start(args);
    return DONE;
  } catch (error) {
    return explain(error);
  }
}

/** The command of the arguments, and what is left for it; no command when they ask what there is. */
function split(argv: string[]): { name: string | null; args: string[] } {
  const [first, second] = argv;
  if (first === "--version" || first === "-v") return { name: "version", args: [] };
  if (first === "--help" || first === "-h" || first === "help") return { name: null, args: [] };
  if (first === undefined || first.startsWith("-")) return { name: "serve", args: argv };
  for (const [name, length] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    if (Object.hasOwn(COMMANDS, name)) return { name, args: argv.slice(length) };
  }
  const family = Object.keys(COMMANDS).filter((name) => name.startsWith(`${first} `));
  if (family.length === 0)
    throw new UsageError(`There is no command "${first}". "linnet --help" lists those there are.`);
  if (second === "--help" || second === "-h") return { name: null, args: [first] };
  const verbs = family.map((name) => name.slice(first.length + 1)).join(", ");
  throw new UsageError(`"linnet ${first}" needs to know what to do: ${verbs}.`);
}

/** What can be done, in groups; or what can be done with one thing alone. */
function overview(family?: string): string {
  const names = Object.keys(COMMANDS).filter((name) => family === undefined || name.startsWith(`${family} `));
  const subject = family === undefined ? "" : ` ${family}`;
  const width = Math.max(...names.map((name) => name.length)) + 3;
  const groups = Map.groupBy(names, (name) => GROUPS[name.split(" ", 1)[0]!]!);
  const paragraphs = [...groups].map(([group, members]) =>
    [`${group}:`, ...members.map((name) => `  ${name.padEnd(width)}${COMMANDS[name]!.summary}`)].join("\n"),
  );
  return `Linnet is a personal server for the fediverse.

Usage: linnet${subject} [COMMAND]

${paragraphs.join("\n\n")}

"linnet${subject} COMMAND --help" tells more about each.`;
}

function helpOf({ usage, summary, details }: Command): string {
  return [`Usage: ${usage}`, `${summary}.`, details].filter(Boolean).join("\n\n");
}

function print(text: string): number {
  console.log(text);
  return DONE;
}

/** Says in one line what went wrong. Only what we didn't foresee comes with its stack, for a report. */
function explain(error: unknown): number {
  if (error instanceof UsageError) return complain(error.message, MISUSED);
  // What begins many of Mastodon's sentences says nothing to a person.
  if (error instanceof Refusal) return complain(error.message.replace(/^Validation failed: /, ""), FAILED);
  const problem = storageProblem(error);
  if (problem) return complain(problem, FAILED);
  const { code, message, stack } = error as { code?: unknown; message?: string; stack?: string };
  // The system's own words: no room on the disk, a folder that may not be read.
  if (typeof code === "string" && message) return complain(message, FAILED);
  return complain(stack ?? String(error), FAILED);
}

function complain(text: string, code: number): number {
  console.error(`linnet: ${text}`);
  return code;
}
