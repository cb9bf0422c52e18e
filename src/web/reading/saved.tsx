/** @jsxImportSource preact */
import { bookmarksOf, favouritesOf } from "../../core/timelines/timelines.ts";
import { showStatuses } from "../../entities/statuses/statuses.ts";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { idsOf, Pagination, rangeOf } from "../public/pagination.tsx";
import { Posts } from "../public/posts/posts.tsx";
import { BOOKMARKS, FAVOURITES, Lists } from "./lists.tsx";
import { readingTexts } from "./texts.ts";

/** The posts that the user bookmarked or favourited. */
export function savedPages(pages: Pages): void {
  pages.userGet(BOOKMARKS, (page) => savedPage(page, bookmarksOf, page.texts(readingTexts).bookmarks));
  pages.userGet(FAVOURITES, (page) => savedPage(page, favouritesOf, page.texts(readingTexts).favourites));
}

function savedPage(page: UserPage, list: typeof bookmarksOf, title: string): Response {
  const { ctx, session } = page;
  const range = rangeOf(page);
  const rows = list(ctx, session.accountId, range);
  return page.render(
    { title, wide: true },
    <>
      <h1 class="visually-hidden">{title}</h1>
      <Lists page={page} />
      {rows.length === 0 && <p>{page.messages.noPosts}</p>}
      <section>
        <Posts page={page} statuses={showStatuses(ctx, session.accountId, idsOf(rows))} />
      </section>
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}
