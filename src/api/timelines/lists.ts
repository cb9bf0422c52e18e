import { findAccount } from "../../core/accounts.ts";
import {
  addToList,
  createList,
  listsContaining,
  listsOf,
  MAX_LIST_TITLE,
  membersOf,
  ownList,
  REPLIES_POLICIES,
  removeFromList,
  removeList,
  updateList,
  type ListRow,
} from "../../core/timelines/lists.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { parseId } from "../../lib/ids.ts";
import { bool, ids, int, object, oneOf, optional, text } from "../../lib/http/input.ts";
import { accountPage, idsOf, pageOf, paging } from "../paging.ts";
import type { Router } from "../router.ts";

const Settings = object({
  title: text({ max: MAX_LIST_TITLE }),
  replies_policy: optional(oneOf(REPLIES_POLICIES)),
  exclusive: optional(bool()),
});

/** Mastodon's documentation: methods/lists, and methods/accounts#lists. */
export function listRoutes(routes: Router): void {
  const read = { scope: "read:lists" } as const;
  const write = { scope: "write:lists" } as const;
  routes
    .get("/api/v1/lists", { ...read, summary: "List your lists" }, ({ ctx, viewerId }) =>
      listsOf(ctx.db, viewerId).map(listJson),
    )
    .get(
      "/api/v1/accounts/:id/lists",
      { ...read, summary: "List your lists that contain an account" },
      ({ ctx, viewerId, params }) =>
        listsContaining(ctx.db, viewerId, findAccount(ctx, parseId(params.id)).id).map(listJson),
    )
    .get("/api/v1/lists/:id", { ...read, summary: "Get a list" }, ({ ctx, viewerId, params }) =>
      listJson(ownList(ctx.db, viewerId, parseId(params.id))),
    )
    .post("/api/v1/lists", { ...write, input: Settings, summary: "Create a list" }, ({ ctx, viewerId, input }) => {
      const { title, replies_policy: repliesPolicy = "list", exclusive = false } = input;
      return listJson(ownList(ctx.db, viewerId, createList(ctx, viewerId, { title, repliesPolicy, exclusive })));
    })
    .update(
      "/api/v1/lists/:id",
      { ...write, input: Settings, summary: "Update a list" },
      ({ ctx, viewerId, input, params }) => {
        const list = ownList(ctx.db, viewerId, parseId(params.id));
        updateList(ctx, list, { title: input.title, repliesPolicy: input.replies_policy, exclusive: input.exclusive });
        return listJson(ownList(ctx.db, viewerId, list.id));
      },
    )
    .delete("/api/v1/lists/:id", { ...write, summary: "Delete a list" }, ({ ctx, viewerId, params }) =>
      removeList(ctx, ownList(ctx.db, viewerId, parseId(params.id))),
    );
  memberRoutes(routes);
}

const Members = object({ account_ids: ids(200) });

function memberRoutes(routes: Router): void {
  const path = "/api/v1/lists/:id/accounts";
  // A limit of 0 returns all members at once.
  const Page = object({ ...paging(40, 80), limit: int({ min: 0, max: 80, clamp: true, default: 40 }) });
  routes.get(path, { scope: "read:lists", input: Page, summary: "List the accounts in a list" }, (call) => {
    const { ctx, viewerId, params, input } = call;
    const list = ownList(ctx.db, viewerId, parseId(params.id));
    const page = pageOf(input.limit === 0 ? { limit: Number.MAX_SAFE_INTEGER } : input);
    const rows = membersOf(ctx, list.id, page);
    return input.limit === 0 ? showAccounts(ctx, idsOf(rows)) : accountPage(call, page, rows);
  });
  for (const [method, change, summary] of [
    ["post", addToList, "Add accounts to a list"],
    ["delete", removeFromList, "Remove accounts from a list"],
  ] as const) {
    routes[method](path, { scope: "write:lists", input: Members, summary }, ({ ctx, viewerId, input, params }) =>
      change(ctx, ownList(ctx.db, viewerId, parseId(params.id)), input.account_ids.map(parseId)),
    );
  }
}

/** Mastodon's List (entities/List). */
function listJson({ id, title, replies_policy, exclusive }: ListRow) {
  return { id: String(id), title, replies_policy, exclusive: exclusive === 1 };
}
