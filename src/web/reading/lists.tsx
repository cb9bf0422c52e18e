/** @jsxImportSource preact */
import { listsOf } from "../../core/timelines/lists.ts";
import type { Page } from "../../db/keyset.ts";
import { showAccounts } from "../../entities/accounts.ts";
import { showRelationships } from "../../entities/relationships.ts";
import { requestAddress } from "../../lib/http/params.ts";
import { Hidden } from "../page/forms.tsx";
import { Icon } from "../page/icons.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { START } from "../page/return-path.ts";
import { ACCOUNTS, Answers, FollowButton } from "../public/profile/account-actions.tsx";
import { returnTo } from "../public/posts/post-actions.tsx";
import { Author, nameOf } from "../public/posts/posts.tsx";
import { readingTexts } from "./texts.ts";

export const BOOKMARKS = "/bookmarks";
export const FAVOURITES = "/favourites";

/** The user's lists of posts, each with its own page. */
export function Lists({ page }: { page: UserPage }) {
  const texts = page.texts(readingTexts);
  const here = requestAddress(page.request.url).pathname;
  const own = listsOf(page.ctx.db, page.session.accountId);
  const lists: [href: string, label: string][] = [
    [START, page.messages.home],
    ...own.map(({ id, title }): [string, string] => [`/lists/${id}`, title]),
    [BOOKMARKS, texts.bookmarks],
    [FAVOURITES, texts.favourites],
  ];
  return (
    <nav class="tabs" aria-label={texts.lists}>
      {lists.map(([href, label]) => (
        <a href={href} aria-current={href === here ? "page" : undefined} dir="auto">
          {label}
        </a>
      ))}
    </nav>
  );
}

interface PagerProps {
  page: UserPage;
  range: Page;
  rows: readonly { cursor: number }[];
  /** Parameters of the next page besides its beginning. */
  more?: Record<string, string>;
}

/** Links to the latest and to the older entries of a list. */
export function Pager({ page, range, rows, more }: PagerProps) {
  const texts = page.texts(readingTexts);
  const { pathname } = requestAddress(page.request.url);
  const lang: Record<string, string> = page.lang ? { lang: page.lang } : {};
  const last = rows.length < range.limit ? undefined : rows.at(-1)?.cursor;
  if (last === undefined && range.max_id === null) return null;
  return (
    <nav class="links pages" aria-label={page.messages.pages}>
      {range.max_id !== null && <a href={page.lang ? `${pathname}?lang=${page.lang}` : pathname}>{texts.latest}</a>}
      {last !== undefined && (
        <a href={`${pathname}?${new URLSearchParams({ max_id: String(last), ...more, ...lang })}`} rel="next">
          {texts.older}
        </a>
      )}
    </nav>
  );
}

/** Accounts, each with a button to follow it or, if they ask to follow, with buttons to answer. */
export function AccountList({ page, ids, asking }: { page: UserPage; ids: readonly number[]; asking?: boolean }) {
  const { ctx, session } = page;
  const accounts = showAccounts(ctx, ids);
  const relationships = new Map(showRelationships(ctx, session.accountId, ids, true).map((each) => [each.id, each]));
  return (
    <ul class="entries">
      {accounts.map((account) => {
        const relationship = relationships.get(account.id);
        const name = nameOf(account);
        return (
          <li class="entry">
            <Author page={page} account={account} />
            {relationship && Number(account.id) !== session.accountId && (
              <form class="answers" method="post" action={`${ACCOUNTS}/${account.id}`}>
                <Hidden values={{ csrf: page.csrfToken(), return_to: returnTo(page) }} />
                {asking ? (
                  <Answers page={page} name={name} />
                ) : (
                  <FollowButton page={page} relationship={relationship} name={name} />
                )}
              </form>
            )}
          </li>
        );
      })}
    </ul>
  );
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
