import type { Context } from "../../context.ts";
import type { mediaAttachments } from "../../db/schema/index.ts";
import { rejectsMedia } from "./rejected-media.ts";
import {
  attachmentVersion,
  emojiVersion,
  pictureVersion,
  type RemoteForm,
  type RemoteKind,
  type RemoteName,
} from "./remote-names.ts";

/** A file of another server, as a row names it now. */
export interface RemoteSource {
  kind: RemoteKind;
  ownerId: number;
  /** The stored form: a static picture is stored with its original. */
  form: Exclude<RemoteForm, "static">;
  version: string;
  /** Null for the preview of a clip that has none. */
  url: string | null;
  attachment: AttachmentFacts | null;
}

/** The facts that a placeholder shows. A width or height of 0 is unknown. */
export type AttachmentFacts = Pick<
  typeof mediaAttachments.$inferSelect,
  "type" | "width" | "height" | "small_width" | "small_height" | "blurhash"
>;

/** The columns of a row with a remote URL. */
interface Found {
  domain: string | null;
  url: string | null;
  version: string;
  attachment?: AttachmentFacts;
}

const FORMS: Record<RemoteKind, readonly RemoteForm[]> = {
  attachments: ["original", "preview"],
  avatars: ["original", "static"],
  headers: ["original", "static"],
  emojis: ["original", "static"],
  cards: ["preview"],
};

/**
 * The file with this name; null if its row is gone, hidden or has another URL by now, or if the media of its domain are
 * rejected.
 */
export function findSource(ctx: Context, { kind, id, version, form }: RemoteName): RemoteSource | null {
  if (!FORMS[kind].includes(form)) return null;
  const stored = form === "static" ? "original" : form;
  const found = FIND[kind](ctx, id, stored);
  if (!found || found.version !== version || rejectsMedia(ctx, found.domain)) return null;
  return { kind, ownerId: id, form: stored, version, url: found.url, attachment: found.attachment ?? null };
}

const FIND: Record<RemoteKind, (ctx: Context, id: number, form: RemoteSource["form"]) => Found | null> = {
  attachments: findAttachment,
  avatars: (ctx, id) => findPicture(ctx, AVATAR, id),
  headers: (ctx, id) => findPicture(ctx, HEADER, id),
  emojis: findEmoji,
  cards: (ctx, id) => findPicture(ctx, CARD, id),
};

type AttachmentRow = AttachmentFacts &
  Pick<typeof mediaAttachments.$inferSelect, "remote_url" | "preview_remote_url"> & { domain: string | null };

/** Attachments of earlier versions of a status count: its history shows them. */
const ATTACHMENT = `
  SELECT m.remote_url, m.preview_remote_url, m.type, m.width, m.height, m.small_width, m.small_height, m.blurhash, a.domain
  FROM media_attachments m JOIN accounts a ON a.id = m.account_id
  WHERE m.id = +$id AND m.remote_url IS NOT NULL AND m.status_id IS NOT NULL AND m.type <> 'unknown'
    AND a.suspended_at IS NULL AND a.gone_at IS NULL`;

function findAttachment(ctx: Context, id: number, form: RemoteSource["form"]): Found | null {
  const row = ctx.db.get<AttachmentRow>(ATTACHMENT, { id });
  if (!row) return null;
  const { domain, remote_url, preview_remote_url, ...attachment } = row;
  const preview = preview_remote_url ?? (row.type === "image" ? remote_url : null);
  const url = form === "preview" ? preview : remote_url;
  return { domain, url, version: attachmentVersion(row, form), attachment };
}

interface PictureRow {
  url: string | null;
  domain: string | null;
}

const AVATAR = `
  SELECT avatar_remote_url AS url, domain FROM accounts
  WHERE id = +$id AND avatar_remote_url IS NOT NULL AND suspended_at IS NULL AND gone_at IS NULL`;
const HEADER = `
  SELECT header_remote_url AS url, domain FROM accounts
  WHERE id = +$id AND header_remote_url IS NOT NULL AND suspended_at IS NULL AND gone_at IS NULL`;
const CARD = `
  SELECT image_remote_url AS url, NULL AS domain FROM preview_cards
  WHERE id = +$id AND image_remote_url IS NOT NULL`;

function findPicture(ctx: Context, sql: string, id: number): Found | null {
  const row = ctx.db.get<PictureRow>(sql, { id });
  return row && { ...row, version: pictureVersion(row.url!) };
}

/** The source of a card's image. */
export function cardSource(id: number, url: string): RemoteSource {
  return { kind: "cards", ownerId: id, form: "preview", version: pictureVersion(url), url, attachment: null };
}

interface EmojiRow {
  domain: string | null;
  image_remote_url: string | null;
  remote_updated_at: number | null;
}

function findEmoji(ctx: Context, id: number): Found | null {
  const row = ctx.db.get<EmojiRow>(
    `SELECT domain, image_remote_url, remote_updated_at FROM custom_emojis
     WHERE id = +$id AND image_remote_url IS NOT NULL`,
    { id },
  );
  return row && { domain: row.domain, url: row.image_remote_url, version: emojiVersion(row) };
}
