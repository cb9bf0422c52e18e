/** @jsxImportSource preact */
import { tagUrl } from "../../../core/addresses.ts";
import { spellingOf } from "../../../core/discovery/tags.ts";
import { tagTimeline } from "../../../core/timelines/timelines.ts";
import { showStatuses } from "../../../entities/statuses/statuses.ts";
import { notFound } from "../../../errors.ts";
import { isHashtagName } from "../../../lib/text/hashtags.ts";
import { feedName } from "../../feeds/feed.ts";
import { tagFeed } from "../../feeds/feeds.ts";
import { Head } from "../../page/layout.tsx";
import type { PageRequest } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { closedPage } from "../closed.tsx";
import { FeedLinks } from "../meta.tsx";
import { idsOf, Pagination, rangeOf } from "../pagination.tsx";
import { Posts } from "./posts.tsx";

const EVERYTHING = { local: false, remote: false, only_media: false, any: [], all: [], none: [] };

/** The public posts with a hashtag, as a page and as feeds. */
export function tagPages(pages: Pages): void {
  pages.get("/tags/:name", (page) => {
    const feed = feedName(page.path[1]!);
    return feed ? tagFeed(page, feed.name, feed.format) : tagPage(page);
  });
}

function tagPage(page: PageRequest): Response {
  const { ctx, messages } = page;
  if (!page.maySeeAccounts || !(page.session || ctx.config.publicPreview)) return closedPage(page);
  const name = page.path[1]!;
  const range = rangeOf(page);
  const rows = tagTimeline(ctx, page.viewerId, name, EVERYTHING, range);
  // Without this, every path below /tags/ would be a page.
  if (rows.length === 0 && !isHashtagName(name)) throw notFound();
  const isUnused = rows.length === 0 && range.max_id === null;
  const title = `#${spellingOf(ctx.db, name)}`;
  const meta = <FeedLinks address={page.local(tagUrl(ctx, name))} title={title} />;
  return page.render(
    { title, wide: true, isPublic: true, meta },
    <>
      <Head title={title}>
        <p>{isUnused ? messages.noPostsWithTag : messages.withTag}</p>
      </Head>
      {rows.length === 0 && !isUnused && <p>{messages.noPosts}</p>}
      <section>
        <Posts page={page} statuses={showStatuses(ctx, page.viewerId, idsOf(rows))} context="public" />
      </section>
      <Pagination isOfPosts page={page} range={range} rows={rows} />
    </>,
  );
}
