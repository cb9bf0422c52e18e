import { lookupAccount, type AccountRow } from "../../core/accounts.ts";
import { isDeleted } from "../../core/tombstones.ts";
import { notFound } from "../../errors.ts";
import type { PageRequest } from "../page/page-request.tsx";

/** The pages show what anonymous visitors may see, also to signed-in users. */
export const ANONYMOUS = 0;

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
