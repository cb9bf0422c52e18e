import type { Context, Remote } from "../../context.ts";
import { lookupAccount } from "../../core/accounts.ts";
import { accountOfUri } from "../../core/people/remote-accounts.ts";
import { fetchSuccessor, refreshAccount, storeActor } from "./actors.ts";
import { FetchError, type FetchProblem, fetchDocument } from "./fetch.ts";
import { isActor } from "../read/actor.ts";
import { storeFetched } from "./statuses.ts";
import { finger } from "./webfinger.ts";

const DAY = 24 * 3600_000;

/** Finds accounts and statuses of other servers for `core`, by handle or address. */
export function remoteOf(ctx: Context): Remote {
  return {
    account: (handle) => found(ctx, accountWith(ctx, handle)),
    object: (url) => found(ctx, objectAt(ctx, url)),
    successor: (uri) => found(ctx, fetchSuccessor(ctx, uri)),
  };
}

/** An account, as the port finds it, or the reason why there is none. */
export function accountOrProblem(
  ctx: Context,
  handle: { username: string; domain: string },
): Promise<number | null | FetchProblem> {
  return orProblem(accountWith(ctx, handle));
}

/** A status, as the port finds it, or the reason why there is none. Null for anything else at this address. */
export function statusOrProblem(ctx: Context, url: string): Promise<number | null | FetchProblem> {
  return orProblem(objectAt(ctx, url).then((found) => (found?.type === "status" ? found.id : null)));
}

async function orProblem(work: Promise<number | null>): Promise<number | null | FetchProblem> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FetchError) return error.problem;
    throw error;
  }
}

/** A server that doesn't respond is like one that has nothing: users see the same either way. */
async function found<T>(ctx: Context, work: Promise<T | null>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    ctx.log.debug("a look-up on another server failed: {error}", { error: error.message });
    return null;
  }
}

/** A profile that was fetched within a day is current: its server delivers changes to followers. */
async function accountWith(ctx: Context, handle: { username: string; domain: string }): Promise<number | null> {
  const known = lookupAccount(ctx, `${handle.username}@${handle.domain}`);
  if (known?.domain === null) return known.id;
  const { uri } = await finger(ctx, handle);
  const current = accountOfUri(ctx.db, uri);
  if (current && (current.fetched_at ?? 0) > ctx.clock.now() - DAY) return current.id;
  return refreshAccount(ctx, uri, { withCounts: true });
}

async function objectAt(ctx: Context, url: string): Promise<Awaited<ReturnType<Remote["object"]>>> {
  const document = await fetchDocument(ctx, url);
  if (isActor(document)) return { type: "account", id: await storeActor(ctx, document, { withCounts: true }) };
  const id = await storeFetched(ctx, document);
  return id === null ? null : { type: "status", id };
}
