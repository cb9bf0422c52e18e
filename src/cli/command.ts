import { parseArgs } from "node:util";
import { closestMatch } from "leven";
import { Refusal } from "../errors.ts";
import { ArgumentError } from "./argument-error.ts";

/** Converts a typed argument. `name` is its name in the usage line, for messages. */
export type Parser<T> = (given: string, name: string) => T;

/** A positional argument. Its key in the declaration, in capitals, is its name in the usage line. */
interface Argument<T> {
  meaning: string;
  isOptional: boolean;
  read(given: string | undefined, name: string): T;
}

interface Option<T> {
  /** Stands for the value in the usage line; null for a switch. */
  placeholder: string | null;
  meaning: string;
  isRequired: boolean;
  read(given: string | undefined, name: string): T;
}

export type Arguments = Record<string, Argument<unknown>>;
export type Options = Record<string, Option<unknown>>;
export type ValuesOf<Declared> = {
  [Name in keyof Declared]: Declared[Name] extends { read(given: string | undefined, name: string): infer T }
    ? T
    : never;
};

export interface Declaration<A extends Arguments, O extends Options> {
  /** One line for the list of commands, without a full stop. */
  summary: string;
  /** More text for `--help`. */
  details?: string;
  /** Positional arguments, in order. */
  args?: A;
  options?: O;
  /**
   * The question to ask before running, for a command that deletes something for good. Such a command has the option
   * --yes, which answers it.
   */
  confirm?(args: ValuesOf<A>): string | Promise<string>;
  run(args: ValuesOf<A>, options: ValuesOf<O>): void | Promise<void>;
}

export interface Command {
  summary: string;
  details: string | undefined;
  args: Arguments;
  options: Options;
  /** @throws ArgumentError when the arguments don't fit the declaration */
  start(argv: string[]): Promise<void>;
}

/** The commands of a file, by their whole name. */
export type Commands = Record<string, Command>;

/** Declares a command. Its help, its usage line and the parsing of its arguments all derive from the declaration. */
export function command<const A extends Arguments = {}, const O extends Options = {}>(
  declaration: Declaration<A, O>,
): Command {
  const { summary, details, args = {}, confirm, run } = declaration;
  const options = { ...declaration.options, ...(confirm && YES) };
  return {
    summary,
    details,
    args,
    options,
    start: async (argv) => {
      const typed = split(argv, args, options);
      const given = read(args, typed.args) as ValuesOf<A>;
      const chosen = read(options, typed.options);
      if (confirm && !chosen.yes) await ask(() => confirm(given));
      await run(given, chosen as ValuesOf<O>);
    },
  };
}

const YES = { yes: flag("skips the confirmation") };

