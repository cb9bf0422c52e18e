import type { Context } from "../context.ts";
import { isOwnHost } from "../core/addresses.ts";
import { isRefusedHost } from "../core/refused-hosts.ts";
import { type Added, addRelay, type NewRelay, relayToAdd, resumeRelay } from "../core/moderation/relays.ts";
import { Refusal } from "../errors.ts";
import { serverActorUri } from "./addresses.ts";
import { hostOf, isSameOrigin } from "./documents.ts";
import { storeActor } from "./fetching/actors.ts";
import { FetchError, fetchDocument } from "./fetching/fetch.ts";
import { readActor } from "./read/actor.ts";

/**
 * Asks a relay for posts, or resumes a paused one. An address that ends in `/inbox` is that of a Mastodon relay; any other
 * must be the account of a LitePub relay.
 *
 * @throws Refusal
 */
export async function followRelay(ctx: Context, address: string): Promise<Added> {
  const known = relayToAdd(ctx.db, address);
  if (known?.state === "accepted") {
    resumeRelay(ctx, known);
    return "resumed";
  }
  const host = hostOf(address)!;
  if (isOwnHost(ctx, host)) throw new Refusal("invalid", `${host} is this server. Name the address of a relay.`);
  if (isRefusedHost(ctx, host)) {
    throw new Refusal("conflict", `This server exchanges nothing with ${host}. See "linnet domain list".`);
  }
  const found = new URL(address).pathname.endsWith("/inbox")
    ? mastodonRelay(address)
    : await litePubRelay(ctx, address);
  addRelay(ctx, { address, followUri: `${serverActorUri(ctx)}#follows/${ctx.ids.next()}`, ...found });
  return known ? "asked again" : "asked";
}

type Found = Pick<NewRelay, "kind" | "inbox" | "accountUri">;

function mastodonRelay(address: string): Found {
  return { kind: "mastodon", inbox: address, accountUri: null };
}

async function litePubRelay(ctx: Context, address: string): Promise<Found> {
  try {
    const document = await fetchDocument(ctx, address);
    const actor = readActor(document, ctx.clock.now());
    if (!actor || !isSameOrigin(actor.inbox, actor.uri)) throw new FetchError("refused", `${address} is no account`);
    await storeActor(ctx, document);
    return { kind: "litepub", inbox: actor.inbox, accountUri: actor.uri };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new Refusal(
      "unavailable",
      `No relay was found (${error.message}). Give the address of its inbox, which ends in /inbox, or of its account.`,
    );
  }
}
