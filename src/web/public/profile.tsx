/** @jsxImportSource preact */
import { lookupAccount } from "../../core/accounts.ts";
import { spellingOf } from "../../core/discovery/tags.ts";
import { pinnedOf, statusesOf, tagTimeline } from "../../core/timelines/timelines.ts";
import type { Page, Place } from "../../db/keyset.ts";
import { showAccount, type AccountJson } from "../../entities/accounts.ts";
import { showStatuses } from "../../entities/statuses.ts";
import { notFound } from "../../errors.ts";
import { isHashtagName } from "../../lib/text/hashtags.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { parseId } from "../../lib/ids.ts";
import { requestAddress } from "../../lib/http/params.ts";
import { closedPage, suspendedPage } from "./closed.tsx";
import { Html, Text } from "../html.tsx";
import { Head } from "../layout.tsx";
import { Meta } from "./meta.tsx";
import type { Pages } from "../pages.tsx";
import { handleOf, nameOf, Post, Posts } from "./posts.tsx";
import type { Visit } from "../visit.tsx";

const PAGE_SIZE = 20;
/** The pages show what a stranger may see, also to signed-in users. */
const STRANGER = 0;
const EVERYTHING = { local: false, remote: false, only_media: false, any: [], all: [], none: [] };
const NO_REPLIES = { only_media: false, exclude_replies: true, exclude_reblogs: false, tagged: null };

/** Public lists of posts: those of a local account, and those with a hashtag. */
export function profilePages(pages: Pages): void {
  pages.get("/@:name", profilePage);
  pages.get("/tags/:name", tagPage);
}

function profilePage(visit: Visit): Response {
  const { ctx, words } = visit;
  if (!visit.mayKnow) return closedPage(visit);
  const found = lookupAccount(ctx, visit.path[0]!);
  // Remote accounts have a page on their own server.
  if (!found || found.domain !== null) throw notFound();
  if (found.suspended_at !== null) return suspendedPage(visit);
  const account = showAccount(ctx, found.id);
  const page = pageAsked(visit);
  const pinned = page.max_id === null ? idsOf(pinnedOf(ctx, STRANGER, found.id, page)) : [];
  const places = statusesOf(ctx, STRANGER, found.id, NO_REPLIES, page);
  const shown = showStatuses(ctx, STRANGER, [...pinned, ...idsOf(places).filter((id) => !pinned.includes(id))]);
  return visit.page(
    {
      title: `${nameOf(account)} (${handleOf(visit, account)})`,
      wide: true,
      isPublic: true,
      listed: !account.noindex,
      meta: <ProfileMeta visit={visit} account={account} />,
    },
    <>
      <Profile visit={visit} account={account} />
      <section>
        <h2>{page.max_id === null ? words.latestPosts : words.olderPosts}</h2>
        {shown.length === 0 && <p>{words.noPosts}</p>}
        {shown.map((status, at) => (
          <Post visit={visit} status={status} label={at < pinned.length ? words.pinned : undefined} />
        ))}
      </section>
      <Further visit={visit} page={page} places={places} />
    </>,
  );
}

function ProfileMeta({ visit, account }: { visit: Visit; account: AccountJson }) {
  const { words } = visit;
  const image = { url: account.avatar, description: account.avatar_description, isLarge: false };
  return (
    <Meta
      visit={visit}
      url={account.url}
      type="profile"
      title={`${nameOf(account)} (${handleOf(visit, account)})`}
      description={htmlToText(account.note) || words.posts(account.statuses_count)}
      image={image}
    />
  );
}

function Profile({ visit, account }: { visit: Visit; account: AccountJson }) {
  const { words } = visit;
  const { emojis, fields } = account;
  const hasBanner = !account.header.endsWith("/missing.png");
  return (
    <div class="profile">
      {hasBanner && <img class="banner" src={visit.local(account.header)} alt={account.header_description} />}
      <img class="avatar" src={visit.local(account.avatar)} width="96" height="96" alt={account.avatar_description} />
      <h1>
        <Text as="bdi" text={nameOf(account)} emojis={emojis} />
      </h1>
      <p class="help">
        {handleOf(visit, account)}
        {account.bot && ` · ${words.automated}`}
      </p>
      {account.note && <Html class="prose said" html={account.note} emojis={emojis} />}
      {fields.length > 0 && (
        <dl>
          {fields.map(({ name, value, verified_at }) => (
            <div class={verified_at === null ? undefined : "verified"}>
              <Text as="dt" text={name} emojis={emojis} />
              <Html
                as="dd"
                class="said"
                title={verified_at === null ? undefined : words.verified}
                html={value}
                emojis={emojis}
              />
            </div>
          ))}
        </dl>
      )}
      <p class="facts">
        <span>{words.posts(account.statuses_count)}</span>
        <span>{words.following(account.following_count)}</span>
        <span>{words.followers(account.followers_count)}</span>
        <span>{words.joinedIn(month(visit, account.created_at))}</span>
      </p>
    </div>
  );
}

function month({ words }: Visit, day: string): string {
  return new Intl.DateTimeFormat(words.locale, { year: "numeric", month: "long", timeZone: "UTC" }).format(
    new Date(day),
  );
}

function tagPage(visit: Visit): Response {
  const { ctx, words } = visit;
  if (!visit.mayKnow || !(visit.session || ctx.config.publicPreview)) return closedPage(visit);
  const name = visit.path[1]!;
  const page = pageAsked(visit);
  const places = tagTimeline(ctx, STRANGER, name, EVERYTHING, page);
  // Without this, every path below /tags/ would be a page.
  if (places.length === 0 && !isHashtagName(name)) throw notFound();
  const isUnused = places.length === 0 && page.max_id === null;
  const title = `#${spellingOf(ctx.db, name)}`;
  return visit.page(
    { title, wide: true, isPublic: true },
    <>
      <Head title={title}>
        <p>{isUnused ? words.noPostsWithTag : words.withTag}</p>
      </Head>
      {places.length === 0 && !isUnused && <p>{words.noPosts}</p>}
      <section>
        <Posts visit={visit} statuses={showStatuses(ctx, STRANGER, idsOf(places))} />
      </section>
      <Further visit={visit} page={page} places={places} />
    </>,
  );
}

function pageAsked(visit: Visit): Page {
  return { limit: PAGE_SIZE, max_id: parseId(visit.text("max_id")), since_id: null, min_id: null };
}

/** Links to older posts, and back to the latest. */
function Further({ visit, page, places }: { visit: Visit; page: Page; places: readonly Place[] }) {
  const { words, lang } = visit;
  const { pathname } = requestAddress(visit.request.url);
  const spoken = lang ? { lang } : null;
  const query = (more: Record<string, string> | null) => {
    const text = new URLSearchParams({ ...more, ...spoken }).toString();
    return text && `?${text}`;
  };
  const last = places.length < page.limit ? null : places.at(-1)!.cursor;
  if (last === null && page.max_id === null) return null;
  return (
    <nav class="links">
      {page.max_id !== null && <a href={pathname + query(null)}>{words.latestPosts}</a>}
      {last !== null && (
        <a href={pathname + query({ max_id: String(last) })} rel="next">
          {words.olderPosts}
        </a>
      )}
    </nav>
  );
}

function idsOf(places: readonly Place[]): number[] {
  return places.map(({ id }) => id);
}
