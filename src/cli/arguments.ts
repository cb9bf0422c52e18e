import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { UsageError } from "../errors.ts";

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>
>["values"];

/** Reads a command's arguments: its options, and exactly as many words as are named. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
  names: string[] = [],
): { values: Values<Options>; words: string[] } {
  const { values, positionals: words } = parsed(args, options);
  if (words.length > names.length) throw new UsageError(`"${words[names.length]}" is one word too many.`);
  if (words.length < names.length) throw new UsageError(`${names[words.length]} is missing. See --help.`);
  return { values, words };
}

function parsed<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's messages go on to explain how words that begin with a dash are passed.
    throw new UsageError(`${(error as Error).message.split(". ", 1)[0]!.replace(/\.$/, "")}. See --help.`);
  }
}
