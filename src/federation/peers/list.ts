import type { Context } from "../../context.ts";
import { type HostSize, sizeOfHost } from "../../core/moderation/purge.ts";
import type { hosts } from "../../db/schema/index.ts";
import { Refusal } from "../../errors.ts";
import type { Reads } from "../../db/open.ts";
import { hostOf } from "../documents.ts";
import { retryHost } from "../delivery/hosts.ts";

type HostRow = Pick<
  typeof hosts.$inferSelect,
  "domain" | "software" | "last_received_at" | "last_reached_at" | "down_since"
>;

/** A server with which this one exchanges activities, by the host of its addresses. */
export interface Peer extends HostRow {
  /** Deliveries to its inboxes that wait. */
  waiting: number;
}

const HOSTS = "SELECT domain, software, last_received_at, last_reached_at, down_since FROM hosts ORDER BY domain";
const WAITING = "SELECT inbox, count(*) AS count FROM deliveries GROUP BY inbox";

/** All known hosts in alphabetical order, also those to which only a first delivery waits. */
export function listPeers(db: Reads): Peer[] {
  const waiting = new Map<string, number>();
  for (const { inbox, count } of db.all<{ inbox: string; count: number }>(WAITING)) {
    const host = hostOf(inbox)!;
    waiting.set(host, (waiting.get(host) ?? 0) + count);
  }
  const peers = db.all<HostRow>(HOSTS).map((row) => ({ ...row, waiting: waiting.get(row.domain) ?? 0 }));
  const known = new Set(peers.map(({ domain }) => domain));
  const others = [...waiting].filter(([domain]) => !known.has(domain));
  const unknown = { software: null, last_received_at: null, last_reached_at: null, down_since: null };
  const all = [...peers, ...others.map(([domain, count]) => ({ domain, ...unknown, waiting: count }))];
  return all.toSorted((one, other) => (one.domain < other.domain ? -1 : 1));
}

/** The size of a host. @throws Refusal for an unknown one */
export function knownPeer(db: Reads, host: string): HostSize {
  const size = sizeOfHost(db, host);
  if (size.accounts === 0 && !listPeers(db).some(({ domain }) => domain === host)) throw unknownHost(host);
  return size;
}

function unknownHost(host: string): Refusal {
  return new Refusal("not_found", `The host ${host} is unknown. "linnet peer list" lists the known ones.`);
}

/** Makes all deliveries to a host due now. Returns how many wait. @throws Refusal for an unknown host */
export function retryPeer(ctx: Context, host: string): number {
  return ctx.db.transaction((tx) => {
    const peer = listPeers(tx).find(({ domain }) => domain === host);
    if (!peer) throw unknownHost(host);
    if (peer.waiting > 0) retryHost(ctx, tx, host);
    return peer.waiting;
  });
}
