import { accountUrl, localHandle, localUrl, tagUrl } from "../../core/addresses.ts";
import { spellingOf } from "../../core/discovery/tags.ts";
import { accountOfHomeFeed } from "../../core/timelines/home-feed-keys.ts";
import { home, statusesOf, tagTimeline } from "../../core/timelines/timelines.ts";
import type { ListItem, Page } from "../../db/keyset.ts";
import { showAccount } from "../../entities/accounts.ts";
import { showStatuses, type StatusJson } from "../../entities/statuses/statuses.ts";
import { notFound } from "../../errors.ts";
import { isHashtagName } from "../../lib/text/hashtags.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { ANONYMOUS, localAccountOf } from "../public/accounts.ts";
import { closedPage, suspendedPage } from "../public/closed.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { FEED_TYPES, feedResponse, type FeedFormat } from "./feed.ts";
import { feedTexts } from "./texts.ts";

const LATEST: Page = { limit: 40, max_id: null, since_id: null, min_id: null };
const OWN_POSTS = { only_media: false, exclude_replies: true, exclude_reblogs: true, tagged: null };
const EVERYTHING = { local: false, remote: false, only_media: false, any: [], all: [], none: [] };
const HOME_FEED = "/feeds/home";

/** The private feeds of home timelines. The feeds of profiles and tags share the paths of their pages. */
export function feedPages(pages: Pages): void {
  for (const format of Object.keys(FEED_TYPES) as FeedFormat[]) {
    pages.get(`${HOME_FEED}.${format}`, (page) => homeFeed(page, format));
  }
}

/** The address of a home timeline's feed. The key is in the query, which is never logged. */
export function homeFeedUrl(page: PageRequest, key: string, format: FeedFormat): string {
  return `${localUrl(page.ctx, HOME_FEED)}.${format}?key=${key}`;
}

/** The public posts of a local account, without replies and boosts. */
export function profileFeed(page: PageRequest, name: string, format: FeedFormat): Response | Promise<Response> {
  const { ctx } = page;
  if (!page.maySeeAccounts) return closedPage(page);
  const { id, username, suspended_at } = localAccountOf(page, name);
  if (suspended_at !== null) return suspendedPage(page);
  const account = showAccount(ctx, id);
  const texts = page.texts(feedTexts);
  const author = account.display_name || username;
  const url = accountUrl(ctx, username);
  return feedResponse(page, format, {
    title: `${author} (${localHandle(ctx, username)})`,
    description: htmlToText(account.note) || texts.postsOf(author),
    page: url,
    address: url,
    image: account.avatar,
    statuses: publicOnly(show(page, ANONYMOUS, statusesOf(ctx, ANONYMOUS, id, OWN_POSTS, LATEST))),
    createdAt: Date.parse(account.created_at),
  });
}

/** The public posts with a hashtag that this server knows. */
export function tagFeed(page: PageRequest, name: string, format: FeedFormat): Response | Promise<Response> {
  const { ctx } = page;
  if (!page.maySeeAccounts || !(page.session || ctx.config.publicPreview)) return closedPage(page);
  if (!isHashtagName(name)) throw notFound();
  const spelling = spellingOf(ctx.db, name);
  const url = tagUrl(ctx, name);
  return feedResponse(page, format, {
    title: `#${spelling}`,
    description: page.texts(feedTexts).postsWith(spelling),
    page: url,
    address: url,
    statuses: publicOnly(show(page, ANONYMOUS, tagTimeline(ctx, ANONYMOUS, name, EVERYTHING, LATEST))),
    createdAt: 0,
  });
}

function homeFeed(page: PageRequest, format: FeedFormat): Response | Promise<Response> {
  const { ctx } = page;
  const key = page.text("key");
  const accountId = accountOfHomeFeed(ctx.db, key);
  if (accountId === null) throw notFound();
  const account = showAccount(ctx, accountId);
  const texts = page.texts(feedTexts);
  return feedResponse(page, format, {
    title: texts.homeOf(localHandle(ctx, account.username)),
    description: texts.homeHelp,
    page: localUrl(ctx, "/home"),
    // Feed readers are often services elsewhere.
    statuses: show(page, accountId, home(ctx, accountId, LATEST)).filter(({ local_only }) => !local_only),
    createdAt: Date.parse(account.created_at),
  });
}

function show(page: PageRequest, viewerId: number, rows: readonly ListItem[]): StatusJson[] {
  return showStatuses(
    page.ctx,
    viewerId,
    rows.map(({ id }) => id),
  );
}

function publicOnly(statuses: readonly StatusJson[]): StatusJson[] {
  return statuses.filter(({ visibility }) => visibility === "public");
}
