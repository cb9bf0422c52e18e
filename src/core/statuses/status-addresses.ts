import type { Context } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { visibleTo } from "../visibility.ts";

const STATUS = `
  SELECT s.id FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = +$id AND a.domain IS NULL AND lower(a.username) = +$name
    AND s.visibility IN ('public', 'unlisted') AND s.reblog_of_id IS NULL AND ${visibleTo("0")}`;

/**
 * The id of the local public or unlisted status with this URL.
 *
 * @throws Refusal for any other URL
 */
export function openStatusAt(ctx: Context, address: string): number {
  const { origin } = ctx.config;
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length).split(/[?#]/, 1)[0]! : "";
  const [, name = "", id] = /^\/(?:@|users\/)(\w+)\/(?:statuses\/)?(\d+)\/?$/.exec(path) ?? [];
  const status = ctx.db.get<{ id: number }>(STATUS, { id: parseId(id), name: name.toLowerCase() });
  if (!status) throw notFound();
  return status.id;
}
