import type { Context } from "../../context.ts";
import { remoteFiles, type customEmojis, type mediaAttachments } from "../../db/schema/index.ts";
import { mediaUrl } from "../addresses.ts";

/*
 * The names of other servers' files here: `cache/avatars/12/VERSION/original`. The version is derived from the remote
 * URL, so a changed picture has another name, and a name that was never shown can't be guessed.
 */

export const REMOTE_KINDS = remoteFiles.kind.enumValues;
export type RemoteKind = (typeof REMOTE_KINDS)[number];

/** `static` is the first frame of an animation, and otherwise the original. */
export type RemoteForm = "original" | "preview" | "static";

export interface RemoteName {
  kind: RemoteKind;
  /** Of the row that has the remote URL. */
  id: number;
  version: string;
  form: RemoteForm;
}

const NAME = new RegExp(`^cache/(${REMOTE_KINDS.join("|")})/(\\d{1,16})/([\\w-]{22})/(original|preview|static)$`);

/** Null if no file has such a name. */
export function parseRemoteName(name: string): RemoteName | null {
  const [, kind, id, version, form] = NAME.exec(name) ?? [];
  if (version === undefined) return null;
  return { kind: kind as RemoteKind, id: Number(id), version, form: form as RemoteForm };
}

function urlOf(ctx: Context, { kind, id, version, form }: RemoteName): string {
  return mediaUrl(ctx, `cache/${kind}/${id}/${version}/${form}`);
}

function versionOf(...parts: (string | number | null)[]): string {
  return new Bun.CryptoHasher("sha256").update(parts.join(" ")).digest("base64url").slice(0, 22);
}

/** The local URL of an avatar or a header of another server. */
export function remotePictureUrl(
  ctx: Context,
  kind: "avatars" | "headers",
  id: number,
  remoteUrl: string,
  form: "original" | "static",
): string {
  return urlOf(ctx, { kind, id, version: pictureVersion(remoteUrl), form });
}

/** For an avatar, a header or the image of a card. */
export function pictureVersion(remoteUrl: string): string {
  return versionOf(remoteUrl);
}

type RemoteAttachmentRow = Pick<typeof mediaAttachments.$inferSelect, "id" | "remote_url" | "preview_remote_url">;

export function remoteAttachmentUrl(ctx: Context, row: RemoteAttachmentRow, form: "original" | "preview"): string {
  return urlOf(ctx, { kind: "attachments", id: row.id, version: attachmentVersion(row, form), form });
}

/** The local URL of a card's image. */
export function remoteCardUrl(ctx: Context, id: number, remoteUrl: string): string {
  return urlOf(ctx, { kind: "cards", id, version: pictureVersion(remoteUrl), form: "preview" });
}

export function attachmentVersion(row: Omit<RemoteAttachmentRow, "id">, form: "original" | "preview"): string {
  return versionOf((form === "preview" && row.preview_remote_url) || row.remote_url);
}

type RemoteEmojiRow = Pick<typeof customEmojis.$inferSelect, "id" | "image_remote_url" | "remote_updated_at">;

export function remoteEmojiUrl(ctx: Context, row: RemoteEmojiRow, form: "original" | "static"): string {
  return urlOf(ctx, { kind: "emojis", id: row.id, version: emojiVersion(row), form });
}

export function emojiVersion(row: Omit<RemoteEmojiRow, "id">): string {
  return versionOf(row.image_remote_url, row.remote_updated_at);
}
