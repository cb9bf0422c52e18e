import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { domainBlocks } from "../../db/schema/index.ts";
import { Refusal, refuseWhere, tooLong } from "../../errors.ts";
import { domainOf } from "../people/blocks.ts";
import { uncacheRejected } from "../remote-media/rejected-media.ts";
import { sever } from "../people/severances.ts";
import { queueNotices } from "./moderation-notices.ts";
import { isOwnHost } from "../addresses.ts";
import { isSuspendedHost } from "../refused-hosts.ts";
import { purgeAfterDeliveries } from "./purge.ts";

/*
 * The owner's blocks of whole domains, for every user; blocks.ts has a user's own domain blocks. A block includes the
 * subdomains; if several blocks match, the longest domain decides.
 */

const MAX_COMMENT = 1000;

export const SEVERITIES = domainBlocks.severity.enumValues;

export type DomainBlockRow = typeof domainBlocks.$inferSelect;

export interface DomainBlock {
  severity: DomainBlockRow["severity"];
  rejectMedia: boolean;
  rejectReports: boolean;
  /** Whether the public list hides part of the domain behind asterisks. */
  obfuscate: boolean;
  /** For everyone who may read the list. */
  publicComment: string;
  /** For moderators. */
  privateComment: string;
}

/**
 * Sets a column of the accounts of domain `$domain` and its subdomains, by the block that decides about each. An account
 * that was limited or suspended by a block has the block's creation time there; this distinguishes it from accounts
 * that were moderated individually.
 */
function updateAccountsSql(column: "silenced_at" | "suspended_at", value: string, condition: string): string {
  const isBelow = (domain: string) =>
    `(accounts.domain = ${domain} OR substr(accounts.domain, -length(${domain}) - 1) = '.' || ${domain})`;
  return `
    UPDATE accounts SET ${column} = ${value} FROM domain_blocks b
    WHERE accounts.domain IS NOT NULL AND ${isBelow("+$domain")} AND ${condition} AND b.id = (
      SELECT d.id FROM domain_blocks d WHERE ${isBelow("d.domain")} ORDER BY length(d.domain) DESC LIMIT 1)
    RETURNING accounts.id`;
}

const UNLIMIT = updateAccountsSql("silenced_at", "NULL", "accounts.silenced_at = b.created_at");
const UNSUSPEND = updateAccountsSql("suspended_at", "NULL", "accounts.suspended_at = b.created_at");
const LIMIT = updateAccountsSql(
  "silenced_at",
  "b.created_at",
  "b.severity = 'silence' AND accounts.silenced_at IS NULL",
);
const SUSPEND = updateAccountsSql(
  "suspended_at",
  "b.created_at",
  "b.severity = 'suspend' AND accounts.suspended_at IS NULL",
);

/**
 * Blocks a domain, or changes the given properties of its block. If the block suspends accounts, all follows between
 * them and local users end, these users are notified, and a job removes the accounts with their posts. Effects that the
 * block no longer has are undone, except for ended follows and removed accounts.
 */
export function setDomainBlock(ctx: Context, given: string, changes: Partial<DomainBlock>): void {
  const domain = domainOf(given);
  if (isOwnHost(ctx, domain)) throw new Refusal("invalid", `${domain} is this server itself.`);
  refuseWhere([
    tooLong("Public comment", changes.publicComment, MAX_COMMENT),
    tooLong("Private comment", changes.privateComment, MAX_COMMENT),
  ]);
  ctx.db.transaction((tx) => {
    reapplyBlocks(ctx, tx, domain, () => storeBlock(ctx, tx, domain, changes));
    uncacheRejected(ctx, tx, domain);
  });
}

/**
 * Removes a block and its effects, except for ended follows and removed accounts. Accounts that were moderated
 * individually stay so.
 */
export function removeDomainBlock(ctx: Context, given: string): void {
  const domain = domainOf(given);
  ctx.db.transaction((tx) =>
    reapplyBlocks(ctx, tx, domain, () => {
      const { changes } = tx.run("DELETE FROM domain_blocks WHERE domain = +$domain", { domain });
      if (changes === 0) throw new Refusal("not_found", `${domain} isn't blocked.`);
    }),
  );
}

