import { keptApart } from "../../core/visibility.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { bool, object, oneOf } from "../../lib/http/input.ts";
import { idsOf, stretch } from "../paging.ts";
import type { Router } from "../router.ts";

const Directory = object({
  order: oneOf(["active", "new"], { default: "active", lenient: true }),
  local: bool({ default: false }),
  ...stretch(40, 80),
});

/** `?1` is the viewer's account id, 0 for an anonymous request. */
const directory = (order: string) => `
  SELECT a.id FROM accounts a
  WHERE a.discoverable = 1 AND a.silenced_at IS NULL AND (a.domain IS NULL OR NOT ?2) AND NOT ${keptApart("?1", "a.id", "?3")}
  ORDER BY ${order} LIMIT ?4 OFFSET ?5`;

/** By activity, accounts without posts come last. */
const ORDERS = { active: directory("a.last_status_at DESC, a.id DESC"), new: directory("a.id DESC") };

/** Mastodon's documentation: methods/directory. Lists only discoverable accounts that aren't limited. */
export function directoryRoutes(routes: Router): void {
  routes.get("/api/v1/directory", { open: true, input: Directory }, ({ ctx, viewerId, input }) => {
    const { local, limit, offset } = input;
    const now = ctx.clock.now();
    const rows = ctx.db.all<{ id: number }>(ORDERS[input.order], viewerId, local ? 1 : 0, now, limit, offset);
    return showAccounts(ctx, idsOf(rows));
  });
}
