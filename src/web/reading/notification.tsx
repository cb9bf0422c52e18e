/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { ListedType } from "../../core/notifications/notifications.ts";
import type { AccountJson } from "../../entities/accounts.ts";
import type { StatusJson } from "../../entities/statuses/statuses.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { Hidden } from "../page/forms.tsx";
import { Icon, type IconName } from "../page/icons.tsx";
import { Text } from "../page/rich-text.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { ACCOUNTS, Answers } from "../public/profile/account-actions.tsx";
import { strongestFilter } from "../public/posts/filtered.tsx";
import { Time } from "../page/dates.tsx";
import { accountPath, postPath } from "../public/links.ts";
import { returnTo } from "../public/posts/post-actions.tsx";
import { nameOf } from "../public/author.tsx";
import { Post } from "../public/posts/posts.tsx";
import { readingTexts } from "./texts.ts";

/** As in the API (entities/GroupedNotificationsResults), with the fields that the page needs. */
export interface GroupsJson {
  accounts: AccountJson[];
  statuses: StatusJson[];
  notification_groups: GroupJson[];
}

interface GroupJson {
  type: ListedType;
  most_recent_notification_id: number;
  notifications_count: number;
  sample_account_ids: string[];
  latest_page_notification_at: string;
  status_id?: string;
  emoji?: string;
  emoji_url?: string | null;
  event?: { target_name: string };
  moderation_warning?: { text: string };
  /** Of a sign-in from a new browser. */
  fallback?: { summary: string };
}

const ICONS: Record<ListedType, IconName> = {
  mention: "reply",
  status: "bell",
  reblog: "boost",
  follow: "person",
  follow_request: "person",
  favourite: "star",
  "pleroma:emoji_reaction": "star",
  poll: "poll",
  update: "pen",
  quote: "quote",
  quoted_update: "pen",
  "admin.sign_up": "person",
  "admin.report": "globe",
  severed_relationships: "globe",
  moderation_warning: "globe",
  "linnet.sign_in": "lock",
};

/** These show the post as a whole, to be answered; the others only remind of it. */
const WITH_POST: ReadonlySet<ListedType> = new Set(["mention", "status", "quote", "update", "quoted_update"]);

/** In characters of a reminder. */
const MAX_EXCERPT = 200;

interface NotificationProps {
  page: UserPage;
  group: GroupJson;
  shown: GroupsJson;
  isNew: boolean;
}

/** A group of notifications; nothing if the user's filters hide its post. */
export function Notification({ page, group, shown, isNew }: NotificationProps) {
  const texts = page.texts(readingTexts);
  const status = shown.statuses.find(({ id }) => id === group.status_id);
  if (status && strongestFilter(status, "notifications")?.filter_action === "hide") return null;
  const accounts = group.sample_account_ids.flatMap((id) => shown.accounts.find((account) => account.id === id) ?? []);
  return (
    <div class={isNew ? "notification new" : "notification"}>
      <Icon name={ICONS[group.type]} />
      <div>
        {isNew && <span class="visually-hidden">{texts.isNew}: </span>}
        <Faces page={page} accounts={accounts} />
        <p>
          <Sentence page={page} group={group} status={status} accounts={accounts} />{" "}
          <Time page={page} at={group.latest_page_notification_at} class="help" />
        </p>
        {group.moderation_warning?.text && <p dir="auto">{group.moderation_warning.text}</p>}
        {group.fallback && (
          <p>
            {group.fallback.summary} <a href="/settings/apps">{page.messages.appsAndBrowsers}</a>
          </p>
        )}
        {group.type === "follow_request" && accounts[0] && <Request page={page} account={accounts[0]} />}
        {status && !WITH_POST.has(group.type) && <Excerpt page={page} status={status} />}
      </div>
      {status && WITH_POST.has(group.type) && <Post page={page} status={status} context="notifications" isFolded />}
    </div>
  );
}

/** For pointers: the sentence beneath has the same links. */
function Faces({ page, accounts }: { page: UserPage; accounts: readonly AccountJson[] }) {
  if (accounts.length < 2) return null;
  return (
    <div class="faces">
      {accounts.map((account) => (
        <a href={accountPath(page, account)} title={nameOf(account)}>
          <img src={page.local(account.avatar)} width="32" height="32" alt={nameOf(account)} loading="lazy" />
        </a>
      ))}
    </div>
  );
}

function Sentence(
  props: Omit<NotificationProps, "isNew" | "shown"> & { status?: StatusJson; accounts: AccountJson[] },
) {
  const { page, group, status, accounts } = props;
  const { sentences, andOthers } = page.texts(readingTexts);
  const [one, many] = sentences[kindOf(page, group, status)]!;
  const [first] = accounts;
  const others = group.notifications_count - 1;
  const parts: Record<string, ComponentChildren> = {
    names: first && (
      <>
        <a href={accountPath(page, first)}>
          <Text as="bdi" text={nameOf(first)} emojis={first.emojis} />
        </a>
        {others > 0 && ` ${andOthers(others)}`}
      </>
    ),
    emoji: <Reaction page={page} group={group} />,
    target: <bdi>{group.event?.target_name}</bdi>,
  };
  // The odd parts are the names between braces.
  return (
    <>{(others > 0 && many ? many : one).split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : parts[part]))}</>
  );
}

function kindOf(page: UserPage, { type }: GroupJson, status: StatusJson | undefined): string {
  if (type === "mention" && status?.visibility === "direct") return "direct";
  if (type === "poll" && Number(status?.account.id) === page.session.accountId) return "own_poll";
  return type;
}

function Reaction({ page, group: { emoji = "", emoji_url } }: { page: UserPage; group: GroupJson }) {
  if (!emoji_url) return <>{emoji}</>;
  return <img class="emoji" src={page.local(emoji_url)} alt={emoji} title={emoji} />;
}

function Request({ page, account }: { page: UserPage; account: AccountJson }) {
  return (
    <form class="answers" method="post" action={`${ACCOUNTS}/${account.id}`}>
      <Hidden values={{ csrf: page.csrfToken(), return_to: returnTo(page) }} />
      <Answers page={page} name={nameOf(account)} />
    </form>
  );
}

/** The beginning of a post, which leads to it. */
function Excerpt({ page, status }: { page: UserPage; status: StatusJson }) {
  const text = status.spoiler_text || htmlToText(status.content);
  const described = text || status.media_attachments.map(({ description }) => description ?? "").join(" ");
  return (
    <a class="excerpt" href={postPath(page, status)} dir="auto" lang={status.language ?? undefined}>
      {described.length > MAX_EXCERPT ? `${described.slice(0, MAX_EXCERPT)}…` : described || "…"}
    </a>
  );
}
