/**
 * A change by a local account that other servers have to learn of. It names rows by their ids, since the recipients are
 * worked out later. If the rows are gone by then, it has the URIs that name them, and the accounts that know them.
 */
export type DeliveryEvent =
  | { type: "status.created" | "status.updated"; statusId: number }
  /** `accountIds` are accounts besides the author's followers that may have the status. */
  | { type: "status.deleted"; accountId: number; uri: string; visibility: string; accountIds: readonly number[] }
  | { type: "reblog.created"; statusId: number }
  /** `authorId` wrote the original. */
  | {
      type: "reblog.deleted";
      accountId: number;
      uri: string;
      originalUri: string;
      visibility: string;
      authorId: number;
    }
  /** The URI is the favourite's. */
  | { type: "favourite.created"; accountId: number; statusId: number; uri: string }
  | { type: "favourite.deleted"; accountId: number; statusUri: string; authorId: number; uri: string }
  /** A local account pins a status or features a hashtag, or stops it. */
  | { type: "pin.created" | "pin.deleted"; accountId: number; statusUri: string }
  | { type: "featured_tag.created" | "featured_tag.deleted"; accountId: number; name: string }
  /** A local account quotes a remote status. */
  | { type: "quote.requested"; statusId: number }
  /** A local author answers a request for a quote. The authorization is that of an accepted one. */
  | {
      type: "quote.accepted" | "quote.rejected";
      accountId: number;
      quoterId: number;
      requestUri: string;
      quotedUri: string;
      quotingUri: string;
      authorizationUri: string | null;
    }
  /** `accountIds` are accounts besides the author's followers that may have either status. */
  | {
      type: "quote.revoked";
      accountId: number;
      authorizationUri: string;
      quotedUri: string;
      quotingUri: string;
      accountIds: readonly number[];
    }
  /**
   * A local author answers what a remote account did with a status, or asked to do. Without a request, the followers may
   * learn of it, too.
   */
  | {
      type: "interaction.accepted" | "interaction.rejected";
      kind: Interaction;
      accountId: number;
      actorId: number;
      statusUri: string;
      uri: string;
      requestUri: string | null;
      authorizationUri: string | null;
      isPublic: boolean;
    }
  | { type: "vote.created"; accountId: number; pollId: number; choices: readonly number[] }
  /** A local account follows, or asks to follow, a remote one. The URI is the follow's. After a farewell, nothing is sent. */
  | {
      type: "follow.created" | "follow.deleted";
      accountId: number;
      targetId: number;
      uri: string;
      isFarewell?: boolean;
    }
  /** A local account accepts a remote follower, or rejects or removes one. The URI is the follow's. */
  | {
      type: "follow.accepted" | "follow.rejected";
      accountId: number;
      followerId: number;
      uri: string;
      isFarewell?: boolean;
    }
  /** Nothing is sent: when all earlier events are prepared, what is known of a host can be removed. */
  | { type: "host.purged"; host: string; isSuspension: boolean }
  | { type: "block.created" | "block.deleted"; accountId: number; targetId: number; uri: string }
  /** This server asks a relay for posts, or ends that. */
  | { type: "relay.followed"; relayId: number }
  | {
      type: "relay.left";
      kind: "mastodon" | "litepub";
      inbox: string;
      accountUri: string | null;
      followUri: string;
    }
  /** A relay follows this server in turn, which is accepted. The URI is the follow's. */
  | { type: "relay.follower_accepted"; inbox: string; followerUri: string; uri: string }
  /**
   * `successorId` is the account to which it had moved, until now. `syncsFollowers` has the followers' servers compare the
   * followers.
   */
  | { type: "account.updated"; accountId: number; successorId?: number; syncsFollowers?: true }
  | { type: "account.deleted"; accountId: number }
  /** A local account asks its followers to follow another one. */
  | { type: "account.moved"; accountId: number; targetId: number }
  /** `keyId` is the row of the key that was replaced. */
  | { type: "account.key_rotated"; accountId: number; keyId: number }
  /** A report about a remote account, to servers of these domains. */
  | { type: "report.forwarded"; reportId: number; domains: readonly string[] };

/** An interaction of an account with a status of another. */
export type Interaction = "reply" | "favourite" | "reblog";
