import { createHash } from "node:crypto";
import { publicDomainBlocks, type DomainBlockRow } from "../../core/moderation/domain-blocks.ts";
import { invalidToken } from "../../oauth/guard.ts";
import type { Router } from "../router.ts";

/**
 * Mastodon's documentation: methods/instance#domain_blocks. Two settings decide who sees the list, and who sees the
 * reasons.
 */
export function instanceDomainBlockRoutes(routes: Router): void {
  routes.get(
    "/api/v1/instance/domain_blocks",
    { open: true, summary: "List domains that the server blocks" },
    ({ ctx, viewer }) => {
      const { showDomainBlocks, showDomainBlocksRationale: rationale } = ctx.config;
      if (showDomainBlocks === "disabled") return new Response(null, { status: 404 });
      if (showDomainBlocks === "users" && !viewer) throw invalidToken();
      const withComment = rationale === "all" || (rationale === "users" && viewer !== null);
      return publicDomainBlocks(ctx.db).map((row) => domainBlockJson(row, withComment));
    },
  );
}

/** Mastodon's DomainBlock (entities/DomainBlock). */
function domainBlockJson(row: DomainBlockRow, withComment: boolean) {
  return {
    domain: row.obfuscate ? obfuscated(row.domain) : row.domain,
    digest: createHash("sha256").update(row.domain).digest("hex"),
    severity: row.severity,
    ...(withComment && { comment: row.public_comment }),
  };
}

/** As in Mastodon, the dots and a quarter of the name at either end stay readable. */
function obfuscated(domain: string): string {
  const end = Math.floor(domain.length / 4);
  const star = (character: string, at: number) =>
    character !== "." && at > end && at < domain.length - end ? "*" : character;
  return [...domain].map(star).join("");
}
