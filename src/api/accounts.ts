import {
  accountsAmong,
  favouritedBy,
  findAccount,
  lookupAccount,
  rebloggedBy,
  searchAccounts,
} from "../core/accounts.ts";
import { follow, followersOf, followingOf, removeFollower, unfollow } from "../core/follows.ts";
import { pinnedOf, statusesOf } from "../core/timelines.ts";
import { visibleStatus } from "../core/visibility.ts";
import { showAccount, showAccounts } from "../entities/accounts.ts";
import { showRelationship, showRelationships } from "../entities/relationships.ts";
import { statusTexts } from "../entities/statuses.ts";
import { notFound } from "../errors.ts";
import { parseId, parseIds } from "../lib/ids.ts";
import { bool, ids, int, list, object, optional, text } from "../lib/input.ts";
import { paged, pagedTexts, pageOf, paging } from "./paging.ts";
import type { Router } from "./router.ts";

const Lookup = object({ acct: text({ max: 400 }) });

const Search = object({
  q: text({ max: 1000, default: "" }),
  limit: int({ min: 1, max: 80, clamp: true, default: 40 }),
  offset: int({ min: 0, max: 10_000, clamp: true, default: 0 }),
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
  languages: optional(list(text({ max: 12 }), { max: 50 })),
});

const AccountPage = object(paging(40, 80));

/** Mastodon's documentation: methods/accounts, as far as it is not about oneself. */
export function accountRoutes(routes: Router): void {
  routes
    .get("/api/v1/accounts/lookup", { open: true, scope: "read:accounts", input: Lookup }, ({ ctx, input }) => {
      const account = lookupAccount(ctx, input.acct);
      if (!account) throw notFound();
      return showAccount(ctx, account.id);
    })
    .get("/api/v1/accounts/search", { scope: "read:accounts", input: Search }, ({ ctx, viewerId, input }) =>
      showAccounts(ctx, searchAccounts(ctx, viewerId, input)),
    )
    .get(
      "/api/v1/accounts/relationships",
      { scope: "read:follows", input: object({ id: ids(1000), with_suspended: bool({ default: false }) }) },
      ({ ctx, viewerId, input }) => showRelationships(ctx, viewerId, parseIds(input.id), input.with_suspended),
    )
    .get("/api/v1/accounts", { open: true, scope: "read:accounts", input: object({ id: ids(40) }) }, ({ ctx, input }) =>
      showAccounts(ctx, accountsAmong(ctx, parseIds(input.id))),
    )
    .get("/api/v1/accounts/:id", { open: true, scope: "read:accounts" }, ({ ctx, params }) =>
      showAccount(ctx, findAccount(ctx, parseId(params.id)).id),
    )
    .get("/api/v1/accounts/:id/statuses", { open: true, scope: "read:statuses", input: Statuses }, (call) => {
      const { ctx, viewerId, input, params } = call;
      const account = findAccount(ctx, parseId(params.id));
      const page = pageOf(input);
      const filter = { ...input, tagged: input.tagged ?? null };
      const places = input.pinned
        ? pinnedOf(ctx, viewerId, account.id, page)
        : statusesOf(ctx, viewerId, account.id, filter, page);
      return pagedTexts(call, page, places, statusTexts(ctx, viewerId, idsOf(places)));
    });
  followRoutes(routes);
  statusAccountRoutes(routes);
}

function followRoutes(routes: Router): void {
  for (const [name, listOf] of [
    ["followers", followersOf],
    ["following", followingOf],
  ] as const) {
    routes.get(`/api/v1/accounts/:id/${name}`, { open: true, scope: "read:accounts", input: AccountPage }, (call) => {
      const { ctx, viewerId, params } = call;
      const page = pageOf(call.input);
      const places = listOf(ctx, viewerId, findAccount(ctx, parseId(params.id)), page);
      return paged(call, page, places, showAccounts(ctx, idsOf(places)));
    });
  }
  routes
    .post(
      "/api/v1/accounts/:id/follow",
      { scope: "write:follows", input: Follow },
      ({ ctx, viewerId, input, params }) => {
        const target = findAccount(ctx, parseId(params.id));
        follow(ctx, viewerId, target.id, input);
        return showRelationship(ctx, viewerId, target.id);
      },
    )
    .post("/api/v1/accounts/:id/unfollow", { scope: "write:follows" }, ({ ctx, viewerId, params }) => {
      const target = findAccount(ctx, parseId(params.id));
      unfollow(ctx, viewerId, target.id);
      return showRelationship(ctx, viewerId, target.id);
    })
    .post("/api/v1/accounts/:id/remove_from_followers", { scope: "write:follows" }, ({ ctx, viewerId, params }) => {
      const follower = findAccount(ctx, parseId(params.id));
      removeFollower(ctx, viewerId, follower.id);
      return showRelationship(ctx, viewerId, follower.id);
    });
}

/** Who favourited and reblogged a status. */
function statusAccountRoutes(routes: Router): void {
  const options = { open: true, scope: "read:statuses", input: AccountPage } as const;
  routes
    .get("/api/v1/statuses/:id/favourited_by", options, (call) => {
      const status = visibleStatus(call.ctx, call.viewerId, parseId(call.params.id));
      const page = pageOf(call.input);
      const places = favouritedBy(call.ctx, call.viewerId, status.id, page);
      return paged(call, page, places, showAccounts(call.ctx, idsOf(places)));
    })
    .get("/api/v1/statuses/:id/reblogged_by", options, (call) => {
      const status = visibleStatus(call.ctx, call.viewerId, parseId(call.params.id));
      const page = pageOf(call.input);
      const places = rebloggedBy(call.ctx, call.viewerId, status.id, page);
      return paged(call, page, places, showAccounts(call.ctx, idsOf(places)));
    });
}

function idsOf(places: readonly { id: number }[]): number[] {
  return places.map((place) => place.id);
}
