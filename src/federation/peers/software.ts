import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { FetchError } from "../fetching/fetch.ts";
import { fetchAtDomain, fetchSmall } from "../fetching/well-known.ts";
import { isJson, type Json, objectsOf, parseDocument, stringOf } from "../read/json.ts";

const JSON_TYPES = ["application/json", "application/activity+json"];
/** Characters of the name, and of the version. */
const MAX_LENGTH = 50;
const WEEK = 7 * 24 * 3600_000;
/** Hosts that are asked in an hour: a server that knows thousands asks them all within days. */
const AT_ONCE = 100;

const STORE = `
  INSERT INTO hosts (domain, software, software_checked_at, last_used_at) VALUES ($host, $software, $now, $now)
  ON CONFLICT (domain) DO UPDATE SET software = coalesce(excluded.software, software),
    software_checked_at = excluded.software_checked_at`;

/**
 * Asks a host for its software, such as `mastodon 4.5.0`, by NodeInfo. Stores the result, or that there is none now: the
 * name that was known before stays.
 */
export async function refreshSoftware(ctx: Context, host: string): Promise<void> {
  const software = await fetchSoftware(ctx, host);
  ctx.db.transaction((tx) => tx.run(STORE, { host, software, now: ctx.clock.now() }));
}

async function fetchSoftware(ctx: Context, host: string): Promise<string | null> {
  try {
    const index = parsed(await fetchAtDomain(ctx, host, "/.well-known/nodeinfo", JSON_TYPES));
    const url = newestIn(index);
    if (url === null) return null;
    return softwareIn(parsed(await fetchSmall(ctx, url, JSON_TYPES)));
  } catch (error) {
    if (error instanceof FetchError) return null;
    throw error;
  }
}

function parsed({ body }: { body: Uint8Array }): Json {
  return parseDocument(new TextDecoder().decode(body)) ?? {};
}

/** The address of the newest version 1 or 2 that the host links to. */
function newestIn({ links }: Json): string | null {
  const known = objectsOf(links).filter(({ rel }) => /\/ns\/schema\/[12]\.\d$/.test(String(rel)));
  const newest = known.toSorted((one, other) => String(other.rel).localeCompare(String(one.rel)))[0];
  return typeof newest?.href === "string" ? newest.href : null;
}

function softwareIn({ software }: Json): string | null {
  if (!isJson(software)) return null;
  const name = stringOf(software.name, MAX_LENGTH).trim();
  return name === "" ? null : `${name} ${stringOf(software.version, MAX_LENGTH).trim()}`.trim();
}

const OUTDATED = `
  SELECT domain FROM hosts WHERE down_since IS NULL AND software_checked_at <= +$before
  ORDER BY software_checked_at LIMIT ${AT_ONCE}`;

/** The hosts that were not asked for a week, without those that are down. */
export function outdatedSoftware(ctx: Context, tx: Tx): string[] {
  return tx.all<{ domain: string }>(OUTDATED, { before: ctx.clock.now() - WEEK }).map(({ domain }) => domain);
}
