import { realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { staticPlugin } from "@elysiajs/static";
import { type AnyElysia, Elysia } from "elysia";
import type { Context } from "../context.ts";
import { addRoute } from "../lib/http/elysia.ts";
import { isNamedBy } from "../lib/http/etag.ts";
import { requestAddress } from "../lib/http/params.ts";

const PREFIX = "/client";
const INDEX = "index.html";
/** A folder without HTML, for the reason that static-files.ts names. */
const ROOT = import.meta.dir;

/**
 * Serves the owner's web client (LINNET_WEB_CLIENT) with @elysiajs/static. An unknown path below it is a page of the
 * client, which its `index.html` shows. The client shares this server's origin, so its scripts could use the session of
 * the pages; see `isSensitive` in web/page/page-routes.ts.
 */
export async function clientRoutes(app: AnyElysia, ctx: Context): Promise<void> {
  const folder = ctx.config.webClient;
  if (folder === null) return;
  const root = realpathSync(folder);
  const headers = (file: string) => {
    const { size, mtimeMs } = statSync(file);
    return {
      "content-type": Bun.file(file).type,
      // The names of its files may not change with their content.
      "cache-control": "no-cache",
      etag: `"${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}"`,
      "content-security-policy": "frame-ancestors 'none'; base-uri 'self'; object-src 'none'",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    };
  };
  // The router doesn't tell them apart, but relative links do.
  addRoute(app, "GET", PREFIX, ({ request }) =>
    requestAddress(request.url).pathname === PREFIX
      ? new Response(null, { status: 308, headers: { location: `${PREFIX}/` } })
      : new Response(Bun.file(join(root, INDEX)), { headers: headers(join(root, INDEX)) }),
  );
  app.use(
    new Elysia()
      .resolve(({ params }: { params: Record<string, string> }) => {
        const file = fileIn(root, params["*"] ?? "") ?? join(root, INDEX);
        params["*"] = relative(ROOT, file);
        return { fileHeaders: headers(file) };
      })
      .onAfterHandle(({ fileHeaders, request, set }) => {
        Object.assign(set.headers, fileHeaders);
        if (isNamedBy(request.headers.get("if-none-match"), fileHeaders.etag)) {
          return new Response(null, { status: 304, headers: fileHeaders });
        }
      })
      .use(
        await staticPlugin({
          assets: ROOT,
          prefix: PREFIX,
          alwaysStatic: false,
          etag: false,
          indexHTML: false,
          ignorePatterns: [],
          silent: true,
        }),
      ),
  );
}

/** The file with this path in a folder; null if there is none, or if it is outside, such as behind a symbolic link. */
function fileIn(root: string, path: string): string | null {
  try {
    const file = realpathSync(join(root, decodeURIComponent(path)));
    return file.startsWith(root + sep) && statSync(file).isFile() ? file : null;
  } catch {
    // No such file, or a malformed path.
    return null;
  }
}
