import { beforeAll, describe, expect } from "bun:test";
import { useEverything } from "../support/everything.ts";
import { queryPlan, type Step, tablesOf } from "../support/query-plan.ts";
import { inProcess } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { callSitesOf } from "../support/sql/call-sites.ts";
import { bareParameters } from "../support/sql/parse.ts";
import { recordStatements } from "../support/sql/recorded.ts";
import { withSource } from "../support/sql/source.ts";

/*
 * Every statement in src/, and those that SQL builders make while the API is used, against the plans of SQLite for the
 * migrated database.
 */

/** Tables that stay small: a server has few users, keys, rules, terms, announcements and domain blocks, and codes expire soon. */
const SMALL = new Set(
  "users invitations automatic_deletions account_keys relays relay_counts rules terms_of_service announcements domain_blocks domain_allows oauth_codes changed".split(
    " ",
  ),
);

/** Partial indexes with few rows. A scan of them ends with the first row. */
const SMALL_INDEXES = new Set(["accounts_suspended", "accounts_silenced"]);

interface Exception {
  costs: string[];
  reason: string;
}

/** Queries that may cost more, by their function. */
const EXCEPTIONS: Record<string, Exception> = {
  // Requests wait for these.
  "api/discovery/directory.ts": {
    costs: ["scans accounts (accounts_directory_active)", "scans accounts (accounts_directory_new)"],
    reason: "these indexes have only the accounts of the directory, in its order",
  },
  "api/discovery/suggestions.ts suggestionsFor": {
    costs: ["sorts c, accounts (rowid)"],
    reason: "suggestions are sorted by the number of reasons for them",
  },
  "core/accounts.ts rebloggedBy": {
    costs: ["sorts statuses (statuses_reblogs)"],
    reason: "the index has the boosts of one status by account, not by age",
  },
  "core/accounts.ts searchKnown": {
    costs: ["scans accounts", "sorts accounts"],
    reason: "the words may be anywhere in a name, and the accounts that the viewer knows come first",
  },
  "core/discovery/search.ts searchTags": {
    costs: ["sorts found"],
    reason: "the most used hashtags of those that match come first",
  },
  "core/statuses/scheduled.ts listScheduled": {
    costs: ["sorts scheduled_statuses (scheduled_statuses_of_account)"],
    reason: "a user has at most 300 scheduled statuses",
  },
  "core/timelines/timelines.ts linkTimeline": {
    costs: ["sorts links (links_of_card), status_links (status_links_of_link), statuses (rowid), accounts (rowid)"],
    reason: "several links lead to one page, and only the statuses of each are in order",
  },
  "api/timelines/timelines.ts": {
    costs: ["sorts status_tags (PRIMARY KEY), statuses (rowid)"],
    reason: "of several hashtags, only the statuses of each are in order",
  },
  // No request waits for these jobs.
  "core/discovery/links.ts removeUnusedLinks": {
    costs: ["scans links (links_unused)"],
    reason: "the index has only links that are removed within a day",
  },
  "core/people/unused-accounts.ts pruneAccounts": {
    costs: ["scans a part of accounts"],
    reason: "each slice starts where the one before ended",
  },
  "core/remote-media/cache-space.ts countBytes": {
    costs: ["scans remote_files (remote_files_by_use)"],
    reason: "it runs once an hour",
  },
  "core/remote-media/cache-space.ts evictSlice": {
    costs: ["scans remote_files (remote_files_by_use)"],
    reason: "it reads the first rows in the order of the index",
  },
  "core/statuses/old-statuses.ts mergePages": {
    costs: ["scans a part of statuses"],
    reason: "it reads the range of one slice, and at most a hundred rows",
  },
  "core/statuses/old-statuses.ts pruneStatuses": {
    costs: ["scans a part of statuses"],
    reason: "each slice starts where the one before ended",
  },
  "jobs/recurring/clean-up.ts cleanUp": { costs: ["scans mutes"], reason: "it runs once an hour" },
  "jobs/recurring/clean-up.ts prune": { costs: ["scans lists (lists_of_account)"], reason: "every list is pruned" },
  "jobs/outcomes.ts giveUp": { costs: ["scans jobs"], reason: "a recurring job needs half a day to give up" },
  "jobs/worker.ts Worker": { costs: ["scans jobs"], reason: "it runs when the server starts" },
  "core/moderation/purge.ts purgeAccounts": {
    costs: ["scans a part of accounts"],
    reason: "each slice starts where the one before ended",
  },
  "core/moderation/purge.ts purgeEmojis": {
    costs: ["scans custom_emojis (custom_emojis_of_server)"],
    reason: "it runs once for a host",
  },
  "federation/peers/forget.ts forgetAddresses": {
    costs: [
      "scans deliveries (deliveries_to_inbox)",
      "scans hosts (hosts_by_use)",
      "scans incoming_totals",
      "scans missing_inboxes (missing_inboxes_by_age)",
      "scans refused_deliveries (refused_deliveries_by_age)",
    ],
    reason: "it runs once for a host",
  },
  // Commands.
  "core/discovery/trends.ts listTrends": {
    costs: ["scans trends (trends_by_score)"],
    reason: "it lists all trends",
  },
  "core/media/file-references.ts referencedMedia": {
    costs: ["scans media_attachments (media_attachments_small)"],
    reason: "a backup copies all files",
  },
  "core/moderation/reports.ts listReports": {
    costs: ["scans reports", "scans reports (reports_open)"],
    reason: "it lists the newest reports, all or open",
  },
  "core/remote-media/rejected-media.ts uncacheRejected": {
    costs: ["scans remote_files (remote_files_of_owner)"],
    reason: "it removes the files of a whole domain",
  },
  "core/people/sent-follows.ts listSentFollows": {
    costs: ["scans sent_follows"],
    reason: "it lists all sent follows",
  },
  "core/server/knowing-servers.ts possible": {
    costs: [
      "scans deliveries (deliveries_to_inbox)",
      "scans hosts",
      "scans refused_deliveries (refused_deliveries_by_age)",
      "scans status_deliveries",
    ],
    reason: "it runs once, to change the address",
  },
  "core/server/knowing-servers.ts proven": {
    costs: ["scans hosts", "scans status_deliveries"],
    reason: "it runs once, to change the address",
  },
  "core/server/new-address.ts rewriteAddress": {
    costs: ["scans accounts"],
    reason: "it changes every row with the old address",
  },
  "core/sign-in/passkeys.ts passkeyOwners": {
    costs: ["scans passkeys (passkeys_of_user)"],
    reason: "it runs once, to change the address",
  },
  "core/server/storage-usage.ts cacheUsage": {
    costs: ["scans remote_files (remote_files_of_owner)"],
    reason: "it adds up all files",
  },
  "core/server/jobs.ts listJobs": { costs: ["scans jobs"], reason: "it lists all jobs" },
  "core/server/jobs.ts retryAllJobs": { costs: ["scans jobs"], reason: "it finds jobs by their error" },
  "federation/delivery/progress.ts allWaitingServers": {
    costs: ["scans deliveries (deliveries_to_inbox)"],
    reason: "it counts all that waits",
  },
  "federation/peers/list.ts listPeers": {
    costs: ["scans deliveries (deliveries_to_inbox)", "scans hosts"],
    reason: "it lists all hosts with what waits for them",
  },
  "oauth/authorizations.ts tokensOf": { costs: ["scans oauth_tokens"], reason: "it lists all tokens" },
};

