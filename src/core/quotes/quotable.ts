import type { Context } from "../../context.ts";
import { Refusal, validationFailed } from "../../errors.ts";
import { blocks, type StatusRow, visibleOriginal } from "../visibility.ts";
import { quotePermission } from "./policy.ts";
import type { Quotable } from "./quotes.ts";

const PERMISSION = `
  SELECT ${quotePermission("+$accountId")} AS permission FROM statuses s
  WHERE s.id = +$statusId AND NOT ${blocks("+$accountId", "s.account_id")}`;

/**
 * The status, if this account may quote it; for a boost, its original. A local-only quote of a status on another server
 * needs no consent beyond the author's policy, since nobody is asked.
 *
 * @throws Refusal as for a status that doesn't exist
 */
export function quotable(ctx: Context, accountId: number, id: number, isLocalOnly: boolean): Quotable {
  const missing = new Refusal("not_found", "The post you are trying to quote does not appear to exist.");
  let status: StatusRow;
  try {
    status = visibleOriginal(ctx, accountId, id);
  } catch (error) {
    throw error instanceof Refusal ? missing : error;
  }
  const found = ctx.db.get<{ permission: string }>(PERMISSION, { statusId: status.id, accountId });
  if (!found || found.permission === "denied") throw missing;
  const isAutomatic = found.permission === "automatic";
  if (isLocalOnly && !status.local && !isAutomatic) {
    throw validationFailed("The author of that post has to agree to quotes, and a local-only post cannot ask them");
  }
  // Remote authors decide on their own server.
  return { status, state: isAutomatic && (status.local || isLocalOnly) ? "accepted" : "pending" };
}

export function isQuotable(ctx: Context, accountId: number, id: number, isLocalOnly: boolean): boolean {
  try {
    return quotable(ctx, accountId, id, isLocalOnly) !== null;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/**
 * The visibility of a quote: a private status can't be quoted to a wider audience, and quoting an account in a direct
 * status must mention it.
 */
export function quotingVisibility(
  quoting: { accountId: number; visibility: StatusRow["visibility"]; mentions: readonly number[] },
  quoted: StatusRow,
): StatusRow["visibility"] {
  const { accountId, visibility, mentions } = quoting;
  if (visibility === "direct" && quoted.account_id !== accountId && !mentions.includes(quoted.account_id)) {
    throw validationFailed("Cannot quote a non-mentioned user in a Private Mention post.");
  }
  return quoted.visibility === "private" && visibility !== "direct" ? "private" : visibility;
}
