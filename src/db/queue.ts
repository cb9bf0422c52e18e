import type { Tx } from "./open.ts";

/** What each kind of job carries: ids, never rows, since it is read later. */
export interface JobPayloads {
  /** A slice of what a deleted account leaves; enqueues the next one. */
  "account.remove": { accountId: number };
  /** Asks the page that a link leads to for what it says of itself. */
  "card.fetch": { linkId: number };
  /** What these wrote lately, for a home timeline. It is being filled as long as this is there. */
  "home.fill": { accountId: number; accountIds: readonly number[]; tagIds: readonly number[] };
  /** The same for a whole home timeline. */
  "home.rebuild": { accountId: number };
  /** Paths, as rows name them, of which no row speaks any more. */
  "media.delete_files": { files: string[] };
  /** Files that no row names, from the folder after this one on. Comes back by itself. */
  "media.sweep": { after: string | null };
  /** One notification for one of a person's devices. */
  "push.deliver": { subscriptionId: number; notificationId: number };
  /** At the end of a poll. */
  "poll.close": { pollId: number };
  /** At the time for which a status was scheduled. */
  "status.publish": { scheduledId: number };
  /** An upload that moves or sounds, to be made playable. */
  "media.process": { id: number };
  /** After each change of an announcement, and when it comes and goes. Null for one that was removed. */
  "announcement.tell": { id: number; version: number | null };
  /** What was held back of somebody who has been let in. */
  "notifications.merge": { accountId: number; fromId: number };
  /** Tells somebody what was decided, perhaps by a command, whose process nobody listens to. */
  "moderation.tell": { type: "moderation_warning" | "severed_relationships"; aboutId: number };
  /** Unattached uploads, old codes and sessions, the far end of home timelines. Comes back by itself. */
  clean_up: Record<string, never>;
  /** Which hashtags, statuses and links stand out. Comes back by itself. */
  "trends.rank": Record<string, never>;
}

export type JobKind = keyof JobPayloads;

/**
 * Jobs of one lane wait for one another and for no others, so that neither a film that takes minutes nor a server that
 * doesn't respond delays the rest.
 */
export type LaneName = "main" | "media" | "home" | "push" | "links";

/** Kinds that are not in the main lane. */
const LANES: Partial<Record<JobKind, LaneName>> = {
  "media.process": "media",
  "home.fill": "home",
  "home.rebuild": "home",
  "push.deliver": "push",
  "card.fetch": "links",
};

/** The part of a server's context that `enqueue` needs. */
interface Loop {
  clock: { now(): number };
  wake(): void;
}

interface JobOptions {
  /** Milliseconds since 1970; now when left out. */
  runAt?: number;
  /** If a job with the same key is waiting already, this one is not added. */
  key?: string;
  /** The server that the job talks to: within a lane, hosts take turns. */
  host?: string;
}

const ADD = `
  INSERT INTO jobs (kind, lane, host, key, payload, run_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO NOTHING`;

/** Writes a job in the transaction that causes it, and wakes the loop once that is committed. */
export function enqueue<Kind extends JobKind>(
  loop: Loop,
  tx: Tx,
  kind: Kind,
  payload: JobPayloads[Kind],
  { runAt, key, host }: JobOptions = {},
): void {
  const now = loop.clock.now();
  const lane = LANES[kind] ?? "main";
  tx.run(ADD, kind, lane, host ?? "", key ?? null, JSON.stringify(payload), runAt ?? now, now);
  tx.afterCommit(() => loop.wake());
}

/** Thrown by a job that is likely to succeed later: it is retried until `until`, without a limit of attempts. */
export class TryLater extends Error {
  override readonly name = "TryLater";
  /** When to retry at the earliest. */
  readonly notBefore: number;
  /** After this the job is useless, and is removed. */
  readonly until: number;

  /** Times in milliseconds since 1970. */
  constructor(message: string, { notBefore, until }: { notBefore: number; until: number }) {
    super(message);
    this.notBefore = notBefore;
    this.until = until;
  }
}
