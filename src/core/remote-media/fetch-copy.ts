import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { Refusal, UnreadableFile } from "../../errors.ts";
import { moveDurably, withTemporaryFolder } from "../../lib/files.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { OutboundError } from "../../lib/http/outbound.ts";
import { servedExtension } from "../../lib/media/clips.ts";
import { smallSize, type ImageFile, type ProcessedAvatar, type ProcessedPreview } from "../../lib/media/images.ts";
import { AVATAR_BYTES, IMAGE_LIMITS, REMOTE_EMOJI_LIMITS, VIDEO_BYTES } from "../media/limits.ts";
import { newFolder, storedFile, storeImage } from "../media/stored-files.ts";
import { reserveSpace } from "./cache-space.ts";
import { saveCopy, type StoredCopy } from "./remote-files.ts";
import { cardSource, type AttachmentFacts, type RemoteSource } from "./remote-sources.ts";

const REDIRECTS = 3;
/** In milliseconds, including the wait for a slow server's last byte. */
const IMAGE_TIMEOUT = 15_000;
const CLIP_TIMEOUT = 120_000;
/** The placeholder of media whose size is unknown. */
const PLACEHOLDER = { width: 640, height: 360 };
/** More than one page of any app shows. Then requests are refused, so that they can't use up the memory. */
const MAX_WAITING = 500;

/** Removes files left behind by a crash. Call it before the first request. */
export function clearIncomingCopies(ctx: Context): void {
  rmSync(incomingFolder(ctx), { recursive: true, force: true });
}

/** Beside the copies, so that files can be moved: `cache/` may be on a disk of its own. */
function incomingFolder(ctx: Context): string {
  return join(ctx.config.data, "cache", "incoming");
}

/**
 * Fetches a file of another server, converts it as an upload, and stores the copy. If it can't be fetched or read, that
 * is stored instead, for attachments with a placeholder.
 */
export async function fetchCopy(ctx: Context, source: RemoteSource): Promise<void> {
  await saveCopy(ctx, source, await copyOf(ctx, source));
}

async function copyOf(ctx: Context, source: RemoteSource): Promise<StoredCopy> {
  if (source.url === null) return placeholderOf(ctx, source);
  const copy = await fetchedOrNull(ctx, source, source.url);
  return copy ?? { ...(await placeholderOf(ctx, source)), failed: true };
}

/** Null if the other server doesn't send a usable file. Errors of this server are thrown. */
async function fetchedOrNull(ctx: Context, source: RemoteSource, url: string): Promise<StoredCopy | null> {
  try {
    return await fetched(ctx, source, url);
  } catch (error) {
    if (!(error instanceof OutboundError || (error instanceof Refusal && error.kind !== "too_many"))) throw error;
    ctx.log.debug("no copy of {url}: {reason}", { url, reason: error.message });
    return null;
  }
}

/** The image of a page whose card has no row yet; null if there is no usable one. Save it with `saveCardImage()`. */
export async function fetchCardImage(ctx: Context, url: string): Promise<StoredCopy | null> {
  const copy = await fetchedOrNull(ctx, cardSource(0, url), url);
  if (copy) await reserveSpace(ctx, copy.bytes);
  return copy;
}

async function fetched(ctx: Context, source: RemoteSource, url: string): Promise<StoredCopy> {
  if (!URL.canParse(url)) throw new UnreadableFile("it has no valid address");
  const isClip = source.form === "original" && source.attachment !== null && source.attachment.type !== "image";
  const queue = isClip ? ctx.mediaCache.clips : ctx.mediaCache.images;
  if (queue.length >= MAX_WAITING) throw new Refusal("too_many", "Too many requests");
  const timeout = isClip ? CLIP_TIMEOUT : IMAGE_TIMEOUT;
  // A larger file would not fit into the cache.
  const maxBytes = Math.min(isClip ? VIDEO_BYTES : BYTES[source.kind], ctx.config.cacheSize);
  return withTemporaryFolder(incomingFolder(ctx), async (folder) => {
    const path = join(folder, "file");
    const request = { accept: [], maxBytes, timeout, redirects: REDIRECTS, saveTo: path };
    const site = siteOf(url);
    await queue.take(site, () => ctx.fetchOutside(url, request));
    return isClip ? storeClip(ctx, site, path) : storeImages(ctx, source, site, path);
  });
}

