import { eq, sql } from "drizzle-orm";
import type { Context } from "../../context.ts";
import { updateGiven } from "../../db/builder.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { reports } from "../../db/schema/index.ts";
import { notFound, Refusal, refuseWhere, tooLong } from "../../errors.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { findAccount } from "../accounts.ts";
import { deliver } from "../deliveries.ts";
import { notify } from "../notifications/notifications.ts";
import { staffAccounts } from "../people/users.ts";
import { rejectsReports } from "../refused-hosts.ts";
import { fileMentionsFrom } from "../notifications/requests.ts";
import { IS_HOLD, visibleAmong } from "../visibility.ts";

/** How long before it is held an account may have sent what is held back, in ms. */
export const FLOOD = 3600_000;
/** Mastodon's limit. */
const MAX_COMMENT = 1000;

export const REPORT_CATEGORIES = reports.category.enumValues;

/** A report to be filed. Null ids are ids that can't exist. */
export interface Complaint {
  accountId: number | null;
  statusIds: readonly (number | null)[];
  comment: string;
  category: (typeof REPORT_CATEGORIES)[number];
  ruleIds: readonly (number | null)[];
  /** Whether to forward the report to the server of a remote account. */
  forward: boolean;
  /** The domains to forward it to, also those of accounts that were replied to; by default the reported account's. */
  forwardTo: readonly string[] | null;
}

const STATUSES_BY =
  "SELECT count(*) AS count FROM statuses WHERE id IN (SELECT value FROM json_each($seen)) AND account_id = +$targetId";
/** Includes removed rules: the report may be about an older status. */
const RULES = "SELECT count(*) AS count FROM rules WHERE id IN (SELECT value FROM json_each($wanted))";
const OPEN_ABOUT = "SELECT 1 FROM reports WHERE target_account_id = +$targetId AND action_taken_at IS NULL";

/**
 * Reports an account to the moderators, and returns the report's id. They are notified unless another report about the
 * same account is open. Reporting the same twice creates two reports.
 */
export function report(ctx: Context, reporterId: number, complaint: Complaint): number {
  const target = findAccount(ctx, complaint.accountId);
  if (target.suspended_at !== null) throw notFound();
  const statusIds = reportedStatuses(ctx, reporterId, target.id, complaint.statusIds);
  const category = complaint.ruleIds.length > 0 ? "violation" : complaint.category;
  const ruleIds = category === "violation" ? citedRules(ctx.db, complaint.ruleIds) : null;
  refuseWhere([
    tooLong("Comment", complaint.comment, MAX_COMMENT),
    [category === "violation" && ruleIds === null, "Rule ids does not reference valid rules"],
  ]);
  const { comment } = complaint;
  const isForwarded = complaint.forward && target.domain !== null;
  return ctx.db.transaction((tx) => {
    const about = { targetId: target.id, category, comment, statusIds, ruleIds, isForwarded, uri: null };
    const id = storeReport(ctx, tx, { reporterId, ...about })!;
    const domains = complaint.forwardTo ?? [target.domain ?? ""];
    if (isForwarded) deliver(ctx, tx, { type: "report.forwarded", reportId: id, domains });
    return id;
  });
}

/** Reports a remote account in the name of the server itself. */
export function reportForServer(ctx: Context, tx: Tx, targetId: number, comment: string): void {
  const empty = { statusIds: [], ruleIds: null, isForwarded: false, uri: null };
  storeReport(ctx, tx, { reporterId: null, targetId, category: "other", comment, ...empty });
}

/** A report to store: all checks are done. */
interface NewReport {
  /** Null for the server itself. */
  reporterId: number | null;
  targetId: number;
  category: Complaint["category"];
  comment: string;
  statusIds: readonly number[];
  ruleIds: readonly number[] | null;
  isForwarded: boolean;
  /** How another server names the report that it sent; null for reports of this server. */
  uri: string | null;
}

const STORE = `
  INSERT INTO reports
    (account_id, target_account_id, category, comment, status_ids, rule_ids, forwarded, created_at, uri)
  VALUES ($reporterId, $targetId, $category, $comment, $statusIds, $ruleIds, $forwarded, $now, $uri)
  ON CONFLICT DO NOTHING RETURNING id`;

/** Returns the report's id, and notifies the moderators; null if the report is known. */
export function storeReport(ctx: Context, tx: Tx, report: NewReport): number | null {
  const { reporterId, targetId, category, comment, uri } = report;
  const isKnown = tx.get(OPEN_ABOUT, { targetId }) !== null;
  const row = tx.get<{ id: number }>(STORE, {
    reporterId,
    targetId,
    category,
    comment,
    statusIds: JSON.stringify(report.statusIds),
    ruleIds: report.ruleIds && JSON.stringify(report.ruleIds),
    forwarded: report.isForwarded ? 1 : 0,
    now: ctx.clock.now(),
    uri,
  });
  if (row && !isKnown) notifyStaff(ctx, tx, reporterId, row.id);
  return row?.id ?? null;
}

