import { IMAGE_LIMITS } from "../../core/media/media-files.ts";
import {
  removeSitePicture,
  setSitePicture,
  SITE_PICTURES,
  type SitePictureName,
} from "../../core/server/site-pictures.ts";
import { Refusal } from "../../errors.ts";
import { ArgumentError } from "../argument-error.ts";
import { command, option, word } from "../command.ts";
import { fileNamed, withPicture } from "../files.ts";
import { withData } from "../open.ts";
import { oneOf } from "../parsers.ts";

const NAME = word(
  "thumbnail (cut to 1200x630) or icon (cut to a square)",
  oneOf(Object.keys(SITE_PICTURES) as SitePictureName[]),
);

export const commands = {
  "picture set": command({
    summary: "Sets the server's picture in apps, or its icon",
    words: { name: NAME, file: word() },
    options: { description: option("TEXT", "what the thumbnail shows, for people who don't see it") },
    run: ({ name, file }, { description }) => set(name, file, description?.trim() || null),
  }),
  "picture remove": command({
    summary: "Restores the default picture",
    words: { name: NAME },
    confirm: ({ name }) => `Remove the ${name}?`,
    run: async ({ name }) => {
      await withData((ctx) => removeSitePicture(ctx, name));
      console.log(`The default ${name} is restored.`);
    },
  }),
};

async function set(name: SitePictureName, path: string, description: string | null): Promise<void> {
  if (description && name !== "thumbnail") throw new ArgumentError("--description is for the thumbnail.");
  const file = await fileNamed(path);
  if (file.size > IMAGE_LIMITS.bytes) {
    throw new Refusal("too_large", `The file is too large: a picture may have ${IMAGE_LIMITS.bytes / 1024 / 1024} MB.`);
  }
  const bytes = await file.bytes();
  await withPicture(path, bytes, () => withData((ctx) => setSitePicture(ctx, name, bytes, description)));
  console.log(`The ${name} is set.`);
}
