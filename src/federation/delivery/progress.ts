import type { hosts, statusDeliveries } from "../../db/schema/index.ts";
import type { Reads } from "../../db/open.ts";
import { hostOf } from "../documents.ts";
import { jobKeys } from "./hosts.ts";

/** A server that has not accepted something yet. Times are in milliseconds. */
export interface WaitingServer {
  host: string;
  /** Deliveries to it that wait. */
  deliveries: number;
  /** Since when the host is down; if it isn't, since when the oldest delivery waits. */
  since: number;
  /** Null before the first attempt. */
  lastResponse: string | null;
  nextAttemptAt: number | null;
}

export interface RefusingServer {
  host: string;
  response: string;
  at: number;
}

/** Which servers have a version of a status. Each server counts once. */
export interface Progress {
  startedAt: number;
  accepted: number;
  waiting: WaitingServer[];
  refused: number;
  /** Those that are still remembered. */
  refusing: RefusingServer[];
}

const ROWS = `
  SELECT activity_id, is_edit, created_at, servers, refused FROM status_deliveries WHERE status_id = +$statusId`;
type Row = Pick<typeof statusDeliveries.$inferSelect, "activity_id" | "is_edit" | "created_at" | "servers" | "refused">;

/** The deliveries of a local status, and those of its latest edit; null where there were none. */
export function progressOf(db: Reads, statusId: number): { published: Progress | null; edited: Progress | null } {
  const rows = db.all<Row>(ROWS, { statusId });
  const versionOf = (isEdit: number): Progress | null => {
    const row = rows.find(({ is_edit }) => is_edit === isEdit);
    return row ? progress(db, row) : null;
  };
  return { published: versionOf(0), edited: versionOf(1) };
}

const REFUSED = `
  SELECT host, response, created_at AS at FROM refused_deliveries WHERE activity_id = +$activityId ORDER BY host`;

function progress(db: Reads, { activity_id: activityId, created_at: startedAt, servers, refused }: Row): Progress {
  const deliveries = waitingFor(db, activityId);
  const unwritten = unwrittenInboxes(db, activityId).map((inbox) => ({
    inbox,
    since: startedAt,
    problem: null,
    count: 1,
  }));
  const counted = new Set(deliveries.map(({ inbox }) => hostOf(inbox)));
  const waiting = waitingServers(db, [...deliveries, ...unwritten]);
  const hosts = new Set(waiting.map(({ host }) => host));
  const known = refused === 0 ? [] : db.all<RefusingServer>(REFUSED, { activityId });
  // A server counts as waiting while one of its inboxes waits, even if another one has refused.
  const refusing = known.filter(({ host }) => !hosts.has(host));
  const refusedOnly = refused - (known.length - refusing.length);
  return { startedAt, accepted: servers - counted.size - refusedOnly, waiting, refused: refusedOnly, refusing };
}

/** What waits for an inbox. */
interface Waiting {
  inbox: string;
  count: number;
  /** Since when the oldest delivery waits. */
  since: number;
  /** Why the first delivery to this inbox waits, if it is not because the host is down. */
  problem: string | null;
}

const WAITING = `
  SELECT d.inbox, 1 AS count, o.created_at AS since,
    (SELECT first.problem FROM deliveries first WHERE first.inbox = d.inbox ORDER BY first.id LIMIT 1) AS problem
  FROM deliveries d JOIN outgoing_activities o ON o.id = d.activity_id WHERE d.activity_id = +$activityId`;

function waitingFor(db: Reads, activityId: number): Waiting[] {
  return db.all<Waiting>(WAITING, { activityId });
}

/** The inboxes to which no delivery is written yet. */
function unwrittenInboxes(db: Reads, activityId: number): string[] {
  const sql = "SELECT inboxes FROM delivery_slices WHERE activity_id = +$activityId";
  const slices = db.all<{ inboxes: string }>(sql, { activityId });
  return slices.flatMap(({ inboxes }) => JSON.parse(inboxes) as string[]);
}

const ALL_WAITING = `
  SELECT d.inbox, first.count, o.created_at AS since, d.problem
  FROM (SELECT min(id) AS id, count(*) AS count FROM deliveries GROUP BY inbox) first
  JOIN deliveries d ON d.id = first.id JOIN outgoing_activities o ON o.id = d.activity_id`;

/** All servers for which something waits. */
export function allWaitingServers(db: Reads): WaitingServer[] {
  return waitingServers(db, db.all<Waiting>(ALL_WAITING));
}

const HOSTS = `
  SELECT h.domain, h.down_since, h.next_attempt_at, h.problem
  FROM json_each($domains) j JOIN hosts h ON h.domain = j.value WHERE h.down_since IS NOT NULL`;
type DownHost = Pick<typeof hosts.$inferSelect, "domain" | "down_since" | "next_attempt_at" | "problem">;
const JOBS = "SELECT jobs.key, jobs.run_at FROM json_each($keys) j JOIN jobs ON jobs.key = j.value";

/** The servers of inboxes for which something waits, in alphabetical order. */
function waitingServers(db: Reads, waiting: readonly Waiting[]): WaitingServer[] {
  const byHost = Map.groupBy(waiting, ({ inbox }) => hostOf(inbox)!);
  const domains = JSON.stringify([...byHost.keys()]);
  const down = new Map(db.all<DownHost>(HOSTS, { domains }).map((row) => [row.domain, row]));
  const keyOf = ({ inbox }: Waiting) => jobKeys(hostOf(inbox)!).from + inbox;
  const keys = JSON.stringify(waiting.filter(({ inbox }) => !down.has(hostOf(inbox)!)).map(keyOf));
  const jobs = db.all<{ key: string | null; run_at: number | null }>(JOBS, { keys });
  const dueAt = new Map(jobs.map(({ key, run_at }) => [key, run_at]));
  const servers = [...byHost].map(([host, items]) => {
    const deliveries = items.reduce((sum, { count }) => sum + count, 0);
    const { down_since = null, problem = null, next_attempt_at = null } = down.get(host) ?? {};
    if (down_since !== null)
      return { host, deliveries, since: down_since, lastResponse: problem, nextAttemptAt: next_attempt_at };
    const since = Math.min(...items.map((item) => item.since));
    const lastResponse = items.find((item) => item.problem !== null)?.problem ?? null;
    const due = items.map((item) => dueAt.get(keyOf(item)) ?? Infinity);
    const nextAttemptAt = Math.min(...due);
    return { host, deliveries, since, lastResponse, nextAttemptAt: nextAttemptAt === Infinity ? null : nextAttemptAt };
  });
  return servers.toSorted((one, other) => (one.host < other.host ? -1 : 1));
}