/** A report that another server sends. */
export interface RemoteReport {
  uri: string;
  /** The account that sent it, usually that of its server. */
  reporterId: number;
  /** The accounts and statuses that it names. */
  about: readonly string[];
  /** Longer comments are truncated. */
  comment: string;
}

/** The first local account that is named or, if none is, the author of the first local status. */
const REPORTED = `
  SELECT a.id FROM json_each($about) j LEFT JOIN statuses s ON s.uri = j.value AND s.local = 1
    JOIN accounts a ON a.uri = j.value OR a.id = s.account_id
    JOIN users u ON u.account_id = a.id
  WHERE u.approved AND a.suspended_at IS NULL ORDER BY a.uri <> j.value, j.key LIMIT 1`;
const NAMED_STATUSES = `
  SELECT s.id FROM json_each($about) j JOIN statuses s ON s.uri = j.value WHERE s.account_id = +$targetId ORDER BY j.key`;
const REPORTER = "SELECT uri, coalesce(domain, '') AS domain FROM accounts WHERE id = +$reporterId";

/**
 * Stores a report about a local account by another server. It is ignored if it is known, or about no local account, or if
 * the owner wants none from its domain, or if its site has sent many within an hour.
 */
export function receiveReport(ctx: Context, tx: Tx, { uri, reporterId, about, comment }: RemoteReport): void {
  const named = JSON.stringify(about);
  const target = tx.get<{ id: number }>(REPORTED, { about: named });
  if (!target || tx.get("SELECT 1 FROM reports WHERE uri = +$uri", { uri })) return;
  const reporter = tx.get<{ uri: string; domain: string }>(REPORTER, { reporterId })!;
  if ([reporter.domain, new URL(reporter.uri).host].some((host) => rejectsReports(tx, host))) return;
  if (ctx.receivedReports.take(siteOf(reporter.uri), ctx.clock.now()).exceeded) return;
  const statusIds = tx.all<{ id: number }>(NAMED_STATUSES, { about: named, targetId: target.id }).map(({ id }) => id);
  storeReport(ctx, tx, {
    reporterId,
    targetId: target.id,
    category: "other",
    comment: [...comment].slice(0, MAX_COMMENT).join(""),
    statusIds,
    ruleIds: null,
    isForwarded: false,
    uri,
  });
}

/**
 * The ids without duplicates.
 *
 * @throws Refusal, as for an unknown status, if one isn't the account's or the reporter can't see it
 */
function reportedStatuses(ctx: Context, reporterId: number, targetId: number, given: Complaint["statusIds"]): number[] {
  const wanted = new Set(given.filter((id) => id !== null));
  const seen = visibleAmong(ctx, reporterId, [...wanted]);
  const { count } = ctx.db.get<{ count: number }>(STATUSES_BY, { seen: idList(seen), targetId })!;
  if (given.includes(null) || count < wanted.size) throw notFound();
  return seen;
}

/** The ids without duplicates; null if there is none, or if one isn't a rule. */
function citedRules(db: Reads, given: Complaint["ruleIds"]): number[] | null {
  const wanted = [...new Set(given.filter((id) => id !== null))];
  const { count } = db.get<{ count: number }>(RULES, { wanted: idList(wanted) })!;
  return wanted.length === 0 || given.includes(null) || count < wanted.length ? null : wanted;
}

/** The reporter is not notified. A report by the server itself has no account, so the notification comes from the
 * recipient's own. */
function notifyStaff(ctx: Context, tx: Tx, reporterId: number | null, reportId: number): void {
  for (const staffId of staffAccounts(tx)) {
    if (staffId === reporterId) continue;
    notify(ctx, tx, staffId, { type: "admin.report", from: reporterId ?? staffId, statusId: null, aboutId: reportId });
  }
}

/** A report, for moderators. */
export interface ReportRow {
  id: number;
  /** Null for the server itself. */
  account_id: number | null;
  target_account_id: number;
  category: Complaint["category"];
  comment: string;
  /** Ids as JSON. */
  status_ids: string;
  rule_ids: string | null;
  forwarded: number;
  created_at: number;
  action_taken_at: number | null;
}

const COLUMNS = `
  r.id, r.account_id, r.target_account_id, r.category, r.comment, r.status_ids, r.rule_ids, r.forwarded, r.created_at,
  r.action_taken_at`;

/** A report with the handles of the reported account and the reporter. */
export interface NamedReport extends ReportRow {
  target: string;
  /** Null for the server itself. */
  reporter: string | null;
}

const handle = (account: string) => `${account}.username || coalesce('@' || ${account}.domain, '')`;
const NAMED = `
  SELECT ${COLUMNS}, ${handle("t")} AS target, ${handle("a")} AS reporter
  FROM reports r JOIN accounts t ON t.id = r.target_account_id LEFT JOIN accounts a ON a.id = r.account_id`;

