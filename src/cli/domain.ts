import type { Context } from "../context.ts";
import {
  allowDomain,
  disallowDomain,
  listAllowedDomains,
  listDomainBlocks,
  removeDomainBlock,
  setDomainBlock,
  SEVERITIES,
  type DomainBlockRow,
} from "../core/domain-blocks.ts";
import { command, flag, option, word, type Command } from "./command.ts";
import { withData } from "./open.ts";
import { domain as parseDomain, oneOf } from "./parsers.ts";

const DOMAIN = word("", parseDomain);

export const commands = {
  "domain block": command({
    summary: "Blocks a domain with its subdomains for all users, or changes its block",
    details:
      "Accounts that a suspended domain takes away lose all follows with users here for good; those users are told how many.",
    words: { domain: DOMAIN },
    options: {
      severity: option("SEVERITY", "suspend (the default) or silence all accounts there, or noop", oneOf(SEVERITIES)),
      comment: option("TEXT", "the reason, for readers of the list (LINNET_SHOW_DOMAIN_BLOCKS_RATIONALE)"),
      note: option("TEXT", "the reason, only for you"),
      obfuscate: flag("the public list shows the domain with asterisks in it"),
    },
    run: async ({ domain }, { severity, comment, note, obfuscate }) => {
      const changes = { severity, publicComment: comment, privateComment: note, obfuscate: obfuscate || undefined };
      await withData((ctx) => setDomainBlock(ctx, domain, changes));
      console.log(`${domain} is blocked.`);
    },
  }),
  "domain unblock": change("Ends a block and its effects on accounts", removeDomainBlock, "isn't blocked any more"),
  "domain allow": change("Adds a domain to the allowlist of a limited-federation server", allowDomain, "is allowed"),
  "domain disallow": change("Removes a domain from the allowlist", disallowDomain, "isn't allowed any more"),
  "domain list": command({
    summary: "Lists blocked and allowed domains",
    run: listAll,
  }),
};

function change(summary: string, verb: (ctx: Context, domain: string) => void, outcome: string): Command {
  return command({
    summary,
    words: { domain: DOMAIN },
    run: async ({ domain }) => {
      await withData((ctx) => verb(ctx, domain));
      console.log(`${domain} ${outcome}.`);
    },
  });
}

async function listAll(): Promise<void> {
  const { blocks, allowed } = await withData(({ db }) => ({
    blocks: listDomainBlocks(db),
    allowed: listAllowedDomains(db),
  }));
  const width = Math.max(0, ...[...blocks.map(({ domain }) => domain), ...allowed].map(({ length }) => length)) + 2;
  for (const block of blocks) console.log(`${block.domain.padEnd(width)}${decisionOf(block)}`);
  for (const domain of allowed) console.log(`${domain.padEnd(width)}allowed`);
}

function decisionOf(block: DomainBlockRow): string {
  const words = [
    block.severity,
    block.reject_media && "reject-media",
    block.reject_reports && "reject-reports",
    block.obfuscate && "obfuscate",
    block.public_comment && JSON.stringify(block.public_comment),
    block.private_comment && `(${JSON.stringify(block.private_comment)})`,
  ];
  return words.filter(Boolean).join("  ");
}
