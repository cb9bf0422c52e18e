import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import type { Context } from "../context.ts";
import { addEmoji, EMOJI_LIMITS, emojisOf, removeEmoji } from "../core/emojis.ts";
import { Refusal } from "../errors.ts";
import { command, flag, option, word } from "./command.ts";
import { fileNamed } from "./files.ts";
import { withData } from "./open.ts";

const PLACE = {
  category: option("NAME", "the heading under which apps show it"),
  hidden: flag("works in posts, but apps don't offer it"),
};

interface Place {
  category: string | undefined;
  hidden: boolean;
}

export const commands = {
  "emoji add": command({
    summary: "Adds a custom emoji, or replaces the one of that name",
    words: {
      shortcode: word("what people write between colons"),
      file: word("a PNG, GIF or WebP of at most 256 KB"),
    },
    options: PLACE,
    run: async ({ shortcode, file }, place) => {
      const { replaced } = await withData((ctx) => addFrom(ctx, shortcode, file, place));
      console.log(`:${shortcode}: is ${replaced ? "replaced" : "added"}.`);
    },
  }),
  "emoji import": command({
    summary: "Adds all pictures of a folder as emoji",
    details: `The file's name is the shortcode. Emoji of the same name are replaced. Files that can't be used are named, and
the others are added all the same.`,
    words: { folder: word() },
    options: PLACE,
    run: ({ folder }, place) => importAll(folder, place),
  }),
  "emoji list": command({
    summary: "Lists the custom emoji of this server",
    run: listAll,
  }),
  "emoji remove": command({
    summary: "Removes an emoji; posts that use it show its shortcode",
    words: { shortcode: word() },
    run: async ({ shortcode }) => {
      await withData((ctx) => removeEmoji(ctx, shortcode));
      console.log(`:${shortcode}: is removed.`);
    },
  }),
};

/** Takes what it can, names what it can't, and fails when there was such. */
async function importAll(folder: string, place: Place): Promise<void> {
  const files = filesIn(folder);
  const done = { added: 0, replaced: 0, refused: 0 };
  await withData(async (ctx) => {
    for (const file of files) done[await outcomeOf(ctx, file, place)]++;
  });
  console.log(`${done.added} added, ${done.replaced} replaced.`);
  if (done.refused > 0) throw new Refusal("invalid", `${done.refused} of ${files.length} files were not taken.`);
}

async function listAll(): Promise<void> {
  const emojis = await withData((ctx) => [...emojisOf(ctx, null).values()]);
  const width = Math.max(0, ...emojis.map(({ shortcode }) => shortcode.length)) + 2;
  for (const { shortcode, visible_in_picker, category } of emojis) {
    console.log(`${shortcode.padEnd(width)}${visible_in_picker ? "shown " : "hidden"}  ${category ?? ""}`.trimEnd());
  }
}

/** In order, without hidden files. */
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
  // One byte more than the limit shows that the file is too large, without reading the rest.
  const file = await fileNamed(path);
  const picture = await file.slice(0, EMOJI_LIMITS.bytes + 1).bytes();
  return addEmoji(ctx, { shortcode, picture, category: category ?? null, visibleInPicker: !hidden });
}
