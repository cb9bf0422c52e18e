/** @jsxImportSource preact */
import { listTimeline } from "../../core/timelines/list-timelines.ts";
import { ownList } from "../../core/timelines/lists.ts";
import { showStatuses } from "../../entities/statuses/statuses.ts";
import { parseId } from "../../lib/ids.ts";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { Posts } from "../public/posts/posts.tsx";
import { idsOf, Pagination, rangeOf } from "../public/pagination.tsx";
import { Lists } from "./lists.tsx";
import { readingTexts } from "./texts.ts";

/** The timelines of the user's lists. */
export function listTimelinePages(pages: Pages): void {
  pages.userGet("/lists/:id", listPage);
}

function listPage(page: UserPage): Response {
  const { ctx, session } = page;
  const texts = page.texts(readingTexts);
  const list = ownList(ctx.db, session.accountId, parseId(page.path[1]));
  const range = rangeOf(page);
  const rows = listTimeline(ctx, session.accountId, list.id, range);
  return page.render(
    { title: list.title, wide: true },
    <>
      <h1 dir="auto">{list.title}</h1>
      <Lists page={page} />
      {rows.length === 0 && range.max_id === null && (
        <div class="empty">
          <h2>{texts.listEmpty}</h2>
          <p>{texts.listEmptyHelp}</p>
        </div>
      )}
      <section class="timeline">
        <Posts page={page} statuses={showStatuses(ctx, session.accountId, idsOf(rows))} context="home" />
      </section>
      <Pagination page={page} range={range} rows={rows} />
      <p>
        <a href={`/settings/lists/${list.id}`}>{texts.editList}</a>
      </p>
    </>,
  );
}