const NEWEST_FIRST = "ORDER BY r.id DESC LIMIT +$limit";
const ALL = `${NAMED} ${NEWEST_FIRST}`;
const OPEN = `${NAMED} WHERE r.action_taken_at IS NULL ${NEWEST_FIRST}`;

/** Open reports or all of them, newest first. */
export function listReports(db: Reads, { all, limit }: { all: boolean; limit: number }): NamedReport[] {
  return db.all<NamedReport>(all ? ALL : OPEN, { limit });
}

const RULES_NAMED = "SELECT text FROM rules WHERE id IN (SELECT value FROM json_each($ruleIds)) ORDER BY id";
const STATUSES_NAMED = "SELECT url FROM statuses WHERE id IN (SELECT value FROM json_each($statusIds)) ORDER BY id";

/** A report with the texts of the cited rules and the URLs of the reported statuses that still exist. */
export function reportDetails(db: Reads, id: number): NamedReport & { rules: string[]; urls: string[] } {
  const report = db.get<NamedReport>(`${NAMED} WHERE r.id = +$id`, { id });
  if (!report) throw noReport(id);
  return {
    ...report,
    rules: db.all<{ text: string }>(RULES_NAMED, { ruleIds: report.rule_ids }).map(({ text }) => text),
    urls: db.all<{ url: string }>(STATUSES_NAMED, { statusIds: report.status_ids }).map(({ url }) => url),
  };
}

export function reportsWith(db: Reads, ids: readonly number[]): ReportRow[] {
  return db.all<ReportRow>(`SELECT ${COLUMNS} FROM reports r WHERE r.id IN (SELECT value FROM json_each($ids))`, {
    ids: idList(ids),
  });
}

export function findReport(db: Reads, id: number): ReportRow {
  const [row] = reportsWith(db, [id]);
  if (!row) throw noReport(id);
  return row;
}

function noReport(id: number): Refusal {
  return new Refusal("not_found", `There is no report ${id}.`);
}

/**
 * Closes an open report. `by` is a moderator's account, null for the owner on the command line. If the report holds its
 * account, that is released.
 */
export function resolveReport(ctx: Context, id: number, by: number | null): void {
  ctx.db.transaction((tx) => {
    const { action_taken_at, target_account_id } = findReport(tx, id);
    if (action_taken_at !== null) throw new Refusal("conflict", `Report ${id} is already resolved.`);
    if (holdOf(tx, target_account_id)?.id === id) releaseHeld(ctx, tx, target_account_id, by);
    else closeReports(ctx, tx, { id }, by);
  });
}

const HOLD = `SELECT r.id, r.created_at FROM reports r WHERE r.target_account_id = +$accountId AND ${IS_HOLD}`;

function holdOf(db: Reads, accountId: number): Pick<ReportRow, "id" | "created_at"> | null {
  return db.get<Pick<ReportRow, "id" | "created_at">>(HOLD, { accountId });
}

/** Lifts the limit of an account that is held: its notifications are shown. Does nothing for any other account. */
export function releaseHeld(ctx: Context, tx: Tx, accountId: number, by: number | null): void {
  const hold = holdOf(tx, accountId);
  if (!hold) return;
  closeReports(ctx, tx, { id: hold.id }, by);
  tx.run("UPDATE accounts SET silenced_at = NULL WHERE id = +$accountId", { accountId });
  fileMentionsFrom(ctx, tx, accountId, hold.created_at);
}

/** Removes the notifications of a held account, about which moderators decide otherwise. Returns whether it was held. */
export function confirmHeld(tx: Tx, accountId: number): boolean {
  const hold = holdOf(tx, accountId);
  if (!hold) return false;
  tx.run("DELETE FROM notifications WHERE from_account_id = +$accountId AND created_at > +$since", {
    accountId,
    since: hold.created_at - FLOOD,
  });
  return true;
}

/** Closes a report, or all open reports about an account. */
export function closeReports(ctx: Context, tx: Tx, which: { id: number } | { about: number }, by: number | null): void {
  const isMeant = "id" in which ? eq(reports.id, which.id) : eq(reports.target_account_id, which.about);
  const columns = { action_taken_at: ctx.clock.now(), action_taken_by_account_id: by };
  updateGiven(tx, reports, columns, sql`${isMeant} AND ${reports.action_taken_at} IS NULL`);
}

export function reopenReport(ctx: Context, id: number): void {
  ctx.db.transaction((tx) => {
    if (findReport(tx, id).action_taken_at === null) throw new Refusal("conflict", `Report ${id} is already open.`);
    tx.run("UPDATE reports SET action_taken_at = NULL, action_taken_by_account_id = NULL WHERE id = +$id", { id });
  });
}
