/** @jsxImportSource preact */
import { searchAccounts } from "../../core/accounts.ts";
import { resolveAddress, searchStatuses, searchTags } from "../../core/discovery/search.ts";
import { showStatuses } from "../../entities/statuses/statuses.ts";
import { showTags } from "../../entities/tags.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { Posts } from "../public/posts/posts.tsx";
import { AccountList } from "../public/profile/account-list.tsx";
import { SearchBox } from "./lists.tsx";
import { readingTexts } from "./texts.ts";

/** Results of each kind. A longer list is no help: more words are. */
const LIMIT = 20;
const FIRST = { limit: LIMIT, max_id: null, since_id: null, min_id: null };
const MAX_QUERY = 500;

interface Found {
  accounts: number[];
  statuses: number[];
  tags: number[];
}

const NOTHING: Found = { accounts: [], statuses: [], tags: [] };

/** The search for accounts, posts and hashtags. It asks other servers for addresses that are unknown here. */
export function searchPages(pages: Pages): void {
  pages.userGet("/search", searchPage);
}

async function searchPage(page: UserPage): Promise<Response> {
  const { ctx, session } = page;
  const texts = page.texts(readingTexts);
  const query = page.text("q").slice(0, MAX_QUERY).trim();
  const { accounts, statuses, tags } = query === "" ? NOTHING : await find(page, query);
  const isEmpty = accounts.length + statuses.length + tags.length === 0;
  return page.render(
    { title: query === "" ? texts.search : `${texts.search}: ${query}`, wide: true },
    <>
      <h1>{texts.search}</h1>
      <SearchBox page={page} query={query} autofocus={query === ""} />
      {query === "" && <p class="help">{texts.searchHelp}</p>}
      {query !== "" && isEmpty && (
        <div class="empty">
          <h2>{texts.nothingFound}</h2>
          <p>{texts.nothingFoundHelp}</p>
        </div>
      )}
      {accounts.length > 0 && (
        <section>
          <h2>{texts.accounts}</h2>
          <AccountList page={page} ids={accounts} />
        </section>
      )}
      {tags.length > 0 && (
        <section>
          <h2>{texts.hashtags}</h2>
          <p class="links">
            {showTags(ctx, session.accountId, tags).map(({ name, url }) => (
              <a href={page.local(url)}>#{name}</a>
            ))}
          </p>
        </section>
      )}
      {statuses.length > 0 && (
        <section class="timeline">
          <h2>{texts.posts}</h2>
          <Posts page={page} statuses={showStatuses(ctx, session.accountId, statuses)} context="public" />
        </section>
      )}
    </>,
  );
}

async function find({ ctx, session }: UserPage, query: string): Promise<Found> {
  const viewerId = session.accountId;
  if (/^https?:\/\//i.test(query)) {
    const { accountIds, statusIds } = await resolveAddress(ctx, viewerId, query);
    return { accounts: accountIds, statuses: statusIds, tags: [] };
  }
  const isHashtag = /^[#＃]/.test(query);
  const name = /[\s@:]/.test(query) ? "" : normaliseHashtag(query.replace(/^[#＃]/, ""));
  const search = { q: query, limit: LIMIT, offset: 0, following: false, resolve: true };
  return {
    accounts: isHashtag ? [] : await searchAccounts(ctx, viewerId, search),
    statuses: searchStatuses(ctx, viewerId, { q: query, accountId: null, page: FIRST, offset: 0 }),
    tags: searchTags(ctx, viewerId, { name, limit: LIMIT, offset: 0, reviewed: false }),
  };
}
