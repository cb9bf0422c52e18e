import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import type { polls } from "../../db/schema/index.ts";
import { notAllowed, notFound, refuseWhere } from "../../errors.ts";
import { countGraphemes } from "../../lib/text/text.ts";
import { isBlockedBy } from "../accounts.ts";
import { notify } from "../notifications/notifications.ts";
import { visibleTo } from "../visibility.ts";

/** Mastodon's limits; clients read them from the instance configuration. The maximum is an average month. */
export const POLL_LIMITS = { options: 4, characters: 50, minSeconds: 300, maxSeconds: 2_629_746 };

/** A poll as requested by its author. */
export interface PollDraft {
  options: string[];
  /** Seconds from publication; null if the author gave none. */
  expiresIn: number | null;
  multiple: boolean;
  hideTotals: boolean;
}

/**
 * Validates a poll.
 *
 * @throws Refusal with all problems, in the order and words of Mastodon's validators
 */
export function checkPoll({ options, expiresIn }: PollDraft): void {
  const { options: most, characters, minSeconds, maxSeconds } = POLL_LIMITS;
  refuseWhere([
    [options.length === 0, "Choices can't be blank"],
    [expiresIn === null, "Deadline can't be blank"],
    [options.length < 2, "Choices must have more than one item"],
    [options.length > most, `Choices can't contain more than ${most} items`],
    [
      options.some((title) => countGraphemes(title) > characters),
      `Choices cannot be longer than ${characters} characters each`,
    ],
    [new Set(options).size < options.length, "Choices contain duplicate items"],
    [expiresIn !== null && expiresIn > maxSeconds, "Deadline is too far into the future"],
    [expiresIn !== null && expiresIn < minSeconds, "Deadline is too soon"],
  ]);
}

/** Adds a validated poll to a status, and enqueues the job that closes it. */
export function addPoll(ctx: Context, tx: Tx, statusId: number, poll: PollDraft): void {
  const { lastInsertRowid: pollId } = tx.run(
    "INSERT INTO polls (status_id, multiple, hide_totals, voters_count, expires_at) VALUES ($statusId, $multiple, $hideTotals, 0, $expiresAt)",
    { statusId, multiple: poll.multiple ? 1 : 0, hideTotals: poll.hideTotals ? 1 : 0, expiresAt: expiryOf(ctx, poll) },
  );
  addOptions(tx, pollId, poll.options);
  scheduleEnd(ctx, tx, pollId, poll);
}

function addOptions(tx: Tx, pollId: number, titles: readonly string[]): void {
  for (const [position, title] of titles.entries()) {
    tx.run("INSERT INTO poll_options (poll_id, position, title) VALUES ($pollId, $position, $title)", {
      pollId,
      position,
      title,
    });
  }
}

function expiryOf(ctx: Context, poll: PollDraft): number {
  return ctx.clock.now() + poll.expiresIn! * 1000;
}

function scheduleEnd(ctx: Context, tx: Tx, pollId: number, poll: PollDraft): void {
  const runAt = expiryOf(ctx, poll);
  enqueue(ctx, tx, "poll.close", { pollId }, { runAt, key: `poll.close ${pollId} ${runAt}` });
}

/** The current poll of a status, to compare with an edit. */
export interface PollBefore {
  id: number;
  titles: string[];
  multiple: boolean;
}

export function pollOf(db: Reads, statusId: number): PollBefore | null {
  const row = db.get<Pick<typeof polls.$inferSelect, "id" | "multiple">>(
    "SELECT id, multiple FROM polls WHERE status_id = +$statusId",
    { statusId },
  );
  return row && { id: row.id, titles: titlesOf(db, row.id), multiple: row.multiple === 1 };
}

function titlesOf(db: Reads, pollId: number): string[] {
  return db
    .all<{ title: string }>("SELECT title FROM poll_options WHERE poll_id = +$pollId ORDER BY position", { pollId })
    .map(({ title }) => title);
}

/**
 * Replaces or (null) removes the poll of a status. Votes are kept only if the options and `multiple` are unchanged. The
 * new deadline counts from now.
 */
export function replacePoll(
  ctx: Context,
  tx: Tx,
  statusId: number,
  before: PollBefore | null,
  poll: PollDraft | null,
): void {
  if (!poll) return void tx.run("DELETE FROM polls WHERE status_id = +$statusId", { statusId });
  if (!before) return addPoll(ctx, tx, statusId, poll);
  tx.run(
    "UPDATE polls SET multiple = $multiple, hide_totals = $hideTotals, expires_at = $expiresAt, closed = 0 WHERE id = +$beforeId",
    {
      multiple: poll.multiple ? 1 : 0,
      hideTotals: poll.hideTotals ? 1 : 0,
      expiresAt: expiryOf(ctx, poll),
      beforeId: before.id,
    },
  );
  if (before.multiple !== poll.multiple || JSON.stringify(before.titles) !== JSON.stringify(poll.options)) {
    tx.run("DELETE FROM poll_votes WHERE poll_id = +$beforeId", { beforeId: before.id });
    tx.run("DELETE FROM poll_options WHERE poll_id = +$beforeId", { beforeId: before.id });
    tx.run("UPDATE polls SET voters_count = 0 WHERE id = +$beforeId", { beforeId: before.id });
    addOptions(tx, before.id, poll.options);
  }
  scheduleEnd(ctx, tx, before.id, poll);
}

