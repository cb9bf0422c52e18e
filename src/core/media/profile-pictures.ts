import type { Context } from "../../context.ts";
import { Refusal } from "../../errors.ts";
import type { Crop, ProcessedAvatar } from "../../lib/media/images.ts";
import { imageSource, tooLarge } from "./inspect.ts";
import { AVATAR_BYTES } from "./limits.ts";
import { newFolder, storeImage } from "./stored-files.ts";

type PictureKind = "avatar" | "header";

/** The files of an avatar or header: the original and a still image of it. */
export interface ProfilePicture {
  file: string;
  still: string;
}

/** One of two pictures was refused. Apps get the same sentence for both; a page says which one it was. */
export class PictureRefusal extends Refusal {
  constructor(
    readonly picture: PictureKind,
    { kind, message }: Refusal,
  ) {
    super(kind, message);
  }
}

/** Reads, checks and stores the new pictures of a profile; the caller writes the row. Both are read before one is stored. */
export async function storePictures(
  ctx: Context,
  accountId: number,
  files: { avatar?: File; header?: File },
  crops: { avatar?: Crop; header?: Crop } = {},
): Promise<{ avatar?: ProfilePicture; header?: ProfilePicture }> {
  const avatar = files.avatar && (await inspectPicture(ctx, accountId, "avatar", files.avatar, crops.avatar));
  const header = files.header && (await inspectPicture(ctx, accountId, "header", files.header, crops.header));
  return {
    avatar: avatar && (await storePicture(ctx, "avatar", avatar)),
    header: header && (await storePicture(ctx, "header", header)),
  };
}

async function inspectPicture(
  ctx: Context,
  accountId: number,
  kind: PictureKind,
  file: File,
  crop: Crop | undefined,
): Promise<ProcessedAvatar> {
  try {
    if (file.size > AVATAR_BYTES) throw tooLarge(kind === "avatar" ? "Avatar file" : "Header file", AVATAR_BYTES);
    return await ctx.media.run(accountId, "processAvatar", await imageSource(file), kind, crop);
  } catch (error) {
    throw error instanceof Refusal ? new PictureRefusal(kind, error) : error;
  }
}

async function storePicture(ctx: Context, kind: PictureKind, picture: ProcessedAvatar): Promise<ProfilePicture> {
  const folder = newFolder(`${kind}s`);
  const file = await storeImage(ctx, `${folder}/original`, picture.original);
  const still = picture.still === picture.original ? file : await storeImage(ctx, `${folder}/static`, picture.still);
  return { file, still };
}
