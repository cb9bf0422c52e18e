import type { Context } from "../../context.ts";
import { fetchLater } from "../../core/fetches.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { localFollowersOf } from "../local-followers.ts";
import type { Sender } from "../activities/handler.ts";
import { isSameOrigin } from "../documents.ts";
import { digestOf, readDigest, SYNC_HEADER } from "../followers-digest.ts";
import { isSigned } from "./verify.ts";

/** How long an account's followers here count as compared, in ms. */
const PAUSE = 3600_000;

const FOLLOWERS_URL = "SELECT followers_url FROM remote_accounts WHERE account_id = +$accountId";

/**
 * Has the local followers of a sender compared with the list of its server, if a delivery says that they differ. Only the
 * sender's own followers count, and only its own server lists them.
 */
export function compareFollowers(ctx: Context, request: Request, { id: accountId, uri }: Sender): void {
  const header = request.headers.get(SYNC_HEADER);
  const said = header === null ? null : readDigest(header);
  if (!said || !isSameOrigin(said.url, uri) || !isSigned(ctx, request, SYNC_HEADER)) return;
  const sender = ctx.db.get<{ followers_url: string | null }>(FOLLOWERS_URL, { accountId });
  if (sender?.followers_url !== said.collectionId) return;
  const { url, digest } = said;
  if (digestOf(localFollowersOf(ctx.db, accountId).map((follower) => follower.uri)) === digest) return;
  const wish = { payload: { accountId, url, digest }, host: siteOf(url) };
  fetchLater(ctx, "followers.compare", accountId, PAUSE, () => wish);
}
