/** @jsxImportSource preact */
import type { AccountJson } from "../../../entities/accounts.ts";
import { requestAddress } from "../../../lib/http/params.ts";
import type { PageRequest } from "../../page/page-request.tsx";
import { Html, Text } from "../../page/rich-text.tsx";
import { accountPath } from "../links.ts";
import { publicTexts } from "../texts.ts";
import { Author, handleOf, nameOf } from "../author.tsx";

/** All that an account says about itself (microformats2: h-card). */
export function Profile({ page, account }: { page: PageRequest; account: AccountJson }) {
  const { messages } = page;
  const { emojis, fields, moved } = account;
  const own = accountPath(page, account);
  const hasBanner = !account.header.endsWith("/missing.png");
  return (
    <div class="profile h-card">
      {hasBanner && <img class="banner" src={page.local(account.header)} alt={account.header_description} />}
      <img
        class="avatar u-photo"
        src={page.local(account.avatar)}
        width="96"
        height="96"
        alt={account.avatar_description}
      />
      <h1>
        <a class="u-url u-uid" rel="me" href={own}>
          <Text as="bdi" class="p-name" text={nameOf(account)} emojis={emojis} />
        </a>
      </h1>
      <p class="help">
        <span class="p-nickname">{handleOf(page, account)}</span>
        {account.bot && ` · ${messages.automated}`}
      </p>
      {moved && (
        <p>
          <Text as="bdi" text={messages.hasMovedTo(nameOf(account))} emojis={emojis} />{" "}
          <a href={accountPath(page, moved)}>{handleOf(page, moved)}</a>.
        </p>
      )}
      {account.note && <Html class="prose content p-note" html={account.note} emojis={emojis} />}
      {fields.length > 0 && <Fields page={page} account={account} />}
      <p class="details">
        <span>{messages.posts(account.statuses_count)}</span>
        <a href={`${own}/following`}>{messages.following(account.following_count)}</a>
        <a href={`${own}/followers`}>{messages.followers(account.followers_count)}</a>
        <span>{messages.joinedIn(monthName(page, account.created_at))}</span>
        {!account.acct.includes("@") && (
          <a class="on-screen" href={`${page.local(account.url)}.rss`}>
            RSS
          </a>
        )}
      </p>
    </div>
  );
}

function Fields({ page, account: { fields, emojis } }: { page: PageRequest; account: AccountJson }) {
  return (
    <dl>
      {fields.map(({ name, value, verified_at }) => (
        <div class={verified_at === null ? undefined : "verified"}>
          <Text as="dt" text={name} emojis={emojis} />
          <Html
            as="dd"
            class="content"
            title={verified_at === null ? undefined : page.messages.verified}
            html={value}
            emojis={emojis}
          />
        </div>
      ))}
    </dl>
  );
}

/** The account above its lists that are not the first thing about it. */
export function ShortProfile({ page, account, title }: { page: PageRequest; account: AccountJson; title: string }) {
  return (
    <div>
      <Author page={page} account={account} />
      <h1 class="list-title">{title}</h1>
    </div>
  );
}

/** The lists of an account, each with its own page. */
export function Tabs({ page, account }: { page: PageRequest; account: AccountJson }) {
  const texts = page.texts(publicTexts);
  const own = accountPath(page, account);
  const tabs = [
    { href: own, label: texts.posts },
    { href: `${own}/with_replies`, label: texts.withReplies },
    ...(account.show_media ? [{ href: `${own}/media`, label: texts.media }] : []),
    { href: `${own}/archive`, label: texts.archive },
    ...(account.indexable ? [{ href: `${own}/search`, label: texts.search }] : []),
  ];
  return <TabBar page={page} label={texts.lists} tabs={tabs} home={own} />;
}

interface TabBarProps {
  page: PageRequest;
  label: string;
  tabs: readonly { href: string; label: string }[];
  /** The tab that is also the start page of a server with one user. */
  home?: string;
}

export function TabBar({ page, label, tabs, home }: TabBarProps) {
  const path = requestAddress(page.request.url).pathname;
  const here = path === "/" ? home : path;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, label }) => (
        <a href={href} aria-current={href.toLowerCase() === here?.toLowerCase() ? "page" : undefined} dir="auto">
          {label}
        </a>
      ))}
    </nav>
  );
}

export function titleOf(page: PageRequest, account: AccountJson): string {
  return `${nameOf(account)} (${handleOf(page, account)})`;
}

/** A month and its year, such as "November 2026", of a date in ISO 8601. */
export function monthName({ messages }: PageRequest, date: string): string {
  const options = { year: "numeric", month: "long", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(messages.locale, options).format(new Date(date));
}
