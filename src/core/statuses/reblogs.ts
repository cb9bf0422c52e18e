import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { notAllowed } from "../../errors.ts";
import { isBlockedBy, refuseMoved } from "../accounts.ts";
import { reblogUri } from "../addresses.ts";
import { concernsOthers, deliver } from "../deliveries.ts";
import { requestCardOf } from "../discovery/links.ts";
import { indexPart } from "../discovery/search-index.ts";
import { publishAfterCommit } from "../events.ts";
import { isPermitted, requirePermission } from "../interaction-policies.ts";
import { notify } from "../notifications/notifications.ts";
import { fanOut } from "../timelines/home-fanout.ts";
import { isTombstoned } from "../tombstones.ts";
import {
  isForEveryone,
  ownStatus,
  type StatusRow,
  undoableOriginal,
  type Visibility,
  visibleOriginal,
} from "../visibility.ts";
import { defaultsOf } from "./drafts.ts";
import { removeStatus } from "./removal.ts";
import { type Arrival, arrivalOf, countStatus, freeId } from "./storing.ts";

/** Reblogs a status. If the account has reblogged it already, returns that reblog. */
export function reblog(ctx: Context, accountId: number, id: number | null, visibility: Visibility | null): number {
  const original = visibleOriginal(ctx, accountId, id);
  const isOwn = original.account_id === accountId;
  if (original.visibility === "direct" || (original.visibility === "private" && !isOwn)) throw notAllowed();
  if (isBlockedBy(ctx, original.account_id, accountId)) throw notAllowed();
  return ctx.db.transaction((tx) => {
    const before = reblogOf(tx, original.id, accountId);
    if (before !== null) return before;
    refuseMoved(tx, accountId);
    requirePermission(tx, "reblog", accountId, original.id);
    const defaults = defaultsOf(ctx, accountId);
    const wished = visibility && visibility !== "direct" ? visibility : defaults.privacy;
    const reblogId = ctx.ids.next();
    const stored: NewReblog = {
      id: reblogId,
      uri: reblogUri(ctx, defaults.username, reblogId),
      accountId,
      original,
      visibility: original.visibility === "private" ? "private" : wished,
      local: true,
      createdAt: ctx.clock.now(),
    };
    storeReblog(ctx, tx, stored, "published");
    return reblogId;
  });
}

/** Removes a reblog, if there is one. Returns the original's id. */
export function unreblog(ctx: Context, accountId: number, id: number | null): number {
  const originalId = undoableOriginal(ctx, accountId, id, REBLOGGED);
  const reblogId = reblogOf(ctx.db, originalId, accountId);
  if (reblogId !== null) removeStatus(ctx, ownStatus(ctx, accountId, reblogId), false);
  return originalId;
}

/** The id of the account's reblog of a status; null if there is none. */
function reblogOf(db: Reads, originalId: number, accountId: number): number | null {
  const sql = "SELECT id FROM statuses WHERE reblog_of_id = +$originalId AND account_id = +$accountId";
  return db.get<{ id: number }>(sql, { originalId, accountId })?.id ?? null;
}

const REBLOGGED = "EXISTS (SELECT 1 FROM statuses WHERE account_id = +$accountId AND reblog_of_id = +$statusId)";

/** A reblog to store: all checks are done. */
interface NewReblog {
  id: number;
  uri: string;
  accountId: number;
  original: Pick<StatusRow, "id" | "account_id" | "local" | "local_only">;
  visibility: Visibility;
  local: boolean;
  createdAt: number;
}

/**
 * Stores a reblog by a remote account, delivered or fetched, with all its effects. Returns its id, also if it was stored
 * before; null if it was undone before it arrived, or if the author of the original does not allow it. To undo it, delete it like a status.
 */
export function storeRemoteReblog(
  ctx: Context,
  tx: Tx,
  reblog: Omit<NewReblog, "id" | "local">,
  arrival: "delivered" | "fetched",
): number | null {
  const { uri, accountId, original } = reblog;
  const known = tx.get<{ id: number }>("SELECT id FROM statuses WHERE uri = +$uri", { uri });
  const before = known?.id ?? reblogOf(tx, original.id, accountId);
  if (before !== null) return before;
  if (isTombstoned(tx, uri, accountId) || !isPermitted(tx, "reblog", accountId, original.id)) return null;
  const createdAt = Math.min(reblog.createdAt, ctx.clock.now());
  const id = freeId(ctx, tx, createdAt);
  storeReblog(ctx, tx, { ...reblog, id, createdAt, local: false }, arrivalOf(ctx, createdAt, arrival));
  return id;
}

/** A reblog from an archive of a local user. */
interface ImportedReblog {
  accountId: number;
  username: string;
  original: StatusRow;
  visibility: Visibility;
  createdAt: number;
}

/**
 * Stores a reblog from an archive at its former time: nobody is notified, no timeline gets it, and no other server learns
 * of it. Returns its id; null if the account may not reblog the status, or has done so already.
 */
export function storeImportedReblog(ctx: Context, tx: Tx, { username, ...reblog }: ImportedReblog): number | null {
  const { accountId, original } = reblog;
  const isOwnPrivate = original.visibility === "private" && original.account_id === accountId;
  if (!isForEveryone(original.visibility) && !isOwnPrivate) return null;
  if (isBlockedBy(ctx, original.account_id, accountId) || reblogOf(tx, original.id, accountId) !== null) return null;
  const createdAt = Math.min(reblog.createdAt, ctx.clock.now());
  const id = freeId(ctx, tx, createdAt);
  const visibility = isOwnPrivate ? "private" : reblog.visibility;
  const uri = reblogUri(ctx, username, id);
  storeReblog(ctx, tx, { ...reblog, id, uri, visibility, createdAt, local: true }, "imported");
  return id;
}

/** Inserts a reblog with all its effects. That of a local-only status is local-only. */
function storeReblog(ctx: Context, tx: Tx, reblog: NewReblog, arrival: Arrival): void {
  const { id, accountId, original } = reblog;
  const stored = insertReblog(tx, reblog);
  // A total that the original's server reports does not yet include a new reblog by a local user.
  tx.run(
    `UPDATE statuses SET reblogs_count = reblogs_count + 1, origin_reblogs_count = origin_reblogs_count + $local
     WHERE id = +$originalId`,
    { originalId: original.id, local: stored.local },
  );
  countStatus(tx, stored, 1, reblog.createdAt);
  indexPart(tx, original.id, accountId);
  if (arrival !== "fetched" && arrival !== "imported") {
    const timelines = fanOut(ctx, tx, stored);
    if (arrival !== "late") publishAfterCommit(ctx, tx, timelines, { event: "update", statusId: id });
    if (timelines.length > 0 && !original.local) requestCardOf(ctx, tx, original.id);
    notify(ctx, tx, original.account_id, { type: "reblog", from: accountId, statusId: original.id });
  }
  if (arrival === "published" && concernsOthers(tx, id)) deliver(ctx, tx, { type: "reblog.created", statusId: id });
}

function insertReblog(tx: Tx, reblog: NewReblog) {
  const { id, accountId, uri, visibility, original, createdAt } = reblog;
  const local = reblog.local ? 1 : 0;
  tx.run(
    `INSERT INTO statuses (id, account_id, uri, url, local, visibility, conversation_id, reblog_of_id, created_at, local_only)
     VALUES ($id, $accountId, $uri, $uri, $local, $visibility, $id, $originalId, $createdAt, $localOnly)`,
    { id, accountId, uri, local, visibility, originalId: original.id, createdAt, localOnly: original.local_only },
  );
  return { id, account_id: accountId, visibility, local };
}
