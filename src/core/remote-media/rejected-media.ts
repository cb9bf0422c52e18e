import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { type CacheSpec, everyEntry, partRows } from "../../db/row-cache.ts";
import { domainBlocks } from "../../db/schema/index.ts";

type Block = Pick<typeof domainBlocks.$inferSelect, "domain" | "severity" | "reject_media">;

/** The columns that decide about the media of a domain, wherever that is cached. */
export const REJECTION_COLUMNS = ["domain", "severity", "reject_media"] as const;

const ALL = "all";

/** One entry: whether the media of each blocked domain are rejected. */
export const REJECTED_MEDIA: CacheSpec<string, ReadonlyMap<string, boolean>> = {
  name: "rejected_media",
  max: 1,
  dependsOn: [partRows(domainBlocks, REJECTION_COLUMNS, everyEntry)],
};

/**
 * Whether the media of a domain are neither fetched nor shown. A block includes the subdomains; if several match, the
 * longest domain decides.
 */
export function rejectsMedia(ctx: Context, domain: string | null): boolean {
  if (domain === null) return false;
  const blocks = ctx.caches.of(REJECTED_MEDIA).get(ALL, () => {
    const rows = ctx.db.all<Block>("SELECT domain, severity, reject_media FROM domain_blocks");
    return new Map(rows.map((row) => [row.domain, row.reject_media === 1 || row.severity === "suspend"]));
  });
  if (blocks.size === 0) return false;
  const labels = domain.split(".");
  for (let at = 0; at < labels.length; at++) {
    const rejects = blocks.get(labels.slice(at).join("."));
    if (rejects !== undefined) return rejects;
  }
  return false;
}

const isBelow = (table: string) =>
  `${table}.domain IS NOT NULL AND (${table}.domain = +$domain OR substr(${table}.domain, -length($domain) - 1) = '.' || +$domain)`;
const UNCACHE = `
  UPDATE remote_files SET used_at = 0 WHERE id IN (
    SELECT f.id FROM accounts a JOIN remote_files f ON f.owner_id = a.id AND f.kind IN ('avatars', 'headers')
    WHERE ${isBelow("a")}
    UNION ALL
    SELECT f.id FROM accounts a JOIN media_attachments m ON m.account_id = a.id
      JOIN remote_files f ON f.owner_id = m.id AND f.kind = 'attachments'
    WHERE ${isBelow("a")}
    UNION ALL
    SELECT f.id FROM custom_emojis e JOIN remote_files f ON f.owner_id = e.id AND f.kind = 'emojis'
    WHERE ${isBelow("e")})`;

/** Enqueues removing the cached files of a domain and its subdomains, if a block of this very domain rejects them. */
export function uncacheRejected(ctx: Context, tx: Tx, domain: string): void {
  const rejects = "SELECT 1 FROM domain_blocks WHERE domain = +$domain AND (reject_media OR severity = 'suspend')";
  if (!tx.get(rejects, { domain })) return;
  tx.run(UNCACHE, { domain });
  enqueue(ctx, tx, "cache.evict", {}, { key: "cache.evict now" });
}
