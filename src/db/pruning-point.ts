/**
 * Where pruning continues: statuses before an id (null for all old ones), accounts after an id, the search index, or free
 * pages.
 */
export type PruningPoint =
  | { stage: "statuses"; before: number | null }
  | { stage: "accounts"; after: number }
  | { stage: "search" }
  | { stage: "pages" };

export const PRUNING_START: PruningPoint = { stage: "statuses", before: null };

/**
 * Where the purge of a host continues: accounts after an id and created before another, tombstones after a URI, or the
 * rest.
 */
export type PurgePoint = {
  host: string;
  /** Whether a domain with its subdomains is suspended. Otherwise the owner forgets one host. */
  isSuspension: boolean;
  before: number;
} & ({ stage: "accounts"; after: number } | { stage: "tombstones"; after: string } | { stage: "rest" });
