import type { Context } from "../../context.ts";
import { type AccountRow, existingAccounts, findAccount, resolveHandle, searchAccounts } from "../../core/accounts.ts";
import { follow, followersOf, followingOf, removeFollower, unfollow } from "../../core/people/follows.ts";
import { pinnedOf, statusesOf } from "../../core/timelines/timelines.ts";
import { showAccount, showAccounts } from "../../entities/accounts.ts";
import { showRelationships } from "../../entities/relationships.ts";
import { fetchProfileLater, fetchWhenPurged, refreshWhenStale } from "../../core/people/remote-profiles.ts";
import { notFound } from "../../errors.ts";
import { parseId, parseIds } from "../../lib/ids.ts";
import { bool, ids, list, object, optional, text } from "../../lib/http/input.ts";
import { DEVICE_LOCALE, localeOf } from "../../lib/text/languages.ts";
import type { Page } from "../../db/keyset.ts";
import { type Viewer, fetchRefreshHeader } from "../timelines/async-refreshes.ts";
import { accountPage, pageOf, paging, statusPage, offsetPaging } from "../paging.ts";
import { changeRelationship } from "./relations.ts";
import type { Router } from "../router.ts";

const Lookup = object({ acct: text({ max: 400 }) });

const Search = object({
  q: text({ max: 1000, default: "" }),
  ...offsetPaging(40, 80),
  following: bool({ default: false }),
  resolve: bool({ default: false }),
});

const Statuses = object({
  ...paging(20, 40),
  only_media: bool({ default: false }),
  exclude_replies: bool({ default: false }),
  exclude_reblogs: bool({ default: false }),
  pinned: bool({ default: false }),
  tagged: optional(text({ min: 1, max: 200 })),
});

const Follow = object({
  reblogs: optional(bool()),
  notify: optional(bool()),
  languages: optional(list(text({ max: 35, pattern: DEVICE_LOCALE }), { max: 50 })),
});

const AccountPage = object(paging(40, 80));

/** Anonymous requests must not cause requests to other servers. */
function shownProfile(ctx: Context, viewerId: number, { id, domain }: AccountRow) {
  if (viewerId !== 0 && domain !== null) refreshWhenStale(ctx, id);
  return showAccount(ctx, id);
}

/** The first page responds with what is known here, and has the rest fetched. Visitors cause no requests. */
function profileRefreshHeader(call: Viewer, { id, domain }: AccountRow, page: Page): Record<string, string> {
  const isFirst = page.max_id === null && page.since_id === null && page.min_id === null;
  if (domain === null || call.viewerId === 0 || !isFirst) return {};
  fetchProfileLater(call.ctx, id);
  return fetchRefreshHeader(call, "profile.fetch", id);
}

/** Mastodon's documentation: methods/accounts, except for the methods about the user's own account. */
export function accountRoutes(routes: Router): void {
  routes
    .get(
      "/api/v1/accounts/:id",
      { open: true, scope: "read:accounts", summary: "Get an account" },
      ({ ctx, viewerId, params }) => shownProfile(ctx, viewerId, findAccount(ctx, parseId(params.id))),
    )
    .get(
      "/api/v1/accounts",
      { open: true, scope: "read:accounts", input: object({ id: ids(40) }), summary: "Get multiple accounts" },
      ({ ctx, input }) => showAccounts(ctx, existingAccounts(ctx, parseIds(input.id))),
    )
    .get(
      "/api/v1/accounts/lookup",
      { open: true, scope: "read:accounts", input: Lookup, summary: "Look up an account by its handle" },
      async ({ ctx, viewerId, input }) => {
        const account = await resolveHandle(ctx, viewerId, input.acct);
        if (!account) throw notFound();
        return shownProfile(ctx, viewerId, account);
      },
    )
    .get(
      "/api/v1/accounts/search",
      { scope: "read:accounts", input: Search, summary: "Search for accounts" },
      async ({ ctx, viewerId, input }) => showAccounts(ctx, await searchAccounts(ctx, viewerId, input)),
    )
    .get(
      "/api/v1/accounts/relationships",
      {
        scope: "read:follows",
        input: object({ id: ids(1000), with_suspended: bool({ default: false }) }),
        summary: "Get your relationships to accounts",
      },
      ({ ctx, viewerId, input }) => showRelationships(ctx, viewerId, parseIds(input.id), input.with_suspended),
    )
    .get(
      "/api/v1/accounts/:id/statuses",
      { open: true, scope: "read:statuses", input: Statuses, summary: "List an account's statuses" },
      (call) => {
        const { ctx, viewerId, input, params } = call;
        const account = findAccount(ctx, parseId(params.id));
        const page = pageOf(input);
        const filter = { ...input, tagged: input.tagged ?? null };
        const rows = input.pinned
          ? pinnedOf(ctx, viewerId, account.id, page)
          : statusesOf(ctx, viewerId, account.id, filter, page);
        return statusPage(call, page, rows, { headers: profileRefreshHeader(call, account, page) });
      },
    );
  followRoutes(routes);
}

function followRoutes(routes: Router): void {
  for (const [name, listOf, summary] of [
    ["followers", followersOf, "List an account's followers"],
    ["following", followingOf, "List the accounts that an account follows"],
  ] as const) {
    routes.get(
      `/api/v1/accounts/:id/${name}`,
      { open: true, scope: "read:accounts", input: AccountPage, summary },
      (call) => {
        const { ctx, viewerId, params } = call;
        const page = pageOf(call.input);
        const rows = listOf(ctx, viewerId, findAccount(ctx, parseId(params.id)), page);
        return accountPage(call, page, rows);
      },
    );
  }
  routes
    .post(
      "/api/v1/accounts/:id/follow",
      { scope: "write:follows", input: Follow, summary: "Follow an account, or change the options of a follow" },
      async (call) => {
        await fetchWhenPurged(call.ctx, parseId(call.params.id) ?? 0);
        return changeRelationship(call, (ctx, viewerId, id) =>
          follow(ctx, viewerId, id, { ...call.input, languages: call.input.languages?.map(localeOf) }),
        );
      },
    )
    .post("/api/v1/accounts/:id/unfollow", { scope: "write:follows", summary: "Unfollow an account" }, (call) =>
      changeRelationship(call, unfollow),
    )
    .post(
      "/api/v1/accounts/:id/remove_from_followers",
      { scope: "write:follows", summary: "Remove an account from your followers" },
      (call) => changeRelationship(call, removeFollower),
    );
}
