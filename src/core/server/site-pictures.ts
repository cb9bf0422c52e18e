import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";
import { IMAGE_LIMITS } from "../media/limits.ts";
import { discardFiles, newFolder, storeImage } from "../media/stored-files.ts";
import { setState, stateOf } from "./server-state.ts";

interface Cut {
  /** The file's name without extension. */
  name: string;
  width: number;
  height: number;
}

/** The images of the server itself, with the sizes that apps get. */
export const SITE_PICTURES = {
  thumbnail: [
    { name: "1x", width: 1200, height: 630 },
    { name: "2x", width: 2400, height: 1260 },
  ],
  icon: [48, 96, 192, 512].map((side) => ({ name: String(side), width: side, height: side })),
} as const satisfies Record<string, readonly Cut[]>;

export type SitePictureName = keyof typeof SITE_PICTURES;

export interface SitePicture {
  /** One for each size. */
  files: string[];
  blurhash: string;
  description: string | null;
}

const MAX_DESCRIPTION = 1500;

/** The image that the owner has set; null for none. */
export function findSitePicture(db: Reads, name: SitePictureName): SitePicture | null {
  const kept = stateOf(db, `picture.${name}`);
  return kept === null ? null : (JSON.parse(kept) as SitePicture);
}

/** Sets or replaces an image of the server. */
export async function setSitePicture(
  ctx: Context,
  name: SitePictureName,
  bytes: Uint8Array,
  description: string | null,
): Promise<void> {
  if (description && description.length > MAX_DESCRIPTION) {
    throw new Refusal("invalid", `The description is too long. The limit is ${MAX_DESCRIPTION} characters.`);
  }
  const cuts = SITE_PICTURES[name];
  const { files, blurhash } = await ctx.media.run("server", "processCrops", bytes, IMAGE_LIMITS, cuts, name === "icon");
  const folder = newFolder("site");
  const kept: string[] = [];
  for (const [at, file] of files.entries()) kept.push(await storeImage(ctx, `${folder}/${cuts[at]!.name}`, file));
  const picture: SitePicture = { files: kept, blurhash, description };
  ctx.db.transaction((tx) => {
    discardFiles(ctx, tx, findSitePicture(tx, name)?.files ?? []);
    setState(tx, `picture.${name}`, JSON.stringify(picture));
  });
}

export function removeSitePicture(ctx: Context, name: SitePictureName): void {
  ctx.db.transaction((tx) => {
    discardFiles(ctx, tx, findSitePicture(tx, name)?.files ?? []);
    tx.run("DELETE FROM server_state WHERE name = +$name", { name: `picture.${name}` });
  });
}
