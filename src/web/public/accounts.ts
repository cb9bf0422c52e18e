import { lookupAccount, resolveHandle, type AccountRow } from "../../core/accounts.ts";
import { isDeleted } from "../../core/tombstones.ts";
import { notFound } from "../../errors.ts";
import type { PageRequest } from "../page/page-request.tsx";

/** Feeds and lists of hashtags show what anonymous visitors may see, also to signed-in users. */
export const ANONYMOUS = 0;

/**
 * The account of a page. Signed-in users read those of other servers, too, whose server is asked if they are unknown here.
 *
 * @throws Refusal as `localAccountOf()`
 */
export async function accountOf(page: PageRequest, name: string): Promise<AccountRow> {
  const found = page.session && (await resolveHandle(page.ctx, page.viewerId, name));
  return found && found.domain !== null ? found : localAccountOf(page, name);
}

/**
 * The local account of a page, by its name. It may be suspended.
 *
 * @throws Refusal `not_found` for unknown, deleted and remote accounts, which have a page on their own server
 */
export function localAccountOf(page: PageRequest, name: string): AccountRow {
  const found = lookupAccount(page.ctx, name);
  if (!found || found.domain !== null) throw notFound();
  if (isDeleted(page.ctx, { username: found.username, statusId: null })) throw notFound();
  return found;
}
