import type { Context } from "../../context.ts";
import { isOwnHost } from "../../core/addresses.ts";
import type { Successor } from "../../core/people/moves.ts";
import { accountOfUri, isPurged, saveRemoteAccount, type RemoteProfile } from "../../core/people/remote-accounts.ts";
import { saveRemoteEmojis } from "../../core/remote-media/remote-emojis.ts";
import { type RemotePictures, setRemotePictures } from "../../core/remote-media/remote-pictures.ts";
import { hostOf, isSameOrigin } from "../documents.ts";
import { FetchError, fetchDocument } from "./fetch.ts";
import { readActor, type RemoteActor } from "../read/actor.ts";
import { readCollection } from "../read/collection.ts";
import type { Json } from "../read/json.ts";
import { finger, type RemoteHandle } from "./webfinger.ts";

/** The id of the account with this URI. An unknown one, or one that was purged, is fetched. @throws FetchError */
export async function accountAt(ctx: Context, uri: string): Promise<number> {
  const known = accountOfUri(ctx.db, uri);
  if (!known) return refreshAccount(ctx, uri);
  if (known.suspended_at !== null || known.gone_at !== null)
    throw new FetchError("gone", `${uri} is suspended or deleted`);
  return isPurged(known) ? refreshAccount(ctx, uri) : known.id;
}

/**
 * Fetches the account with this URI and stores it. Simultaneous calls cause one fetch. @throws FetchError
 */
export function refreshAccount(ctx: Context, uri: string, options: { withCounts?: boolean } = {}): Promise<number> {
  return ctx.flights.run(`account ${uri}`, async () => storeActor(ctx, await fetchDocument(ctx, uri), options));
}

/** Fetches an account again, with what its server says about moves. @throws FetchError */
export async function fetchSuccessor(ctx: Context, uri: string): Promise<Successor> {
  const document = await fetchDocument(ctx, uri);
  const id = await storeActor(ctx, document);
  const { alsoKnownAs, movedTo } = readActor(document, ctx.clock.now())!;
  return { id, aliases: alsoKnownAs, movedTo };
}

const KNOWN = "SELECT uri FROM accounts WHERE id = +$accountId AND domain IS NOT NULL AND suspended_at IS NULL";

/** Fetches the profile of a known account again, with its totals. Keeps the old one if its server doesn't respond. */
export async function refreshKnown(ctx: Context, accountId: number): Promise<void> {
  const known = ctx.db.get<{ uri: string }>(KNOWN, { accountId });
  try {
    if (known) await refreshAccount(ctx, known.uri, { withCounts: true });
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    ctx.log.debug("a profile can't be fetched: {error}", { error: error.message });
  }
}

/**
 * Stores the account of a document that its own server sent: one that was fetched from its `id`, or one in an activity
 * that the account signed.
 *
 * @throws FetchError
 */
export async function storeActor(
  ctx: Context,
  document: Json,
  { withCounts = false }: { withCounts?: boolean } = {},
): Promise<number> {
  const actor = readActor(document, ctx.clock.now());
  const host = actor && hostOf(actor.uri);
  if (!actor || !host) throw new FetchError("refused", `${String(document.id)} is no account`);
  if (isOwnHost(ctx, host)) throw new FetchError("refused", `${actor.uri} is an address of this server`);
  const handle = await handleOf(ctx, actor, host);
  const counts = withCounts ? await countsOf(ctx, actor) : undefined;
  if (withCounts) await fetchMovedTo(ctx, actor);
  const profile = profileOf(actor, handle);
  const id = ctx.db.transaction((tx) => {
    const movedToId = actor.movedTo === null ? null : (accountOfUri(tx, actor.movedTo)?.id ?? null);
    const saved = saveRemoteAccount(ctx, tx, { ...profile, movedToId, counts }, { takesHandle: true });
    if (saved !== null) {
      setRemotePictures(tx, saved, picturesOf(actor));
      saveRemoteEmojis(ctx, tx, handle.domain, actor.emojis);
    }
    return saved;
  });
  if (id === null) throw new FetchError("gone", `${actor.uri} was deleted`);
  return id;
}

/** Users who look at an account see where it has moved. Where the other account moved in turn is not followed. */
async function fetchMovedTo(ctx: Context, { movedTo }: RemoteActor): Promise<void> {
  if (movedTo === null || accountOfUri(ctx.db, movedTo)) return;
  try {
    await refreshAccount(ctx, movedTo);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
  }
}

/** The handle that WebFinger assigns to the account. That of a known account is only checked when its name changes. */
async function handleOf(ctx: Context, actor: RemoteActor, host: string): Promise<RemoteHandle> {
  const known = accountOfUri(ctx.db, actor.uri);
  if (known?.domain && known.username === actor.username) return { username: known.username, domain: known.domain };
  const assigned = await finger(ctx, { username: actor.username, domain: host });
  if (assigned.uri === actor.uri) return assigned;
  throw new FetchError("refused", `${host} assigns @${actor.username} to another account than ${actor.uri}`);
}

function profileOf(actor: RemoteActor, handle: RemoteHandle): Omit<RemoteProfile, "movedToId" | "counts"> {
  const { inbox, sharedInbox, outbox, followers, following, featured, featuredTags } = actor;
  return {
    uri: actor.uri,
    url: actor.url,
    ...handle,
    type: actor.type,
    displayName: actor.displayName,
    noteHtml: actor.noteHtml,
    fields: actor.fields.map(({ name, valueHtml }) => ({ name, html: valueHtml })),
    locked: actor.locked,
    discoverable: actor.discoverable,
    indexable: actor.indexable,
    memorial: actor.memorial,
    hideCollections: false,
    attributionDomains: actor.attributionDomains,
    createdAt: actor.published,
    addresses: { inbox, sharedInbox: ownOf(actor, sharedInbox), outbox, followers, following, featured, featuredTags },
    keys: keysOf(actor),
  };
}

/** More than any server needs, even while it replaces a key. */
const MAX_KEYS = 4;

/** A key that names another owner is not this account's, and another server's key id would hide the real key. */
function keysOf(actor: RemoteActor): RemoteProfile["keys"] {
  return actor.publicKeys
    .filter(({ id, owner }) => owner === actor.uri && ownOf(actor, id) !== null)
    .slice(0, MAX_KEYS)
    .map(({ id, pem }) => ({ id, pem }));
}

/** The address, if it is on the account's own server. */
function ownOf(actor: RemoteActor, address: string | null): string | null {
  return address !== null && isSameOrigin(address, actor.uri) ? address : null;
}

function picturesOf({ avatarUrl, avatarDescription, headerUrl, headerDescription }: RemoteActor): RemotePictures {
  return { avatarUrl, avatarDescription, headerUrl, headerDescription };
}

/** The totals of the account's collections; 0 for one that its server hides or doesn't have, so that it isn't asked again. */
async function countsOf(ctx: Context, actor: RemoteActor): Promise<NonNullable<RemoteProfile["counts"]>> {
  const [followers, following, statuses] = await Promise.all(
    [actor.followers, actor.following, actor.outbox].map((uri) => totalAt(ctx, uri, actor.uri)),
  );
  return { followers: followers ?? 0, following: following ?? 0, statuses: statuses ?? 0 };
}

async function totalAt(ctx: Context, uri: string | null, owner: string): Promise<number | null> {
  if (uri === null || !isSameOrigin(uri, owner)) return null;
  try {
    return readCollection(await fetchDocument(ctx, uri))?.totalItems ?? null;
  } catch (error) {
    if (error instanceof FetchError) return null;
    throw error;
  }
}
