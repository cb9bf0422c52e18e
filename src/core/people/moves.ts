import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { notFound, Refusal } from "../../errors.ts";
import { handleOf, localUsername } from "../accounts.ts";
import { localHandle } from "../addresses.ts";
import { deliver } from "../deliveries.ts";
import { copyMemberships } from "../timelines/lists.ts";
import { blocks } from "../visibility.ts";
import { aliasUris, otherAccount } from "./aliases.ts";
import { storeBlock, storeMute } from "./blocks.ts";
import { endFollow, storeFollow } from "./follows.ts";
import { fetchProfileLater } from "./remote-profiles.ts";

const DAY = 24 * 3600_000;
/** How long a local account can't move again: Mastodon's rule. */
const PAUSE_HERE = 30 * DAY;
/**
 * How long another move of a remote account is ignored, as in Mastodon, and a first one after others have moved to it: each
 * sends follows in the name of all followers.
 */
const PAUSE_ELSEWHERE = 7 * DAY;
/** Followers that one transaction moves: each needs a follow, list memberships, and the end of a follow. */
const SLICE = 25;

/** The account to which another one moves, as its own server describes it now. */
export interface Successor {
  id: number;
  /** The URIs of its aliases. */
  aliases: readonly string[];
  /** The URI of the account to which it has moved itself. */
  movedTo: string | null;
}

const ACCOUNT = `
  SELECT a.uri, a.domain, a.moved_to_id, a.moved_at, m.uri AS moved_to
  FROM accounts a LEFT JOIN accounts m ON m.id = a.moved_to_id
  WHERE a.id = +$accountId AND a.suspended_at IS NULL AND a.gone_at IS NULL AND a.deleted_at IS NULL`;

interface MovingRow {
  uri: string;
  domain: string | null;
  moved_to_id: number | null;
  moved_at: number | null;
  moved_to: string | null;
}

/** Null for suspended and deleted accounts. */
function accountOf(db: Reads, accountId: number): MovingRow | null {
  return db.get<MovingRow>(ACCOUNT, { accountId });
}

/** A local account as a successor; null if it is suspended or deleted. */
export function localSuccessor(db: Reads, accountId: number): Successor | null {
  const account = accountOf(db, accountId);
  return account && { id: accountId, aliases: aliasUris(db, accountId), movedTo: account.moved_to };
}

/**
 * Moves a local account: its followers are asked to follow the account with this handle instead, which must name it as an
 * alias. Returns the handle of that account.
 *
 * @throws Refusal
 */
export async function moveAway(ctx: Context, accountId: number, handle: string): Promise<string> {
  const { to, successor } = await successorNamed(ctx, accountId, handle);
  if (!successor) throw new Refusal("unavailable", `The server of ${to} does not respond: try again later.`);
  ctx.db.transaction((tx) => {
    const account = accountOf(tx, accountId);
    if (!account) throw notFound();
    refuseMove(ctx, account, { from: localHandle(ctx, localUsername(tx, accountId)!), to }, successor);
    startMove(ctx, tx, accountId, successor.id);
    // Some servers accept the Move only from an account that names its successor.
    deliver(ctx, tx, { type: "account.updated", accountId });
    deliver(ctx, tx, { type: "account.moved", accountId, targetId: successor.id });
  });
  return to;
}

/** The requirements of a move to another account, in the order in which an owner does it. */
export interface MoveChecklist {
  /** The handle of the other account; null while none is named. */
  to: string | null;
  /** Whether the other account's server responds, the account is in use, and it names this one as an alias; null if unknown. */
  responds: boolean | null;
  isInUse: boolean | null;
  namesThis: boolean | null;
  /** When this account can move again; null for now. */
  nextMove: number | null;
}

/** Whether nothing stands in the way of a move. */
export function canMove({ responds, isInUse, namesThis, nextMove }: MoveChecklist): boolean {
  return responds === true && isInUse === true && namesThis === true && nextMove === null;
}

/**
 * Checks what is missing for a move to the account with this handle, or in general, without moving anything.
 *
 * @throws Refusal if there is no such account
 */
export async function checkMove(ctx: Context, accountId: number, handle: string | null): Promise<MoveChecklist> {
  const account = accountOf(ctx.db, accountId);
  if (!account) throw notFound();
  const nextMove = nextMoveOf(account) > ctx.clock.now() ? nextMoveOf(account) : null;
  if (handle === null) return { to: null, responds: null, isInUse: null, namesThis: null, nextMove };
  const { to, successor } = await successorNamed(ctx, accountId, handle);
  return {
    to,
    responds: successor !== null,
    isInUse: successor && successor.movedTo === null,
    namesThis: successor && successor.aliases.includes(account.uri),
    nextMove,
  };
}

