import type { Reads } from "../../db/open.ts";

/** From one domain to the next in the index, so that it costs as much as there are domains, not accounts. */
const DOMAINS = `
  WITH RECURSIVE known (domain) AS (
    SELECT (SELECT min(domain) FROM accounts WHERE domain IS NOT NULL)
    UNION ALL
    SELECT (SELECT min(domain) FROM accounts WHERE domain > known.domain) FROM known WHERE known.domain IS NOT NULL)
  SELECT domain FROM known
  WHERE domain IS NOT NULL AND NOT EXISTS (SELECT 1 FROM domain_blocks b WHERE b.domain = known.domain)`;

/** The servers that this one knows of and doesn't restrict, in the order of their names. */
export function knownDomains(db: Reads): string[] {
  return db.all<{ domain: string }>(DOMAINS).map(({ domain }) => domain);
}
