import type { Context } from "../../context.ts";
import { Keyset, type Page, type Place } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { lists } from "../../db/schema/index.ts";
import { notFound, validationFailed } from "../../errors.ts";
import { fillHomeLater } from "./home-filling.ts";
import { clearFromHome } from "./home.ts";
import { fillList } from "./list-timelines.ts";
import { isSuspended } from "../visibility.ts";

export const REPLIES_POLICIES = lists.replies_policy.enumValues;

export type ListRow = Pick<typeof lists.$inferSelect, "id" | "account_id" | "title" | "replies_policy" | "exclusive">;

export interface ListSettings {
  title: string;
  repliesPolicy: ListRow["replies_policy"];
  exclusive: boolean;
}

/** As many as Mastodon allows. */
const MAX_LISTS = 50;

const COLUMNS = "l.id, l.account_id, l.title, l.replies_policy, l.exclusive";

export function listsOf(db: Reads, ownerId: number): ListRow[] {
  return db.all<ListRow>(`SELECT ${COLUMNS} FROM lists l WHERE l.account_id = ? ORDER BY l.id`, ownerId);
}

/** Those of the owner's lists that somebody is in. */
export function listsHolding(db: Reads, ownerId: number, memberId: number): ListRow[] {
  return db.all<ListRow>(
    `SELECT ${COLUMNS} FROM lists l JOIN list_accounts m ON m.list_id = l.id
     WHERE l.account_id = ? AND m.account_id = ? ORDER BY l.id`,
    ownerId,
    memberId,
  );
}

export function isOwnList(db: Reads, ownerId: number, id: number): boolean {
  return db.get("SELECT 1 FROM lists WHERE id = ? AND account_id = ?", id, ownerId) !== null;
}

/** The list, if it is the owner's; refuses as if it did not exist otherwise. */
export function ownList(db: Reads, ownerId: number, id: number | null): ListRow {
  const list = db.get<ListRow>(`SELECT ${COLUMNS} FROM lists l WHERE l.id = ? AND l.account_id = ?`, id, ownerId);
  if (!list) throw notFound();
  return list;
}

/** Makes a list without members; its id. */
export function createList(ctx: Context, ownerId: number, { title, repliesPolicy, exclusive }: ListSettings): number {
  return ctx.db.transaction((tx) => {
    if (listsOf(tx, ownerId).length >= MAX_LISTS) {
      throw validationFailed("You have reached the maximum number of lists");
    }
    const { lastInsertRowid } = tx.run(
      "INSERT INTO lists (account_id, title, replies_policy, exclusive, created_at) VALUES (?, ?, ?, ?, ?)",
      ownerId,
      title,
      repliesPolicy,
      exclusive ? 1 : 0,
      ctx.clock.now(),
    );
    return lastInsertRowid;
  });
}

/** Changes what is named. The owner's home timeline follows when the list becomes exclusive, or stops being it. */
export function updateList(ctx: Context, list: ListRow, changes: Partial<ListSettings>): void {
  const exclusive = changes.exclusive ?? list.exclusive === 1;
  ctx.db.transaction((tx) => {
    tx.run(
      "UPDATE lists SET title = ?, replies_policy = ?, exclusive = ? WHERE id = ?",
      changes.title ?? list.title,
      changes.repliesPolicy ?? list.replies_policy,
      exclusive ? 1 : 0,
      list.id,
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
    tx.run("DELETE FROM lists WHERE id = ?", list.id);
    fillHomeLater(ctx, tx, list.account_id, { accountIds: members });
  });
}

/** Those who are in the list because they are followed: not the owner, nor anyone who hasn't let them in yet. */
function followedMembers(tx: Tx, listId: number): number[] {
  return tx
    .all<{ account_id: number }>(
      "SELECT account_id FROM list_accounts WHERE list_id = ? AND follow_id IS NOT NULL",
      listId,
    )
    .map(({ account_id }) => account_id);
}

/** Only whom the owner follows or has asked to, and the owner. */
const JOIN = `
  INSERT INTO list_accounts (list_id, account_id, follow_id, follow_request_id)
  SELECT l.id, a.id, f.id, r.id
  FROM lists l JOIN accounts a ON a.id = ?2
  LEFT JOIN follows f ON f.account_id = l.account_id AND f.target_account_id = a.id
  LEFT JOIN follow_requests r ON f.id IS NULL AND r.account_id = l.account_id AND r.target_account_id = a.id
  WHERE l.id = ?1 AND (f.id IS NOT NULL OR r.id IS NOT NULL OR a.id = l.account_id)`;

/** Adds everyone named or nobody. */
export function addToList(ctx: Context, list: ListRow, accountIds: readonly (number | null)[]): void {
  ctx.db.transaction((tx) => {
    for (const id of new Set(accountIds)) {
      if (id === null) throw notFound();
      const before = tx.get("SELECT 1 FROM list_accounts WHERE list_id = ? AND account_id = ?", list.id, id);
      if (before) throw validationFailed("Account has already been taken");
      if (tx.run(JOIN, list.id, id).changes === 0) throw notFound();
      settle(ctx, tx, list, id);
    }
  });
}

/** What somebody has written lately comes into the list, and leaves the home timeline for an exclusive one. */
function settle(ctx: Context, tx: Tx, list: ListRow, memberId: number): void {
  fillList(ctx, tx, list.id, memberId);
  if (list.exclusive && memberId !== list.account_id) clearFromHome(tx, list.account_id, memberId);
}

/** Removes whoever of these is in the list. */
export function removeFromList(ctx: Context, list: ListRow, accountIds: readonly (number | null)[]): void {
  ctx.db.transaction((tx) => {
    const removed = tx.all<{ account_id: number }>(
      "DELETE FROM list_accounts WHERE list_id = ? AND account_id IN (SELECT value FROM json_each(?)) RETURNING account_id",
      list.id,
      JSON.stringify(accountIds),
    );
    if (!list.exclusive) return;
    fillHomeLater(ctx, tx, list.account_id, { accountIds: removed.map(({ account_id }) => account_id) });
  });
}

/** Rests the memberships of somebody on the new follow, before the request for it goes and takes them along. */
export function keepInLists(ctx: Context, tx: Tx, ownerId: number, memberId: number): void {
  const joined = tx.all<ListRow>(
    `SELECT ${COLUMNS} FROM lists l JOIN list_accounts m ON m.list_id = l.id
     WHERE l.account_id = ? AND m.account_id = ? AND m.follow_request_id IS NOT NULL`,
    ownerId,
    memberId,
  );
  for (const list of joined) {
    tx.run(
      `UPDATE list_accounts SET follow_request_id = NULL,
         follow_id = (SELECT id FROM follows WHERE account_id = ?1 AND target_account_id = ?2)
       WHERE list_id = ?3 AND account_id = ?2`,
      ownerId,
      memberId,
      list.id,
    );
    settle(ctx, tx, list, memberId);
  }
}

const MEMBERS = new Keyset<Place>(
  `SELECT m.account_id AS id, m.id AS cursor FROM list_accounts m
   WHERE m.list_id = ?4 AND NOT ${isSuspended("m.account_id")}`,
  "m.id",
);

/** Who is in a list, the latest first. */
export function membersOf(ctx: Context, listId: number, page: Page): Place[] {
  return MEMBERS.page(ctx.db, page, listId);
}
