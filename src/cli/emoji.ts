import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import type { Context } from "../context.ts";
import { addEmoji, EMOJI_LIMITS, emojisOf, removeEmoji } from "../core/emojis.ts";
import { Refusal } from "../errors.ts";
import { readArguments } from "./arguments.ts";
import { fileNamed } from "./files.ts";
import { withData } from "./open.ts";

const OPTIONS = { category: { type: "string" }, hidden: { type: "boolean" } } as const;

interface Place {
  category?: string;
  hidden?: boolean;
}

export async function addEmojiCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, OPTIONS, ["SHORTCODE", "FILE"]);
  const [shortcode, file] = [words[0]!, words[1]!];
  const { replaced } = await withData((ctx) => addFrom(ctx, shortcode, file, values));
  console.log(`:${shortcode}: is ${replaced ? "another picture now" : "there"}.`);
}

/** Takes what it can, names what it can't, and fails when there was such. */
export async function importEmojisCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, OPTIONS, ["FOLDER"]);
  const files = filesIn(words[0]!);
  const done = { added: 0, replaced: 0, refused: 0 };
  await withData(async (ctx) => {
    for (const file of files) done[await outcomeOf(ctx, file, values)]++;
  });
  console.log(`${done.added} added, ${done.replaced} replaced.`);
  if (done.refused > 0) throw new Refusal("invalid", `${done.refused} of ${files.length} files were not taken.`);
}

/** A line an emoji: shortcode, whether pickers show it, and its category. */
export async function listEmojisCommand(args: string[]): Promise<void> {
  readArguments(args, {});
  const emojis = await withData((ctx) => [...emojisOf(ctx, null).values()]);
  const width = Math.max(0, ...emojis.map(({ shortcode }) => shortcode.length)) + 2;
  for (const { shortcode, visible_in_picker, category } of emojis) {
    console.log(`${shortcode.padEnd(width)}${visible_in_picker ? "shown " : "hidden"}  ${category ?? ""}`.trimEnd());
  }
}

export async function removeEmojiCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["SHORTCODE"]);
  await withData((ctx) => removeEmoji(ctx, words[0]!));
  console.log(`:${words[0]}: is gone.`);
}

/** In order, without those that are hidden, which no pack means. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(folder, entry.name))
    .sort();
}

async function outcomeOf(ctx: Context, file: string, place: Place): Promise<"added" | "replaced" | "refused"> {
  const { base, name } = parse(file);
  try {
    const { replaced } = await addFrom(ctx, name, file, place);
    return replaced ? "replaced" : "added";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`${base}: ${error.message}`);
    return "refused";
  }
}

async function addFrom(ctx: Context, shortcode: string, path: string, { category, hidden }: Place) {
  // A byte more than may be shows that it is too large, and no larger part is read.
  const file = await fileNamed(path);
  const picture = await file.slice(0, EMOJI_LIMITS.bytes + 1).bytes();
  return addEmoji(ctx, { shortcode, picture, category: category ?? null, visibleInPicker: !hidden });
}
