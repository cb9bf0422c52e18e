import type { DeliveryEvent } from "./delivery-events.ts";
import type { MailOrder } from "./mail-order.ts";
import type { Tx } from "./open.ts";
import type { PruningPoint, PurgePoint } from "./pruning-point.ts";

/** The user's choices for the import of an archive. */
export interface ArchiveChoices {
  /** Also takes over the name, the text, the fields and the pictures of the profile. */
  withProfile: boolean;
  /** Imports public posts for followers only. */
  forFollowers: boolean;
}

/** The payload of each kind of job: ids, never rows, since jobs run later. */
export interface JobPayloads {
  /** Deletes a batch of a deleted account's data, and enqueues the next one. */
  "account.remove": { accountId: number };
  /** Moves what local users have with an account to its successor, beginning after this user. */
  "account.move": { accountId: number; targetId: number; after: number };
  /** Fetches the page behind a link for its preview card. */
  "card.fetch": { linkId: number };
  /** Checks which pages that a local profile names link back to it. */
  "links.verify": { accountId: number };
  /** Enqueues these checks for a seventh of the users. Recurring. */
  "links.verify_daily": Record<string, never>;
  /** Fetches the profile of a remote account again. */
  "account.refresh": { accountId: number };
  /** Fetches the newest posts and the pins of a remote account. */
  "profile.fetch": { accountId: number };
  /** Fetches the posts of an account since a time, after this server was not running. */
  "profile.catch_up": { accountId: number; since: number };
  /** Notes that the server is running. Recurring. */
  "server.running": Record<string, never>;
  /** Compares the local followers of a remote account with the list of its server, which should have the digest. */
  "followers.compare": { accountId: number; url: string; digest: string };
  /** Fetches what is missing of a thread. */
  "thread.fetch": { statusId: number };
  /** Asks the server of a status whether it has changed or is gone. */
  "status.recheck": { statusId: number };
  /** Fetches a post that a relay has named. */
  "relay.fetch": { relayId: number; uri: string };
  /** Works out which servers have to learn of a change, and of others of the same transaction. */
  "delivery.prepare": { event: DeliveryEvent; others?: readonly DeliveryEvent[] };
  /** Writes a delivery for each inbox of the activities that were worked out, in order. */
  "delivery.fan_out": Record<string, never>;
  /** Processes what other servers have sent. One job does so for all of them. */
  "incoming.process": Record<string, never>;
  /** Sends one activity to an inbox, once. Its rows may be gone. */
  "delivery.farewell": { inbox: string; accountId: number | null; body: string };
  /** Sends all waiting activities to one inbox, in order. */
  "delivery.send": { inbox: string };
  /** Adds recent posts of accounts and hashtags to a home timeline, which is being filled while the job exists. */
  "home.fill": { accountId: number; accountIds: readonly number[]; tagIds: readonly number[] };
  /** Fills a whole home timeline. */
  "home.rebuild": { accountId: number };
  /** Deletes files that no row refers to any more. Paths are written as in rows. */
  "media.delete_files": { files: string[] };
  /** Deletes files that no row refers to, in the folders after this one. Recurring. */
  "media.sweep": { after: string | null };
  /** Removes copies of other servers' media: expired ones, and as many as the limits need. Recurring. */
  "cache.evict": Record<string, never>;
  /** Removes old statuses of other servers, unused accounts, and free space in the database, in slices. Recurring. */
  "remote.prune": PruningPoint;
  /** Deletes old posts of users who want that: begins with all accounts (null), or goes on with one. Recurring. */
  "posts.delete_old": { accountId: number | null; after: number };
  /** Removes what is known of a suspended domain or a forgotten host, in slices. */
  "host.purge": PurgePoint;
  /** Sends a notification to one push subscription. */
  "push.deliver": { subscriptionId: number; notificationId: number };
  /** Sends an e-mail to a user. */
  "mail.send": { order: MailOrder; requestedAt: number };
  /** Runs at the end of a poll. */
  "poll.close": { pollId: number };
  /** Runs at the time for which a status was scheduled. */
  "status.publish": { scheduledId: number };
  /** Makes an uploaded video, animation or audio file playable. */
  "media.process": { id: number };
  /** Runs after each change of an announcement, and when it starts and ends. `version` is null if it was removed. */
  "announcement.tell": { id: number; version: number | null };
  /** Releases the filtered notifications of an account whose request was accepted. */
  "notifications.merge": { accountId: number; fromId: number };
  /** Notifies a user of a moderation decision. A job, since a command's process has no streaming clients. */
  "moderation.tell": { type: "moderation_warning" | "severed_relationships"; aboutId: number };
  /** Deletes unattached uploads, old codes and sessions, and the oldest entries of home timelines. Recurring. */
  clean_up: Record<string, never>;
  /** Sends a follow again that was not answered. */
  "follow.resend": { uri: string };
  /** Imports a slice of the rows of a CSV file. */
  "import.csv": { importId: number };
  /** Imports an uploaded archive of posts. */
  "import.archive": { importId: number } & ArchiveChoices;
  /** Asks a host for the name and version of its software. */
  "software.fetch": { host: string };
  /** Enqueues these jobs for hosts that were not asked for a week. Recurring. */
  "software.refresh": Record<string, never>;
  /** Ranks trending hashtags, statuses and links. Recurring. */
  "trends.rank": Record<string, never>;
}

