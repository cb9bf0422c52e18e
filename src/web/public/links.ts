import type { AccountJson } from "../../entities/accounts.ts";
import type { StatusJson } from "../../entities/statuses/statuses.ts";
import { escapeHtml } from "../../lib/text/html.ts";
import type { PageRequest } from "../page/page-request.tsx";

/** Where a visitor reads an account: signed-in users read those of other servers here. */
export function accountPath(page: PageRequest, { acct, url }: Pick<AccountJson, "acct" | "url">): string {
  return page.session ? `/@${encodeURI(acct)}` : page.local(url);
}

type Named = Pick<StatusJson, "id" | "url" | "uri" | "account">;

/** Where a visitor reads a post. */
export function postPath(page: PageRequest, { id, url, uri, account }: Named): string {
  return page.session ? `/@${encodeURI(account.acct)}/${id}` : page.local(url ?? uri);
}

/** The content of a post, with its mentions leading to where the visitor reads these accounts. */
export function linkedContent(
  page: PageRequest,
  { content, mentions }: Pick<StatusJson, "content" | "mentions">,
): string {
  if (!page.session) return content;
  return mentions.reduce(
    (html, mention) =>
      html.replaceAll(`href="${escapeHtml(mention.url)}"`, () => `href="${escapeHtml(accountPath(page, mention))}"`),
    content,
  );
}
