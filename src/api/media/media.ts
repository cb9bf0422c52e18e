import { changeUpload, ownMedia, removeMedia, unpublishedMedia } from "../../core/media/attachments.ts";
import { inspectAnyUpload, inspectUpload } from "../../core/media/inspect.ts";
import { UPLOAD_REQUEST_BYTES } from "../../core/media/limits.ts";
import { processMedia } from "../../core/media/process.ts";
import { parseChanges, receiveUpload } from "../../core/media/receive.ts";
import { storeUpload } from "../../core/media/store.ts";
import type { Context } from "../../context.ts";
import { showUpload } from "../../entities/statuses/media.ts";
import { parseId } from "../../lib/ids.ts";
import { FileInput, object, optional, text } from "../../lib/http/input.ts";
import type { Router } from "../router.ts";

/** How long the v1 method waits for video and audio, in ms: less than the timeouts of proxies and apps. */
const PATIENCE = 45_000;

/** A bound against abuse, above the limit that users see. */
const description = optional(text({ max: 10_000 }));
const focus = optional(text({ max: 50, min: 1 }));
const thumbnail = optional(FileInput);
const form = { scope: "write:media", maxBytes: UPLOAD_REQUEST_BYTES, storeFiles: true } as const;
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
        const upload = receiveUpload(input);
        const id = await storeUpload(ctx, viewerId, upload, await inspectUpload(ctx, viewerId, upload));
        return show(ctx, viewerId, id, 202);
      },
    )
    .post(
      "/api/v1/media",
      { ...uploading, summary: "Upload a file and wait until it is processed" },
      async ({ ctx, viewerId, input }) => {
        const upload = receiveUpload(input);
        const id = await storeUpload(ctx, viewerId, upload, await inspectAnyUpload(ctx, viewerId, upload));
        // The job reports failures and retries.
        const processed = processMedia(ctx, id).catch(() => {});
        await Promise.race([processed, Bun.sleep(PATIENCE)]);
        return show(ctx, viewerId, id, 202);
      },
    )
    .get(
      "/api/v1/media/:id",
      { scope: "write:media", summary: "Get a media attachment and its processing state" },
      ({ ctx, viewerId, params }) => show(ctx, viewerId, unpublishedMedia(ctx, viewerId, parseId(params.id)).id, 206),
    )
    .update(
      "/api/v1/media/:id",
      { ...changing, summary: "Update the description, focal point or thumbnail of a media attachment" },
      async ({ ctx, viewerId, input, params }) =>
        showUpload(ctx, await changeUpload(ctx, viewerId, parseId(params.id), parseChanges(input), input.thumbnail)),
    )
    .delete(
      "/api/v1/media/:id",
      { scope: "write:media", summary: "Delete a media attachment that no status uses" },
      ({ ctx, viewerId, params }) => removeMedia(ctx, viewerId, parseId(params.id)),
    );
}

function show(ctx: Context, viewerId: number, id: number, statusWhileProcessing: number): Response {
  const row = ownMedia(ctx, viewerId, id);
  return Response.json(showUpload(ctx, row), { status: row.state === "processing" ? statusWhileProcessing : 200 });
}
