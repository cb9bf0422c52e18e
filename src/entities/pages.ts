import type { Context } from "../context.ts";
import { findPage, type PageName } from "../core/server/pages.ts";
import { isEffective, successorOf, type Terms } from "../core/server/terms.ts";
import { markdownToHtml } from "../lib/text/markdown.ts";
import { timestamp } from "./json.ts";

/** Mastodon's ExtendedDescription and PrivacyPolicy (entities/ExtendedDescription, entities/PrivacyPolicy). */
export function showPage(ctx: Context, name: PageName) {
  const { text, updated_at } = findPage(ctx.db, name);
  return { updated_at: timestamp(updated_at), content: htmlOf(ctx, text) };
}

/** Mastodon's TermsOfService (entities/TermsOfService). */
export function showTerms(ctx: Context, { effective_date, text }: Terms) {
  return {
    effective_date,
    effective: isEffective(ctx, effective_date),
    content: htmlOf(ctx, text),
    succeeded_by: successorOf(ctx.db, effective_date),
  };
}

/** Renders a text's Markdown. As in Mastodon, `%{domain}` in it becomes the server's domain. */
function htmlOf(ctx: Context, markdown: string): string {
  return markdownToHtml(markdown.replaceAll("%{domain}", ctx.config.handleDomain));
}