/** The account with this handle, and what its server says about it now; null if that doesn't respond. */
async function successorNamed(
  ctx: Context,
  accountId: number,
  handle: string,
): Promise<{ to: string; successor: Successor | null }> {
  const target = await otherAccount(ctx, accountId, handle);
  const { uri } = ctx.db.get<{ uri: string }>("SELECT uri FROM accounts WHERE id = +$id", { id: target.id })!;
  const successor = target.domain === null ? localSuccessor(ctx.db, target.id) : await ctx.remote.successor(uri);
  return { to: handleOf(ctx, target), successor };
}

/** When an account can move again. */
function nextMoveOf({ moved_at }: MovingRow): number {
  return moved_at === null ? -Infinity : moved_at + PAUSE_HERE;
}

interface Handles {
  from: string;
  to: string;
}

function refuseMove(ctx: Context, account: MovingRow, { from, to }: Handles, successor: Successor): void {
  if (account.moved_to_id === successor.id) throw new Refusal("conflict", `This account has moved to ${to} already.`);
  if (successor.movedTo !== null) {
    throw new Refusal("conflict", `${to} has moved, too: name the account that is in use now.`);
  }
  if (!successor.aliases.includes(account.uri)) {
    throw new Refusal(
      "conflict",
      `${to} must name ${from} as an alias first: add it there (in Mastodon under Preferences, Account, "Moving from a different account"), then try again.`,
    );
  }
  const next = nextMoveOf(account);
  if (next > ctx.clock.now()) {
    const day = new Date(next).toISOString().slice(0, 10);
    throw new Refusal("conflict", `An account can move once in 30 days: this one can move again after ${day}.`);
  }
}

/** The handle of the account to which a local account has moved; null if it has not. */
export function movedTo(ctx: Context, accountId: number): string | null {
  const sql = `
    SELECT m.username, m.domain FROM accounts a JOIN accounts m ON m.id = a.moved_to_id WHERE a.id = +$accountId`;
  const row = ctx.db.get<{ username: string; domain: string | null }>(sql, { accountId });
  return row && handleOf(ctx, row);
}

/** Makes a local account that has moved usable again. Its followers don't come back. @throws Refusal if it has not moved */
export function cancelMove(ctx: Context, accountId: number): void {
  ctx.db.transaction((tx) => {
    const successorId = accountOf(tx, accountId)?.moved_to_id ?? null;
    if (successorId === null) throw new Refusal("conflict", "This account has not moved.");
    tx.run("UPDATE accounts SET moved_to_id = NULL WHERE id = +$accountId", { accountId });
    deliver(ctx, tx, { type: "account.updated", accountId, successorId });
  });
}

/** Loops over the few local users. */
const CONCERNS = `
  SELECT 1 FROM users u
  WHERE EXISTS (SELECT 1 FROM follows WHERE account_id = u.account_id AND target_account_id = +$accountId)
    OR EXISTS (SELECT 1 FROM blocks WHERE account_id = u.account_id AND target_account_id = +$accountId)
    OR EXISTS (SELECT 1 FROM mutes WHERE account_id = u.account_id AND target_account_id = +$accountId)
    OR EXISTS (SELECT 1 FROM account_notes WHERE account_id = u.account_id AND target_account_id = +$accountId)
  LIMIT 1`;

/** Whether something of a local user would move with an account. */
export function concernsUsers(db: Reads, accountId: number): boolean {
  return db.get(CONCERNS, { accountId }) !== null;
}

/** A remote account says that it has moved. Ignored unless the successor says so, too. */
export function moveRemote(ctx: Context, tx: Tx, accountId: number, successor: Successor): void {
  const account = accountOf(tx, accountId);
  if (!account || !accountOf(tx, successor.id) || successor.id === accountId) return;
  if (successor.movedTo !== null || !successor.aliases.includes(account.uri)) return;
  if (account.moved_at !== null && account.moved_at > ctx.clock.now() - PAUSE_ELSEWHERE) return;
  startMove(ctx, tx, accountId, successor.id);
}

function startMove(ctx: Context, tx: Tx, accountId: number, targetId: number): void {
  const now = ctx.clock.now();
  tx.run("UPDATE accounts SET moved_to_id = $targetId, moved_at = $now WHERE id = +$accountId", {
    accountId,
    targetId,
    now,
  });
  // Otherwise accounts that move one to the next would send follows in the name of all followers at each step.
  tx.run("UPDATE accounts SET moved_at = $now WHERE id = +$targetId AND domain IS NOT NULL", { targetId, now });
  enqueue(ctx, tx, "account.move", { accountId, targetId, after: 0 });
}

/** A part of a move: the local users after this one. */
export interface MovePart {
  accountId: number;
  targetId: number;
  /** The id of a user. */
  after: number;
}

const FOLLOWERS = `
  SELECT u.id, f.account_id, f.show_reblogs, f.notify, f.languages
  FROM users u CROSS JOIN follows f ON f.account_id = u.account_id AND f.target_account_id = +$accountId
  WHERE u.id > +$after AND u.account_id <> +$targetId ORDER BY u.id LIMIT ${SLICE}`;

interface FollowerRow {
  id: number;
  account_id: number;
  show_reblogs: number;
  notify: number;
  languages: string | null;
}

