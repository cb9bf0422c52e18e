import type { Context } from "../../context.ts";
import { fetchCopy } from "./fetch-copy.ts";
import { type CopiedFile, fileOfCopy, findCopy, retryTime } from "./remote-files.ts";
import type { RemoteName } from "./remote-names.ts";
import { findSource, type RemoteSource } from "./remote-sources.ts";

/** How long a request waits for another server, in milliseconds: less than the timeouts of proxies and apps. */
const PATIENCE = 45_000;

/** A file to serve. Without `file`, it could not be fetched. */
export interface ShownFile {
  file: CopiedFile | null;
  /** Until when the response is valid, in milliseconds since 1970; null for ever. */
  until: number | null;
}

/**
 * The file with this name, fetched if there is no copy of it. Simultaneous requests cause one fetch. Null if there is no
 * such file, or if other servers take too long. `mayFetch` is only called before a fetch, and may throw.
 */
export async function showRemoteFile(ctx: Context, name: RemoteName, mayFetch: () => void): Promise<ShownFile | null> {
  const source = findSource(ctx, name);
  if (!source) return null;
  const cached = cachedFile(ctx, source, name);
  if (cached) return cached;
  mayFetch();
  const fetching = ctx.flights.run(`media ${source.kind} ${source.ownerId} ${source.form} ${source.version}`, () =>
    fetchCopy(ctx, source),
  );
  await Promise.race([fetching, Bun.sleep(PATIENCE)]);
  // The row may have changed or disappeared meanwhile.
  const after = findSource(ctx, name);
  return after && cachedFile(ctx, after, name);
}

/** The same if it need not be fetched; otherwise null. */
export function cachedRemoteFile(ctx: Context, name: RemoteName): ShownFile | null {
  const source = findSource(ctx, name);
  return source && cachedFile(ctx, source, name);
}

function cachedFile(ctx: Context, source: RemoteSource, { form }: RemoteName): ShownFile | null {
  const row = findCopy(ctx, source);
  if (!row) return null;
  const until = row.failed_at === null ? null : retryTime(row.failed_at);
  if (row.file === null) return { file: null, until };
  const file = fileOfCopy(ctx, row, form);
  if (!file) return null;
  ctx.mediaCache.shown.set(row.id, ctx.clock.now());
  return { file, until };
}
