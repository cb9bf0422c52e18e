import type { Context } from "../../context.ts";
import { block, mute, unblock, unmute } from "../../core/people/blocks.ts";
import { authorizeFollow, follow, rejectFollow, unfollow } from "../../core/people/follows.ts";
import { notFound } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { safeReturnPath } from "../page/return-path.ts";
import { ACCOUNTS } from "../public/profile/account-actions.tsx";
import { againPage } from "./again.tsx";

type Action = (ctx: Context, accountId: number, id: number | null) => void;

/** By the value of the button. */
const ACTIONS: Partial<Record<string, Action>> = {
  follow: (ctx, accountId, id) => follow(ctx, accountId, id, {}),
  unfollow,
  mute: (ctx, accountId, id) => mute(ctx, accountId, id, { notifications: true, duration: 0 }),
  unmute,
  block,
  unblock,
  accept: authorizeFollow,
  reject: rejectFollow,
};

/** The routes of the buttons on profiles and in lists of accounts. Each leads back to where it was. */
export function accountActionPages(pages: Pages): void {
  pages.userPost(`${ACCOUNTS}/:id`, { show: againPage, submit: act });
}

function act(page: UserPage): Response {
  const { ctx, session } = page;
  const action = ACTIONS[page.text("do")];
  if (!action) throw notFound();
  action(ctx, session.accountId, parseId(page.path[1]));
  return page.redirect(safeReturnPath(ctx, page.text("return_to")));
}
