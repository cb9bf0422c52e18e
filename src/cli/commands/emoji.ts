import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import type { Context } from "../../context.ts";
import { addEmoji, EMOJI_LIMITS, emojisOf, removeEmoji } from "../../core/media/emojis.ts";
import { Refusal } from "../../errors.ts";
import { sniffType } from "../../lib/media/image-types.ts";
import { command, flag, option, word } from "../command.ts";
import { fileNamed } from "../files.ts";
import { list } from "../list.ts";
import { withData } from "../open.ts";

/** Enough bytes of a file to tell what it is. */
const HEAD = 64;

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
the others are added all the same. Files that are no pictures are skipped.`,
    words: { folder: word() },
    options: PLACE,
    run: ({ folder }, place) => importAll(folder, place),
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
    words: { shortcode: word() },
    confirm: ({ shortcode }) => `Remove the emoji :${shortcode}:?`,
    run: async ({ shortcode }) => {
      await withData((ctx) => removeEmoji(ctx, shortcode));
      console.log(`:${shortcode}: is removed.`);
    },
  }),
};

/** Adds what it can and names pictures that it can't add. Files that are no pictures, such as a licence, only count. */
async function importAll(folder: string, place: Place): Promise<void> {
  const files = filesIn(folder);
  const done = { added: 0, replaced: 0, refused: 0, skipped: 0 };
  await withData(async (ctx) => {
    for (const file of files) done[await outcomeOf(ctx, file, place)]++;
  });
  const skipped =
    done.skipped === 0
      ? ""
      : ` ${done.skipped} skipped, which ${done.skipped === 1 ? "is no picture" : "are no pictures"}.`;
  console.log(`${done.added} added, ${done.replaced} replaced.${skipped}`);
  if (done.refused > 0)
    throw new Refusal("invalid", `${done.refused} of ${files.length - done.skipped} pictures were not added.`);
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
  place: Place,
): Promise<"added" | "replaced" | "refused" | "skipped"> {
  const { base, name } = parse(file);
  if (sniffType(await Bun.file(file).slice(0, HEAD).bytes()) === null) return "skipped";
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
