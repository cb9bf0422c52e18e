import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import type { polls } from "../../db/schema/index.ts";
import { notAllowed, notFound, refuseWhere } from "../../errors.ts";
import { countGraphemes } from "../../lib/text/text.ts";
import { isBlockedBy } from "../accounts.ts";
import { deliver, deliverUpdate } from "../deliveries.ts";
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

/** A poll to store: all checks are done. */
export interface NewPoll {
  options: readonly string[];
  multiple: boolean;
  hideTotals: boolean;
  /** Null without an end: some servers have such polls. */
  expiresAt: number | null;
  /** The results that the poll's own server reports; null for a local poll, whose votes are counted here. */
  tallies: Tallies | null;
}

/** A poll of another server. */
export type RemotePoll = NewPoll & { tallies: Tallies };

/** The votes for each option. Some servers don't report the number of voters. */
export interface Tallies {
  votes: readonly number[];
  voters: number | null;
}

/** A validated poll that begins now. */
export function newPoll(ctx: Context, { options, expiresIn, multiple, hideTotals }: PollDraft): NewPoll {
  return { options, multiple, hideTotals, expiresAt: ctx.clock.now() + expiresIn! * 1000, tallies: null };
}

/** Adds a poll to a status, and enqueues the job that closes it. */
export function addPoll(ctx: Context, tx: Tx, statusId: number, poll: NewPoll): void {
  const { lastInsertRowid: pollId } = tx.run(
    "INSERT INTO polls (status_id, multiple, hide_totals, voters_count, expires_at) VALUES ($statusId, $multiple, $hideTotals, $voters, $expiresAt)",
    {
      statusId,
      multiple: poll.multiple ? 1 : 0,
      hideTotals: poll.hideTotals ? 1 : 0,
      voters: poll.tallies ? poll.tallies.voters : 0,
      expiresAt: poll.expiresAt,
    },
  );
  addOptions(tx, pollId, poll);
  if (!poll.tallies) scheduleEnd(ctx, tx, pollId, poll.expiresAt);
}

function addOptions(tx: Tx, pollId: number, { options, tallies }: NewPoll): void {
  for (const [position, title] of options.entries()) {
    tx.run(
      "INSERT INTO poll_options (poll_id, position, title, votes_count) VALUES ($pollId, $position, $title, $votes)",
      { pollId, position, title, votes: tallies?.votes[position] ?? 0 },
    );
  }
}

/** A remote poll has this job only once a local user has voted: nobody else is notified of its end. */
function scheduleEnd(ctx: Context, tx: Tx, pollId: number, runAt: number | null): void {
  if (runAt === null) return;
  enqueue(ctx, tx, "poll.close", { pollId }, { runAt, key: `poll.close ${pollId} ${runAt}` });
}

/** The current poll of a status, to compare with an edit. */
export interface PollBefore {
  id: number;
  titles: string[];
  multiple: boolean;
  hideTotals: boolean;
}

export function pollOf(db: Reads, statusId: number): PollBefore | null {
  const row = db.get<Pick<typeof polls.$inferSelect, "id" | "multiple" | "hide_totals">>(
    "SELECT id, multiple, hide_totals FROM polls WHERE status_id = +$statusId",
    { statusId },
  );
  if (!row) return null;
  const { id, multiple, hide_totals } = row;
  return { id, titles: titlesOf(db, id), multiple: multiple === 1, hideTotals: hide_totals === 1 };
}

export function titlesOf(db: Reads, pollId: number): string[] {
  return db
    .all<{ title: string }>("SELECT title FROM poll_options WHERE poll_id = +$pollId ORDER BY position", { pollId })
    .map(({ title }) => title);
}

/** Replaces or (null) removes the poll of a status. Votes are kept only if the options and `multiple` are unchanged. */
export function replacePoll(
  ctx: Context,
  tx: Tx,
  statusId: number,
  before: PollBefore | null,
  poll: NewPoll | null,
): void {
  if (!poll) return void tx.run("DELETE FROM polls WHERE status_id = +$statusId", { statusId });
  if (!before) return addPoll(ctx, tx, statusId, poll);
  tx.run(
    "UPDATE polls SET multiple = $multiple, hide_totals = $hideTotals, expires_at = $expiresAt, closed = 0 WHERE id = +$beforeId",
    {
      multiple: poll.multiple ? 1 : 0,
      hideTotals: poll.hideTotals ? 1 : 0,
      expiresAt: poll.expiresAt,
      beforeId: before.id,
    },
  );
  if (isOtherPoll(before, poll)) {
    tx.run("DELETE FROM poll_votes WHERE poll_id = +$beforeId", { beforeId: before.id });
    tx.run("DELETE FROM poll_options WHERE poll_id = +$beforeId", { beforeId: before.id });
    tx.run("UPDATE polls SET voters_count = $voters WHERE id = +$beforeId", {
      voters: poll.tallies ? poll.tallies.voters : 0,
      beforeId: before.id,
    });
    addOptions(tx, before.id, poll);
  }
  if (!poll.tallies) scheduleEnd(ctx, tx, before.id, poll.expiresAt);
}

/** Whether earlier votes don't count in the new version of a poll. */
function isOtherPoll(before: PollBefore, poll: NewPoll): boolean {
  return before.multiple !== poll.multiple || JSON.stringify(before.titles) !== JSON.stringify(poll.options);
}

/**
 * Stores the present state of a remote poll; null if it was removed. Returns whether it is another poll now, in which
 * earlier votes don't count.
 */
export function replaceRemotePoll(
  ctx: Context,
  tx: Tx,
  statusId: number,
  before: PollBefore | null,
  poll: RemotePoll | null,
): boolean {
  if (before && poll && !isOtherPoll(before, poll)) {
    updateTallies(ctx, tx, before, poll);
    return false;
  }
  replacePoll(ctx, tx, statusId, before, poll);
  return before !== null || poll !== null;
}

