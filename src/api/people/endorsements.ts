import type { Context } from "../../context.ts";
import { findAccount, isBlockedBy } from "../../core/accounts.ts";
import { isSuspended } from "../../core/visibility.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import { validationFailed } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { int, object } from "../../lib/http/input.ts";
import { accountPage, pageOf, paging } from "../paging.ts";
import { changeRelationship } from "./relations.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

/** The accounts that users feature on their profiles: methods/endorsements, and its part of methods/accounts. */
export function endorsementRoutes(routes: Router): void {
  const Paging = object(paging(40, 80));
  // A limit of 0 returns all of them.
  const Own = object({ ...paging(40, 80), limit: int({ min: 0, max: 80, clamp: true, default: 40 }) });
  routes
    .get(
      "/api/v1/accounts/:id/endorsements",
      {
        open: true,
        scope: "read:accounts",
        input: Paging,
        summary: "List the accounts that an account features on its profile",
      },
      (call) => {
        const { ctx, viewerId } = call;
        const account = findAccount(ctx, parseId(call.params.id));
        if (account.suspended_at !== null || isBlockedBy(ctx, viewerId, account.id)) return [];
        return endorsementPage(call, account.id, pageOf(call.input));
      },
    )
    .get(
      "/api/v1/endorsements",
      { scope: "read:accounts", input: Own, summary: "List the accounts that you feature on your profile" },
      (call) => {
        const page = pageOf(call.input);
        return endorsementPage(call, call.viewerId, { ...page, limit: page.limit || Number.MAX_SAFE_INTEGER });
      },
    );
  for (const [name, act, summary] of [
    ["endorse", endorse, "Feature an account on your profile"],
    ["pin", endorse, "Feature an account on your profile (deprecated)"],
    ["unendorse", unendorse, "Stop featuring an account"],
    ["unpin", unendorse, "Stop featuring an account (deprecated)"],
  ] as const) {
    routes.post(`/api/v1/accounts/:id/${name}`, { scope: "write:accounts", summary }, (call) =>
      changeRelationship(call, act),
    );
  }
}

function endorse(ctx: Context, accountId: number, targetId: number): void {
  ctx.db.transaction((tx) => {
    const follows = tx.get("SELECT 1 FROM follows WHERE account_id = +$accountId AND target_account_id = +$targetId", {
      accountId,
      targetId,
    });
    if (!follows) throw validationFailed("You must be already following the person you want to endorse");
    tx.run(
      "INSERT INTO endorsements (account_id, target_account_id, created_at) VALUES ($accountId, $targetId, $now) ON CONFLICT DO NOTHING",
      { accountId, targetId, now: ctx.clock.now() },
    );
  });
}

function unendorse(ctx: Context, accountId: number, targetId: number): void {
  ctx.db.transaction((tx) =>
    tx.run("DELETE FROM endorsements WHERE account_id = +$accountId AND target_account_id = +$targetId", {
      accountId,
      targetId,
    }),
  );
}

const ENDORSED = new Keyset<ListItem>(
  `SELECT e.target_account_id AS id, e.id AS cursor FROM endorsements e
   WHERE e.account_id = +$accountId AND NOT ${isSuspended("e.target_account_id")}`,
  "e.id",
);

function endorsementPage(call: Pick<Call, "ctx" | "request">, accountId: number, page: Page): Response {
  const rows = ENDORSED.page(call.ctx.db, page, { accountId });
  return accountPage(call, page, rows);
}