/** @throws Refusal unless the answer is yes */
async function ask(question: () => string | Promise<string>): Promise<void> {
  // Most commands ask nothing, and start twice as fast without the terminal's library.
  const { Dialogue, isInteractive } = await import("./terminal.ts");
  if (!isInteractive())
    throw new ArgumentError(
      "This can't be undone, and there is no terminal to ask for confirmation. Add --yes to confirm.",
    );
  const dialogue = new Dialogue();
  try {
    const answer = await dialogue.ask(`${await question()} This can't be undone. [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal("bad_request", "Cancelled. Nothing was changed.");
  } finally {
    dialogue.close();
  }
}

const asText: Parser<string> = (given) => given;

/** A required positional argument. */
export function argument(meaning?: string): Argument<string>;
export function argument<T>(meaning: string, parse: Parser<T>): Argument<T>;
export function argument(meaning = "", parse: Parser<unknown> = asText): Argument<unknown> {
  return { meaning, isOptional: false, read: needed(parse) };
}

/** An optional positional argument; it must be the last one. */
export function optionalArgument(meaning: string): Argument<string | undefined> {
  return { meaning, isOptional: true, read: (given) => given };
}

/** An option with a value. */
export function option(placeholder: string, meaning: string): Option<string | undefined>;
export function option<T>(placeholder: string, meaning: string, parse: Parser<T>): Option<T | undefined>;
export function option(placeholder: string, meaning: string, parse: Parser<unknown> = asText): Option<unknown> {
  const read = (given: string | undefined, name: string) => (given === undefined ? undefined : parse(given, name));
  return { placeholder, meaning, isRequired: false, read };
}

/** A required option. */
export function requiredOption<T>(placeholder: string, meaning: string, parse: Parser<T>): Option<T> {
  return { placeholder, meaning, isRequired: true, read: needed(parse) };
}

/** An option without a value. */
export function flag(meaning: string): Option<boolean> {
  return { placeholder: null, meaning, isRequired: false, read: (given) => given !== undefined };
}

function needed<T>(parse: Parser<T>): (given: string | undefined, name: string) => T {
  return (given, name) => {
    if (given === undefined) throw new ArgumentError(`${name} is missing.`);
    return parse(given, name);
  };
}

/** The typed value for each declared name. */
type Typed = Map<string, string>;

function read(declared: Arguments | Options, typed: Typed): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(declared).map(([key, argument]) => [key, argument.read(typed.get(key), shownName(key, argument))]),
  );
}

function shownName(key: string, argument: Argument<unknown> | Option<unknown>): string {
  return "placeholder" in argument ? `--${key}` : key.toUpperCase();
}

/** Assigns the arguments to the names of the declaration. If an option is given twice, the last value wins. */
function split(argv: string[], args: Arguments, options: Options): { args: Typed; options: Typed } {
  const types = Object.entries(options).map(
    ([name, { placeholder }]) => [name, { type: placeholder === null ? "boolean" : "string" }] as const,
  );
  // Not strict: Node's own messages don't fit our usage lines.
  const config = {
    args: argv,
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  };
  const { tokens } = parseArgs(config as typeof config & { tokens: true });
  const names = Object.keys(args);
  const typed = { args: new Map<string, string>(), options: new Map<string, string>() };
  for (const token of tokens) {
    if (token.kind === "option") typed.options.set(token.name, valueOf(token, args, options));
    if (token.kind !== "positional") continue;
    const name = names[typed.args.size];
    if (name === undefined) throw new ArgumentError(`Unexpected argument "${token.value}".`);
    typed.args.set(name, token.value);
  }
  return typed;
}

interface OptionToken {
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

function valueOf({ name, rawName, value, inlineValue }: OptionToken, args: Arguments, options: Options): string {
  if (!Object.hasOwn(options, name)) {
    const known = closest(
      rawName,
      Object.keys(options).map((option) => `--${option}`),
    );
    const isMaybeArgument = Object.keys(args).length > 0;
    const hint = known ? ` Did you mean ${known}?` : isMaybeArgument ? " If it is a value, write -- before it." : "";
    throw new ArgumentError(`Unknown option "${rawName}".${hint}`);
  }
  const { placeholder } = options[name]!;
  if (placeholder === null) {
    if (inlineValue) throw new ArgumentError(`--${name} takes no value.`);
    return "";
  }
  if (value === undefined) throw new ArgumentError(`--${name} needs a value.`);
  // A forgotten value is more likely than one that begins with a dash.
  if (!inlineValue && value.startsWith("-") && value !== "-") {
    throw new ArgumentError(`--${name} needs a value. If it is "${value}", write --${name}=${value}.`);
  }
  return value;
}

/** The candidate that `typed` is probably a misspelling of. */
export function closest(typed: string, candidates: string[]): string | undefined {
  return closestMatch(typed, candidates, { maxDistance: Math.ceil(typed.length / 3) });
}

/** `linnet user create NAME [--email ADDRESS]`. */
export function usageOf(name: string, { args, options }: Command): string {
  const shown = Object.entries(options).map(([key, option]) => {
    const text = [`--${key}`, option.placeholder].filter(Boolean).join(" ");
    return option.isRequired ? text : `[${text}]`;
  });
  const places = Object.entries(args).map(([key, { isOptional }]) =>
    isOptional ? `[${key.toUpperCase()}]` : key.toUpperCase(),
  );
  return ["linnet", name, ...places, ...shown].join(" ");
}

/** Columns for the names of arguments in a command's help. */
const NAMES = 23;

export function helpOf(name: string, command: Command): string {
  const { summary, details, args, options } = command;
  const rows = [
    ...Object.entries(args).map(([key, { meaning }]) => [key.toUpperCase(), meaning]),
    ...Object.entries(options).map(([key, { placeholder, meaning }]) => [
      [`--${key}`, placeholder].filter(Boolean).join(" "),
      meaning,
    ]),
  ];
  const table = rows.filter(([, meaning]) => meaning).map(([shown, meaning]) => `  ${shown!.padEnd(NAMES)}${meaning}`);
  return [`Usage: ${usageOf(name, command)}`, `${summary}.`, details, table.join("\n")].filter(Boolean).join("\n\n");
}
