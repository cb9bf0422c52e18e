import type { Context } from "../../../context.ts";
import {
  allowDomain,
  disallowDomain,
  listAllowedDomains,
  listDomainBlocks,
  removeDomainBlock,
  setDomainBlock,
  SEVERITIES,
  type DomainBlockRow,
} from "../../../core/moderation/domain-blocks.ts";
import { ArgumentError } from "../../argument-error.ts";
import { command, flag, option, argument, type Command } from "../../command.ts";
import { list } from "../../list.ts";
import { withData } from "../../data-folder.ts";
import { domain as parseDomain, oneOf } from "../../parsers.ts";

const DOMAIN = argument("", parseDomain);

export const commands = {
  "domain block": command({
    summary: "Blocks a domain and its subdomains for all users, or changes its block",
    details: `Suspending a domain ends all follows between its accounts and local users, who are notified. Linnet notifies the other
server once; after that, it sends nothing and refuses the server's requests. A running Linnet removes its accounts, posts and media,
otherwise at its next start. Accounts that a user blocks or mutes, and those that were reported or moderated, stay as empty
rows. None of this comes back with "linnet domain unblock", but everything can be fetched and followed again.`,
    args: { domain: DOMAIN },
    options: {
      severity: option(
        "SEVERITY",
        "suspend (default) or silence the accounts of the domain, or noop",
        oneOf(SEVERITIES),
      ),
      comment: option("TEXT", "a public reason (see LINNET_SHOW_DOMAIN_BLOCKS_RATIONALE)"),
      note: option("TEXT", "a private note"),
      obfuscate: flag("masks the domain with asterisks in the public list"),
      "reject-media": flag("neither fetches nor shows media of the domain, and removes the cached ones"),
      "accept-media": flag("shows them again"),
      "reject-reports": flag("ignores reports that the domain sends"),
      "accept-reports": flag("passes them to the moderators again"),
    },
    run: async ({ domain }, { severity, comment, note, obfuscate, ...rejected }) => {
      const changes = {
        severity,
        publicComment: comment,
        privateComment: note,
        obfuscate: obfuscate || undefined,
        rejectMedia: rejection("media", rejected["reject-media"], rejected["accept-media"]),
        rejectReports: rejection("reports", rejected["reject-reports"], rejected["accept-reports"]),
      };
      await withData((ctx) => setDomainBlock(ctx, domain, changes));
      console.log(`Blocked ${domain}.`);
    },
  }),
  "domain unblock": domainCommand(
    "Removes the block of a domain; what a suspension removed doesn't come back, but can be fetched and followed again",
    removeDomainBlock,
    (domain) => `Unblocked ${domain}.`,
  ),
  "domain allow": domainCommand(
    "Adds a domain to the allowlist of a limited-federation server",
    allowDomain,
    (domain) => `Added ${domain} to the allowlist.`,
  ),
  "domain disallow": domainCommand(
    "Removes a domain from the allowlist",
    disallowDomain,
    (domain) => `Removed ${domain} from the allowlist.`,
  ),
  "domain list": list({
    summary: "Lists blocked and allowed domains",
    find: () => withData(({ db }) => [...listDomainBlocks(db).map(blocked), ...listAllowedDomains(db).map(allowed)]),
    empty: () => "No domains are blocked or allowed.",
    columns: {
      DOMAIN: ({ domain }) => domain,
      ACTION: ({ action }) => action,
      REJECTS: ({ rejects }) => rejects.join(", ") || "-",
      OBFUSCATED: ({ obfuscate }) => (obfuscate ? "yes" : "no"),
      COMMENT: ({ public_comment }) => public_comment || "-",
      NOTE: ({ private_comment }) => private_comment || "-",
    },
    json: (decision) => decision,
  }),
};

function domainCommand(
  summary: string,
  verb: (ctx: Context, domain: string) => void,
  outcome: (domain: string) => string,
): Command {
  return command({
    summary,
    args: { domain: DOMAIN },
    run: async ({ domain }) => {
      await withData((ctx) => verb(ctx, domain));
      console.log(outcome(domain));
    },
  });
}

/** Undefined if neither option is given. */
function rejection(what: "media" | "reports", reject: boolean, accept: boolean): boolean | undefined {
  if (reject && accept) throw new ArgumentError(`Use either --reject-${what} or --accept-${what}, not both.`);
  return reject || accept ? reject : undefined;
}

/** This server's rule for a domain. */
interface Decision {
  domain: string;
  action: DomainBlockRow["severity"] | "allow";
  rejects: ("media" | "reports")[];
  obfuscate: boolean;
  public_comment: string | null;
  private_comment: string | null;
}

function blocked(row: DomainBlockRow): Decision {
  const { domain, severity, public_comment, private_comment } = row;
  const rejects: Decision["rejects"] = [];
  if (row.reject_media) rejects.push("media");
  if (row.reject_reports) rejects.push("reports");
  return {
    domain,
    action: severity,
    rejects,
    obfuscate: row.obfuscate === 1,
    public_comment,
    private_comment,
  };
}

function allowed(domain: string): Decision {
  return { domain, action: "allow", rejects: [], obfuscate: false, public_comment: null, private_comment: null };
}
