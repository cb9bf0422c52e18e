import { type RemoteProfile, saveRemoteAccount } from "../../src/core/people/remote-accounts.ts";
import { acceptFollow, storeFollow } from "../../src/core/people/follows.ts";
import type { DeliveryEvent } from "../../src/db/delivery-events.ts";
import type { JobPayloads } from "../../src/db/queue.ts";
import type { Client } from "./client.ts";
import type { TestServer } from "./server.ts";

/* Rows as federation writes them, without another server. */

/** An account of another server. */
export interface RemoteAccount {
  id: string;
  uri: string;
}

/** The profile of `@rita@far.example` with other properties. */
export function profileOf(given: Partial<RemoteProfile> = {}): RemoteProfile {
  const { username = "rita", domain = "far.example" } = given;
  const uri = given.uri ?? `https://${domain}/users/${username}`;
  return {
    uri,
    url: `https://${domain}/@${username}`,
    username,
    domain,
    type: "Person",
    displayName: "",
    noteHtml: "",
    fields: [],
    locked: false,
    discoverable: false,
    indexable: false,
    memorial: false,
    hideCollections: false,
    attributionDomains: [],
    createdAt: null,
    movedToId: null,
    addresses: {
      inbox: `${uri}/inbox`,
      sharedInbox: `https://${domain}/inbox`,
      outbox: `${uri}/outbox`,
      followers: `${uri}/followers`,
      following: `${uri}/following`,
      featured: null,
      featuredTags: null,
    },
    keys: [],
    ...given,
  };
}

/** Adds or changes an account of another server. */
export function remoteAccount({ ctx }: TestServer, given: Partial<RemoteProfile> = {}): RemoteAccount {
  const profile = profileOf(given);
  const id = ctx.db.transaction((tx) => saveRemoteAccount(ctx, tx, profile));
  if (id === null) throw new Error(`The account ${profile.uri} is refused`);
  return { id: String(id), uri: profile.uri };
}

/** A follow of a local account arrives from another server. Returns its URI. */
export function remoteFollow(
  { ctx }: TestServer,
  follower: RemoteAccount,
  target: Client,
  uri = `${follower.uri}#follows/${target.id}`,
): string {
  const pair = { accountId: Number(follower.id), targetId: Number(target.id) };
  ctx.db.transaction((tx) => storeFollow(ctx, tx, { ...pair, uri }));
  return uri;
}

/** An account on a server without shared inboxes follows a local one. Returns its inbox. */
export function followerWithInbox(server: TestServer, origin: string, username: string, target: Client): string {
  const uri = `${origin}/users/${username}`;
  const inbox = `${uri}/inbox`;
  const addresses = { ...profileOf().addresses, inbox, sharedInbox: null };
  const domain = new URL(origin).host;
  remoteFollow(server, remoteAccount(server, { username, domain, uri, addresses }), target);
  return inbox;
}

/** The server of a remote account accepts a follow request. Returns whether there was one. */
export function acceptRemotely({ ctx }: TestServer, follower: Client, target: { id: string }): boolean {
  return ctx.db.transaction((tx) => acceptFollow(ctx, tx, Number(follower.id), Number(target.id)));
}

/** A user follows a remote account, whose server accepts it. */
export async function followRemote(server: TestServer, who: Client, target: { id: string }): Promise<void> {
  await who.follow(target);
  acceptRemotely(server, who, target);
}

/** The changes that other servers will learn of, oldest first: before the next `drain()`. */
export function deliveryEvents({ ctx }: TestServer): DeliveryEvent[] {
  const jobs = ctx.db.all<{ payload: string }>("SELECT payload FROM jobs WHERE kind = 'delivery.prepare' ORDER BY id");
  return jobs.flatMap(({ payload }) => {
    const { event, others = [] } = JSON.parse(payload) as JobPayloads["delivery.prepare"];
    return [event, ...others];
  });
}
