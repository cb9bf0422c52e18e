import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { isPermitted } from "../interaction-policies.ts";
import { storeFavourite } from "../statuses/interactions.ts";
import { storeImportedReblog } from "../statuses/reblogs.ts";
import type { Visibility } from "../visibility.ts";
import { type Importer, isImported, knownStatus, noteImported } from "./imported-posts.ts";

/** A boost from an archive. */
export interface ArchivedBoost {
  uri: string;
  /** The address of the boosted post. */
  of: string;
  visibility: Visibility;
  createdAt: number;
}

/** Stores a boost of a post that is known here, at its former time and silently. Returns whether it did. */
export function storeArchivedBoost(ctx: Context, tx: Tx, importer: Importer, boost: ArchivedBoost): boolean {
  const { id: accountId, username } = importer;
  if (isImported(tx, accountId, boost.uri)) return false;
  const original = knownStatus(tx, accountId, boost.of);
  if (!original || !isPermitted(tx, "reblog", accountId, original.id)) return false;
  const { createdAt, visibility } = boost;
  const id = storeImportedReblog(ctx, tx, { accountId, username, original, visibility, createdAt });
  if (id === null) return false;
  noteImported(tx, accountId, boost.uri, id);
  return true;
}

/** Favourites a post that is known here. Its author is not notified, and the author's server does not learn of it. */
export function storeArchivedFavourite(ctx: Context, tx: Tx, { id: accountId }: Importer, of: string): boolean {
  const status = knownStatus(tx, accountId, of);
  return (
    status !== null && storeFavourite(ctx, tx, { accountId, status, uri: null, emoji: null, isQuiet: true }) !== null
  );
}

const BOOKMARK = `
  INSERT INTO bookmarks (account_id, status_id, created_at) VALUES ($accountId, $statusId, $now) ON CONFLICT DO NOTHING`;

/** Bookmarks a post that is known here. */
export function storeArchivedBookmark(ctx: Context, tx: Tx, { id: accountId }: Importer, of: string): boolean {
  const status = knownStatus(tx, accountId, of);
  if (!status) return false;
  const isNew = tx.run(BOOKMARK, { accountId, statusId: status.id, now: ctx.clock.now() }).changes > 0;
  if (isNew) indexStatus(tx, status.id);
  return isNew;
}
