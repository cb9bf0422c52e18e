import { addAlias, aliasesOf, removeAlias } from "../../core/people/aliases.ts";
import { cancelMove, moveAway } from "../../core/people/moves.ts";
import { requirePassword } from "../../core/sign-in/passwords.ts";
import { showAccount, showAccounts, showCredentialAccount } from "../../entities/accounts.ts";
import { object, text } from "../../lib/http/input.ts";
import { parseId } from "../../lib/ids.ts";
import type { Router } from "../router.ts";

const Target = object({ acct: text({ max: 400 }) });
const Move = object({ acct: text({ max: 400 }), password: text({ max: 1000 }) });

/** Linnet's own methods: Mastodon has aliases and moves only on its settings pages. */
export function moveRoutes(routes: Router): void {
  const write = { scope: "write:accounts" } as const;
  routes
    .get(
      "/api/v1/linnet/aliases",
      { scope: "read:accounts", summary: "List the accounts that may move to yours (Linnet only)" },
      ({ ctx, viewerId }) => showAccounts(ctx, aliasesOf(ctx.db, viewerId)),
    )
    .post(
      "/api/v1/linnet/aliases",
      { ...write, input: Target, summary: "Let an account, named by its handle, move to yours (Linnet only)" },
      async ({ ctx, viewerId, input }) => showAccount(ctx, (await addAlias(ctx, viewerId, input.acct)).id),
    )
    .delete(
      "/api/v1/linnet/aliases/:id",
      { ...write, summary: "No longer let an account move to yours (Linnet only)" },
      ({ ctx, viewerId, params }) => {
        removeAlias(ctx, viewerId, parseId(params.id));
        return {};
      },
    )
    .post(
      "/api/v1/linnet/move",
      { ...write, input: Move, summary: "Move your followers to another account of yours (Linnet only)" },
      async ({ ctx, viewerId, input }) => {
        await requirePassword(ctx, viewerId, input.password);
        await moveAway(ctx, viewerId, input.acct);
        return showCredentialAccount(ctx, viewerId);
      },
    )
    .delete(
      "/api/v1/linnet/move",
      { ...write, summary: "Use your account again after a move (Linnet only)" },
      ({ ctx, viewerId }) => {
        cancelMove(ctx, viewerId);
        return showCredentialAccount(ctx, viewerId);
      },
    );
}
