import { findAccount } from "../core/accounts.ts";
import {
  block,
  blockDomain,
  blocksOf,
  domainBlocksOf,
  mute,
  mutesOf,
  unblock,
  unblockDomain,
  unmute,
  type MutePlace,
} from "../core/blocks.ts";
import type { Context } from "../context.ts";
import { showAccounts } from "../entities/accounts.ts";
import { showRelationship } from "../entities/relationships.ts";
import { timestamp } from "../entities/json.ts";
import { parseId } from "../lib/ids.ts";
import { bool, int, object, text } from "../lib/input.ts";
import { paged, pageOf, paging } from "./paging.ts";
import type { Router } from "./router.ts";

/** In seconds: 68 years, which any client can count. */
const LONGEST_MUTE = 2 ** 31 - 1;

const Mute = object({
  notifications: bool({ default: true }),
  duration: int({ min: 0, max: LONGEST_MUTE, clamp: true, default: 0 }),
});

const Domain = object({ domain: text({ max: 1000 }) });

/** Mastodon's documentation: methods/blocks, methods/mutes, methods/domain_blocks, and what methods/accounts says of them. */
export function blockRoutes(routes: Router): void {
  const AccountPage = object(paging(40, 80));
  for (const [name, act] of [
    ["block", block],
    ["unblock", unblock],
  ] as const) {
    routes.post(`/api/v1/accounts/:id/${name}`, { scope: "write:blocks" }, ({ ctx, viewerId, params }) => {
      const target = findAccount(ctx, parseId(params.id));
      act(ctx, viewerId, target.id);
      return showRelationship(ctx, viewerId, target.id);
    });
  }
  routes
    .get("/api/v1/blocks", { scope: "read:blocks", input: AccountPage }, (call) => {
      const page = pageOf(call.input);
      const places = blocksOf(call.ctx, call.viewerId, page);
      const ids = places.map(({ id }) => id);
      return paged(call, page, places, showAccounts(call.ctx, ids));
    })
    .post("/api/v1/accounts/:id/mute", { scope: "write:mutes", input: Mute }, ({ ctx, viewerId, input, params }) => {
      const target = findAccount(ctx, parseId(params.id));
      mute(ctx, viewerId, target.id, input);
      return showRelationship(ctx, viewerId, target.id);
    })
    .post("/api/v1/accounts/:id/unmute", { scope: "write:mutes" }, ({ ctx, viewerId, params }) => {
      const target = findAccount(ctx, parseId(params.id));
      unmute(ctx, viewerId, target.id);
      return showRelationship(ctx, viewerId, target.id);
    })
    .get("/api/v1/mutes", { scope: "read:mutes", input: AccountPage }, (call) => {
      const page = pageOf(call.input);
      const places = mutesOf(call.ctx, call.viewerId, page);
      return paged(call, page, places, showMutedAccounts(call.ctx, places));
    });
  domainBlockRoutes(routes);
}

function domainBlockRoutes(routes: Router): void {
  const write = { scope: "write:blocks", input: Domain } as const;
  routes
    .get("/api/v1/domain_blocks", { scope: "read:blocks", input: object(paging(100, 200)) }, (call) => {
      const page = pageOf(call.input);
      const rows = domainBlocksOf(call.ctx, call.viewerId, page);
      const domains = rows.map(({ domain }) => domain);
      return paged(call, page, rows, domains);
    })
    .post("/api/v1/domain_blocks", write, ({ ctx, viewerId, input }) => blockDomain(ctx, viewerId, input.domain))
    .delete("/api/v1/domain_blocks", write, ({ ctx, viewerId, input }) => unblockDomain(ctx, viewerId, input.domain));
}

/** Mastodon's MutedAccount (entities/MutedAccount). */
function showMutedAccounts(ctx: Context, places: readonly MutePlace[]) {
  const accounts = showAccounts(
    ctx,
    places.map(({ id }) => id),
  );
  return accounts.map((account, at) => {
    const { expires_at } = places[at]!;
    return { ...account, mute_expires_at: timestamp(expires_at) };
  });
}
