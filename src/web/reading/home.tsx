/** @jsxImportSource preact */
import { isHomeFilling } from "../../core/timelines/home-backfill.ts";
import { markersOf } from "../../core/timelines/markers.ts";
import { home } from "../../core/timelines/timelines.ts";
import { showStatuses } from "../../entities/statuses/statuses.ts";
import { parseId } from "../../lib/ids.ts";
import { script } from "../assets.ts";
import { Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { START } from "../page/return-path.ts";
import { Post } from "../public/posts/posts.tsx";
import { parentsOf } from "../public/posts/reply-line.tsx";
import { liveFrom, News } from "./news.tsx";
import { Lists, SearchBox } from "./lists.tsx";
import { idsOf, Pagination, rangeOf } from "../public/pagination.tsx";
import { markRead } from "./markers.ts";
import { readingTexts } from "./texts.ts";

/** The home timeline. */
export function homePages(pages: Pages): void {
  pages.userGet(START, homePage);
}

function homePage(page: UserPage): Response {
  const { ctx, session, messages } = page;
  const texts = page.texts(readingTexts);
  const range = rangeOf(page);
  const rows = home(ctx, session.accountId, range);
  // Older pages show the position as it was when the first one was opened.
  const read = parseId(page.text("read")) ?? readUpTo(page);
  if (range.max_id === null) markRead(page, "home", read, rows[0]?.id);
  const statuses = showStatuses(ctx, session.accountId, idsOf(rows));
  const parents = parentsOf(page, statuses);
  const isFirst = range.max_id === null;
  const isEmpty = rows.length === 0 && isFirst;
  return page.render(
    { title: messages.home, wide: true, scripts: [script] },
    <>
      <h1 class="visually-hidden">{messages.home}</h1>
      <SearchBox page={page} />
      <Lists page={page} />
      {isHomeFilling(ctx.db, session.accountId) && <Notice>{texts.homeFilling}</Notice>}
      {isEmpty && (
        <div class="empty">
          <h2>{texts.homeEmpty}</h2>
          <p>{texts.homeEmptyHelp}</p>
        </div>
      )}
      {isFirst && <News words={texts.newPosts} />}
      <section class="timeline" {...(isFirst && liveFrom("home", rows[0]?.id))}>
        {statuses.map((status, at) => (
          <>
            {isFirstRead(rows, at, read) && <p class="read-before">{texts.readBefore}</p>}
            <Post
              page={page}
              status={status}
              context="home"
              parents={parents}
              above={[statuses[at - 1]?.id]}
              isFolded
            />
          </>
        ))}
      </section>
      <Pagination page={page} range={range} rows={rows} more={{ read: String(read) }} />
    </>,
  );
}

function readUpTo({ ctx, session }: UserPage): number {
  return markersOf(ctx.db, session.accountId, ["home"])[0]?.last_read_id ?? 0;
}

/** Whether a status was read before, and the one above it was not. */
function isFirstRead(rows: readonly { id: number }[], at: number, read: number): boolean {
  return at > 0 && rows[at]!.id <= read && rows[at - 1]!.id > read;
}