/** Undoes the effects of blocks on the accounts of a domain, changes the blocks, and applies the effects again. */
function reapplyBlocks(ctx: Context, tx: Tx, domain: string, work: () => void): void {
  for (const sql of [UNLIMIT, UNSUSPEND]) tx.run(sql, { domain });
  work();
  tx.run(LIMIT, { domain });
  const suspended = tx.all<{ id: number }>(SUSPEND, { domain }).map(({ id }) => id);
  const events = sever(ctx, tx, suspended, { type: "domain_block", targetName: domain });
  queueNotices(ctx, tx, "severed_relationships", events);
  if (isSuspendedHost(tx, domain)) purgeAfterDeliveries(ctx, tx, { host: domain, isSuspension: true });
}

/** Changes only the given properties. The default severity of a new block is `suspend`. */
function storeBlock(ctx: Context, tx: Tx, domain: string, changes: Partial<DomainBlock>): void {
  const asNumber = (value: boolean | undefined) => (value === undefined ? null : value ? 1 : 0);
  tx.run(
    `INSERT INTO domain_blocks
       (domain, severity, reject_media, reject_reports, obfuscate, public_comment, private_comment, created_at)
     VALUES ($domain, coalesce($severity, 'suspend'), coalesce($rejectMedia, 0), coalesce($rejectReports, 0),
       coalesce($obfuscate, 0), coalesce($publicComment, ''), coalesce($privateComment, ''), $now)
     ON CONFLICT (domain) DO UPDATE SET
       severity = coalesce($severity, severity), reject_media = coalesce($rejectMedia, reject_media),
       reject_reports = coalesce($rejectReports, reject_reports), obfuscate = coalesce($obfuscate, obfuscate),
       public_comment = coalesce($publicComment, public_comment),
       private_comment = coalesce($privateComment, private_comment)`,
    {
      domain,
      severity: changes.severity ?? null,
      rejectMedia: asNumber(changes.rejectMedia),
      rejectReports: asNumber(changes.rejectReports),
      obfuscate: asNumber(changes.obfuscate),
      publicComment: changes.publicComment ?? null,
      privateComment: changes.privateComment ?? null,
      now: ctx.clock.now(),
    },
  );
}

/** In alphabetical order. */
export function listDomainBlocks(db: Reads): DomainBlockRow[] {
  return db.all<DomainBlockRow>("SELECT * FROM domain_blocks ORDER BY domain");
}

/** The publicly listed blocks: milder ones first, each severity in alphabetical order, like Mastodon. */
export function publicDomainBlocks(db: Reads): DomainBlockRow[] {
  return db.all<DomainBlockRow>(
    "SELECT * FROM domain_blocks WHERE severity <> 'noop' ORDER BY severity = 'suspend', domain",
  );
}

/** Adds a domain to the allowlist for limited federation. */
export function allowDomain(ctx: Context, given: string): void {
  const domain = domainOf(given);
  ctx.db.transaction((tx) => {
    const { changes } = tx.run(
      "INSERT INTO domain_allows (domain, created_at) VALUES ($domain, $now) ON CONFLICT DO NOTHING",
      { domain, now: ctx.clock.now() },
    );
    if (changes === 0) throw new Refusal("conflict", `${domain} is already allowed.`);
  });
}

export function disallowDomain(ctx: Context, given: string): void {
  const domain = domainOf(given);
  ctx.db.transaction((tx) => {
    const { changes } = tx.run("DELETE FROM domain_allows WHERE domain = +$domain", { domain });
    if (changes === 0) throw new Refusal("not_found", `${domain} isn't allowed.`);
  });
}

export function listAllowedDomains(db: Reads): string[] {
  return db.all<{ domain: string }>("SELECT domain FROM domain_allows ORDER BY domain").map(({ domain }) => domain);
}
