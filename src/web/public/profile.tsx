/** @jsxImportSource preact */
import { spellingOf } from "../../core/discovery/tags.ts";
import { tagUrl } from "../../core/addresses.ts";
import { pinnedOf, statusesOf, tagTimeline } from "../../core/timelines/timelines.ts";
import type { Page, ListItem } from "../../db/keyset.ts";
import { showAccount, type AccountJson } from "../../entities/accounts.ts";
import { showStatuses } from "../../entities/statuses.ts";
import { notFound } from "../../errors.ts";
import { isHashtagName } from "../../lib/text/hashtags.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { parseId } from "../../lib/ids.ts";
import { requestAddress } from "../../lib/http/params.ts";
import { ANONYMOUS, localAccountOf } from "./accounts.ts";
import { closedPage, suspendedPage } from "./closed.tsx";
import { Html, Text } from "../page/rich-text.tsx";
import { Head } from "../page/layout.tsx";
import { feedName } from "../feeds/feed.ts";
import { profileFeed, tagFeed } from "../feeds/feeds.ts";
import { FeedLinks, Meta } from "./meta.tsx";
import type { Pages } from "../page/page-routes.ts";
import { handleOf, nameOf, Post, Posts } from "./posts.tsx";
import type { PageRequest } from "../page/page-request.tsx";

const PAGE_SIZE = 20;
const EVERYTHING = { local: false, remote: false, only_media: false, any: [], all: [], none: [] };
const NO_REPLIES = { only_media: false, exclude_replies: true, exclude_reblogs: false, tagged: null };

/** Public lists of posts: those of a local account, and those with a hashtag. */
export function profilePages(pages: Pages): void {
  pages.get("/@:name", (page) => {
    const feed = feedName(page.path[0]!);
    return feed ? profileFeed(page, feed.name, feed.format) : profilePage(page);
  });
  pages.get("/tags/:name", (page) => {
    const feed = feedName(page.path[1]!);
    return feed ? tagFeed(page, feed.name, feed.format) : tagPage(page);
  });
}

