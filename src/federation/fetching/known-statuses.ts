import type { Context } from "../../context.ts";
import { parseAddress } from "../../core/addresses.ts";
import { STATUS_COLUMNS, type StatusRow } from "../../core/visibility.ts";
import type { Reads } from "../../db/open.ts";

/** The id of a status that is known here; null for reblogs, local-only statuses, and anything else. */
export function statusIdOf(db: Reads, uri: string | null): number | null {
  if (uri === null) return null;
  const sql = "SELECT id FROM statuses WHERE uri = +$uri AND reblog_of_id IS NULL AND local_only = 0";
  return db.get<{ id: number }>(sql, { uri })?.id ?? null;
}

const LOCAL = `
  SELECT s.id FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = +$id AND s.local = 1 AND s.local_only = 0 AND s.reblog_of_id IS NULL AND lower(a.username) = lower($username)`;

/** The id of the local status with this URI or URL, also a private one; null for boosts, local-only statuses, and anything else. */
export function localStatusAt(ctx: Context, address: string | null): number | null {
  const name = address === null ? null : parseAddress(ctx, address);
  if (!name || name.statusId === null) return null;
  return ctx.db.get<{ id: number }>(LOCAL, { id: name.statusId, username: name.username })?.id ?? null;
}

const OWN = `SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.uri = +$uri AND s.account_id = +$accountId`;

/** The account's status or reblog with this URI; null if it is unknown, or of another account. */
export function ownStatusAt(db: Reads, accountId: number, uri: string): StatusRow | null {
  return db.get<StatusRow>(OWN, { uri, accountId });
}

const REBLOG = `
  SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.reblog_of_id = +$statusId AND s.account_id = +$accountId`;

export function reblogBy(db: Reads, accountId: number, statusId: number): StatusRow | null {
  return db.get<StatusRow>(REBLOG, { accountId, statusId });
}
