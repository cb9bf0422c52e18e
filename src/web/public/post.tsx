/** @jsxImportSource preact */
import { openStatusAt } from "../../core/statuses/status-addresses.ts";
import { contextOf } from "../../core/statuses/threads.ts";
import { visibleOriginal, visibleStatus } from "../../core/visibility.ts";
import { showStatus, showStatuses, type StatusJson } from "../../entities/statuses.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { parseId } from "../../lib/ids.ts";
import { requestAddress } from "../../lib/http/params.ts";
import { closedPage } from "./closed.tsx";
import { Meta } from "./meta.tsx";
import type { Pages } from "../pages.tsx";
import { handleOf, nameOf, Post, Posts } from "./posts.tsx";
import type { Visit } from "../visit.tsx";

/** The pages show what a stranger may see, also to signed-in users. */
const STRANGER = 0;

/** The page of a local post with its thread, and redirects to it. */
export function postPages(pages: Pages): void {
  // These are URIs for programs, but users find them too: the url of a reblog is one.
  pages.get("/users/:name", (visit) => visit.redirect(`/@${encodeURIComponent(visit.path[1]!)}`));
  pages.get("/users/:name/statuses/:id", (visit) => toOriginal(visit));
  pages.get("/users/:name/statuses/:id/activity", (visit) => toOriginal(visit));
  pages.get("/@:name/:id", (visit) => {
    const { ctx, words } = visit;
    if (!visit.mayKnow) return closedPage(visit);
    const id = openStatusAt(ctx, `${ctx.config.origin}${requestAddress(visit.request.url).pathname}`);
    const { ancestors, descendants } = contextOf(ctx, STRANGER, visibleStatus(ctx, STRANGER, id));
    const thread = showStatuses(ctx, STRANGER, [...ancestors, id, ...descendants]);
    const at = ancestors.length;
    const status = thread[at]!;
    const title = words.postBy(nameOf(status.account));
    return visit.page(
      {
        title,
        wide: true,
        isPublic: true,
        listed: !status.account.noindex,
        meta: <PostMeta visit={visit} status={status} />,
      },
      <>
        <h1 class="unseen">{title}</h1>
        <section>
          <Posts visit={visit} statuses={thread.slice(0, at)} />
          <Post visit={visit} status={status} isMain />
        </section>
        {descendants.length > 0 && (
          <section>
            <h2>{words.repliesTitle}</h2>
            <Posts visit={visit} statuses={thread.slice(at + 1)} />
          </section>
        )}
      </>,
    );
  });
}

function toOriginal(visit: Visit): Response {
  const { ctx } = visit;
  if (!visit.mayKnow) return closedPage(visit);
  const { id } = visibleOriginal(ctx, STRANGER, parseId(visit.path[3]));
  const { url, uri } = showStatus(ctx, STRANGER, id);
  return visit.redirect(visit.local(url ?? uri));
}

function PostMeta({ visit, status }: { visit: Visit; status: StatusJson }) {
  const { account, spoiler_text, sensitive } = status;
  const url = status.url ?? status.uri;
  const picture = sensitive || spoiler_text ? undefined : status.media_attachments.find(({ type }) => type !== "audio");
  const image = picture
    ? { url: picture.preview_url, description: picture.description ?? "", isLarge: true }
    : { url: account.avatar, description: account.avatar_description, isLarge: false };
  const oembed = `${visit.ctx.config.origin}/api/oembed?${new URLSearchParams({ url })}`;
  return (
    <>
      <Meta
        visit={visit}
        url={url}
        type="article"
        title={`${nameOf(account)} (${handleOf(visit, account)})`}
        description={spoiler_text || htmlToText(status.content)}
        image={image}
        published={status.created_at}
      />
      <link rel="alternate" type="application/json+oembed" href={oembed} />
    </>
  );
}
