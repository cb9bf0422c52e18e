import type { AnyElysia } from "elysia";
import type { Context } from "../context.ts";
import { parseRemoteName, type RemoteKind } from "../core/remote-media/remote-names.ts";
import { cachedRemoteFile, showRemoteFile, type ShownFile } from "../core/remote-media/show-remote-file.ts";
import { notFound, Refusal } from "../errors.ts";
import { addRoute, type Incoming } from "../lib/http/elysia.ts";
import { isNamedBy } from "../lib/http/etag.ts";
import { addressKey } from "../lib/http/ip-addresses.ts";
import { requestAddress } from "../lib/http/params.ts";
import { FILE_HEADERS, MEDIA_PREFIX } from "./static-files.ts";

/**
 * Serves the media of other servers, which are fetched when they are first requested. Bun handles Range itself, without
 * reading the rest of the file.
 */
export function remoteFileRoutes(app: AnyElysia, ctx: Context): void {
  app.onRequest(({ request }) => (request.method === "HEAD" ? headResponse(ctx, request) : undefined));
  addRoute(app, "GET", `${MEDIA_PREFIX}/cache/*`, (incoming) => getResponse(ctx, incoming));
}

async function getResponse(ctx: Context, { request, clientAddress }: Incoming): Promise<Response> {
  const name = nameOf(request);
  const shown = name && (await showRemoteFile(ctx, name, () => countFetch(ctx, clientAddress)));
  if (!shown) throw notFound();
  if (!shown.file) return failedResponse(ctx, name!.kind, shown);
  const headers = headersOf(ctx, shown);
  if (isNamedBy(request.headers.get("if-none-match"), headers.etag))
    return new Response(null, { status: 304, headers });
  // Bun adds it to a partial response itself, and it must not appear twice.
  const ranges: Record<string, string> = request.headers.has("range") ? {} : { "accept-ranges": "bytes" };
  return new Response(Bun.file(shown.file.path), { headers: { ...headers, ...ranges } });
}

/** Answers HEAD requests for files that are cached: Elysia would read the whole file to find its length. */
function headResponse(ctx: Context, request: Request): Response | undefined {
  const name = nameOf(request);
  const shown = name && cachedRemoteFile(ctx, name);
  if (!shown?.file) return;
  const headers = headersOf(ctx, shown);
  if (isNamedBy(request.headers.get("if-none-match"), headers.etag))
    return new Response(null, { status: 304, headers });
  const size = String(shown.file.size);
  return new Response(null, { headers: { ...headers, "accept-ranges": "bytes", "content-length": size } });
}

function nameOf(request: Request) {
  const { pathname } = requestAddress(request.url);
  return pathname.startsWith(`${MEDIA_PREFIX}/`) ? parseRemoteName(pathname.slice(MEDIA_PREFIX.length + 1)) : null;
}

/** Strangers must not make this server fetch as much as they like: a fetch counts like a page. */
function countFetch(ctx: Context, clientAddress: string): void {
  const rate = ctx.rates?.pages.take(addressKey(clientAddress), ctx.clock.now());
  if (rate?.exceeded) throw new Refusal("too_many", "Too many requests");
}

function headersOf(ctx: Context, { file, until }: ShownFile) {
  const lifetime = until === null ? {} : { "cache-control": validFor(ctx, until) };
  return { ...FILE_HEADERS, "content-type": file!.type, etag: `"${file!.name}"`, ...lifetime };
}

/** A missing picture for an avatar or a header; apps show their own sign for anything else. */
function failedResponse(ctx: Context, kind: RemoteKind, { until }: ShownFile): Response {
  if (kind !== "avatars" && kind !== "headers") throw notFound();
  const headers = { location: `/${kind}/original/missing.png`, "cache-control": validFor(ctx, until!) };
  return new Response(null, { status: 302, headers });
}

function validFor(ctx: Context, until: number): string {
  return `public, max-age=${Math.max(0, Math.ceil((until - ctx.clock.now()) / 1000))}`;
}
