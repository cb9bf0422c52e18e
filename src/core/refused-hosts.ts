import type { Context } from "../context.ts";
import type { domainBlocks } from "../db/schema/index.ts";

const SEVERITY = "SELECT severity FROM domain_blocks WHERE domain = +$domain";
const ALLOWED = "SELECT 1 FROM domain_allows WHERE domain = +$domain";

/**
 * Whether nothing is exchanged with a host (in lower case): it is suspended or, with limited federation, not allowed.
 * Rules for a domain include its subdomains.
 */
export function isRefusedHost(ctx: Context, host: string): boolean {
  const domains = domainsOf(host);
  for (const domain of domains) {
    const block = ctx.db.get<Pick<typeof domainBlocks.$inferSelect, "severity">>(SEVERITY, { domain });
    if (block?.severity === "suspend") return true;
    if (block) break;
  }
  return ctx.config.limitedFederation && !domains.some((domain) => ctx.db.get(ALLOWED, { domain }));
}

/** A host and the domains that include it, longest first. A rule may name the port of a host. */
function domainsOf(host: string): string[] {
  const labels = host.replace(/:\d+$/, "").split(".");
  const domains = labels.map((_, at) => labels.slice(at).join("."));
  return domains[0] === host ? domains : [host, ...domains];
}
