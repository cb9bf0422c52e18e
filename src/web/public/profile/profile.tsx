/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { AccountRow } from "../../../core/accounts.ts";
import { searchPublicStatuses } from "../../../core/discovery/search.ts";
import { spellingOf } from "../../../core/discovery/tags.ts";
import { archivedMonths, pageOfMonth } from "../../../core/timelines/archive.ts";
import { fetchProfileLater } from "../../../core/people/remote-profiles.ts";
import { pinnedOf, statusesOf, type AccountFilter } from "../../../core/timelines/timelines.ts";
import type { ListItem, Page } from "../../../db/keyset.ts";
import { showAccount, type AccountJson } from "../../../entities/accounts.ts";
import { showRelationship } from "../../../entities/relationships.ts";
import { showStatuses } from "../../../entities/statuses/statuses.ts";
import { notFound } from "../../../errors.ts";
import { htmlToText } from "../../../lib/text/html.ts";
import { isHashtagName } from "../../../lib/text/hashtags.ts";
import { feedName } from "../../feeds/feed.ts";
import { profileFeed } from "../../feeds/feeds.ts";
import { Field } from "../../page/forms.tsx";
import type { PageRequest, UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { AccountActions } from "./account-actions.tsx";
import { accountOf } from "../accounts.ts";
import { closedPage, suspendedPage } from "../closed.tsx";
import { FeedLinks, Meta } from "../meta.tsx";
import { accountPath } from "../links.ts";
import { idsOf, Pagination, rangeOf } from "../pagination.tsx";
import { Post, Threads } from "../posts/posts.tsx";
import { followsPage } from "./follows.tsx";
import { monthName, Profile, ShortProfile, Tabs, titleOf } from "./profile-header.tsx";
import { publicTexts } from "../texts.ts";

const OWN: AccountFilter = { only_media: false, exclude_replies: true, exclude_reblogs: false, tagged: null };
const MAX_QUERY = 200;

type ProfilePage = (page: PageRequest, account: AccountJson, row: AccountRow) => Response;

/** The public pages of a local account: its profile, its lists of posts, and its feeds. */
export function profilePages(pages: Pages): void {
  pages.get("/@:name", (page) => {
    const feed = feedName(page.path[0]!);
    return feed ? profileFeed(page, feed.name, feed.format) : show(page, profilePage);
  });
  const add = (path: string, shown: ProfilePage) => pages.get(`/@:name/${path}`, (page) => show(page, shown));
  add("with_replies", (page, account) =>
    listPage(page, account, page.texts(publicTexts).withReplies, { ...OWN, exclude_replies: false }),
  );
  add("media", (page, account) =>
    listPage(page, account, page.texts(publicTexts).media, {
      ...OWN,
      only_media: true,
      exclude_replies: false,
      exclude_reblogs: true,
    }),
  );
  add("tagged/:tag", taggedPage);
  add("archive", archivePage);
  add("archive/:month", monthPage);
  add("search", searchPage);
  for (const part of ["followers", "following"] as const)
    add(part, (page, account, row) => followsPage({ page, account, row, part }));
}

/** Shows a page about the account in its address, if visitors may see it. */
async function show(page: PageRequest, shown: ProfilePage): Promise<Response> {
  if (!page.maySeeAccounts) return closedPage(page);
  const row = await accountOf(page, page.path[0]!);
  const { id, domain, suspended_at } = row;
  if (suspended_at !== null) return suspendedPage(page);
  if (domain !== null) fetchProfileLater(page.ctx, id);
  return shown(page, showAccount(page.ctx, id), row);
}

/** The profile with its latest posts. It is also the start page of a server with one user. */
export function profilePage(page: PageRequest, account: AccountJson): Response {
  const { ctx, messages, viewerId } = page;
  const range = rangeOf(page);
  if (range.max_id !== null) return listPage(page, account, messages.olderPosts, OWN);
  const accountId = Number(account.id);
  const pinned = idsOf(pinnedOf(ctx, viewerId, accountId, range));
  const rows = statusesOf(ctx, viewerId, accountId, OWN, range);
  const shown = showStatuses(ctx, viewerId, [...pinned, ...idsOf(rows).filter((id) => !pinned.includes(id))]);
  return render(
    page,
    account,
    titleOf(page, account),
    <>
      <Profile page={page} account={account} />
      {page.isOfUser() && <Relation page={page} account={account} />}
      <Tabs page={page} account={account} />
      <section class="h-feed">
        <h2 class="visually-hidden p-name">{messages.latestPosts}</h2>
        {shown.length === 0 && <p>{messages.noPosts}</p>}
        {shown.slice(0, pinned.length).map((status) => (
          <Post page={page} status={status} context="account" label={messages.pinned} isFolded />
        ))}
        <Threads page={page} statuses={shown.slice(pinned.length)} context="account" />
      </section>
      <Pagination isOfPosts page={page} path={accountPath(page, account)} range={range} rows={rows} />
    </>,
  );
}

/** A list of the account's posts under a short header. */
function listPage(
  page: PageRequest,
  account: AccountJson,
  title: string,
  filter: AccountFilter,
  { range = rangeOf(page), empty = page.messages.noPosts }: { range?: Page; empty?: string } = {},
): Response {
  const rows = statusesOf(page.ctx, page.viewerId, Number(account.id), filter, range);
  return postsPage(page, account, title, { rows, range, empty });
}

function postsPage(
  page: PageRequest,
  account: AccountJson,
  title: string,
  list: { rows: readonly ListItem[]; range: Page; empty: string; above?: ComponentChildren },
): Response {
  const statuses = showStatuses(page.ctx, page.viewerId, idsOf(list.rows));
  return render(
    page,
    account,
    `${title} · ${titleOf(page, account)}`,
    <>
      <ShortProfile page={page} account={account} title={title} />
      <Tabs page={page} account={account} />
      {list.above}
      {statuses.length === 0 && list.empty && <p>{list.empty}</p>}
      <section class="h-feed">
        <Threads page={page} statuses={statuses} context="account" />
      </section>
      <Pagination isOfPosts page={page} range={list.range} rows={list.rows} />
    </>,
  );
}

function taggedPage(page: PageRequest, account: AccountJson): Response {
  const tag = page.path[2]!;
  if (!isHashtagName(tag)) throw notFound();
  const texts = page.texts(publicTexts);
  const filter = { ...OWN, exclude_replies: false, exclude_reblogs: true, tagged: tag };
  return listPage(page, account, texts.tagged(spellingOf(page.ctx.db, tag)), filter);
}

function archivePage(page: PageRequest, account: AccountJson): Response {
  const { messages } = page;
  const texts = page.texts(publicTexts);
  const isLocal = !account.acct.includes("@");
  const months = archivedMonths(page.ctx, page.viewerId, { id: Number(account.id), isLocal });
  const years = Map.groupBy(months, ({ month }) => month.slice(0, 4));
  return render(
    page,
    account,
    `${texts.archive} · ${titleOf(page, account)}`,
    <>
      <ShortProfile page={page} account={account} title={texts.archive} />
      <Tabs page={page} account={account} />
      {months.length === 0 && <p>{texts.archiveEmpty}</p>}
      {[...years].map(([year, listed]) => (
        <section>
          <h2>{year}</h2>
          <ul class="accounts months">
            {listed.map(({ month, posts }) => (
              <li>
                <a href={`${accountPath(page, account)}/archive/${month}`}>{monthName(page, `${month}-01`)}</a>{" "}
                <span>{messages.posts(posts)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>,
  );
}

function monthPage(page: PageRequest, account: AccountJson): Response {
  const month = page.path[2]!;
  const range = rangeOf(page);
  const whole = pageOfMonth(month, range.limit);
  if (whole === null) throw notFound();
  const title = page.texts(publicTexts).postsIn(monthName(page, `${month}-01`));
  const max_id = Math.min(range.max_id ?? Infinity, whole.max_id!);
  return listPage(page, account, title, { ...OWN, exclude_reblogs: true }, { range: { ...whole, max_id } });
}

/** Only for accounts that allow everyone to find their posts. */
function searchPage(page: PageRequest, account: AccountJson): Response {
  if (!account.indexable) throw notFound();
  const texts = page.texts(publicTexts);
  const q = page.text("q").trim().slice(0, MAX_QUERY);
  const range = rangeOf(page);
  const rows = q === "" ? [] : searchPublicStatuses(page.ctx, Number(account.id), q, range);
  const form = (
    <form action={`${accountPath(page, account)}/search`} role="search">
      <Field
        name="q"
        type="search"
        label={texts.searchFor}
        value={q}
        autocomplete="off"
        maxLength={MAX_QUERY}
        isProse
      />
      <button class="primary">{texts.search}</button>
    </form>
  );
  return postsPage(page, account, q === "" ? texts.search : texts.found(q), {
    rows,
    range,
    empty: q === "" ? "" : texts.notFound,
    above: form,
  });
}

function render(page: PageRequest, account: AccountJson, title: string, children: ComponentChildren): Response {
  const meta = <ProfileMeta page={page} account={account} />;
  return page.render({ title, wide: true, isPublic: true, listed: !account.noindex, meta }, children);
}

function ProfileMeta({ page, account }: { page: PageRequest; account: AccountJson }) {
  const image = { url: account.avatar, description: account.avatar_description, isLarge: false };
  const title = titleOf(page, account);
  const description = htmlToText(account.note) || page.messages.posts(account.statuses_count);
  return (
    <>
      <Meta page={page} url={account.url} type="profile" title={title} description={description} image={image} />
      {!account.acct.includes("@") && <FeedLinks address={page.local(account.url)} title={title} />}
    </>
  );
}

/** The relationship of the user and the account, with buttons to change it. */
function Relation({ page, account }: { page: UserPage; account: AccountJson }) {
  const id = Number(account.id);
  if (id === page.session.accountId) {
    return (
      <p class="on-screen">
        <a href="/settings/profile">{page.texts(publicTexts).editProfile}</a>
      </p>
    );
  }
  const relationship = showRelationship(page.ctx, page.session.accountId, id);
  return <AccountActions page={page} account={account} relationship={relationship} />;
}