const { server } = serverForAllTests([], { LINNET_SHOW_DOMAIN_BLOCKS: "all" });
/** The function that runs it, by the SQL of each statement. */
const statements = new Map<string, string>();

beforeAll(async () => {
  const sites = await withSource(callSitesOf);
  for (const { within, statements: ways } of sites) for (const { sql } of ways) statements.set(sql, within);
  const recorded = await recordStatements(server.ctx.db, () => useEverything(server));
  for (const { sql, query } of recorded) if (!statements.has(sql)) statements.set(sql, query);
}, 60_000);

describe("Every statement", () => {
  inProcess("finds its rows by an index, unless a table is small, and reads pages in the order of an index", () => {
    expect(statements.size).toBeGreaterThan(600);
    const { raw } = server.ctx.db;
    const tables = tablesOf(raw);
    const costs = [...statements].flatMap(([sql, query]) =>
      costsOf(sql, queryPlan(raw, sql, tables)).map((cost) => `${query}: ${cost}`),
    );
    // An exception that no query needs any more fails, too.
    const exceptions = Object.entries(EXCEPTIONS).flatMap(([query, { costs: known }]) =>
      known.map((cost) => `${query}: ${cost}`),
    );
    expect([...new Set(costs)].toSorted()).toEqual(exceptions.toSorted());
  });

  inProcess("has a plus before each parameter that it compares with or that limits it", () => {
    const bare = [...statements].flatMap(([sql, query]) => bareParameters(sql).map((tokens) => `${query}: ${tokens}`));
    expect(bare).toEqual([]);
  });
});

/** The steps that take longer the more rows there are: scans, and rows that a page sorts or reads besides its own. */
function costsOf(sql: string, plan: readonly Step[]): string[] {
  const isPage = /\bLIMIT \+\$limit(?: OFFSET \+\$\w+)?\s*$/i.test(sql);
  return plan.flatMap((step) => {
    const { operation, table, index, name, constraints, children } = step;
    const inner = costsOf(sql, children);
    if (operation === "TEMP B-TREE" && isPage && name.endsWith("ORDER BY")) {
      const read = plan.filter((other) => /SCAN|SEARCH/.test(other.operation)).map(placeOf);
      return [`sorts ${read.join(", ")}`, ...inner];
    }
    if (table === null || SMALL.has(table)) return inner;
    // An automatic index is made for one query, from the whole table.
    const isScan = operation === "SCAN" && !SMALL_INDEXES.has(index ?? "") && !isMatch(step);
    if (isScan || index === "AUTOMATIC") return [`scans ${placeOf(step)}`, ...inner];
    // With only the limits of the page as conditions, SQLite would read all rows between them.
    const isBounded = constraints.length > 0 && constraints.every((constraint) => /^rowid[<>]\?$/.test(constraint));
    return isPage && isBounded ? [`scans a part of ${table}`, ...inner] : inner;
  });
}

/** Whether a full-text index is searched. */
function isMatch({ index }: Step): boolean {
  return index !== null && /^\d+:.*M\d/.test(index);
}

function placeOf({ table, name, index }: Step): string {
  return index === null ? (table ?? name) : `${table ?? name} (${index})`;
}
