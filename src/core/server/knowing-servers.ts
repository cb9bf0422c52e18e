import type { Config } from "../../config.ts";
import type { Reads } from "../../db/open.ts";

/*
 * Which servers know this one: they have its address in their databases, where nothing can change it. What they read is not
 * recorded, so every server with which anything was exchanged counts.
 */

/** The host of an address in SQL: what is between the second and the third slash. */
const hostIn = (url: string) =>
  `substr(${url}, instr(${url}, '://') + 3, instr(substr(${url}, instr(${url}, '://') + 3) || '/', '/') - 1)`;

/** With proof: these have sent something, accepted something, or follow or are followed. */
const PROVEN = `
  SELECT domain FROM hosts WHERE last_received_at IS NOT NULL
  UNION SELECT a.domain FROM accounts a
    WHERE a.domain IS NOT NULL AND (
      EXISTS (SELECT 1 FROM follows WHERE account_id = a.id)
      OR EXISTS (SELECT 1 FROM follows WHERE target_account_id = a.id)
      OR EXISTS (SELECT 1 FROM follow_requests WHERE account_id = a.id)
      OR EXISTS (SELECT 1 FROM sent_follows WHERE target_account_id = a.id AND delivered_at IS NOT NULL))
  UNION SELECT last_host FROM status_deliveries WHERE servers > refused AND last_host IS NOT NULL
  UNION SELECT ${hostIn("inbox")} FROM relays WHERE state = 'accepted'`;

/** Also those that may have asked for something, or got it. */
const POSSIBLE = `
  ${PROVEN}
  UNION SELECT domain FROM hosts
  UNION SELECT domain FROM accounts WHERE domain IS NOT NULL
  UNION SELECT host FROM refused_deliveries
  UNION SELECT ${hostIn("inbox")} FROM deliveries
  UNION SELECT ${hostIn("inbox")} FROM relays`;

/**
 * The hosts that may know this server at its present address, in alphabetical order. At `localhost` nobody can fetch
 * anything from it, so what it has asked others for doesn't count there.
 */
export function knowingServers(db: Reads, origin: string, { allowPrivateAddresses }: Config): string[] {
  const hosts = isOnlyHere(origin) && !allowPrivateAddresses ? proven(db) : possible(db);
  return hosts.map(({ domain }) => domain);
}

interface HostRow {
  domain: string;
}

function proven(db: Reads): HostRow[] {
  return db.all<HostRow>(`SELECT domain FROM (${PROVEN}) ORDER BY domain`);
}

function possible(db: Reads): HostRow[] {
  return db.all<HostRow>(`SELECT domain FROM (${POSSIBLE}) ORDER BY domain`);
}

/** Whether only programs on the same machine reach an address. */
function isOnlyHere(origin: string): boolean {
  return /^(?:.+\.)?localhost$|^127\.|^\[::1\]$/.test(new URL(origin).hostname);
}
