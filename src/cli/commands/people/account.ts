import type { Context } from "../../../context.ts";
import { handleOf, lookupAccount } from "../../../core/accounts.ts";
import { rotateKey } from "../../../core/people/account-keys.ts";
import { addAlias, aliasesOf, removeAlias } from "../../../core/people/aliases.ts";
import { cancelMove, moveAway } from "../../../core/people/moves.ts";
import type { UserRow } from "../../../core/people/users.ts";
import { showAccounts } from "../../../entities/accounts.ts";
import { Refusal } from "../../../errors.ts";
import { remoteOf } from "../../../federation/fetching/remote.ts";
import { argument, command } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { list } from "../../list.ts";
import { userNamed } from "../../users.ts";

const NAME = argument("the name of a user of this server");
const HANDLE = argument("the handle of another account, like @name@example.org");

/** Commands about the account that other servers see. Those about a user of this server are under `user`. */
export const commands = {
  "account aliases": list({
    summary: "Lists the accounts that may move to a user's account",
    args: { name: NAME },
    find: ({ name }) => withAccount(name, (ctx, { account_id }) => showAccounts(ctx, aliasesOf(ctx.db, account_id))),
    empty: () => "The account has no aliases.",
    columns: { HANDLE: ({ acct }) => `@${acct}`, ADDRESS: ({ url }) => url },
    json: ({ acct, url, uri }) => ({ acct, url, uri }),
  }),
  "account add-alias": command({
    summary: "Lets another account of the same person move to a user's account",
    details: `Do this before you move to this server: then start the move on the old server. Followers there whose servers support moves
follow the account here.`,
    args: { name: NAME, handle: HANDLE },
    run: ({ name, handle }) =>
      withAccount(name, async (ctx, user) => {
        const alias = await addAlias(ctx, user.account_id, handle);
        console.log(`${handleOf(ctx, alias)} may move to @${user.username}.`);
      }),
  }),
  "account remove-alias": command({
    summary: "No longer lets another account move to a user's account",
    args: { name: NAME, handle: HANDLE },
    run: ({ name, handle }) =>
      withAccount(name, (ctx, user) => {
        const alias = lookupAccount(ctx, handle);
        if (!alias || !aliasesOf(ctx.db, user.account_id).includes(alias.id)) {
          throw new Refusal("not_found", `${handle} is no alias of @${user.username}.`);
        }
        removeAlias(ctx, user.account_id, alias.id);
        console.log(`${handleOf(ctx, alias)} may no longer move to @${user.username}.`);
      }),
  }),
  "account move": command({
    summary: "Moves a user's followers to another account, here or on another server",
    details: `TO must name the account as an alias first. Followers then follow TO, as far as their servers support moves. Posts stay
here. The profile says where the account has moved, and it can't post, boost or follow. An account can move once in
30 days.`,
    args: { name: NAME, to: HANDLE },
    run: ({ name, to }) =>
      withAccount(name, async (ctx, user) => {
        const target = await moveAway(ctx, user.account_id, to);
        console.log(
          `@${user.username} has moved to ${target}. The server notifies the followers now, or at its next start.`,
        );
      }),
  }),
  "account cancel-move": command({
    summary: "Makes an account that has moved usable again; followers don't come back",
    args: { name: NAME },
    run: ({ name }) =>
      withAccount(name, (ctx, user) => {
        cancelMove(ctx, user.account_id);
        console.log(`@${user.username} can be used again.`);
      }),
  }),
  "account rotate-key": command({
    summary: "Replaces the key that signs what an account sends to other servers",
    details: `Use it if a copy of the database may have fallen into the wrong hands. The running server announces the new key to the
servers that know the account, signed with the old one. Deliveries that are waiting still arrive.`,
    args: { name: NAME },
    run: ({ name }) =>
      withAccount(name, async (ctx, user) => {
        await rotateKey(ctx, user.account_id);
        console.log(`@${user.username} has a new key. The server announces it now, or at its next start.`);
      }),
  }),
};

/** Gives the work a user whose account others can see, and access to other servers. */
function withAccount<T>(name: string, work: (ctx: Context, user: UserRow) => T | Promise<T>): Promise<T> {
  return withData((ctx) => {
    const user = userNamed(ctx, name);
    if (!user.approved) throw new Refusal("conflict", `@${user.username} is a pending sign-up.`);
    if (user.suspended_at !== null) throw new Refusal("conflict", `@${user.username} is suspended.`);
    ctx.remote = remoteOf(ctx);
    return work(ctx, user);
  });
}
