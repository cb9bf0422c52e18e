import type { Reads } from "../../db/open.ts";

/** Jumps from one domain to the next in the index, so that the cost depends on the number of domains, not accounts. */
const DOMAINS = `
  WITH RECURSIVE known (domain) AS (
    SELECT (SELECT min(domain) FROM accounts WHERE domain IS NOT NULL)
    UNION ALL
    SELECT (SELECT min(domain) FROM accounts WHERE domain > known.domain) FROM known WHERE known.domain IS NOT NULL)
  SELECT domain FROM known
  WHERE domain IS NOT NULL AND NOT EXISTS (SELECT 1 FROM domain_blocks b WHERE b.domain = known.domain)`;

/** The domains of all known servers without a domain block, in alphabetical order. */
export function knownDomains(db: Reads): string[] {
  return db.all<{ domain: string }>(DOMAINS).map(({ domain }) => domain);
}
