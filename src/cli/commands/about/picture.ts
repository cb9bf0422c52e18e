import { IMAGE_LIMITS } from "../../../core/media/limits.ts";
import {
  removeSitePicture,
  setSitePicture,
  SITE_PICTURES,
  type SitePictureName,
} from "../../../core/server/site-pictures.ts";
import { Refusal } from "../../../errors.ts";
import { ArgumentError } from "../../argument-error.ts";
import { command, option, argument } from "../../command.ts";
import { fileNamed, withPicture } from "../../input-files.ts";
import { withData } from "../../data-folder.ts";
import { oneOf } from "../../parsers.ts";

const NAME = argument(
  "thumbnail (cropped to 1200x630) or icon (cropped to a square)",
  oneOf(Object.keys(SITE_PICTURES) as SitePictureName[]),
);

export const commands = {
  "picture set": command({
    summary: "Sets the server's thumbnail or icon, which apps show",
    args: { name: NAME, file: argument() },
    options: { description: option("TEXT", "the alt text of the thumbnail") },
    run: ({ name, file }, { description }) => set(name, file, description?.trim() || null),
  }),
  "picture remove": command({
    summary: "Restores the default picture",
    args: { name: NAME },
    confirm: ({ name }) => `Remove the ${name}?`,
    run: async ({ name }) => {
      await withData((ctx) => removeSitePicture(ctx, name));
      console.log(`Restored the default ${name}.`);
    },
  }),
};

async function set(name: SitePictureName, path: string, description: string | null): Promise<void> {
  if (description && name !== "thumbnail") throw new ArgumentError("--description is only for the thumbnail.");
  const file = await fileNamed(path);
  if (file.size > IMAGE_LIMITS.bytes) {
    throw new Refusal(
      "too_large",
      `The file is too large. The limit for pictures is ${IMAGE_LIMITS.bytes / 1024 / 1024} MB.`,
    );
  }
  const bytes = await file.bytes();
  await withPicture(path, bytes, () => withData((ctx) => setSitePicture(ctx, name, bytes, description)));
  console.log(`Set the ${name}.`);
}
