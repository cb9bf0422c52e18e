import type { Context } from "../../context.ts";
import { type Budget, contextWithin } from "../../core/fetches.ts";
import { removeStatusWithin } from "../../core/statuses/removal.ts";
import { STATUS_COLUMNS, type StatusRow } from "../../core/visibility.ts";
import type { Tx } from "../../db/open.ts";
import { hasType, isJson } from "../read/json.ts";
import { documentOrProblem } from "./fetch.ts";
import { ownStatusAt } from "./known-statuses.ts";
import { readFetched, storeEdit, withQuote } from "./statuses.ts";

/** The document, what it quotes and the consent to it, each with a redirect or the other form of signature. */
const BUDGET: Budget = { requests: 12, bytes: 4 * 1024 * 1024 };

const REMOTE = `
  SELECT ${STATUS_COLUMNS}, a.uri AS author_uri FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = +$statusId AND s.local = 0 AND s.reblog_of_id IS NULL`;

/**
 * Asks the server of a status whether it has changed or is gone, since another one says so. Returns what to write when
 * the job ends. If the server doesn't respond, the status stays as it is.
 */
export async function recheckStatus(ctx: Context, statusId: number): Promise<((tx: Tx) => void) | void> {
  const known = ctx.db.get<StatusRow & { author_uri: string }>(REMOTE, { statusId });
  if (!known) return;
  const { uri, account_id: authorId } = known;
  const limited = contextWithin(ctx, { ...BUDGET });
  const document = await documentOrProblem(limited, uri);
  if (document === "gone" || (isJson(document) && hasType(document, "Tombstone"))) {
    return (tx) => {
      const status = ownStatusAt(tx, authorId, uri);
      if (status) removeStatusWithin(ctx, tx, status, true);
    };
  }
  const status = isJson(document) ? readFetched(ctx, document) : null;
  if (status?.uri !== uri || status.attributedTo !== known.author_uri) return;
  const ready = await withQuote(limited, authorId, status);
  return (tx) => {
    const before = ownStatusAt(tx, authorId, uri);
    if (before) storeEdit(ctx, tx, before, ready);
  };
}
