import type { AnyElysia } from "elysia";
import icon192 from "../../assets/icon-192.png" with { type: "file" };
import icon512 from "../../assets/icon-512.png" with { type: "file" };
import missingAvatar from "../../assets/missing-avatar.png" with { type: "file" };
import missingHeader from "../../assets/missing-header.png" with { type: "file" };
import type { Context } from "../context.ts";
import { requestImage } from "../core/cards.ts";
import { storedFile } from "../core/media-files.ts";
import { notFound } from "../errors.ts";
import { TYPES_BY_EXTENSION, type Extension } from "../lib/media-types.ts";

/** What we name files ourselves; anything else was never ours, or isn't ready, and can't leave the folder. */
const OURS = new RegExp(
  "^(?:attachments|avatars|headers|emojis|site|cache/cards)/\\w{2}/\\w{22}/" +
    `(?:original|small|static|placeholder|poster|thumbnail|\\d{1,3}x?)\\.(${Object.keys(TYPES_BY_EXTENSION).join("|")})$`,
);

/** A file's name never comes to mean another file, so it may be kept for ever; and it is a file, never a page. */
const HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  // A film that is opened by itself is a page with a player, to the browser.
  "content-security-policy": "default-src 'none'; media-src 'self'; sandbox",
  "x-content-type-options": "nosniff",
};

/** Files that people uploaded, and what stands where there is none. Bun answers Range by itself. */
export function fileRoutes(app: AnyElysia, ctx: Context): void {
  app
    .get("/media/*", async ({ params, request }) => {
      const path = params["*"] ?? "";
      const extension = OURS.exec(path)?.[1] as Extension | undefined;
      if (!extension) throw notFound();
      const file = Bun.file(storedFile(ctx, path));
      if (!(await file.exists())) {
        requestImage(ctx, path);
        throw notFound();
      }
      const headers: Record<string, string> = {
        ...HEADERS,
        "content-type": TYPES_BY_EXTENSION[extension],
        etag: `"${path}"`,
      };
      // Where a part is asked for, Bun says so itself, and twice would be wrong.
      if (!request.headers.has("range")) headers["accept-ranges"] = "bytes";
      if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
      return new Response(file, { headers });
    })
    .get("/avatars/original/missing.png", () => new Response(Bun.file(missingAvatar), { headers: HEADERS }))
    .get("/icons/192.png", () => new Response(Bun.file(icon192), { headers: HEADERS }))
    .get("/icons/512.png", () => new Response(Bun.file(icon512), { headers: HEADERS }))
    .get("/headers/original/missing.png", () => new Response(Bun.file(missingHeader), { headers: HEADERS }));
}
