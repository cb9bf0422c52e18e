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
  /** Refusals of the last 30 days. */
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
  const waits = (inbox: string) => waiting(inbox, startedAt);
  const written = db.all<{ inbox: string }>(WRITTEN, { activityId }).map(({ inbox }) => waits(inbox));
  const unwritten = unwrittenInboxes(db, activityId).map(waits);
  const late = waitingServers(db, [...written, ...unwritten]);
  const counted = unwritten.length === 0 ? late.length : new Set(written.map(({ host }) => host)).size;
  const known = refused === 0 ? [] : db.all<RefusingServer>(REFUSED, { activityId });
  const hosts = known.length === 0 ? new Set() : new Set(late.map(({ host }) => host));
  // A server counts as waiting while one of its inboxes waits, even if another one has refused.
  const refusing = known.filter(({ host }) => !hosts.has(host));
  const refusedOnly = refused - (known.length - refusing.length);
  return { startedAt, accepted: servers - counted - refusedOnly, waiting: late, refused: refusedOnly, refusing };
}

/** Deliveries that wait for an inbox, the oldest one since a time. */
interface Waiting {
  inbox: string;
  host: string;
  since: number;
  count: number;
}

function waiting(inbox: string, since: number, count = 1): Waiting {
  return { inbox, host: hostOf(inbox)!, since, count };
}

const WRITTEN = "SELECT inbox FROM deliveries WHERE activity_id = +$activityId";

/** The inboxes to which no delivery is written yet. */
function unwrittenInboxes(db: Reads, activityId: number): string[] {
  const sql = "SELECT inboxes FROM delivery_slices WHERE activity_id = +$activityId";
  const slices = db.all<{ inboxes: string }>(sql, { activityId });
  return slices.flatMap(({ inboxes }) => JSON.parse(inboxes) as string[]);
}

const ALL = `
  SELECT d.inbox, first.count, o.created_at AS since
  FROM (SELECT min(id) AS id, count(*) AS count FROM deliveries GROUP BY inbox) first
  JOIN deliveries d ON d.id = first.id JOIN outgoing_activities o ON o.id = d.activity_id`;

/** All servers for which something waits. */
export function allWaitingServers(db: Reads): WaitingServer[] {
  const rows = db.all<Omit<Waiting, "host">>(ALL);
  return waitingServers(
    db,
    rows.map(({ inbox, since, count }) => waiting(inbox, since, count)),
  );
}

const DOWN = `
  SELECT h.domain, h.down_since, h.next_attempt_at, h.problem
  FROM json_each($domains) j JOIN hosts h ON h.domain = j.value WHERE h.down_since IS NOT NULL`;
type DownHost = Pick<typeof hosts.$inferSelect, "domain" | "down_since" | "next_attempt_at" | "problem">;

/** The next attempt at each inbox, and why its first delivery waits. */
const ATTEMPTS = `
  SELECT j.key AS inbox, jobs.run_at,
    (SELECT d.problem FROM deliveries d WHERE d.inbox = j.key ORDER BY d.id LIMIT 1) AS problem
  FROM json_each($keys) j LEFT JOIN jobs ON jobs.key = j.value`;
interface Attempt {
  inbox: string;
  run_at: number | null;
  problem: string | null;
}

/** The servers of inboxes for which something waits, in alphabetical order. */
function waitingServers(db: Reads, all: readonly Waiting[]): WaitingServer[] {
  const byHost = Map.groupBy(all, ({ host }) => host);
  const domains = JSON.stringify([...byHost.keys()]);
  const down = new Map(db.all<DownHost>(DOWN, { domains }).map((row) => [row.domain, row]));
  const open = all.filter(({ host }) => !down.has(host));
  const keys = JSON.stringify(Object.fromEntries(open.map(({ inbox, host }) => [inbox, jobKeys(host).from + inbox])));
  const attempts = new Map(db.all<Attempt>(ATTEMPTS, { keys }).map((attempt) => [attempt.inbox, attempt]));
  const servers = [...byHost].map(([host, items]): WaitingServer => {
    const deliveries = items.reduce((sum, { count }) => sum + count, 0);
    const row = down.get(host);
    if (row) {
      const { down_since: since, problem: lastResponse, next_attempt_at: nextAttemptAt } = row;
      return { host, deliveries, since: since!, lastResponse, nextAttemptAt };
    }
    const since = Math.min(...items.map((item) => item.since));
    const known = items.map(({ inbox }) => attempts.get(inbox));
    const lastResponse = known.find((attempt) => attempt?.problem)?.problem ?? null;
    const nextAttemptAt = Math.min(...known.map((attempt) => attempt?.run_at ?? Infinity));
    return { host, deliveries, since, lastResponse, nextAttemptAt: nextAttemptAt === Infinity ? null : nextAttemptAt };
  });
  return servers.toSorted((one, other) => (one.host < other.host ? -1 : 1));
}
