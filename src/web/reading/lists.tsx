/** @jsxImportSource preact */
import { listsOf } from "../../core/timelines/lists.ts";
import { Icon } from "../page/icons.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { START } from "../page/return-path.ts";
import { TabBar } from "../public/profile/profile-header.tsx";
import { readingTexts } from "./texts.ts";

export const BOOKMARKS = "/bookmarks";
export const FAVOURITES = "/favourites";

/** The user's lists of posts, each with its own page. */
export function Lists({ page }: { page: UserPage }) {
  const texts = page.texts(readingTexts);
  const own = listsOf(page.ctx.db, page.session.accountId);
  const lists = [
    { href: START, label: page.messages.home },
    ...own.map(({ id, title }) => ({ href: `/lists/${id}`, label: title })),
    { href: BOOKMARKS, label: texts.bookmarks },
    { href: FAVOURITES, label: texts.favourites },
  ];
  return <TabBar page={page} label={texts.lists} tabs={lists} />;
}

/** Searches for accounts, posts and hashtags, also of other servers. */
export function SearchBox({ page, query, autofocus }: { page: UserPage; query?: string; autofocus?: boolean }) {
  const texts = page.texts(readingTexts);
  return (
    <form class="search" action="/search" role="search">
      <label class="visually-hidden" for="q">
        {texts.searchFor}
      </label>
      <input
        id="q"
        name="q"
        type="search"
        value={query}
        placeholder={texts.searchFor}
        autocomplete="off"
        autocapitalize="none"
        maxLength={500}
        autofocus={autofocus}
      />
      <button class="small" title={texts.search}>
        <Icon name="search" />
        <span class="visually-hidden">{texts.search}</span>
      </button>
    </form>
  );
}
