import { and, desc, isNull, not, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { build, condition, Shaped } from "../../db/builder.ts";
import { accounts } from "../../db/schema/index.ts";
import { hiddenInLists } from "../../core/visibility.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { bool, object, oneOf } from "../../lib/http/input.ts";
import { idsOf, offsetPaging } from "../paging.ts";
import type { Router } from "../router.ts";

const Directory = object({
  order: oneOf(["active", "new"], { default: "active", lenient: true }),
  local: bool({ default: false }),
  ...offsetPaging(40, 80),
});

const a = alias(accounts, "a");

const DIRECTORY = new Shaped(({ order, local }: { order: "active" | "new"; local: boolean }) =>
  build
    .select({ id: a.id })
    .from(a)
    .where(
      and(
        sql`${a.discoverable} = 1 AND ${a.silenced_at} IS NULL`,
        local ? isNull(a.domain) : undefined,
        not(condition(hiddenInLists("a.id"))),
      ),
    )
    // By activity, accounts without posts come last.
    .orderBy(...(order === "active" ? [desc(a.last_status_at)] : []), desc(a.id))
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset")),
);

/** Mastodon's documentation: methods/directory. Lists only discoverable accounts that aren't limited. */
export function directoryRoutes(routes: Router): void {
  routes.get(
    "/api/v1/directory",
    { open: true, input: Directory, summary: "List the accounts in the profile directory" },
    ({ ctx, viewerId, input }) => {
      const { order, local, limit, offset } = input;
      const params = { viewer: viewerId, now: ctx.clock.now(), limit, offset };
      return showAccounts(ctx, idsOf(DIRECTORY.all(ctx.db, { order, local }, params)));
    },
  );
}
