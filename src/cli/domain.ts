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
import { UsageError } from "../errors.ts";
import { parseDomain } from "../lib/domains.ts";
import { readArguments } from "./arguments.ts";
import { withData } from "./open.ts";

/** Blocks a domain, or changes what is given of its block. */
export async function blockDomainCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(
    args,
    {
      severity: { type: "string" },
      comment: { type: "string" },
      note: { type: "string" },
      obfuscate: { type: "boolean" },
    },
    ["DOMAIN"],
  );
  const severity = SEVERITIES.find((known) => known === values.severity);
  if (values.severity !== undefined && !severity) {
    throw new UsageError(`--severity is "${values.severity}", but should be one of ${SEVERITIES.join(", ")}.`);
  }
  const domain = domainNamed(words[0]!);
  await withData((ctx) =>
    setDomainBlock(ctx, domain, {
      severity,
      publicComment: values.comment,
      privateComment: values.note,
      obfuscate: values.obfuscate,
    }),
  );
  console.log(`${domain} is blocked.`);
}

export function unblockDomainCommand(args: string[]): Promise<void> {
  return change(args, removeDomainBlock, "isn't blocked any more");
}

export function allowDomainCommand(args: string[]): Promise<void> {
  return change(args, allowDomain, "is allowed");
}

export function disallowDomainCommand(args: string[]): Promise<void> {
  return change(args, disallowDomain, "isn't allowed any more");
}

/** A line a domain: what is decided about it, and why. */
export async function listDomainsCommand(args: string[]): Promise<void> {
  readArguments(args, {});
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

async function change(args: string[], verb: (ctx: Context, domain: string) => void, said: string): Promise<void> {
  const { words } = readArguments(args, {}, ["DOMAIN"]);
  const domain = domainNamed(words[0]!);
  await withData((ctx) => verb(ctx, domain));
  console.log(`${domain} ${said}.`);
}

function domainNamed(given: string): string {
  const domain = parseDomain(given);
  if (domain === null) throw new UsageError(`DOMAIN is "${given}", but should be one like example.org.`);
  return domain;
}
