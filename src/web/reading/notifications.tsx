/** @jsxImportSource preact */
import { pendingRequests } from "../../core/notifications/requests.ts";
import { followRequestsTo } from "../../core/people/follows.ts";
import { listGroups } from "../../core/notifications/groups.ts";
import { GROUPABLE_TYPES, LISTED_TYPES, readUpTo } from "../../core/notifications/notifications.ts";
import { groupedText } from "../../entities/notifications/notification-groups.ts";
import { script } from "../assets.ts";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { AccountList } from "../public/profile/account-list.tsx";
import { idsOf, Pagination, rangeOf } from "../public/pagination.tsx";
import { liveFrom, News } from "./news.tsx";
import { markRead } from "./markers.ts";
import { Notification, type GroupsJson } from "./notification.tsx";
import { readingTexts } from "./texts.ts";

const REQUESTS = "/follow-requests";
const FILTER = {
  types: LISTED_TYPES,
  groupedTypes: GROUPABLE_TYPES,
  fromAccountId: null,
  includeFiltered: false,
};

/** Notifications of the user, and the accounts that ask to follow them. */
export function notificationPages(pages: Pages): void {
  pages.userGet("/notifications", notificationsPage);
  pages.userGet(REQUESTS, requestsPage);
}

function notificationsPage(page: UserPage): Response {
  const { ctx, session, messages } = page;
  const texts = page.texts(readingTexts);
  const range = rangeOf(page);
  const groups = listGroups(ctx.db, session.accountId, FILTER, range);
  const form = { knowsReactions: true, language: messages.language };
  const shown = JSON.parse(groupedText(ctx, session.accountId, groups, form)) as GroupsJson;
  const read = readUpTo(ctx.db, session.accountId);
  const isFirst = range.max_id === null;
  if (isFirst) markRead(page, "notifications", read, groups[0]?.newestId);
  const hasRequests = followRequestsTo(ctx, session.accountId, { ...range, max_id: null, limit: 1 }).length > 0;
  return page.render(
    { title: messages.notifications, wide: true, scripts: [script] },
    <>
      <h1>{messages.notifications}</h1>
      {hasRequests && (
        <p class="notice">
          {texts.waiting} <a href={REQUESTS}>{texts.followRequests}</a>
        </p>
      )}
      {isFirst && pendingRequests(ctx.db, session.accountId).requests > 0 && (
        <p class="notice">
          {texts.areFiltered} <a href="/settings/notifications/requests">{texts.showFiltered}</a>
        </p>
      )}
      {groups.length === 0 && isFirst && (
        <div class="empty">
          <h2>{texts.noNotifications}</h2>
          <p>{texts.noNotificationsHelp}</p>
        </div>
      )}
      {isFirst && <News words={texts.newNotifications} />}
      <section class="timeline" {...(isFirst && liveFrom("notifications", groups[0]?.newestId))}>
        {shown.notification_groups.map((group) => (
          <Notification
            page={page}
            group={group}
            shown={shown}
            isNew={isFirst && group.most_recent_notification_id > read}
          />
        ))}
      </section>
      <Pagination page={page} range={range} rows={groups.map(({ row }) => row)} />
    </>,
  );
}

function requestsPage(page: UserPage): Response {
  const { ctx, session } = page;
  const texts = page.texts(readingTexts);
  const range = rangeOf(page);
  const rows = followRequestsTo(ctx, session.accountId, range);
  return page.render(
    { title: texts.followRequests, wide: true },
    <>
      <h1>{texts.followRequests}</h1>
      {rows.length === 0 && <p>{texts.noFollowRequests}</p>}
      <AccountList page={page} ids={idsOf(rows)} asking />
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}