export type JobKind = keyof JobPayloads;

/**
 * A job waits only for jobs in its own lane. So a video that takes minutes, or an unresponsive server, does not delay
 * the rest.
 */
export type LaneName =
  | "main"
  | "media"
  | "home"
  | "push"
  | "mail"
  | "links"
  | "delivery"
  | "deliveries"
  | "incoming"
  | "fetches"
  | "relays"
  | "archives";

/** Kinds outside the main lane. */
const LANES: Partial<Record<JobKind, LaneName>> = {
  // One after the other, so that a status is delivered before its edits.
  "delivery.prepare": "delivery",
  "delivery.fan_out": "delivery",
  "delivery.send": "deliveries",
  "delivery.farewell": "deliveries",
  "incoming.process": "incoming",
  "account.refresh": "fetches",
  "profile.fetch": "fetches",
  "profile.catch_up": "fetches",
  "thread.fetch": "fetches",
  "followers.compare": "fetches",
  "software.fetch": "fetches",
  "import.csv": "fetches",
  "import.archive": "archives",
  "status.recheck": "fetches",
  // Apart from the others, so that they never wait for these.
  "relay.fetch": "relays",
  "media.process": "media",
  "home.fill": "home",
  "home.rebuild": "home",
  "push.deliver": "push",
  "mail.send": "mail",
  "card.fetch": "links",
  "links.verify": "links",
};

/** The part of a server's context that `enqueue` needs. */
interface Loop {
  clock: { now(): number };
  wake(): void;
}

interface JobOptions {
  /** Milliseconds since 1970; defaults to now. */
  runAt?: number;
  /** If a job with the same key is already queued, this one is not added. */
  key?: string;
  /** The server or site that the job talks to: within a lane, hosts take turns. */
  host?: string;
}

const ADD = `
  INSERT INTO jobs (kind, lane, host, key, payload, run_at, created_at) VALUES ($kind, $lane, $host, $key, $payload, $runAt, $now)
  ON CONFLICT (key) DO NOTHING`;

/** Adds a job in the transaction that causes it, and wakes the job loop after the commit, unless the job was there. */
export function enqueue<Kind extends JobKind>(
  loop: Loop,
  tx: Tx,
  kind: Kind,
  payload: JobPayloads[Kind],
  { runAt, key, host }: JobOptions = {},
): void {
  const now = loop.clock.now();
  const lane = LANES[kind] ?? "main";
  const { changes } = tx.run(ADD, {
    kind,
    lane,
    host: host ?? "",
    key: key ?? null,
    payload: JSON.stringify(payload),
    runAt: runAt ?? now,
    now,
  });
  if (changes > 0) tx.afterCommit(() => loop.wake());
}

interface Retry {
  notBefore: number;
  until: number;
  backoff?: boolean;
}

/** Thrown by a job that is likely to succeed later: it is retried until `until`, without a limit of attempts. */
export class TryLater extends Error {
  override readonly name = "TryLater";
  /** The earliest time of the next attempt. */
  readonly notBefore: number;
  /** After this time the job is useless and is removed. */
  readonly until: number;
  /** Whether delays also double with each attempt. Otherwise up to a quarter is added to the delay until `notBefore`. */
  readonly backoff: boolean;

  /** Times in milliseconds since 1970. */
  constructor(message: string, { notBefore, until, backoff = true }: Retry) {
    super(message);
    this.notBefore = notBefore;
    this.until = until;
    this.backoff = backoff;
  }
}

/** Thrown by a job that must not run yet. Not a failure: it is not logged and counts as no attempt. */
export class Postpone extends Error {
  override readonly name = "Postpone";

  /** `runAt` in milliseconds since 1970. */
  constructor(readonly runAt: number) {
    super("the job is postponed");
  }
}
