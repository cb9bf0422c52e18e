import { relative } from "node:path";
import { staticPlugin } from "@elysiajs/static";
import { type AnyElysia, Elysia } from "elysia";
import icon192 from "../../assets/icon-192.png" with { type: "file" };
import icon512 from "../../assets/icon-512.png" with { type: "file" };
import missingAvatar from "../../assets/missing-avatar.png" with { type: "file" };
import missingHeader from "../../assets/missing-header.png" with { type: "file" };
import type { Context } from "../context.ts";
import { findServedFile } from "../core/media/serve.ts";
import { notFound } from "../errors.ts";
import { isNamedBy } from "../lib/http/etag.ts";
import { requestAddress } from "../lib/http/params.ts";

/** A name always refers to the same content, so it may be cached forever; and it is a file, never a page. */
export const FILE_HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  // A browser shows a video that is opened by itself as a page with a player.
  "content-security-policy": "default-src 'none'; media-src 'self'; sandbox",
  "x-content-type-options": "nosniff",
};

export const MEDIA_PREFIX = "/media";
/** A folder without HTML: see below. In the executable it is an empty virtual folder. */
const ROOT = import.meta.dir;

/** Serves uploads from the disk, and the pictures that are part of the program. */
export async function fileRoutes(app: AnyElysia, ctx: Context): Promise<void> {
  app
    .onRequest(({ request }) => (request.method === "HEAD" ? headResponse(ctx, request) : undefined))
    .use(await storedFiles(ctx))
    .get("/avatars/original/missing.png", () => new Response(Bun.file(missingAvatar), { headers: FILE_HEADERS }))
    .get("/icons/192.png", () => new Response(Bun.file(icon192), { headers: FILE_HEADERS }))
    .get("/icons/512.png", () => new Response(Bun.file(icon512), { headers: FILE_HEADERS }))
    .get("/headers/original/missing.png", () => new Response(Bun.file(missingHeader), { headers: FILE_HEADERS }));
}

/**
 * @elysiajs/static, with Linnet's check of names and its headers. Bun handles Range itself, without reading the rest of
 * the file. `alwaysStatic` would serve only the files that exist at the start, `etag` would read and hash whole files.
 * When it starts, the plugin looks for HTML pages in its whole folder, and would serve them without the check. So its
 * folder is not that of the uploads, where this would take seconds.
 */
async function storedFiles(ctx: Context) {
  return new Elysia()
    .resolve(({ params }: { params: Record<string, string> }) => {
      const found = findFile(ctx, params["*"] ?? "");
      if (!found) throw notFound();
      params["*"] = relative(ROOT, found.file);
      return found;
    })
    .onAfterHandle(({ fileHeaders, request, set }) => {
      Object.assign(set.headers, fileHeaders);
      if (isNamedBy(request.headers.get("if-none-match"), fileHeaders.etag)) return new Response(null, { status: 304 });
      // Bun adds it to a partial response itself, and it must not appear twice.
      if (!request.headers.has("range")) set.headers["accept-ranges"] = "bytes";
    })
    .use(
      await staticPlugin({
        assets: ROOT,
        prefix: MEDIA_PREFIX,
        alwaysStatic: false,
        etag: false,
        indexHTML: false,
        ignorePatterns: [],
        silent: true,
      }),
    );
}

/** Answers HEAD requests: Elysia would read the whole file to find its length. */
function headResponse(ctx: Context, request: Request): Response | undefined {
  const { pathname } = requestAddress(request.url);
  const found = pathname.startsWith(`${MEDIA_PREFIX}/`) ? findFile(ctx, pathname.slice(MEDIA_PREFIX.length + 1)) : null;
  if (!found) return;
  const { size, fileHeaders } = found;
  if (isNamedBy(request.headers.get("if-none-match"), fileHeaders.etag)) return new Response(null, { status: 304 });
  return new Response(null, { headers: { ...fileHeaders, "accept-ranges": "bytes", "content-length": String(size) } });
}

/** A file that may be served, with its headers; null for any other name. */
function findFile(ctx: Context, name: string) {
  const found = findServedFile(ctx, name);
  if (!found) return null;
  const { path, type, size } = found;
  return { file: path, size, fileHeaders: { ...FILE_HEADERS, "content-type": type, etag: `"${name}"` } };
}