/**
 * Moves what local users have with an account to its successor, a slice of followers at a time. Returns what to write when
 * the job ends, so that each slice is written once, together with the job of the next one.
 */
export function continueMove(ctx: Context, part: MovePart): (tx: Tx) => void {
  if (accountOf(ctx.db, part.targetId)?.domain != null) fetchProfileLater(ctx, part.targetId);
  return (tx) => {
    if (!isOnTheWay(tx, part)) return;
    if (part.after === 0) carryOver(ctx, tx, part);
    const followers = tx.all<FollowerRow>(FOLLOWERS, { ...part });
    for (const follower of followers) moveFollow(ctx, tx, follower, part);
    if (followers.length === SLICE) enqueue(ctx, tx, "account.move", { ...part, after: followers.at(-1)!.id });
  };
}

/** Whether the move was not cancelled, and the successor still exists. A remote account can't cancel one that has begun. */
function isOnTheWay(tx: Tx, { accountId, targetId }: MovePart): boolean {
  const account = tx.get<Pick<MovingRow, "domain" | "moved_to_id">>(
    "SELECT domain, moved_to_id FROM accounts WHERE id = +$accountId",
    { accountId },
  );
  const isCancelled = account?.domain === null && account.moved_to_id !== targetId;
  return account !== null && !isCancelled && accountOf(tx, targetId) !== null;
}

const BLOCKED = `SELECT 1 WHERE ${blocks("+$accountId", "+$targetId")} OR ${blocks("+$targetId", "+$accountId")}`;
const FOLLOWS = `
  SELECT 1 FROM follows WHERE account_id = +$accountId AND target_account_id = +$targetId
  UNION ALL SELECT 1 FROM follow_requests WHERE account_id = +$accountId AND target_account_id = +$targetId`;

/** Posts of the old account stay in the home timeline. */
function moveFollow(ctx: Context, tx: Tx, follower: FollowerRow, { accountId: oldId, targetId }: MovePart): void {
  const { account_id: accountId, languages } = follower;
  const pair = { accountId, targetId };
  if (tx.get(BLOCKED, pair)) return;
  if (!tx.get(FOLLOWS, pair)) {
    storeFollow(ctx, tx, {
      ...pair,
      uri: null,
      reblogs: follower.show_reblogs === 1,
      notify: follower.notify === 1,
      languages: languages === null ? [] : (JSON.parse(languages) as string[]),
    });
  }
  copyMemberships(ctx, tx, accountId, oldId, targetId);
  endFollow(ctx, tx, accountId, oldId, { keepsPosts: true });
}

const BLOCKING = `
  SELECT b.account_id FROM users u JOIN blocks b ON b.account_id = u.account_id AND b.target_account_id = +$accountId
  WHERE u.account_id <> +$targetId
    AND NOT EXISTS (SELECT 1 FROM blocks WHERE account_id = u.account_id AND target_account_id = +$targetId)
    AND NOT EXISTS (SELECT 1 FROM follows WHERE account_id = u.account_id AND target_account_id = +$targetId)`;
const MUTING = `
  SELECT m.account_id, m.hide_notifications, m.expires_at
  FROM users u JOIN mutes m ON m.account_id = u.account_id AND m.target_account_id = +$accountId
  WHERE u.account_id <> +$targetId AND (m.expires_at IS NULL OR m.expires_at > +$now)
    AND NOT EXISTS (SELECT 1 FROM mutes WHERE account_id = u.account_id AND target_account_id = +$targetId)
    AND NOT EXISTS (SELECT 1 FROM follows WHERE account_id = u.account_id AND target_account_id = +$targetId)`;
const COPY_NOTES = `
  INSERT INTO account_notes (account_id, target_account_id, comment)
  SELECT n.account_id, $targetId, n.comment
  FROM users u JOIN account_notes n ON n.account_id = u.account_id AND n.target_account_id = +$accountId
  WHERE u.account_id <> +$targetId
  ON CONFLICT (account_id, target_account_id) DO UPDATE SET
    comment = iif(instr(comment, excluded.comment) > 0, comment, comment || char(10) || excluded.comment)`;

interface MuteRow {
  account_id: number;
  hide_notifications: number;
  expires_at: number | null;
}

/** Blocks and mutes hold for both accounts, except for users who follow the new one. Notes are copied. */
function carryOver(ctx: Context, tx: Tx, { accountId, targetId }: MovePart): void {
  const pair = { accountId, targetId };
  for (const { account_id } of tx.all<{ account_id: number }>(BLOCKING, pair)) {
    storeBlock(ctx, tx, { accountId: account_id, targetId, uri: null });
  }
  for (const mute of tx.all<MuteRow>(MUTING, { ...pair, now: ctx.clock.now() })) {
    const { account_id, hide_notifications, expires_at: expiresAt } = mute;
    storeMute(ctx, tx, { accountId: account_id, targetId, notifications: hide_notifications === 1, expiresAt });
  }
  tx.run(COPY_NOTES, pair);
}
