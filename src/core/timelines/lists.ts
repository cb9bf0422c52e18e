import type { Context } from "../../context.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { lists } from "../../db/schema/index.ts";
import { notFound, refuseWhere, tooLong, validationFailed } from "../../errors.ts";
import { fillHomeLater } from "./home-backfill.ts";
import { clearFromHome } from "./home-fanout.ts";
import { fillList } from "./list-timelines.ts";
import { isSuspended } from "../visibility.ts";

export const REPLIES_POLICIES = lists.replies_policy.enumValues;

export type ListRow = Pick<typeof lists.$inferSelect, "id" | "account_id" | "title" | "replies_policy" | "exclusive">;

export interface ListSettings {
  title: string;
  repliesPolicy: ListRow["replies_policy"];
  exclusive: boolean;
}

/** Mastodon's limits. */
const MAX_LISTS = 50;
export const MAX_LIST_TITLE = 256;

const COLUMNS = "l.id, l.account_id, l.title, l.replies_policy, l.exclusive";

export function listsOf(db: Reads, ownerId: number): ListRow[] {
  return db.all<ListRow>(`SELECT ${COLUMNS} FROM lists l WHERE l.account_id = +$ownerId ORDER BY l.id`, { ownerId });
}

/** The owner's lists that contain this account. */
export function listsContaining(db: Reads, ownerId: number, memberId: number): ListRow[] {
  return db.all<ListRow>(
    `SELECT ${COLUMNS} FROM lists l JOIN list_accounts m ON m.list_id = l.id
     WHERE l.account_id = +$ownerId AND m.account_id = +$memberId ORDER BY l.id`,
    { ownerId, memberId },
  );
}

export function isOwnList(db: Reads, ownerId: number, id: number): boolean {
  return db.get("SELECT 1 FROM lists WHERE id = +$id AND account_id = +$ownerId", { id, ownerId }) !== null;
}

/**
 * The list, if it belongs to the owner.
 *
 * @throws Refusal as for a list that doesn't exist
 */
export function ownList(db: Reads, ownerId: number, id: number | null): ListRow {
  const list = db.get<ListRow>(`SELECT ${COLUMNS} FROM lists l WHERE l.id = +$id AND l.account_id = +$ownerId`, {
    id,
    ownerId,
  });
  if (!list) throw notFound();
  return list;
}

function checkTitle(title: string): void {
  refuseWhere([[!/\S/.test(title), "Title can't be blank"], tooLong("Title", title, MAX_LIST_TITLE)]);
}

/** Creates an empty list and returns its id. */
export function createList(ctx: Context, ownerId: number, { title, repliesPolicy, exclusive }: ListSettings): number {
  checkTitle(title);
  return ctx.db.transaction((tx) => {
    if (listsOf(tx, ownerId).length >= MAX_LISTS) {
      throw validationFailed("You have reached the maximum number of lists");
    }
    const { lastInsertRowid } = tx.run(
      "INSERT INTO lists (account_id, title, replies_policy, exclusive, created_at) VALUES ($ownerId, $title, $repliesPolicy, $exclusive, $now)",
      { ownerId, title, repliesPolicy, exclusive: exclusive ? 1 : 0, now: ctx.clock.now() },
    );
    return lastInsertRowid;
  });
}

/** Changes the given properties. If `exclusive` changes, the owner's home timeline is updated. */
export function updateList(ctx: Context, list: ListRow, changes: Partial<ListSettings>): void {
  if (changes.title !== undefined) checkTitle(changes.title);
  const exclusive = changes.exclusive ?? list.exclusive === 1;
  ctx.db.transaction((tx) => {
    tx.run(
      "UPDATE lists SET title = $title, replies_policy = $repliesPolicy, exclusive = $exclusive WHERE id = +$listId",
      {
        title: changes.title ?? list.title,
        repliesPolicy: changes.repliesPolicy ?? list.replies_policy,
        exclusive: exclusive ? 1 : 0,
        listId: list.id,
      },
    );
    if (exclusive === (list.exclusive === 1)) return;
    const members = followedMembers(tx, list.id);
    if (!exclusive) fillHomeLater(ctx, tx, list.account_id, { accountIds: members });
    else for (const memberId of members) clearFromHome(tx, list.account_id, memberId);
  });
}

export function removeList(ctx: Context, list: ListRow): void {
  ctx.db.transaction((tx) => {
    const members = list.exclusive ? followedMembers(tx, list.id) : [];
    tx.run("DELETE FROM lists WHERE id = +$listId", { listId: list.id });
    fillHomeLater(ctx, tx, list.account_id, { accountIds: members });
  });
}

