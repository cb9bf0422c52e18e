import { ownMedia, parseFocus, removeMedia, waitingMedia, type MediaChanges } from "../../core/media/media.ts";
import { IMAGE_LIMITS, VIDEO_BYTES } from "../../core/media/media-files.ts";
import { processMedia } from "../../core/media/processing.ts";
import { changeUpload, keepUnreadable, upload } from "../../core/media/uploads.ts";
import type { Context } from "../../context.ts";
import { showMedia } from "../../entities/media.ts";
import { UnreadableFile } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { FileInput, object, optional, text } from "../../lib/http/input.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

const MEBIBYTE = 1024 * 1024;
/** In bytes: a file and a thumbnail, with room for the other fields of the form. */
const MAX_BODY = VIDEO_BYTES + IMAGE_LIMITS.bytes + MEBIBYTE;
/** How long the v1 method waits for video and audio, in ms: less than the timeouts of proxies and apps. */
const PATIENCE = 45_000;

/** A bound against abuse, above the limit that users see. */
const description = optional(text({ max: 10_000 }));
const focus = optional(text({ max: 50, min: 1 }));
const thumbnail = optional(FileInput);
const form = { scope: "write:media", maxBytes: MAX_BODY, storeFiles: true } as const;
const uploading = {
  ...form,
  limit: "media",
  input: object({ file: FileInput, thumbnail, description, focus }),
} as const;
const changing = { ...form, input: object({ thumbnail, description, focus }) };

/**
 * Mastodon's documentation: methods/media. An image is ready with the response. Video and audio are processed in the
 * background: v2 responds at once, v1 waits for them.
 */
export function mediaRoutes(routes: Router): void {
  routes
    .post(
      "/api/v2/media",
      { ...uploading, summary: "Upload a file; video and audio are processed in the background" },
      async ({ ctx, viewerId, input }) => {
        const id = await upload(ctx, viewerId, { ...input, about: changesOf(input) });
        return show(ctx, viewerId, id, 202);
      },
    )
    .post("/api/v1/media", { ...uploading, summary: "Upload a file and wait until it is processed" }, async (call) => {
      const { ctx, viewerId } = call;
      const id = await uploadAnyway(call);
      // The job reports failures and retries.
      const processed = processMedia(ctx, id).catch(() => {});
      await Promise.race([processed, Bun.sleep(PATIENCE)]);
      return show(ctx, viewerId, id, 202);
    })
    .get(
      "/api/v1/media/:id",
      { scope: "write:media", summary: "Get a media attachment and its processing state" },
      ({ ctx, viewerId, params }) => show(ctx, viewerId, waitingMedia(ctx, viewerId, parseId(params.id)).id, 206),
    )
    .update(
      "/api/v1/media/:id",
      { ...changing, summary: "Update the description, focal point or thumbnail of a media attachment" },
      async ({ ctx, viewerId, input, params }) =>
        showMedia(ctx, await changeUpload(ctx, viewerId, parseId(params.id), changesOf(input), input.thumbnail)),
    )
    .delete(
      "/api/v1/media/:id",
      { scope: "write:media", summary: "Delete a media attachment that no status uses" },
      ({ ctx, viewerId, params }) => removeMedia(ctx, viewerId, parseId(params.id)),
    );
}

/** An unreadable file becomes an attachment of type `unknown`. */
async function uploadAnyway({ ctx, viewerId, input }: Call<typeof uploading>): Promise<number> {
  const about = changesOf(input);
  try {
    return await upload(ctx, viewerId, { ...input, about });
  } catch (error) {
    if (error instanceof UnreadableFile) return keepUnreadable(ctx, viewerId, about);
    throw error;
  }
}

function changesOf(input: { description?: string; focus?: string }): MediaChanges {
  return { description: input.description, focus: input.focus ? parseFocus(input.focus) : undefined };
}

function show(ctx: Context, viewerId: number, id: number, statusWhileProcessing: number): Response {
  const row = ownMedia(ctx, viewerId, id);
  return Response.json(showMedia(ctx, row), { status: row.state === "processing" ? statusWhileProcessing : 200 });
}