const BYTES: Record<RemoteSource["kind"], number> = {
  attachments: IMAGE_LIMITS.bytes,
  avatars: AVATAR_BYTES,
  headers: AVATAR_BYTES,
  emojis: REMOTE_EMOJI_LIMITS.bytes,
  cards: AVATAR_BYTES,
};

/** Images are processed in turn for each site. */
async function storeImages(ctx: Context, source: RemoteSource, site: string, path: string): Promise<StoredCopy> {
  const user = `media ${site}`;
  switch (source.kind) {
    case "avatars":
      return storePicture(ctx, source, await ctx.media.run(user, "processAvatar", path, "avatar"));
    case "headers":
      return storePicture(ctx, source, await ctx.media.run(user, "processAvatar", path, "header"));
    case "emojis":
      return storePicture(ctx, source, await ctx.media.run(user, "processEmoji", path, REMOTE_EMOJI_LIMITS));
    case "attachments":
    case "cards": {
      if (source.form === "preview") {
        return storePreview(ctx, source, await ctx.media.run(user, "processPreview", path, IMAGE_LIMITS));
      }
      const { original } = await ctx.media.run(user, "processImage", path, IMAGE_LIMITS);
      return storeImageAs(ctx, source, original);
    }
  }
}

async function storePicture(ctx: Context, { kind }: RemoteSource, picture: ProcessedAvatar): Promise<StoredCopy> {
  const folder = newFolder(`cache/${kind}`);
  const { original, still } = picture;
  const isAnimated = still !== original;
  return {
    file: await storeImage(ctx, `${folder}/original`, original),
    still: isAnimated ? await storeImage(ctx, `${folder}/static`, still) : null,
    bytes: original.bytes.length + (isAnimated ? still.bytes.length : 0),
    failed: false,
    preview: null,
  };
}

async function storePreview(ctx: Context, source: RemoteSource, preview: ProcessedPreview): Promise<StoredCopy> {
  const { width, height } = preview.image;
  const stored = await storeImageAs(ctx, source, preview.image);
  return { ...stored, preview: { width, height, blurhash: preview.blurhash } };
}

async function storeImageAs(ctx: Context, { kind, form }: RemoteSource, image: ImageFile): Promise<StoredCopy> {
  const file = await storeImage(ctx, `${newFolder(`cache/${kind}`)}/${form}`, image);
  return { file, still: null, bytes: image.bytes.length, failed: false, preview: null };
}

/** A clip is not converted. */
async function storeClip(ctx: Context, site: string, path: string): Promise<StoredCopy> {
  const clip = await ctx.media.run(`media ${site}`, "inspectClip", path);
  const extension = clip && servedExtension(clip);
  if (!extension) throw new UnreadableFile("browsers can't play it");
  const bytes = Bun.file(path).size;
  const file = `${newFolder("cache/attachments")}/original.${extension}`;
  await moveDurably(storedFile(ctx, file), path);
  return { file, still: null, bytes, failed: false, preview: null };
}

/** An image in place of an attachment; nothing for anything else, and for the full file of a clip. */
async function placeholderOf(ctx: Context, source: RemoteSource): Promise<StoredCopy> {
  const { attachment, form, ownerId: seed } = source;
  if (attachment === null || (form === "original" && attachment.type !== "image")) return NOTHING;
  const { type, blurhash } = attachment;
  const kind = type === "video" || type === "audio" ? type : "unknown";
  const drawing = { kind, ...sizeOf(attachment), seed, blurhash } as const;
  const { image } = await ctx.media.run("media placeholders", "placeholderPreview", drawing);
  return storeImageAs(ctx, source, image);
}

const NOTHING: StoredCopy = { file: null, still: null, bytes: 0, failed: false, preview: null };

/** Known sizes are those that another server claims. */
function sizeOf({ width, height, small_width, small_height }: AttachmentFacts): { width: number; height: number } {
  if (small_width > 0 && small_height > 0) return smallSize({ width: small_width, height: small_height });
  return width > 0 && height > 0 ? smallSize({ width, height }) : PLACEHOLDER;
}
