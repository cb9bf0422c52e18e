import { IMAGE_LIMITS } from "../core/media-files.ts";
import { removeSitePicture, setSitePicture, SITE_PICTURES, type SitePictureName } from "../core/site-pictures.ts";
import { Refusal, UsageError } from "../errors.ts";
import { readArguments } from "./arguments.ts";
import { fileNamed } from "./files.ts";
import { withData } from "./open.ts";

export async function setPictureCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, { description: { type: "string" } }, ["NAME", "FILE"]);
  const name = pictureNamed(words[0]!);
  const description = values.description?.trim() || null;
  if (description && name !== "thumbnail") throw new UsageError("--description is for the thumbnail.");
  const file = await fileNamed(words[1]!);
  if (file.size > IMAGE_LIMITS.bytes) {
    throw new Refusal("too_large", `The file is too large: a picture may have ${IMAGE_LIMITS.bytes / 1024 / 1024} MB.`);
  }
  await withData(async (ctx) => setSitePicture(ctx, name, await file.bytes(), description));
  console.log(`The ${name} is set.`);
}

export async function removePictureCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["NAME"]);
  const name = pictureNamed(words[0]!);
  await withData((ctx) => removeSitePicture(ctx, name));
  console.log(`The ${name} is what it was at first.`);
}

function pictureNamed(given: string): SitePictureName {
  const names = Object.keys(SITE_PICTURES) as SitePictureName[];
  const name = names.find((known) => known === given);
  if (!name) throw new UsageError(`NAME is "${given}", but should be ${names.join(" or ")}.`);
  return name;
}