function profilePage(page: PageRequest): Response {
  const { ctx, messages } = page;
  if (!page.maySeeAccounts) return closedPage(page);
  const found = localAccountOf(page, page.path[0]!);
  if (found.suspended_at !== null) return suspendedPage(page);
  const account = showAccount(ctx, found.id);
  const range = rangeOf(page);
  const pinned = range.max_id === null ? idsOf(pinnedOf(ctx, ANONYMOUS, found.id, range)) : [];
  const rows = statusesOf(ctx, ANONYMOUS, found.id, NO_REPLIES, range);
  const shown = showStatuses(ctx, ANONYMOUS, [...pinned, ...idsOf(rows).filter((id) => !pinned.includes(id))]);
  return page.render(
    {
      title: `${nameOf(account)} (${handleOf(page, account)})`,
      wide: true,
      isPublic: true,
      listed: !account.noindex,
      meta: <ProfileMeta page={page} account={account} />,
    },
    <>
      <Profile page={page} account={account} />
      <section>
        <h2>{range.max_id === null ? messages.latestPosts : messages.olderPosts}</h2>
        {shown.length === 0 && <p>{messages.noPosts}</p>}
        {shown.map((status, at) => (
          <Post page={page} status={status} label={at < pinned.length ? messages.pinned : undefined} />
        ))}
      </section>
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}

function ProfileMeta({ page, account }: { page: PageRequest; account: AccountJson }) {
  const { messages } = page;
  const image = { url: account.avatar, description: account.avatar_description, isLarge: false };
  const title = `${nameOf(account)} (${handleOf(page, account)})`;
  return (
    <>
      <Meta
        page={page}
        url={account.url}
        type="profile"
        title={title}
        description={htmlToText(account.note) || messages.posts(account.statuses_count)}
        image={image}
      />
      <FeedLinks address={page.local(account.url)} title={title} />
    </>
  );
}

function Profile({ page, account }: { page: PageRequest; account: AccountJson }) {
  const { messages } = page;
  const { emojis, fields, moved } = account;
  const hasBanner = !account.header.endsWith("/missing.png");
  return (
    <div class="profile">
      {hasBanner && <img class="banner" src={page.local(account.header)} alt={account.header_description} />}
      <img class="avatar" src={page.local(account.avatar)} width="96" height="96" alt={account.avatar_description} />
      <h1>
        <Text as="bdi" text={nameOf(account)} emojis={emojis} />
      </h1>
      <p class="help">
        {handleOf(page, account)}
        {account.bot && ` · ${messages.automated}`}
      </p>
      {moved && (
        <p>
          <Text as="bdi" text={messages.hasMovedTo(nameOf(account))} emojis={emojis} />{" "}
          <a href={page.local(moved.url)}>{handleOf(page, moved)}</a>.
        </p>
      )}
      {account.note && <Html class="prose content" html={account.note} emojis={emojis} />}
      {fields.length > 0 && (
        <dl>
          {fields.map(({ name, value, verified_at }) => (
            <div class={verified_at === null ? undefined : "verified"}>
              <Text as="dt" text={name} emojis={emojis} />
              <Html
                as="dd"
                class="content"
                title={verified_at === null ? undefined : messages.verified}
                html={value}
                emojis={emojis}
              />
            </div>
          ))}
        </dl>
      )}
      <p class="details">
        <span>{messages.posts(account.statuses_count)}</span>
        <span>{messages.following(account.following_count)}</span>
        <span>{messages.followers(account.followers_count)}</span>
        <span>{messages.joinedIn(month(page, account.created_at))}</span>
      </p>
    </div>
  );
}

function month({ messages }: PageRequest, day: string): string {
  return new Intl.DateTimeFormat(messages.locale, { year: "numeric", month: "long", timeZone: "UTC" }).format(
    new Date(day),
  );
}

function tagPage(page: PageRequest): Response {
  const { ctx, messages } = page;
  if (!page.maySeeAccounts || !(page.session || ctx.config.publicPreview)) return closedPage(page);
  const name = page.path[1]!;
  const range = rangeOf(page);
  const rows = tagTimeline(ctx, ANONYMOUS, name, EVERYTHING, range);
  // Without this, every path below /tags/ would be a page.
  if (rows.length === 0 && !isHashtagName(name)) throw notFound();
  const isUnused = rows.length === 0 && range.max_id === null;
  const title = `#${spellingOf(ctx.db, name)}`;
  return page.render(
    { title, wide: true, isPublic: true, meta: <FeedLinks address={page.local(tagUrl(ctx, name))} title={title} /> },
    <>
      <Head title={title}>
        <p>{isUnused ? messages.noPostsWithTag : messages.withTag}</p>
      </Head>
      {rows.length === 0 && !isUnused && <p>{messages.noPosts}</p>}
      <section>
        <Posts page={page} statuses={showStatuses(ctx, ANONYMOUS, idsOf(rows))} />
      </section>
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}

function rangeOf(page: PageRequest): Page {
  return { limit: PAGE_SIZE, max_id: parseId(page.text("max_id")), since_id: null, min_id: null };
}

/** Links to older posts, and back to the latest. */
function Pagination({ page, range, rows }: { page: PageRequest; range: Page; rows: readonly ListItem[] }) {
  const { messages, lang } = page;
  const { pathname } = requestAddress(page.request.url);
  const spoken = lang ? { lang } : null;
  const query = (more: Record<string, string> | null) => {
    const text = new URLSearchParams({ ...more, ...spoken }).toString();
    return text && `?${text}`;
  };
  const last = rows.length < range.limit ? null : rows.at(-1)!.cursor;
  if (last === null && range.max_id === null) return null;
  return (
    <nav class="links">
      {range.max_id !== null && <a href={pathname + query(null)}>{messages.latestPosts}</a>}
      {last !== null && (
        <a href={pathname + query({ max_id: String(last) })} rel="next">
          {messages.olderPosts}
        </a>
      )}
    </nav>
  );
}

function idsOf(rows: readonly ListItem[]): number[] {
  return rows.map(({ id }) => id);
}
