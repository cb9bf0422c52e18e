import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { domainBlocks } from "../../db/schema/index.ts";
import { Refusal, refuseWhere, tooLong } from "../../errors.ts";
import { domainOf } from "../people/blocks.ts";
import { sever } from "../people/severances.ts";
import { tellLater } from "./tidings.ts";

/*
 * What the owner has decided about whole domains, for everybody here; what a person blocks for themselves is in
 * blocks.ts. A block holds for the domains below it, too; where several do, the longest decides.
 */

const MAX_COMMENT = 1000;

export const SEVERITIES = domainBlocks.severity.enumValues;

export type DomainBlockRow = typeof domainBlocks.$inferSelect;

export interface DomainBlock {
  severity: DomainBlockRow["severity"];
  rejectMedia: boolean;
  rejectReports: boolean;
  /** Whether the list that others read shows the domain with stars in it. */
  obfuscate: boolean;
  /** For those who may read the list. */
  publicComment: string;
  /** For those who look after the server. */
  privateComment: string;
}

/**
 * Sets a time for the accounts of the domain `?1` and of those below it, by the block that decides about each. Who is
 * limited or suspended by a block is so since the time of the block; that tells them from others.
 */
function settle(column: "silenced_at" | "suspended_at", value: string, condition: string): string {
  const isBelow = (domain: string) =>
    `(accounts.domain = ${domain} OR substr(accounts.domain, -length(${domain}) - 1) = '.' || ${domain})`;
  return `
    UPDATE accounts SET ${column} = ${value} FROM domain_blocks b
    WHERE accounts.domain IS NOT NULL AND ${isBelow("?1")} AND ${condition} AND b.id = (
      SELECT d.id FROM domain_blocks d WHERE ${isBelow("d.domain")} ORDER BY length(d.domain) DESC LIMIT 1)
    RETURNING accounts.id`;
}

const UNLIMIT = settle("silenced_at", "NULL", "accounts.silenced_at = b.created_at");
const UNSUSPEND = settle("suspended_at", "NULL", "accounts.suspended_at = b.created_at");
const LIMIT = settle("silenced_at", "b.created_at", "b.severity = 'silence' AND accounts.silenced_at IS NULL");
const SUSPEND = settle("suspended_at", "b.created_at", "b.severity = 'suspend' AND accounts.suspended_at IS NULL");

/**
 * Blocks a domain, or changes what is named of its block. Who is suspended by it loses all follows with people here,
 * who are told; what a block did and doesn't do any more is undone, save for those.
 */
export function setDomainBlock(ctx: Context, given: string, changes: Partial<DomainBlock>): void {
  const domain = domainOf(given);
  if (domain === ctx.config.handleDomain) throw new Refusal("invalid", `${domain} is this server itself.`);
  refuseWhere([
    tooLong("Public comment", changes.publicComment, MAX_COMMENT),
    tooLong("Private comment", changes.privateComment, MAX_COMMENT),
  ]);
  ctx.db.transaction((tx) => change(ctx, tx, domain, () => save(ctx, tx, domain, changes)));
}

/** Ends a block with what it did, save for the follows that were lost. Accounts that are blocked by themselves stay so. */
export function removeDomainBlock(ctx: Context, given: string): void {
  const domain = domainOf(given);
  ctx.db.transaction((tx) =>
    change(ctx, tx, domain, () => {
      const { changes } = tx.run("DELETE FROM domain_blocks WHERE domain = ?", domain);
      if (changes === 0) throw new Refusal("not_found", `${domain} isn't blocked.`);
    }),
  );
}

/** Takes back what blocks did to the accounts of a domain, and does what they say once they are changed. */
function change(ctx: Context, tx: Tx, domain: string, work: () => void): void {
  for (const sql of [UNLIMIT, UNSUSPEND]) tx.run(sql, domain);
  work();
  tx.run(LIMIT, domain);
  const suspended = tx.all<{ id: number }>(SUSPEND, domain).map(({ id }) => id);
  const events = sever(ctx, tx, suspended, { type: "domain_block", targetName: domain });
  tellLater(ctx, tx, "severed_relationships", events);
}

/** Only what is named changes; a new block suspends, unless it is said to do less. */
function save(ctx: Context, tx: Tx, domain: string, changes: Partial<DomainBlock>): void {
  const asNumber = (value: boolean | undefined) => (value === undefined ? null : value ? 1 : 0);
  tx.run(
    `INSERT INTO domain_blocks
       (domain, severity, reject_media, reject_reports, obfuscate, public_comment, private_comment, created_at)
     VALUES (?1, coalesce(?2, 'suspend'), coalesce(?3, 0), coalesce(?4, 0), coalesce(?5, 0), coalesce(?6, ''), coalesce(?7, ''), ?8)
     ON CONFLICT (domain) DO UPDATE SET
       severity = coalesce(?2, severity), reject_media = coalesce(?3, reject_media),
       reject_reports = coalesce(?4, reject_reports), obfuscate = coalesce(?5, obfuscate),
       public_comment = coalesce(?6, public_comment), private_comment = coalesce(?7, private_comment)`,
    domain,
    changes.severity ?? null,
    asNumber(changes.rejectMedia),
    asNumber(changes.rejectReports),
    asNumber(changes.obfuscate),
    changes.publicComment ?? null,
    changes.privateComment ?? null,
    ctx.clock.now(),
  );
}

/** In alphabetical order. */
export function listDomainBlocks(db: Reads): DomainBlockRow[] {
  return db.all<DomainBlockRow>("SELECT * FROM domain_blocks ORDER BY domain");
}

/** Those that others are told of: the milder ones first, each sort in alphabetical order, as with Mastodon. */
export function toldDomainBlocks(db: Reads): DomainBlockRow[] {
  return db.all<DomainBlockRow>(
    "SELECT * FROM domain_blocks WHERE severity <> 'noop' ORDER BY severity = 'suspend', domain",
  );
}

/** Adds a domain to those with which one speaks in limited federation. */
export function allowDomain(ctx: Context, given: string): void {
  const domain = domainOf(given);
  ctx.db.transaction((tx) => {
    const { changes } = tx.run(
      "INSERT INTO domain_allows (domain, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
      domain,
      ctx.clock.now(),
    );
    if (changes === 0) throw new Refusal("conflict", `${domain} is allowed already.`);
  });
}

export function disallowDomain(ctx: Context, given: string): void {
  const domain = domainOf(given);
  ctx.db.transaction((tx) => {
    const { changes } = tx.run("DELETE FROM domain_allows WHERE domain = ?", domain);
    if (changes === 0) throw new Refusal("not_found", `${domain} isn't allowed.`);
  });
}

export function listAllowedDomains(db: Reads): string[] {
  return db.all<{ domain: string }>("SELECT domain FROM domain_allows ORDER BY domain").map(({ domain }) => domain);
}
