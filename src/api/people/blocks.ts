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
} from "../../core/people/blocks.ts";
import type { Context } from "../../context.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { timestamp } from "../../entities/json.ts";
import { bool, int, object, text } from "../../lib/http/input.ts";
import { accountPage, idsOf, paged, pageOf, paging } from "../paging.ts";
import { changeRelationship } from "./relations.ts";
import type { Router } from "../router.ts";

/** In seconds: 68 years, and within 32 bits for every client. */
const MAX_MUTE = 2 ** 31 - 1;

const Mute = object({
  notifications: bool({ default: true }),
  duration: int({ min: 0, max: MAX_MUTE, clamp: true, default: 0 }),
});

const Domain = object({ domain: text({ max: 1000 }) });

/**
 * Mastodon's documentation: methods/blocks, methods/mutes, methods/domain_blocks, and their part of methods/accounts.
 */
export function blockRoutes(routes: Router): void {
  const AccountPage = object(paging(40, 80));
  routes
    .post("/api/v1/accounts/:id/block", { scope: "write:blocks", summary: "Block an account" }, (call) =>
      changeRelationship(call, block),
    )
    .post("/api/v1/accounts/:id/unblock", { scope: "write:blocks", summary: "Unblock an account" }, (call) =>
      changeRelationship(call, unblock),
    )
    .get("/api/v1/blocks", { scope: "read:blocks", input: AccountPage, summary: "List blocked accounts" }, (call) => {
      const page = pageOf(call.input);
      const rows = blocksOf(call.ctx, call.viewerId, page);
      return accountPage(call, page, rows);
    })
    .post("/api/v1/accounts/:id/mute", { scope: "write:mutes", input: Mute, summary: "Mute an account" }, (call) =>
      changeRelationship(call, (ctx, viewerId, id) => mute(ctx, viewerId, id, call.input)),
    )
    .post("/api/v1/accounts/:id/unmute", { scope: "write:mutes", summary: "Unmute an account" }, (call) =>
      changeRelationship(call, unmute),
    )
    .get("/api/v1/mutes", { scope: "read:mutes", input: AccountPage, summary: "List muted accounts" }, (call) => {
      const page = pageOf(call.input);
      const rows = mutesOf(call.ctx, call.viewerId, page);
      return paged(call, page, rows, showMutedAccounts(call.ctx, rows));
    });
  domainBlockRoutes(routes);
}

function domainBlockRoutes(routes: Router): void {
  const write = { scope: "write:blocks", input: Domain } as const;
  routes
    .get(
      "/api/v1/domain_blocks",
      { scope: "read:blocks", input: object(paging(100, 200)), summary: "List domains that you block" },
      (call) => {
        const page = pageOf(call.input);
        const rows = domainBlocksOf(call.ctx, call.viewerId, page);
        const domains = rows.map(({ domain }) => domain);
        return paged(call, page, rows, domains);
      },
    )
    .post("/api/v1/domain_blocks", { ...write, summary: "Block a domain" }, ({ ctx, viewerId, input }) =>
      blockDomain(ctx, viewerId, input.domain),
    )
    .delete("/api/v1/domain_blocks", { ...write, summary: "Unblock a domain" }, ({ ctx, viewerId, input }) =>
      unblockDomain(ctx, viewerId, input.domain),
    );
}

/** Mastodon's MutedAccount (entities/MutedAccount). */
function showMutedAccounts(ctx: Context, rows: readonly MutePlace[]) {
  const accounts = showAccounts(ctx, idsOf(rows));
  return accounts.map((account, at) => {
    const { expires_at } = rows[at]!;
    return { ...account, mute_expires_at: timestamp(expires_at) };
  });
}
