import { notFound } from "../errors.ts";
import { ownMedia, parseFocus, removeMedia, updateMedia } from "../core/media.ts";
import { IMAGE_BYTES, upload } from "../core/uploads.ts";
import { showMedia } from "../entities/media.ts";
import { parseId } from "../lib/ids.ts";
import { FileInput, object, optional, text } from "../lib/input.ts";
import type { Call, Router } from "./router.ts";

/** With room for the other fields of the form. */
const MAX_BODY = IMAGE_BYTES + 1024 * 1024;

/** A bound against abuse, above the limit that people are told of. */
const description = optional(text({ max: 10_000 }));
const focus = optional(text({ max: 50, min: 1 }));
const Upload = object({ file: FileInput, description, focus });
const Change = object({ description, focus });

/** Mastodon's documentation: methods/media. A picture is ready with the answer, in the old form and the new. */
export function mediaRoutes(routes: Router): void {
  const options = { scope: "write:media", limit: "media", maxBytes: MAX_BODY, input: Upload } as const;
  const create = async ({ ctx, viewerId, input }: Call<typeof options>) => {
    const about = { description: input.description, focus: input.focus ? parseFocus(input.focus) : undefined };
    return showMedia(ctx, ownMedia(ctx, viewerId, await upload(ctx, viewerId, input.file, about)));
  };
  routes
    .post("/api/v1/media", options, create)
    .post("/api/v2/media", options, create)
    .get("/api/v1/media/:id", { scope: "write:media" }, ({ ctx, viewerId, params }) => {
      const row = ownMedia(ctx, viewerId, parseId(params.id));
      if (row.status_id !== null) throw notFound();
      return showMedia(ctx, row);
    })
    .update("/api/v1/media/:id", { scope: "write:media", input: Change }, ({ ctx, viewerId, input, params }) => {
      const changes = { description: input.description, focus: input.focus ? parseFocus(input.focus) : undefined };
      return showMedia(ctx, updateMedia(ctx, viewerId, parseId(params.id), changes));
    })
    .delete("/api/v1/media/:id", { scope: "write:media" }, ({ ctx, viewerId, params }) =>
      removeMedia(ctx, viewerId, parseId(params.id)),
    );
}
