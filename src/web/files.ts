import type { AnyElysia } from "elysia";
import missingAvatar from "../../assets/missing-avatar.png" with { type: "file" };
import missingHeader from "../../assets/missing-header.png" with { type: "file" };
import type { Context } from "../context.ts";
import { requestImage } from "../core/cards.ts";
import { storedFile } from "../core/uploads.ts";
import { notFound } from "../errors.ts";

/** What we name files ourselves; anything else was never ours, and can't leave the folder. */
const OURS =
  /^(?:attachments|avatars|headers|cache\/cards)\/\w{2}\/\w{22}\/(?:original|small|static)\.(?:jpg|png|gif|webp)$/;

/** A file's name never comes to mean another file, so it may be kept for ever; and it is a picture, never a page. */
const HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
};

/** Pictures: those that people uploaded, and what stands where there is none. Bun answers Range by itself. */
export function fileRoutes(app: AnyElysia, ctx: Context): void {
  app
    .get("/media/*", async ({ params, request }) => {
      const path = params["*"] ?? "";
      if (!OURS.test(path)) throw notFound();
      const file = Bun.file(storedFile(ctx, path));
      if (!(await file.exists())) {
        requestImage(ctx, path);
        throw notFound();
      }
      const headers = { ...HEADERS, etag: `"${path}"` };
      if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
      return new Response(file, { headers });
    })
    .get("/avatars/original/missing.png", () => new Response(Bun.file(missingAvatar), { headers: HEADERS }))
    .get("/headers/original/missing.png", () => new Response(Bun.file(missingHeader), { headers: HEADERS }));
}