/**
 * Stores the results and the end of a remote poll as its own server reports them, unless that is another poll by now.
 * They replace the votes that were counted here meanwhile.
 */
export function updateTallies(ctx: Context, tx: Tx, before: PollBefore, poll: RemotePoll): void {
  if (isOtherPoll(before, poll)) return;
  const { tallies, expiresAt } = poll;
  tx.run("UPDATE poll_options SET votes_count = coalesce($votes ->> position, votes_count) WHERE poll_id = +$pollId", {
    pollId: before.id,
    votes: JSON.stringify(tallies.votes),
  });
  tx.run(
    `UPDATE polls SET voters_count = $voters, expires_at = $expiresAt, closed = iif($expiresAt > +$now, 0, closed)
     WHERE id = +$pollId`,
    { pollId: before.id, voters: tallies.voters, expiresAt, now: ctx.clock.now() },
  );
  if (hasLocalVoters(tx, before.id)) scheduleEnd(ctx, tx, before.id, expiresAt);
}

function hasLocalVoters(tx: Tx, pollId: number): boolean {
  const sql =
    "SELECT 1 FROM users u CROSS JOIN poll_votes v ON v.poll_id = +$pollId AND v.account_id = u.account_id LIMIT 1";
  return tx.get(sql, { pollId }) !== null;
}

/** The columns that actions on a poll need. */
export type PollRow = Pick<typeof polls.$inferSelect, "id" | "status_id" | "multiple" | "expires_at"> & {
  account_id: number;
  local: number;
};

const POLL = `
  SELECT p.id, p.status_id, p.multiple, p.expires_at, s.account_id, s.local
  FROM polls p JOIN statuses s ON s.id = p.status_id`;

const VISIBLE = `${POLL} WHERE p.id = +$id AND ${visibleTo()}`;

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
 * Casts votes of a local user, which can't be withdrawn. In a multiple-choice poll, a later vote adds to an earlier one. A
 * choice is the position of an option. Refuses what Mastodon's VoteValidator refuses; then none of the choices count.
 */
export function vote(ctx: Context, accountId: number, poll: PollRow, choices: readonly number[]): void {
  ctx.db.transaction((tx) => {
    storeVotes(ctx, tx, accountId, poll, choices);
    if (poll.local) return;
    scheduleEnd(ctx, tx, poll.id, poll.expires_at);
    deliver(ctx, tx, { type: "vote.created", accountId, pollId: poll.id, choices });
  });
}

const VOTABLE = `${POLL} WHERE p.status_id = +$statusId AND s.local AND ${visibleTo()}`;

/**
 * Casts a vote of a remote account in the poll of a local status, for the option with this title.
 *
 * @throws Refusal as `vote()`; also if there is no such poll, or the account may not see it
 */
export function storeRemoteVote(ctx: Context, tx: Tx, accountId: number, statusId: number, title: string): void {
  const poll = tx.get<PollRow>(VOTABLE, { statusId, viewer: accountId });
  if (!poll) throw notFound();
  storeVotes(ctx, tx, accountId, poll, [titlesOf(tx, poll.id).indexOf(title)]);
}

function storeVotes(ctx: Context, tx: Tx, accountId: number, poll: PollRow, choices: readonly number[]): void {
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
  if (before.length === 0) {
    tx.run("UPDATE polls SET voters_count = voters_count + 1 WHERE id = +$pollId", { pollId: poll.id });
  }
  if (poll.local) deliverResults(ctx, tx, poll);
}

/** The time between two deliveries of the results of a poll, in milliseconds. */
const RESULTS_EVERY = 3 * 60_000;

/**
 * Tells other servers about new results of a local poll, with a delay: all votes until then share one delivery. The last
 * one is at the end of the poll.
 */
function deliverResults(ctx: Context, tx: Tx, poll: Pick<PollRow, "id" | "status_id" | "expires_at">): void {
  const runAt = Math.min(ctx.clock.now() + RESULTS_EVERY, poll.expires_at ?? Infinity);
  deliverUpdate(ctx, tx, poll.status_id, { runAt, key: `poll results ${poll.id}` });
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
    [choices.length === 0, "Choices can't be blank"],
    [choices.some((choice) => !(choice >= 0 && choice < count)), "The chosen vote option does not exist"],
    [accountId === poll.account_id, "You cannot vote in your own polls"],
    [hasVoted, "You have already voted on this poll"],
  ]);
}

/** Notifies the author and local voters that a poll has ended. Does so once, even if the job runs again. */
export function closePoll(ctx: Context, pollId: number): void {
  ctx.db.transaction((tx) => {
    const poll = tx.get<Pick<PollRow, "id" | "status_id" | "expires_at">>(
      "UPDATE polls SET closed = 1 WHERE id = +$pollId AND NOT closed AND expires_at <= +$now RETURNING id, status_id, expires_at",
      { pollId, now: ctx.clock.now() },
    );
    if (!poll) return;
    const author = tx.get<{ account_id: number; local: number }>(
      "SELECT account_id, local FROM statuses WHERE id = +$statusId",
      { statusId: poll.status_id },
    )!;
    if (author.local) deliverResults(ctx, tx, poll);
    const voters = tx.all<{ account_id: number }>(
      "SELECT DISTINCT v.account_id FROM poll_votes v JOIN users u ON u.account_id = v.account_id WHERE v.poll_id = +$pollId",
      { pollId },
    );
    for (const { account_id } of [author, ...voters]) {
      notify(ctx, tx, account_id, { type: "poll", from: author.account_id, statusId: poll.status_id });
    }
  });
}
