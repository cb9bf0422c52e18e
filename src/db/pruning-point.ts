/** Where pruning continues: statuses before an id (null for all old ones), accounts after an id, the search index, or free pages. */
export type PruningPoint =
  | { stage: "statuses"; before: number | null }
  | { stage: "accounts"; after: number }
  | { stage: "search" }
  | { stage: "pages" };

export const PRUNING_START: PruningPoint = { stage: "statuses", before: null };
