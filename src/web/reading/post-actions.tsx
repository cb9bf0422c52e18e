/** @jsxImportSource preact */
import type { Context } from "../../context.ts";
import {
  bookmark,
  favourite,
  muteConversation,
  pin,
  unbookmark,
  unfavourite,
  unmuteConversation,
  unpin,
} from "../../core/statuses/interactions.ts";
import { visiblePoll, vote } from "../../core/statuses/polls.ts";
import { reblog, unreblog } from "../../core/statuses/reblogs.ts";
import { removeStatus } from "../../core/statuses/removal.ts";
import { ownStatus } from "../../core/visibility.ts";
import { showStatus } from "../../entities/statuses/statuses.ts";
import { notFound } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { Form, Hidden, type FormProblems } from "../page/forms.tsx";
import { Head } from "../page/layout.tsx";
import { takeRate } from "../page/page-rates.ts";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { safeReturnPath } from "../page/return-path.ts";
import { actionTexts } from "../public/action-texts.ts";
import { POSTS } from "../public/posts/post-actions.tsx";
import { Post } from "../public/posts/posts.tsx";
import { againPage } from "./again.tsx";

type Action = (ctx: Context, accountId: number, id: number | null) => unknown;

/** By the value of the button. */
const ACTIONS: Partial<Record<string, Action>> = {
  favourite,
  unfavourite,
  bookmark,
  unbookmark,
  reblog: (ctx, accountId, id) => reblog(ctx, accountId, id, null),
  pin,
  unpin,
  mute: muteConversation,
  unmute: unmuteConversation,
};

/** The routes of the buttons beneath posts. Each leads back to the page with the post. */
export function postActionPages(pages: Pages): void {
  pages.userPost(`${POSTS}/:id`, { show: againPage, submit: act });
  pages.userForm(`${POSTS}/:id/delete`, { show: deletePage, submit: remove });
}

function act(page: UserPage): Response {
  const { ctx, session } = page;
  const [id, name] = [parseId(page.path[1]), page.text("do")];
  if (name === "vote")
    vote(ctx, session.accountId, visiblePoll(ctx, session.accountId, parseId(page.text("poll"))), choicesOf(page));
  else if (name === "unreblog") {
    takeRate(page, "deletes");
    unreblog(ctx, session.accountId, id);
  } else {
    const action = ACTIONS[name];
    if (!action) throw notFound();
    action(ctx, session.accountId, id);
  }
  return page.redirect(safeReturnPath(ctx, page.text("return_to")));
}

function choicesOf({ params }: UserPage): number[] {
  const chosen = params["choices"];
  return (Array.isArray(chosen) ? chosen : []).flatMap((choice) => parseId(String(choice)) ?? []);
}

function deletePage(page: UserPage, problems: FormProblems): Response {
  const { ctx, session } = page;
  const texts = page.texts(actionTexts);
  const { id } = ownStatus(ctx, session.accountId, parseId(page.path[1]));
  const back = safeReturnPath(ctx, page.text("return_to"));
  return page.render(
    { title: texts.deleteTitle, status: problems.status, wide: true },
    <>
      <Head title={texts.deleteTitle}>
        <p>{texts.deleteHelp}</p>
      </Head>
      <Post page={page} status={showStatus(ctx, session.accountId, id)} isPlain />
      <Form page={page} action={`${POSTS}/${id}/delete`} problems={problems}>
        <Hidden values={{ return_to: back }} />
        <button class="danger">{texts.delete}</button>
        <a class="button" href={back}>
          {texts.keep}
        </a>
      </Form>
    </>,
  );
}

/** The page of the post itself is gone afterwards. */
function remove(page: UserPage): Response {
  const { ctx, session } = page;
  takeRate(page, "deletes");
  const status = ownStatus(ctx, session.accountId, parseId(page.path[1]));
  removeStatus(ctx, status, true);
  const own = `/@${session.username}`;
  const back = safeReturnPath(ctx, page.text("return_to"));
  return page.redirect(back.startsWith(`${own}/${status.id}`) ? own : back);
}
