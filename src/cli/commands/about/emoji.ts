import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import type { Context } from "../../../context.ts";
import { addEmoji, emojisOf, removeEmoji } from "../../../core/media/emojis.ts";
import { EMOJI_LIMITS } from "../../../core/media/limits.ts";
import { Refusal } from "../../../errors.ts";
import { sniffType } from "../../../lib/media/image-types.ts";
import { command, flag, option, argument } from "../../command.ts";
import { fileNamed, requireFolder } from "../../input-files.ts";
import { list } from "../../list.ts";
import { withData } from "../../data-folder.ts";
import { counted } from "../../backup/progress.ts";

/** Enough bytes of a file to identify its type. */
const HEAD = 64;

const OPTIONS = {
  category: option("NAME", "the category in the emoji picker of apps"),
  hidden: flag("usable in posts, but not shown in the emoji picker"),
};

interface EmojiOptions {
  category: string | undefined;
  hidden: boolean;
}

export const commands = {
  "emoji add": command({
    summary: "Adds a custom emoji, or replaces the one with that shortcode",
    args: {
      shortcode: argument("the name to type between colons"),
      file: argument("a PNG, GIF or WebP image, up to 256 KB"),
    },
    options: OPTIONS,
    run: async ({ shortcode, file }, options) => {
      const { replaced } = await withData((ctx) => addFrom(ctx, shortcode, file, options));
      console.log(`${replaced ? "Replaced" : "Added"} :${shortcode}:.`);
    },
  }),
  "emoji import": command({
    summary: "Adds all pictures in a folder as emoji",
    details: `The name of a file is the shortcode. Existing emoji with that shortcode are replaced. Pictures that can't be used
are reported, and the others are still added. Other files are skipped.`,
    args: { folder: argument() },
    options: OPTIONS,
    run: ({ folder }, options) => importAll(folder, options),
  }),
  "emoji list": list({
    summary: "Lists the custom emoji of this server",
    find: () => withData((ctx) => [...emojisOf(ctx, null).values()]),
    empty: () => "There are no custom emoji.",
    columns: {
      SHORTCODE: ({ shortcode }) => shortcode,
      "IN PICKER": ({ visible_in_picker }) => (visible_in_picker ? "yes" : "no"),
      CATEGORY: ({ category }) => category ?? "-",
    },
    json: ({ shortcode, visible_in_picker, category }) => ({
      shortcode,
      visible_in_picker: Boolean(visible_in_picker),
      category,
    }),
  }),
  "emoji remove": command({
    summary: "Removes an emoji; posts that use it show its shortcode",
    args: { shortcode: argument() },
    confirm: ({ shortcode }) => `Remove the emoji :${shortcode}:?`,
    run: async ({ shortcode }) => {
      await withData((ctx) => removeEmoji(ctx, shortcode));
      console.log(`Removed :${shortcode}:.`);
    },
  }),
};

/** Adds what it can, and reports pictures that it can't add. Other files, such as a licence, are only counted. */
async function importAll(folder: string, options: EmojiOptions): Promise<void> {
  await requireFolder(folder);
  const files = filesIn(folder);
  const done = { added: 0, replaced: 0, refused: 0, skipped: 0 };
  await withData(async (ctx) => {
    for (const file of files) done[await outcomeOf(ctx, file, options)]++;
  });
  const skipped = done.skipped === 0 ? "" : ` Skipped ${counted(done.skipped, "other file")}.`;
  console.log(`Added ${done.added} and replaced ${done.replaced} emoji.${skipped}`);
  if (done.refused > 0)
    throw new Refusal("invalid", `${done.refused} of ${files.length - done.skipped} pictures could not be added.`);
}

/** In order, without hidden files. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(folder, entry.name))
    .sort();
}

async function outcomeOf(
  ctx: Context,
  file: string,
  options: EmojiOptions,
): Promise<"added" | "replaced" | "refused" | "skipped"> {
  const { base, name } = parse(file);
  if (sniffType(await Bun.file(file).slice(0, HEAD).bytes()) === null) return "skipped";
  try {
    const { replaced } = await addFrom(ctx, name, file, options);
    return replaced ? "replaced" : "added";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`${base}: ${error.message}`);
    return "refused";
  }
}

async function addFrom(ctx: Context, shortcode: string, path: string, { category, hidden }: EmojiOptions) {
  // One byte more than the limit shows that the file is too large, without reading the rest.
  const file = await fileNamed(path);
  const picture = await file.slice(0, EMOJI_LIMITS.bytes + 1).bytes();
  return addEmoji(ctx, { shortcode, picture, category: category ?? null, visibleInPicker: !hidden });
}
