/** @jsxImportSource preact */
import { homeFeedSince, newHomeFeedKey, removeHomeFeedKey } from "../../core/timelines/home-feed-keys.ts";
import { homeFeedUrl } from "../feeds/feeds.ts";
import { dayOf } from "../page/dates.tsx";
import { ActionButton, NO_PROBLEMS, type FormProblems } from "../page/forms.tsx";
import { Alert } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "./settings.tsx";
import { settingsTexts } from "./texts.ts";

const PATH = "/settings/feed";

/** The page for the private feed of the home timeline. */
export function homeFeedSettingsPages(pages: Pages): void {
  const show = (page: UserPage, problems: FormProblems) => feedPage(page, problems, null);
  pages.userForm(PATH, {
    show,
    isSensitive: true,
    // Not a redirect: the address can only be shown now.
    submit: (page) => feedPage(page, NO_PROBLEMS, newHomeFeedKey(page.ctx, page.session.userId)),
  });
  pages.userPost(`${PATH}/remove`, {
    show,
    isSensitive: true,
    submit: (page) => {
      removeHomeFeedKey(page.ctx, page.session.userId);
      return page.redirect(PATH);
    },
  });
}

function feedPage(page: UserPage, problems: FormProblems, key: string | null): Response {
  const texts = page.texts(settingsTexts);
  const since = homeFeedSince(page.ctx.db, page.session.userId);
  const created = since !== null && dayOf(page, since, "long");
  return settingsPage(
    page,
    { title: texts.feed, status: problems.status },
    <>
      {problems.problem && <Alert>{problems.problem}</Alert>}
      <p>{texts.feedHelp}</p>
      {key !== null && (
        <section>
          <h2>{texts.feedAddress}</h2>
          <output class="code">{homeFeedUrl(page, key, "rss")}</output>
          <p class="help">{texts.feedOnce}</p>
        </section>
      )}
      {created && key === null && <p>{texts.feedSince(created)}</p>}
      <ActionButton page={page} action={PATH} class={created ? undefined : "primary"}>
        {created ? texts.replaceFeed : texts.createFeed}
      </ActionButton>
      {created && (
        <ActionButton page={page} action={`${PATH}/remove`} class="small danger">
          {texts.removeFeed}
        </ActionButton>
      )}
    </>,
  );
}
