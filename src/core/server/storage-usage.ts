import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import type { mediaAttachments, remoteFiles } from "../../db/schema/index.ts";

/** The bytes of all files of one kind; in the cache, of one kind and host. */
export interface Usage {
  area: "local media" | "cache" | "database";
  kind: (typeof remoteFiles.$inferSelect)["kind"] | null;
  /** Null outside the cache, and for files whose source is gone. */
  host: string | null;
  bytes: number;
}

/** The source is a domain or, for the picture of a link, the address of the page. */
const CACHED = `
  SELECT f.kind, coalesce(a.domain, e.domain, c.url) AS source, sum(f.bytes) AS bytes FROM remote_files f
  LEFT JOIN media_attachments m ON f.kind = 'attachments' AND m.id = f.owner_id
  LEFT JOIN accounts a ON a.id = iif(f.kind IN ('avatars', 'headers'), f.owner_id, m.account_id)
  LEFT JOIN custom_emojis e ON f.kind = 'emojis' AND e.id = f.owner_id
  LEFT JOIN preview_cards c ON f.kind = 'cards' AND c.id = f.owner_id
  GROUP BY f.kind, source`;

/** The uploads of one type that a user has. */
export interface OwnUsage {
  type: (typeof mediaAttachments.$inferSelect)["type"];
  files: number;
  bytes: number;
}

/** The media that an account has uploaded, by type, largest first. */
export function uploadUsage(db: Reads, accountId: number): OwnUsage[] {
  return db.all<OwnUsage>(
    `SELECT type, count(*) AS files, sum(file_size) AS bytes FROM media_attachments
     WHERE account_id = +$accountId GROUP BY type ORDER BY bytes DESC`,
    { accountId },
  );
}

interface Cached {
  kind: (typeof remoteFiles.$inferSelect)["kind"];
  source: string | null;
  bytes: number;
}

/** The space of the server's files: the database, local media, and the cache by kind and host, largest first. */
export async function storageUsage(ctx: Context): Promise<Usage[]> {
  const { data } = ctx.config;
  const database = ["linnet.db", "linnet.db-wal"].map((name) => sizeOf(join(data, name)));
  const rest = { kind: null, host: null };
  return [
    { area: "database", ...rest, bytes: (await Promise.all(database)).reduce((sum, bytes) => sum + bytes, 0) },
    { area: "local media", ...rest, bytes: await bytesBelow(join(data, "media")) },
    ...cacheUsage(ctx),
  ];
}

function cacheUsage({ db }: Context): Usage[] {
  const groups = Map.groupBy(db.all<Cached>(CACHED), ({ kind, source }) => `${kind} ${hostOf(source)}`);
  const usages = [...groups.values()].map(([first, ...others]): Usage => {
    const { kind, source, bytes } = first!;
    return { area: "cache", kind, host: hostOf(source), bytes: others.reduce((sum, each) => sum + each.bytes, bytes) };
  });
  return usages.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
}

function hostOf(source: string | null): string | null {
  return source !== null && URL.canParse(source) && source.includes("/") ? new URL(source).host : source;
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) if (entry.isFile()) sum += await sizeOf(join(entry.parentPath, entry.name));
  return sum;
}

/** 0 if the file is gone. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
