import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { removeBlock } from "../people/blocks.ts";
import { endFollow } from "../people/follows.ts";
import { ownFilter, removeFilter } from "../timelines/filters.ts";
import { listsOf, ownList, removeFromList, removeList } from "../timelines/lists.ts";
import type { CsvKind } from "./csv-kinds.ts";
import type { ImportRow } from "./imports.ts";

/*
 * The end of a replacement. It comes after the rows, when it is known which accounts, posts and so on they name, so nothing is
 * removed only to be added again. What the user has added since the import began stays.
 */

/** Removed in one transaction. */
const SLICE = 25;

const isNamed = (column: string) =>
  `EXISTS (SELECT 1 FROM import_rows WHERE import_id = +$id AND target_id = ${column})`;
const others = (table: string, column: string, target = column) =>
  `SELECT o.${column} AS id FROM ${table} o
   WHERE o.account_id = +$accountId AND o.created_at <= +$startedAt AND NOT ${isNamed(`o.${target}`)}
   ORDER BY o.id LIMIT ${SLICE}`;

interface Other {
  id: number;
}

const FOLLOWS = others("follows", "target_account_id");
const MUTES = others("mutes", "target_account_id");
const BLOCKS = others("blocks", "target_account_id");
const BOOKMARKS = others("bookmarks", "status_id");
const DOMAIN_BLOCKS = others("account_domain_blocks", "id");
const FILTERS = others("filters", "id");

const UNMUTE = "DELETE FROM mutes WHERE account_id = +$accountId AND target_account_id = +$id";
const UNBOOKMARK = "DELETE FROM bookmarks WHERE account_id = +$accountId AND status_id = +$id";
const UNBLOCK_DOMAIN = "DELETE FROM account_domain_blocks WHERE account_id = +$accountId AND id = +$id";

type Replaced = ImportRow & { kind: CsvKind };

/** Removes a slice of what the rows don't name. Returns how many it has removed. */
export function removeOthers(ctx: Context, tx: Tx, replaced: Replaced): number {
  const { account_id: accountId } = replaced;
  const each = (sql: string, remove: (id: number) => void): number => {
    const found = tx.all<Other>(sql, { id: replaced.id, accountId, startedAt: replaced.created_at });
    for (const { id } of found) remove(id);
    return found.length;
  };
  switch (replaced.kind) {
    case "follows":
      return each(FOLLOWS, (id) => endFollow(ctx, tx, accountId, id));
    case "mutes":
      return each(MUTES, (id) => tx.run(UNMUTE, { accountId, id }));
    case "blocks":
      return each(BLOCKS, (id) => removeBlock(ctx, tx, accountId, id));
    case "domain_blocks":
      return each(DOMAIN_BLOCKS, (id) => tx.run(UNBLOCK_DOMAIN, { accountId, id }));
    case "filters":
      return each(FILTERS, (id) => removeFilter(ctx, accountId, ownFilter(tx, accountId, id)));
    case "bookmarks":
      return each(BOOKMARKS, (id) => {
        tx.run(UNBOOKMARK, { accountId, id });
        indexStatus(tx, id);
      });
    case "lists":
      return removeMembers(ctx, tx, replaced) || removeLists(ctx, tx, replaced);
  }
}

const MEMBERS = `
  SELECT m.list_id, m.account_id FROM lists l JOIN list_accounts m ON m.list_id = l.id
  WHERE l.account_id = +$accountId AND NOT ${isNamed("m.id")} LIMIT ${SLICE}`;

interface MemberRow {
  list_id: number;
  account_id: number;
}

function removeMembers(ctx: Context, tx: Tx, { id, account_id: accountId }: Replaced): number {
  const members = tx.all<MemberRow>(MEMBERS, { id, accountId });
  for (const member of members) removeFromList(ctx, ownList(tx, accountId, member.list_id), [member.account_id]);
  return members.length;
}

const TITLES = "SELECT DISTINCT trim(cells ->> 0) AS title FROM import_rows WHERE import_id = +$id";
const LIST_AGE = "SELECT created_at FROM lists WHERE id = +$id";

/** One at a time: each has hundreds of rows in its timeline. */
function removeLists(ctx: Context, tx: Tx, { id, account_id: accountId, created_at }: Replaced): number {
  const named = new Set(tx.all<{ title: string | null }>(TITLES, { id }).map(({ title }) => title));
  const unnamed = listsOf(tx, accountId).find((list) => {
    const isOld = tx.get<{ created_at: number }>(LIST_AGE, { id: list.id })!.created_at <= created_at;
    return isOld && !named.has(list.title.trim());
  });
  if (!unnamed) return 0;
  removeList(ctx, unnamed);
  return 1;
}
