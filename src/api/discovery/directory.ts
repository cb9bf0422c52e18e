import { keptApart } from "../../core/visibility.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { bool, object, oneOf } from "../../lib/http/input.ts";
import { idsOf, offsetPaging } from "../paging.ts";
import type { Router } from "../router.ts";

const Directory = object({
  order: oneOf(["active", "new"], { default: "active", lenient: true }),
  local: bool({ default: false }),
  ...offsetPaging(40, 80),
});

const directory = (order: string) => `
  SELECT a.id FROM accounts a
  WHERE a.discoverable = 1 AND a.silenced_at IS NULL AND (a.domain IS NULL OR NOT $local) AND NOT ${keptApart("a.id")}
  ORDER BY ${order} LIMIT +$limit OFFSET +$offset`;

/** By activity, accounts without posts come last. */
const ORDERS = { active: directory("a.last_status_at DESC, a.id DESC"), new: directory("a.id DESC") };

/** Mastodon's documentation: methods/directory. Lists only discoverable accounts that aren't limited. */
export function directoryRoutes(routes: Router): void {
  routes.get(
    "/api/v1/directory",
    { open: true, input: Directory, summary: "List the accounts in the profile directory" },
    ({ ctx, viewerId, input }) => {
      const { local, limit, offset } = input;
      const params = { viewer: viewerId, local: local ? 1 : 0, now: ctx.clock.now(), limit, offset };
      const rows = ctx.db.all<{ id: number }>(ORDERS[input.order], params);
      return showAccounts(ctx, idsOf(rows));
    },
  );
}
