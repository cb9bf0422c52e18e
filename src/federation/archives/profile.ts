import { join } from "node:path";
import type { Context } from "../../context.ts";
import { type ProfilePicture, storePictures } from "../../core/media/profile-pictures.ts";
import { AVATAR_BYTES } from "../../core/media/limits.ts";
import { MAX_FIELD_LENGTH, MAX_FIELDS, MAX_NOTE, updateProfile } from "../../core/people/profile.ts";
import { MAX_DISPLAY_NAME } from "../../core/people/users.ts";
import { isAboutFile } from "../../core/transfer/archived-files.ts";
import type { Archive } from "../../lib/archives/archive.ts";
import { writeParts } from "../../lib/archives/write-parts.ts";
import { StoredFile } from "../../lib/files.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { namesOf } from "./file-names.ts";
import type { PostSource } from "./source.ts";

type Pictures = Partial<Record<"avatar" | "header", ProfilePicture | undefined>>;

/**
 * Takes over the profile of an archive, shortened to the limits here, with those pictures that are in it. This is a change of
 * the profile like any other, so servers with followers learn of it. An archive may have no profile.
 */
export async function importProfile(
  ctx: Context,
  accountId: number,
  archive: Archive,
  { owner, folder }: PostSource,
  unpacked: string,
): Promise<void> {
  const { profile } = owner;
  if (!profile) return;
  const nameOf = (url: string | null) =>
    (url === null ? [] : namesOf(url)).map((name) => folder + name).find((name) => archive.files.has(name));
  const wanted = { avatar: nameOf(profile.avatarUrl), header: nameOf(profile.headerUrl) };
  const pictures: Pictures = {};
  const names = new Set(Object.values(wanted).filter((name) => name !== undefined));
  await archive.readEach(names, async (name, bytes) => {
    const path = join(unpacked, "picture");
    const kind = name === wanted.avatar ? "avatar" : "header";
    if (!(await writeParts(path, bytes, AVATAR_BYTES))) return;
    pictures[kind] = await readPicture(ctx, accountId, kind, path);
  });
  updateProfile(ctx, accountId, {
    displayName: cut(profile.displayName, MAX_DISPLAY_NAME),
    note: cut(htmlToText(profile.noteHtml), MAX_NOTE),
    fields: profile.fields.slice(0, MAX_FIELDS).map(({ name, valueHtml }) => ({
      name: cut(name, MAX_FIELD_LENGTH),
      value: cut(htmlToText(valueHtml), MAX_FIELD_LENGTH),
    })),
    locked: profile.locked,
    discoverable: profile.discoverable,
    indexable: profile.indexable,
    ...pictures,
  });
}

/** Undefined if it can't be read: then the present one stays. */
async function readPicture(
  ctx: Context,
  accountId: number,
  kind: "avatar" | "header",
  path: string,
): Promise<ProfilePicture | undefined> {
  try {
    return (await storePictures(ctx, accountId, { [kind]: new StoredFile(path, "picture", "") }))[kind];
  } catch (error) {
    if (!isAboutFile(error)) throw error;
    return undefined;
  }
}

/** In code points, as the limits count. */
function cut(text: string, max: number): string {
  return [...text].slice(0, max).join("");
}
