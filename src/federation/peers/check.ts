import type { Context } from "../../context.ts";
import { isOwnHost } from "../../core/addresses.ts";
import { isRefusedHost } from "../../core/refused-hosts.ts";
import { Refusal } from "../../errors.ts";
import { parseDomain } from "../../lib/text/domains.ts";
import { hostOf } from "../documents.ts";
import { FetchError } from "../fetching/fetch.ts";
import { finger, parseSubject, type RemoteHandle } from "../fetching/webfinger.ts";
import { readActor, type RemoteActor } from "../read/actor.ts";
import { parseDocument } from "../read/json.ts";
import { clockFinding, type Finding, ok, problem, unknown } from "./findings.ts";
import { blockFinding, fetchFinding, signatureFinding, signedFetches, type SignedFetches } from "./signed-fetches.ts";
import { reach } from "./reach.ts";
import { refreshSoftware } from "./software.ts";
import { viewFinding } from "./view.ts";

/**
 * Checks the exchange with another server, step by step. A step that the others need ends the check if it fails.
 *
 * @throws Refusal for anything but a host or handle of another server
 */
export async function* checkPeer(ctx: Context, given: string): AsyncGenerator<Finding> {
  const { username, domain } = targetIn(ctx, given);
  const reached = await reach(ctx, domain);
  yield* reached.findings;
  if (!reached.isReached) return;
  const handle = username === null ? knownHandle(ctx, domain) : { username, domain };
  const uri = yield* webFinger(ctx, handle, username === null);
  if (uri === null) {
    yield clockFinding(reached.difference);
    return;
  }
  const fetches = await signedFetches(ctx, uri);
  const actor = actorIn(ctx, fetches, uri);
  if (actor) yield await webFingerBack(ctx, actor);
  yield fetchFinding(fetches, uri);
  yield clockFinding(fetches.difference ?? reached.difference);
  const host = hostOf(uri)!;
  yield signatureFinding(ctx, fetches, host);
  yield blockFinding(fetches, host);
  yield await viewFinding(ctx, new URL(uri).origin);
  await refreshSoftware(ctx, host);
}

function targetIn(ctx: Context, given: string): { username: string | null; domain: string } {
  const handle = given.includes("@") ? parseSubject(`acct:${given.trim()}`) : null;
  const domain = handle?.domain ?? (given.includes("@") ? null : parseDomain(given));
  if (domain === null) {
    throw new Refusal("invalid", `"${given}" is neither a host like example.org nor a handle like @name@example.org.`);
  }
  if (isOwnHost(ctx, domain)) throw new Refusal("invalid", `${domain} is this server. Name another one.`);
  if (isRefusedHost(ctx, domain)) {
    throw new Refusal("conflict", `This server exchanges nothing with ${domain}. See "linnet domain list".`);
  }
  return { username: handle?.username ?? null, domain };
}

const KNOWN = `
  SELECT username, coalesce(domain, '') AS domain FROM accounts
  WHERE domain = +$domain AND suspended_at IS NULL AND gone_at IS NULL LIMIT 1`;

/** An account of a domain that is known here; otherwise that of the server itself, which Mastodon and others have. */
function knownHandle(ctx: Context, domain: string): RemoteHandle {
  const known = ctx.db.get<RemoteHandle>(KNOWN, { domain });
  return known ?? { username: domain.replace(/:\d+$/, ""), domain };
}

const FROM_HANDLE = "WebFinger of the handle";

/** Returns the URI of the account. */
async function* webFinger(
  ctx: Context,
  handle: RemoteHandle,
  isGuess: boolean,
): AsyncGenerator<Finding, string | null> {
  const shown = `@${handle.username}@${handle.domain}`;
  try {
    const { uri } = await finger(ctx, handle);
    yield ok(FROM_HANDLE, `${shown} is ${uri}.`);
    return uri;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    if (isGuess) {
      yield unknown(
        FROM_HANDLE,
        `${shown} was not found (${error.message}). Check again with the handle of a user of ${handle.domain}.`,
      );
    } else {
      yield problem(
        FROM_HANDLE,
        `${error.message}. Check the spelling of ${shown}. If it is right, the owner of ${handle.domain} has to correct its WebFinger.`,
      );
    }
    return null;
  }
}

function actorIn(ctx: Context, { response }: SignedFetches, uri: string): RemoteActor | null {
  const document = response && parseDocument(new TextDecoder().decode(response.body));
  const actor = document && readActor(document, ctx.clock.now());
  return actor?.uri === uri ? actor : null;
}

const FROM_ACCOUNT = "WebFinger of the account";

/** The host of the account has to assign its handle to it, too. */
async function webFingerBack(ctx: Context, actor: RemoteActor): Promise<Finding> {
  const host = hostOf(actor.uri)!;
  try {
    const { uri, username, domain } = await finger(ctx, { username: actor.username, domain: host });
    if (uri === actor.uri) return ok(FROM_ACCOUNT, `${actor.uri} is @${username}@${domain}.`);
    return problem(
      FROM_ACCOUNT,
      `@${actor.username}@${host} is ${uri}, not ${actor.uri}. The owner of ${host} has to correct its WebFinger.`,
    );
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return problem(FROM_ACCOUNT, `${error.message}. The owner of ${host} has to correct its WebFinger.`);
  }
}
