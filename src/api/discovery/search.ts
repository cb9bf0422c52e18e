import { searchAccounts } from "../../core/accounts.ts";
import type { OffsetPage } from "../../core/discovery/trends.ts";
import { resolveAddress, searchStatuses, searchTags } from "../../core/discovery/search.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { showStatuses } from "../../entities/statuses/statuses.ts";
import { showTags } from "../../entities/tags.ts";
import { Refusal } from "../../errors.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import { parseId } from "../../lib/ids.ts";
import { bool, id, object, oneOf, optional, text } from "../../lib/http/input.ts";
import { offsetPaging } from "../paging.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

const Search = object({
  q: text({ max: 2000, default: "" }),
  type: optional(oneOf(["accounts", "hashtags", "statuses"])),
  resolve: optional(bool()),
  following: bool({ default: false }),
  account_id: optional(id()),
  exclude_unreviewed: bool({ default: false }),
  max_id: optional(id()),
  min_id: optional(id()),
  ...offsetPaging(20, 40),
});

/** Mastodon's documentation: methods/search. The limit applies to each type separately. */
export function searchRoutes(routes: Router): void {
  const options = { open: true, scope: "read:search", input: Search } as const;
  routes.get("/api/v2/search", { ...options, summary: "Search for accounts, hashtags and statuses" }, async (call) => {
    const { ctx, viewerId, input } = call;
    if (viewerId === 0 && (input.resolve || input.offset > 0)) {
      throw new Refusal(
        "unauthorized",
        "Search queries that resolve remote resources or use an offset are not supported without authentication",
      );
    }
    const wants = (type: string) => input.type === undefined || input.type === type;
    const q = input.q.trim();
    if (input.resolve && /^https?:\/\//i.test(q)) {
      const { accountIds, statusIds } = await resolveAddress(ctx, viewerId, q);
      return {
        accounts: wants("accounts") ? showAccounts(ctx, accountIds) : [],
        statuses: wants("statuses") ? showStatuses(ctx, viewerId, statusIds) : [],
        hashtags: [],
      };
    }
    // `offset` applies only to a search for one type; a search for several returns the first results of each.
    const page = { limit: input.limit, offset: input.type === undefined ? 0 : input.offset };
    return {
      accounts: wants("accounts") ? await accounts(call, q, page) : [],
      statuses: wants("statuses") ? statuses(call, q, page) : [],
      hashtags: wants("hashtags") ? hashtags(call, q, page) : [],
    };
  });
}

type SearchCall = Call<{ input: typeof Search; open: true }>;

async function accounts({ ctx, viewerId, input }: SearchCall, q: string, page: OffsetPage) {
  const { following, resolve = false } = input;
  return showAccounts(ctx, await searchAccounts(ctx, viewerId, { q, following, resolve, ...page }));
}

function statuses({ ctx, viewerId, input }: SearchCall, q: string, { limit, offset }: OffsetPage) {
  const page = { limit, max_id: parseId(input.max_id), min_id: parseId(input.min_id), since_id: null };
  const accountId = input.account_id === undefined ? null : (parseId(input.account_id) ?? 0);
  return showStatuses(ctx, viewerId, searchStatuses(ctx, viewerId, { q, accountId, page, offset }));
}

function hashtags({ ctx, viewerId, input }: SearchCall, q: string, page: OffsetPage) {
  if (/[\s@:]/.test(q)) return [];
  const name = normaliseHashtag(q.replace(/^[#＃]/, ""));
  return showTags(ctx, viewerId, searchTags(ctx, viewerId, { name, reviewed: input.exclude_unreviewed, ...page }));
}
