import type { Context } from "../context.ts";
import type { Reads } from "../db/open.ts";
import type { domainBlocks } from "../db/schema/index.ts";

type Block = Pick<typeof domainBlocks.$inferSelect, "severity" | "reject_reports">;

const BLOCK = "SELECT severity, reject_reports FROM domain_blocks WHERE domain = +$domain";
const ALLOWED = "SELECT 1 FROM domain_allows WHERE domain = +$domain";

/**
 * Whether nothing is exchanged with a host (in lower case): it is suspended or, with limited federation, not allowed.
 * Rules for a domain include its subdomains.
 */
export function isRefusedHost(ctx: Context, host: string): boolean {
  if (isSuspendedHost(ctx.db, host)) return true;
  return ctx.config.limitedFederation && !domainsOf(host).some((domain) => ctx.db.get(ALLOWED, { domain }));
}

/** Whether the block that decides about a host suspends it. */
export function isSuspendedHost(db: Reads, host: string): boolean {
  return blockOf(db, host)?.severity === "suspend";
}

/** Whether reports from a host are ignored. */
export function rejectsReports(db: Reads, host: string): boolean {
  return blockOf(db, host)?.reject_reports === 1;
}

/** The block with the longest domain that includes the host. */
function blockOf(db: Reads, host: string): Block | null {
  for (const domain of domainsOf(host)) {
    const block = db.get<Block>(BLOCK, { domain });
    if (block) return block;
  }
  return null;
}

/** Whether a rule for a domain is also one for a host. */
export function includesHost(domain: string, host: string): boolean {
  return domainsOf(host).includes(domain);
}

/** A host and the domains that include it, longest first. A rule may name the port of a host. */
function domainsOf(host: string): string[] {
  const labels = host.replace(/:\d+$/, "").split(".");
  const domains = labels.map((_, at) => labels.slice(at).join("."));
  return domains[0] === host ? domains : [host, ...domains];
}
