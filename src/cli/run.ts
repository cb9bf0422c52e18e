import { Refusal, UsageError } from "../errors.ts";
import { ArgumentError } from "./argument-error.ts";
import { closest, helpOf, usageOf, type Command, type Commands } from "./command.ts";
import { NOUNS } from "./commands.ts";

/** Exit codes: success, failure, and wrong arguments. */
const [DONE, FAILED, MISUSED] = [0, 1, 2];

/** Runs the command that the arguments name, and returns the exit code. */
export async function run(argv: string[]): Promise<number> {
  try {
    const args = expanded(argv);
    if (asksForHelp(args)) {
      console.log(await helpFor(args.filter((arg) => !arg.startsWith("-"))));
      return DONE;
    }
    await runCommand(await find(args));
    return DONE;
  } catch (error) {
    const { text, code } = await explain(error);
    console.error(isLogged(argv) ? await asJson(text) : `linnet: ${text}`);
    return code;
  }
}

/** Whether the output is for programs. Then the reason why the server does not start is JSON, too. */
function isLogged([first = "serve"]: string[]): boolean {
  return first === "serve" && Bun.env["LINNET_LOG_FORMAT"] === "json";
}

async function asJson(text: string): Promise<string> {
  const { jsonLine } = await import("../lib/log.ts");
  return jsonLine("error", text);
}

/** Replaces shortcuts by the command that they stand for. */
function expanded(argv: string[]): string[] {
  const [first, ...others] = argv;
  if (first === undefined) return ["serve"];
  if (first === "help") return [...others, "--help"];
  if (first === "-v" || first === "-V" || first === "--version") return ["version"];
  return first.startsWith("-") && !asksForHelp(argv) ? ["serve", ...argv] : argv;
}

function asksForHelp(args: string[]): boolean {
  const end = args.indexOf("--");
  const before = end === -1 ? args : args.slice(0, end);
  return before.includes("--help") || before.includes("-h");
}

interface Found {
  name: string;
  command: Command;
  args: string[];
}

/** The command that the first words name, and the remaining arguments. */
async function find(args: string[]): Promise<Found> {
  const [noun, verb] = [args[0]!, args[1]];
  const commands = await commandsOf(noun, verb);
  if (Object.hasOwn(commands, noun)) return { name: noun, command: commands[noun]!, args: args.slice(1) };
  const name = `${noun} ${verb}`;
  if (Object.hasOwn(commands, name)) return { name, command: commands[name]!, args: args.slice(2) };
  const verbs = Object.keys(commands).map((known) => known.slice(noun.length + 1));
  const choice = `The commands of "linnet ${noun}" are ${verbs.join(", ")}.`;
  if (verb === undefined) throw new UsageError(`"linnet ${noun}" needs a command. ${choice}`);
  const meant = closest(verb, verbs);
  throw new UsageError(`There is no command "${name}". ${suggestion(meant && `${noun} ${meant}`) ?? choice}`);
}

async function commandsOf(noun: string, verb: string | undefined): Promise<Commands> {
  if (Object.hasOwn(NOUNS, noun)) return NOUNS[noun]!.load();
  const typed = verb === undefined || verb.startsWith("-") ? noun : `${noun} ${verb}`;
  const names = (await everyCommand()).map(({ name }) => name);
  const hint = suggestion(closest(typed, names) ?? closest(noun, Object.keys(NOUNS)));
  throw new UsageError(`There is no command "${typed}". ${hint ?? 'Run "linnet --help" for a list.'}`);
}

function suggestion(name: string | undefined): string | undefined {
  return name && `Did you mean "linnet ${name}"?`;
}

async function everyCommand(): Promise<{ name: string; group: string; command: Command }[]> {
  const loaded = await Promise.all(
    Object.values(NOUNS).map(async ({ group, load }) =>
      Object.entries(await load()).map(([name, command]) => ({ name, group, command })),
    ),
  );
  return loaded.flat();
}

async function runCommand({ name, command, args }: Found): Promise<void> {
  try {
    await command.start(args);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new UsageError(`${error.message}\nUsage: ${usageOf(name, command)}`);
  }
}

/** The help for a command, for a noun with all its commands, or for all of them. */
async function helpFor(words: string[]): Promise<string> {
  const [noun, verb] = words;
  if (noun === undefined) return overview();
  if (verb === undefined && !Object.hasOwn(await commandsOf(noun, verb), noun)) return overview(noun);
  const { name, command } = await find(words);
  return helpOf(name, command);
}

async function overview(noun?: string): Promise<string> {
  const commands = (await everyCommand()).filter(({ name }) => noun === undefined || name.startsWith(`${noun} `));
  const subject = noun === undefined ? "" : ` ${noun}`;
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  const paragraphs = [...Map.groupBy(commands, ({ group }) => group)].map(([group, members]) =>
    [`${group}:`, ...members.map(({ name, command }) => `  ${name.padEnd(width)}${command.summary}`)].join("\n"),
  );
  return `Linnet is a personal server for the fediverse.

Usage: linnet${subject} [COMMAND]

${paragraphs.join("\n\n")}

Run "linnet${subject} COMMAND --help" for details of a command.`;
}

/** Describes an error in one line. Only unexpected errors include the stack, for bug reports. */
async function explain(error: unknown): Promise<{ text: string; code: number }> {
  if (error instanceof UsageError) return { text: error.message, code: MISUSED };
  return { text: await reason(error), code: FAILED };
}

async function reason(error: unknown): Promise<string> {
  // Many of Mastodon's messages have this prefix, which helps no one in a terminal.
  if (error instanceof Refusal) return error.message.replace(/^Validation failed: /, "");
  const { storageProblem } = await import("./storage-problems.ts");
  const problem = storageProblem(error);
  if (problem) return problem;
  const { code, message, stack } = error as { code?: unknown; message?: string; stack?: string };
  // An error of the operating system, such as a full disk or a missing permission.
  if (typeof code === "string" && message) return message;
  return stack ?? String(error);
}