/** Members that the owner follows; not the owner, nor members whose follow request is pending. */
function followedMembers(tx: Tx, listId: number): number[] {
  return tx
    .all<{ account_id: number }>(
      "SELECT account_id FROM list_accounts WHERE list_id = +$listId AND follow_id IS NOT NULL",
      { listId },
    )
    .map(({ account_id }) => account_id);
}

/** Members must be followed, requested, or the owner. */
const JOIN = `
  INSERT INTO list_accounts (list_id, account_id, follow_id, follow_request_id)
  SELECT l.id, a.id, f.id, r.id
  FROM lists l JOIN accounts a ON a.id = +$id
  LEFT JOIN follows f ON f.account_id = l.account_id AND f.target_account_id = a.id
  LEFT JOIN follow_requests r ON f.id IS NULL AND r.account_id = l.account_id AND r.target_account_id = a.id
  WHERE l.id = +$listId AND (f.id IS NOT NULL OR r.id IS NOT NULL OR a.id = l.account_id)
  ON CONFLICT DO NOTHING`;

/** Adds all of these accounts or none. */
export function addToList(ctx: Context, list: ListRow, accountIds: readonly (number | null)[]): void {
  ctx.db.transaction((tx) => {
    for (const id of new Set(accountIds)) {
      if (id === null) throw notFound();
      const before = tx.get("SELECT 1 FROM list_accounts WHERE list_id = +$listId AND account_id = +$id", {
        listId: list.id,
        id,
      });
      if (before) throw validationFailed("Account has already been taken");
      if (tx.run(JOIN, { listId: list.id, id }).changes === 0) throw notFound();
      addPostsOf(ctx, tx, list, id);
    }
  });
}

/**
 * Adds the recent statuses of a new member to the list, and removes them from the home timeline if the list is
 * exclusive.
 */
function addPostsOf(ctx: Context, tx: Tx, list: ListRow, memberId: number): void {
  fillList(ctx, tx, list.id, memberId);
  if (list.exclusive && memberId !== list.account_id) clearFromHome(tx, list.account_id, memberId);
}

/** Removes these accounts, ignoring those that aren't in the list. */
export function removeFromList(ctx: Context, list: ListRow, accountIds: readonly (number | null)[]): void {
  ctx.db.transaction((tx) => {
    const removed = tx.all<{ account_id: number }>(
      "DELETE FROM list_accounts WHERE list_id = +$listId AND account_id IN (SELECT value FROM json_each($accountIds)) RETURNING account_id",
      { listId: list.id, accountIds: JSON.stringify(accountIds) },
    );
    if (!list.exclusive) return;
    fillHomeLater(ctx, tx, list.account_id, { accountIds: removed.map(({ account_id }) => account_id) });
  });
}

/**
 * Ties memberships to the new follow instead of the follow request. Otherwise deleting the request would delete them,
 * too.
 */
export function moveMembershipsToFollow(ctx: Context, tx: Tx, ownerId: number, memberId: number): void {
  const joined = tx.all<ListRow>(
    `SELECT ${COLUMNS} FROM lists l JOIN list_accounts m ON m.list_id = l.id
     WHERE l.account_id = +$ownerId AND m.account_id = +$memberId AND m.follow_request_id IS NOT NULL`,
    { ownerId, memberId },
  );
  for (const list of joined) {
    tx.run(
      `UPDATE list_accounts SET follow_request_id = NULL,
         follow_id = (SELECT id FROM follows WHERE account_id = +$ownerId AND target_account_id = +$memberId)
       WHERE list_id = +$listId AND account_id = +$memberId`,
      { ownerId, memberId, listId: list.id },
    );
    addPostsOf(ctx, tx, list, memberId);
  }
}

/** Adds the successor of a member to the owner's lists that contain the member. */
export function copyMemberships(ctx: Context, tx: Tx, ownerId: number, memberId: number, successorId: number): void {
  for (const list of listsContaining(tx, ownerId, memberId)) {
    const { changes } = tx.run(JOIN, { listId: list.id, id: successorId });
    if (changes > 0) addPostsOf(ctx, tx, list, successorId);
  }
}

const MEMBERS = new Keyset<ListItem>(
  `SELECT m.account_id AS id, m.id AS cursor FROM list_accounts m
   WHERE m.list_id = +$listId AND NOT ${isSuspended("m.account_id")}`,
  "m.id",
);

/** The members of a list, latest first. */
export function membersOf(ctx: Context, listId: number, page: Page): ListItem[] {
  return MEMBERS.page(ctx.db, page, { listId });
}
