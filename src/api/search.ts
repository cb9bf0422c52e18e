import { searchAccounts } from "../core/accounts.ts";
import { searchStatuses, searchTags } from "../core/search.ts";
import { showAccounts } from "../entities/accounts.ts";
import { showStatuses } from "../entities/statuses.ts";
import { showTags } from "../entities/tags.ts";
import { Refusal } from "../errors.ts";
import { normaliseHashtag } from "../lib/hashtags.ts";
import { parseId } from "../lib/ids.ts";
import { bool, id, int, object, oneOf, optional, text } from "../lib/input.ts";
import type { Call, Router } from "./router.ts";

const Search = object({
  q: text({ max: 2000, default: "" }),
  type: optional(oneOf(["accounts", "hashtags", "statuses"])),
  resolve: optional(bool()),
  following: bool({ default: false }),
  account_id: optional(id()),
  exclude_unreviewed: optional(bool()),
  max_id: optional(id()),
  min_id: optional(id()),
  limit: int({ min: 1, max: 40, clamp: true, default: 20 }),
  offset: int({ min: 0, max: 10_000, clamp: true, default: 0 }),
});

/** Mastodon's documentation: methods/search. The limit holds for each kind. */
export function searchRoutes(routes: Router): void {
  const options = { open: true, scope: "read:search", input: Search } as const;
  routes.get("/api/v2/search", options, (call) => {
    const { ctx, viewerId, input } = call;
    if (viewerId === 0 && (input.resolve || input.offset > 0)) {
      throw new Refusal(
        "unauthorized",
        "Search queries that resolve remote resources or use an offset are not supported without authentication",
      );
    }
    const wants = (type: string) => input.type === undefined || input.type === type;
    const q = input.q.trim();
    return {
      accounts: wants("accounts") && q !== "" ? showAccounts(ctx, searchAccounts(ctx, viewerId, { ...input, q })) : [],
      statuses: wants("statuses") ? statuses(call, q) : [],
      hashtags: wants("hashtags") ? hashtags(call, q) : [],
    };
  });
}

function statuses({ ctx, viewerId, input }: Call<{ input: typeof Search; open: true }>, q: string) {
  const page = { limit: input.limit, max_id: parseId(input.max_id), min_id: parseId(input.min_id), since_id: null };
  const accountId = input.account_id === undefined ? null : (parseId(input.account_id) ?? 0);
  return showStatuses(ctx, viewerId, searchStatuses(ctx, viewerId, { q, accountId, page, offset: input.offset }));
}

function hashtags({ ctx, viewerId, input }: Call<{ input: typeof Search; open: true }>, q: string) {
  if (/[\s@:]/.test(q)) return [];
  return showTags(ctx, viewerId, searchTags(ctx, normaliseHashtag(q.replace(/^[#＃]/, "")), input.limit, input.offset));
}
