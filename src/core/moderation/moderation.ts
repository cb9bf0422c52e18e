import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { accountWarnings } from "../../db/schema/index.ts";
import { notFound, Refusal } from "../../errors.ts";
import { closeReports, confirmHeld, findReport, releaseHeld } from "./reports.ts";
import { sever } from "../people/severances.ts";
import { queueNotices } from "./moderation-notices.ts";
import { refuseForLastOwner } from "../people/users.ts";

const MAX_TEXT = 2000;

/** Moderation actions, with Mastodon's names; `none` only sends a warning. */
export type Action = (typeof accountWarnings.$inferSelect)["action"];

/** The author of a moderation action and the reason. */
export interface Decision {
  /** The moderator's account; null for the owner on the command line. */
  by: number | null;
  /** The message for the user. */
  text: string;
  /** The report that led to the action; null for none. */
  reportId: number | null;
}

/** The account of a moderation action. */
interface Moderated {
  id: number;
  acct: string;
  /** Null for remote accounts. */
  user_id: number | null;
  disabled: number | null;
  suspended_at: number | null;
  silenced_at: number | null;
  sensitized_at: number | null;
  /** When the account was deleted, here or by its server. */
  deleted_at: number | null;
}

/** The state of an account after an action, until it is lifted. */
interface State {
  /** As in "@name is limited". */
  word: string;
  holds(account: Moderated): boolean;
  /** Sets the state of `$accountId` with the time `$at`, or lifts it if that is null. */
  sql: string;
}

export const STATES: Record<Exclude<Action, "none">, State> = {
  disable: {
    word: "frozen",
    holds: (account) => account.disabled === 1,
    sql: "UPDATE users SET disabled = $at IS NOT NULL WHERE account_id = +$accountId",
  },
  sensitive: {
    word: "marked as sensitive",
    holds: (account) => account.sensitized_at !== null,
    sql: "UPDATE accounts SET sensitized_at = $at WHERE id = +$accountId",
  },
  silence: {
    word: "limited",
    holds: (account) => account.silenced_at !== null,
    sql: "UPDATE accounts SET silenced_at = $at WHERE id = +$accountId",
  },
  suspend: {
    word: "suspended",
    holds: (account) => account.suspended_at !== null,
    sql: "UPDATE accounts SET suspended_at = $at WHERE id = +$accountId",
  },
};

/**
 * Takes a moderation action on an account, records it as a strike, and notifies the user if they are local. Closes all
 * reports about the account; a mere warning only closes the report it answers.
 */
export function moderate(ctx: Context, accountId: number, action: Action, decision: Decision): void {
  if ([...decision.text].length > MAX_TEXT) {
    throw new Refusal("invalid", `The text is too long (maximum is ${MAX_TEXT} characters).`);
  }
  ctx.db.transaction((tx) => {
    const account = findModerated(tx, accountId);
    const wasHeld = action !== "none" && confirmHeld(tx, account.id);
    // The new time tells the moderator's limit from the hold, which has that of its report.
    if (wasHeld && action === "silence") tx.run(STATES.silence.sql, { accountId: account.id, at: ctx.clock.now() });
    else if (action !== "none") applyAction(ctx, tx, account, action);
    else if (account.user_id === null) throw notLocal(account);
    const warningId = recordStrike(ctx, tx, account, action, decision);
    if (account.user_id !== null) queueNotices(ctx, tx, "moderation_warning", [warningId]);
    if (action !== "none") closeReports(ctx, tx, { about: account.id }, decision.by);
    else if (decision.reportId !== null) closeReports(ctx, tx, { id: decision.reportId }, decision.by);
  });
}

/** Lifts the state that an action set. Follows that a suspension ended aren't restored. */
export function liftAction(ctx: Context, accountId: number, action: Exclude<Action, "none">): void {
  const { word, holds, sql } = STATES[action];
  ctx.db.transaction((tx) => {
    const account = findModerated(tx, accountId);
    if (!holds(account)) throw new Refusal("conflict", `@${account.acct} isn't ${word}.`);
    if (action === "silence") releaseHeld(ctx, tx, account.id, null);
    tx.run(sql, { accountId: account.id, at: null });
  });
}

/**
 * A suspension ends follows between a remote account and local users: its server doesn't know of the suspension, so
 * they would get out of sync.
 */
function applyAction(ctx: Context, tx: Tx, account: Moderated, action: Exclude<Action, "none">): void {
  const { word, holds, sql } = STATES[action];
  if (action === "disable" && account.user_id === null) throw notLocal(account);
  if (holds(account)) throw new Refusal("conflict", `@${account.acct} is already ${word}.`);
  if (action === "disable" || action === "suspend") endSessions(tx, account);
  tx.run(sql, { accountId: account.id, at: ctx.clock.now() });
  if (account.user_id === null && action === "suspend") {
    const event = { type: "account_suspension", targetName: account.acct } as const;
    queueNotices(ctx, tx, "severed_relationships", sever(ctx, tx, [account.id], event));
  }
}

/** Ends the sessions of a user. */
function endSessions(tx: Tx, account: Moderated): void {
  if (account.user_id === null) return;
  refuseForLastOwner(tx, account.user_id, account.acct);
  tx.run("DELETE FROM sessions WHERE user_id = +$userId", { userId: account.user_id });
}

function notLocal(account: Moderated): Refusal {
  return new Refusal(
    "invalid",
    `@${account.acct} is on another server. Only limit, suspend and sensitive are possible for remote accounts.`,
  );
}

function recordStrike(ctx: Context, tx: Tx, account: Moderated, action: Action, decision: Decision): number {
  const { by, text, reportId } = decision;
  const answered = reportId === null ? null : findReport(tx, reportId);
  if (answered && answered.target_account_id !== account.id) {
    throw new Refusal("invalid", `Report ${reportId} is about another account.`);
  }
  const { lastInsertRowid } = tx.run(
    `INSERT INTO account_warnings (target_account_id, account_id, report_id, action, text, status_ids, created_at)
     VALUES ($accountId, $by, $reportId, $action, $text, $statusIds, $now)`,
    {
      accountId: account.id,
      by,
      reportId,
      action,
      text,
      statusIds: answered?.status_ids ?? null,
      now: ctx.clock.now(),
    },
  );
  return lastInsertRowid;
}

function findModerated(tx: Tx, accountId: number): Moderated {
  const row = tx.get<Moderated>(
    `SELECT a.id, a.username || coalesce('@' || a.domain, '') AS acct, u.id AS user_id, u.disabled,
       a.suspended_at, a.silenced_at, a.sensitized_at,
       coalesce(a.deleted_at, a.gone_at) AS deleted_at
     FROM accounts a LEFT JOIN users u ON u.account_id = a.id WHERE a.id = +$accountId`,
    { accountId },
  );
  if (!row) throw notFound();
  if (row.deleted_at !== null) throw new Refusal("conflict", `@${row.acct} was permanently deleted.`);
  return row;
}

export type WarningRow = typeof accountWarnings.$inferSelect;

export function warningsWith(db: Reads, ids: readonly number[]): WarningRow[] {
  return db.all<WarningRow>("SELECT * FROM account_warnings WHERE id IN (SELECT value FROM json_each($ids))", {
    ids: idList(ids),
  });
}