/** The columns that actions on a poll need. */
export type PollRow = Pick<typeof polls.$inferSelect, "id" | "status_id" | "multiple" | "expires_at"> & {
  account_id: number;
};

const VISIBLE = `
  SELECT p.id, p.status_id, p.multiple, p.expires_at, s.account_id FROM polls p JOIN statuses s ON s.id = p.status_id
  WHERE p.id = +$id AND ${visibleTo()}`;

/**
 * The poll, if the viewer may see its status.
 *
 * @throws Refusal as for a poll that doesn't exist
 */
export function visiblePoll(ctx: Context, viewerId: number, id: number | null): PollRow {
  const poll = id === null ? null : ctx.db.get<PollRow>(VISIBLE, { id, viewer: viewerId });
  if (!poll) throw notFound();
  return poll;
}

export function isOver(ctx: Context, expiresAt: number | null): boolean {
  return expiresAt !== null && expiresAt <= ctx.clock.now();
}

/**
 * Casts votes, which can't be withdrawn. In a multiple-choice poll, a later vote adds to an earlier one. A choice is
 * the position of an option. Refuses what Mastodon's VoteValidator refuses; then none of the choices count.
 */
export function vote(ctx: Context, accountId: number, poll: PollRow, choices: readonly number[]): void {
  ctx.db.transaction((tx) => {
    const before = choicesOf(tx, accountId, poll.id);
    checkVote(ctx, tx, accountId, poll, before, choices);
    for (const choice of choices) {
      tx.run(
        "INSERT INTO poll_votes (poll_id, account_id, choice, created_at) VALUES ($pollId, $accountId, $choice, $now)",
        { pollId: poll.id, accountId, choice, now: ctx.clock.now() },
      );
    }
    tx.run(
      `UPDATE poll_options SET votes_count = votes_count + 1
       WHERE poll_id = +$pollId AND position IN (SELECT value FROM json_each($choices))`,
      { pollId: poll.id, choices: idList(choices) },
    );
    if (before.length === 0)
      tx.run("UPDATE polls SET voters_count = voters_count + 1 WHERE id = +$pollId", { pollId: poll.id });
  });
}

/** Removes the votes of an account in up to `limit` polls, and updates the results. Returns the number of polls. */
export function deleteVotes(tx: Tx, accountId: number, limit: number): number {
  const voted = tx.all<{ poll_id: number }>(
    "SELECT DISTINCT poll_id FROM poll_votes WHERE account_id = +$accountId LIMIT +$limit",
    { accountId, limit },
  );
  for (const { poll_id } of voted) {
    tx.run(
      `UPDATE poll_options SET votes_count = max(0, votes_count - 1)
       WHERE poll_id = +$pollId AND position IN (SELECT choice FROM poll_votes WHERE poll_id = +$pollId AND account_id = +$accountId)`,
      { pollId: poll_id, accountId },
    );
    tx.run("UPDATE polls SET voters_count = max(0, voters_count - 1) WHERE id = +$pollId", { pollId: poll_id });
    tx.run("DELETE FROM poll_votes WHERE poll_id = +$pollId AND account_id = +$accountId", {
      pollId: poll_id,
      accountId,
    });
  }
  return voted.length;
}

function choicesOf(db: Reads, accountId: number, pollId: number): number[] {
  const sql = "SELECT choice FROM poll_votes WHERE poll_id = +$pollId AND account_id = +$accountId";
  return db.all<{ choice: number }>(sql, { pollId, accountId }).map(({ choice }) => choice);
}

/** `before` are the account's earlier choices. */
function checkVote(
  ctx: Context,
  tx: Tx,
  accountId: number,
  poll: PollRow,
  before: readonly number[],
  choices: readonly number[],
): void {
  if (isBlockedBy(ctx, poll.account_id, accountId)) throw notAllowed();
  const { count } = tx.get<{ count: number }>("SELECT count(*) AS count FROM poll_options WHERE poll_id = +$pollId", {
    pollId: poll.id,
  })!;
  const all = [...before, ...choices];
  const hasVoted = poll.multiple ? new Set(all).size < all.length : all.length > 1;
  refuseWhere([
    [isOver(ctx, poll.expires_at), "The poll has already ended"],
    [choices.some((choice) => !(choice >= 0 && choice < count)), "The chosen vote option does not exist"],
    [accountId === poll.account_id, "You cannot vote in your own polls"],
    [hasVoted, "You have already voted on this poll"],
  ]);
}

/** Notifies the author and local voters that a poll has ended. Does so once, even if the job runs again. */
export function closePoll(ctx: Context, pollId: number): void {
  ctx.db.transaction((tx) => {
    const poll = tx.get<{ status_id: number }>(
      "UPDATE polls SET closed = 1 WHERE id = +$pollId AND NOT closed AND expires_at <= +$now RETURNING status_id",
      { pollId, now: ctx.clock.now() },
    );
    if (!poll) return;
    const author = tx.get<{ account_id: number }>("SELECT account_id FROM statuses WHERE id = +$statusId", {
      statusId: poll.status_id,
    })!;
    const voters = tx.all<{ account_id: number }>(
      "SELECT DISTINCT v.account_id FROM poll_votes v JOIN users u ON u.account_id = v.account_id WHERE v.poll_id = +$pollId",
      { pollId },
    );
    for (const { account_id } of [author, ...voters]) {
      notify(ctx, tx, account_id, { type: "poll", from: author.account_id, statusId: poll.status_id });
    }
  });
}
