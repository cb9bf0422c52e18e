import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { type CacheSpec, partRows } from "../../db/row-cache.ts";
import { customEmojis } from "../../db/schema/index.ts";
import { Refusal } from "../../errors.ts";
import { sniffType } from "../../lib/media/image-types.ts";
import { isShortcode, shortcodesIn } from "../../lib/text/shortcodes.ts";
import { EMOJI_LIMITS } from "./limits.ts";
import { discardFiles, newFolder, storeImage } from "./stored-files.ts";

/** Other servers reject other formats. */
const TYPES: ReadonlySet<string | null> = new Set(["image/png", "image/gif", "image/webp"]);

const MAX_CATEGORY = 100;

/** A custom emoji with the names of its files or, for those of other servers, the remote URL. */
export type CustomEmoji = Pick<
  typeof customEmojis.$inferSelect,
  | "id"
  | "shortcode"
  | "image"
  | "static_image"
  | "image_remote_url"
  | "remote_updated_at"
  | "category"
  | "visible_in_picker"
>;

export interface NewEmoji {
  shortcode: string;
  picture: Uint8Array;
  category: string | null;
  visibleInPicker: boolean;
}

const OF_SERVER = `
  SELECT id, shortcode, image, static_image, image_remote_url, remote_updated_at, category, visible_in_picker
  FROM custom_emojis
  WHERE coalesce(domain, '') = +$domain ORDER BY lower(shortcode), shortcode`;

/** The columns that emoji depend on wherever they are cached. */
export const EMOJI_COLUMNS = [
  "shortcode",
  "domain",
  "image",
  "static_image",
  "image_remote_url",
  "remote_updated_at",
  "category",
  "visible_in_picker",
] as const;

/** By domain ("" for this server's), then by shortcode. A server has a few hundred emoji. */
export const EMOJIS: CacheSpec<string, ReadonlyMap<string, CustomEmoji>> = {
  name: "emojis",
  max: 100,
  dependsOn: [partRows(customEmojis, EMOJI_COLUMNS, (row) => `SELECT coalesce(${row}.domain, '') AS key`)],
};

/** All emoji of a server (null for this one), by shortcode and in display order; cached. */
export function emojisOf(ctx: Context, domain: string | null): ReadonlyMap<string, CustomEmoji> {
  const server = domain ?? "";
  return ctx.caches.of(EMOJIS).get(server, () => {
    const rows = ctx.db.all<CustomEmoji>(OF_SERVER, { domain: server });
    return new Map(rows.map((row) => [row.shortcode, row]));
  });
}

/** The emoji of a server that occur in plain texts, without duplicates, in order of appearance. */
export function emojisIn(ctx: Context, domain: string | null, texts: readonly string[]): CustomEmoji[] {
  const shortcodes = shortcodesIn(texts);
  if (shortcodes.length === 0) return [];
  const emojis = emojisOf(ctx, domain);
  return shortcodes.flatMap((shortcode) => emojis.get(shortcode) ?? []);
}

/** Adds a local emoji or replaces the one with this shortcode. Returns which. */
export async function addEmoji(ctx: Context, emoji: NewEmoji): Promise<{ replaced: boolean }> {
  const { shortcode, picture } = emoji;
  const category = checkedCategory(emoji.category);
  checkShortcode(shortcode);
  checkPicture(picture);
  const { original, still } = await ctx.media.run("server", "processEmoji", picture, EMOJI_LIMITS);
  const folder = newFolder("emojis");
  const image = await storeImage(ctx, `${folder}/original`, original);
  const staticImage = still === original ? image : await storeImage(ctx, `${folder}/static`, still);
  return ctx.db.transaction((tx) => {
    const before = ownEmoji(tx, shortcode);
    tx.run(
      `INSERT INTO custom_emojis (shortcode, image, static_image, category, visible_in_picker, created_at, updated_at)
       VALUES ($shortcode, $image, $staticImage, $category, $visibleInPicker, $now, $now)
       ON CONFLICT (coalesce(domain, ''), shortcode) DO UPDATE SET image = excluded.image,
         static_image = excluded.static_image, category = excluded.category,
         visible_in_picker = excluded.visible_in_picker, updated_at = excluded.updated_at`,
      { shortcode, image, staticImage, category, visibleInPicker: emoji.visibleInPicker ? 1 : 0, now: ctx.clock.now() },
    );
    if (before) discardFiles(ctx, tx, [before.image, before.static_image]);
    return { replaced: before !== null };
  });
}

/** Removes a local emoji. Existing texts show its shortcode instead. */
export function removeEmoji(ctx: Context, shortcode: string): void {
  ctx.db.transaction((tx) => {
    const emoji = ownEmoji(tx, shortcode);
    if (!emoji) throw new Refusal("not_found", `There is no emoji called "${shortcode}".`);
    tx.run("DELETE FROM custom_emojis WHERE id = +$emojiId", { emojiId: emoji.id });
    discardFiles(ctx, tx, [emoji.image, emoji.static_image]);
  });
}

/** The local emoji with this shortcode; null if there is none. */
export function ownEmoji(tx: Tx, shortcode: string): Pick<CustomEmoji, "id" | "image" | "static_image"> | null {
  return tx.get(
    "SELECT id, image, static_image FROM custom_emojis WHERE coalesce(domain, '') = '' AND shortcode = +$shortcode",
    { shortcode },
  );
}

function checkShortcode(shortcode: string): void {
  if (isShortcode(shortcode)) return;
  throw new Refusal(
    "invalid",
    `"${shortcode}" is not a valid shortcode. Use 2 to 128 letters (a to z), digits and underscores.`,
  );
}

/** Checks the size before the content. */
function checkPicture(picture: Uint8Array): void {
  if (picture.length > EMOJI_LIMITS.bytes) {
    const most = EMOJI_LIMITS.bytes / 1024;
    throw new Refusal("invalid", `The picture is too large. The limit for emoji is ${most} KB.`);
  }
  if (!TYPES.has(sniffType(picture))) {
    throw new Refusal("invalid", "The file is not a PNG, GIF or WebP picture.");
  }
}

function checkedCategory(given: string | null): string | null {
  const category = given?.trim() || null;
  if (category && category.length > MAX_CATEGORY) {
    throw new Refusal("invalid", `The name of the category is too long. The limit is ${MAX_CATEGORY} characters.`);
  }
  return category;
}
