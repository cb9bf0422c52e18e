import type { Context, FollowersOfAccount } from "../../context.ts";
import { accountPartUrl } from "../addresses.ts";
import { digestOf, writeDigest } from "../followers-digest.ts";

/** A post to a thousand servers reads the followers once. Those who follow meanwhile are in the next post. In ms. */
const MAX_AGE = 60_000;
/** Activities whose deliveries take turns. */
const MAX_REMEMBERED = 16;

const USERNAME = "SELECT username FROM accounts WHERE id = +$accountId";
const REMOTE_FOLLOWERS = `
  SELECT a.uri FROM follows f JOIN accounts a ON a.id = f.account_id
  WHERE f.target_account_id = +$accountId AND a.domain IS NOT NULL`;

/** The header that tells the server of an inbox which of its accounts follow a local account. */
export function followersHeader(ctx: Context, activityId: number, accountId: number, inbox: string): string {
  const { username, digests } = followersFor(ctx, activityId, accountId);
  return writeDigest({
    collectionId: accountPartUrl(ctx, username, "followers"),
    url: accountPartUrl(ctx, username, "followers_synchronization"),
    digest: digests.get(new URL(inbox).origin) ?? digestOf([]),
  });
}

/** Of each delivery of an activity, only the first one reads the followers. */
function followersFor(ctx: Context, activityId: number, accountId: number): FollowersOfAccount {
  const now = ctx.clock.now();
  const { followersByActivity: known } = ctx;
  const last = known.get(activityId);
  if (last && now - last.at < MAX_AGE) return last;
  const { username } = ctx.db.get<{ username: string }>(USERNAME, { accountId })!;
  const uris = ctx.db.all<{ uri: string }>(REMOTE_FOLLOWERS, { accountId }).map(({ uri }) => uri);
  const byOrigin = Map.groupBy(uris, (uri) => new URL(uri).origin);
  const digests = new Map([...byOrigin].map(([origin, followers]) => [origin, digestOf(followers)]));
  const followers = { at: now, username, digests };
  known.delete(activityId);
  known.set(activityId, followers);
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!);
  return followers;
}
