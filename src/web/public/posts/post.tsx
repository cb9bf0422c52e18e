/** @jsxImportSource preact */
import { lookupAccount } from "../../../core/accounts.ts";
import { localUrl, statusAt } from "../../../core/addresses.ts";
import { contextOf, fetchThreadLater } from "../../../core/statuses/threads.ts";
import { type StatusRow, visibleOriginal, visibleStatus } from "../../../core/visibility.ts";
import { showStatus, showStatuses, type StatusJson } from "../../../entities/statuses/statuses.ts";
import { notFound } from "../../../errors.ts";
import { htmlToText } from "../../../lib/text/html.ts";
import { parseId } from "../../../lib/ids.ts";
import { requestAddress } from "../../../lib/http/params.ts";
import { closedPage } from "../closed.tsx";
import { Deliveries } from "./deliveries.tsx";
import { postPath } from "../links.ts";
import { Meta } from "../meta.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { handleOf, nameOf } from "../author.tsx";
import { Post, Posts } from "./posts.tsx";
import { parentsOf, type Parents } from "./reply-line.tsx";
import type { PageRequest } from "../../page/page-request.tsx";
import { publicTexts } from "../texts.ts";

/**
 * The page of a post with its thread, and redirects to it. Anonymous visitors get local posts that are for everyone;
 * signed-in users get all posts that they may see, and authors also see which servers have a post.
 */
export function postPages(pages: Pages): void {
  // These are URIs for programs, but users find them too: the url of a reblog is one.
  pages.get("/users/:name", (page) => page.redirect(`/@${encodeURIComponent(page.path[1]!)}`));
  pages.get("/users/:name/statuses/:id", (page) => redirectToOriginal(page));
  pages.get("/users/:name/statuses/:id/activity", (page) => redirectToOriginal(page));
  pages.get("/@:name/:id", (page) => {
    const { ctx, messages } = page;
    if (!page.maySeeAccounts) return closedPage(page);
    const row = statusOf(page);
    const { id } = row;
    const { ancestors, descendants } = contextOf(ctx, page.viewerId, row);
    // Visitors cause no requests to other servers.
    if (page.session) fetchThreadLater(ctx, row);
    const thread = showStatuses(ctx, page.viewerId, [...ancestors, id, ...descendants]);
    const at = ancestors.length;
    const status = thread[at]!;
    const parents = parentsOf(page, thread);
    const title = postTitle(page, status);
    return page.render(
      {
        title,
        wide: true,
        isPublic: true,
        listed: !status.account.noindex,
        meta: <PostMeta page={page} status={status} />,
      },
      <>
        <h1 class="visually-hidden">{title}</h1>
        <section>
          <Ancestors page={page} statuses={thread.slice(0, at)} parents={parents} />
          <Post page={page} status={status} parents={parents} above={[thread[at - 1]?.id]} isMain>
            {page.session?.accountId === Number(status.account.id) && <Deliveries page={page} statusId={id} />}
          </Post>
        </section>
        {descendants.length > 0 && (
          <section>
            <h2>{messages.repliesTitle}</h2>
            <Posts page={page} statuses={thread.slice(at + 1)} context="thread" parents={parents} above={status.id} />
          </section>
        )}
      </>,
    );
  });
}

/** Longer than a browser's tab or a bookmark shows. */
const MAX_TITLE = 70;

/** The author and the beginning of the post, so that tabs and bookmarks can be told apart. */
export function postTitle(page: PageRequest, { account, spoiler_text, content }: StatusJson): string {
  const name = nameOf(account);
  const text = (spoiler_text || htmlToText(content)).replaceAll(/\s+/g, " ").trim();
  if (!text) return page.messages.postBy(name);
  return page
    .texts(publicTexts)
    .titled(name, text.length > MAX_TITLE ? `${text.slice(0, MAX_TITLE).trimEnd()}…` : text);
}

/** The thread up to the post: its parent, and what came before it on demand, so that the post itself is in view. */
function Ancestors(props: { page: PageRequest; statuses: readonly StatusJson[]; parents: Parents }) {
  const { page, statuses, parents } = props;
  const earlier = statuses.slice(0, -1);
  return (
    <>
      {earlier.length > 0 && (
        <details class="earlier">
          <summary>{page.texts(publicTexts).earlierPosts(earlier.length)}</summary>
          <Posts page={page} statuses={earlier} context="thread" parents={parents} />
        </details>
      )}
      <Posts page={page} statuses={statuses.slice(-1)} context="thread" parents={parents} above={earlier.at(-1)?.id} />
    </>
  );
}

/** @throws Refusal if the visitor may not see the post, or if it is by another account */
function statusOf({ ctx, viewerId, path, request }: PageRequest): StatusRow {
  if (viewerId === 0) {
    const address = `${ctx.config.origin}${requestAddress(request.url).pathname}`;
    return visibleStatus(ctx, viewerId, statusAt(ctx, viewerId, address));
  }
  const status = visibleStatus(ctx, viewerId, parseId(path[1]));
  if (status.reblog_of_id !== null || status.account_id !== lookupAccount(ctx, path[0]!)?.id) throw notFound();
  return status;
}

function redirectToOriginal(page: PageRequest): Response {
  const { ctx } = page;
  if (!page.maySeeAccounts) return closedPage(page);
  const { id } = visibleOriginal(ctx, page.viewerId, parseId(page.path[3]));
  return page.redirect(postPath(page, showStatus(ctx, page.viewerId, id)));
}

function PostMeta({ page, status }: { page: PageRequest; status: StatusJson }) {
  const { account, spoiler_text, sensitive } = status;
  const url = status.url ?? status.uri;
  const picture = sensitive || spoiler_text ? undefined : status.media_attachments.find(({ type }) => type !== "audio");
  const image = picture?.preview_url
    ? { url: picture.preview_url, description: picture.description ?? "", isLarge: true }
    : { url: account.avatar, description: account.avatar_description, isLarge: false };
  const oembed = localUrl(page.ctx, `/api/oembed?${new URLSearchParams({ url })}`);
  return (
    <>
      <Meta
        page={page}
        url={url}
        type="article"
        title={`${nameOf(account)} (${handleOf(page, account)})`}
        description={spoiler_text || htmlToText(status.content)}
        image={image}
        published={status.created_at}
      />
      <link rel="alternate" type="application/json+oembed" href={oembed} />
    </>
  );
}
