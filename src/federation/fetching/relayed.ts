import type { Context } from "../../context.ts";
import { type Budget, contextWithin, mustWait } from "../../core/fetches.ts";
import { countMissing, countRelayed } from "../../core/moderation/relays.ts";
import type { Tx } from "../../db/open.ts";
import { isForUsers } from "../inbox/relevance.ts";
import { PUBLIC } from "../read/audience.ts";
import { isJson } from "../read/json.ts";
import { accountAt } from "./actors.ts";
import { documentOrProblem } from "./fetch.ts";
import { localStatusAt, statusIdOf } from "./known-statuses.ts";
import { orNull, readFetched, storeStatus, withQuote } from "./statuses.ts";

/** The post, its author and their handle, each with a redirect or the other form of signature. */
const BUDGET: Budget = { requests: 10, bytes: 4 * 1024 * 1024 };

type AfterJob = (tx: Tx) => void;

/**
 * Fetches a post that a relay has named. Parents and mentioned accounts are not fetched. Under load, the post is dropped.
 * Returns what to write when the job ends.
 */
export async function fetchRelayed(ctx: Context, relayId: number, uri: string): Promise<AfterJob | void> {
  if (isUnderLoad(ctx) || mustWait(ctx, new URL(uri)) || statusIdOf(ctx.db, uri) !== null) return;
  const limited = contextWithin(ctx, { ...BUDGET }, ctx.background.relayed);
  const document = await documentOrProblem(limited, uri);
  if (document === "gone" || document === "refused") return (tx) => countMissing(ctx, tx, relayId, uri);
  const status = isJson(document) ? readFetched(ctx, document) : null;
  if (!status || !status.to.includes(PUBLIC)) return;
  const authorId = await orNull(accountAt(limited, status.attributedTo));
  if (authorId === null) return;
  const ready = await withQuote(limited, authorId, status);
  const quotedId = localStatusAt(ctx, status.quote?.uri ?? null);
  return (tx) => {
    const recipients = [...status.to, ...status.cc, ...status.mentions.map(({ href }) => href)];
    // Its own server delivers it, and this copy would be the first: then it would be at no home and notify nobody.
    if (statusIdOf(tx, status.uri) !== null || isForUsers(tx, authorId, { ...status, recipients, quotedId })) return;
    if (storeStatus(ctx, tx, ready, "relayed") !== null) countRelayed(ctx, tx, relayId);
  };
}

/** Whether other fetches wait. */
function isUnderLoad(ctx: Context): boolean {
  return ctx.background.queue.length > 0 || ctx.db.get(DUE, { now: ctx.clock.now() }) !== null;
}

const DUE = "SELECT 1 FROM job_turns WHERE lane = 'fetches' AND at <= +$now LIMIT 1";
