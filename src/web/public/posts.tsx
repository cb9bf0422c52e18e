/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { AccountJson } from "../../entities/accounts.ts";
import type { CardJson } from "../../entities/cards.ts";
import type { MediaJson } from "../../entities/media.ts";
import type { PollJson } from "../../entities/polls.ts";
import type { OriginalJson, QuotedJson, StatusJson } from "../../entities/statuses.ts";
import { Html, Text } from "../html.tsx";
import type { Visit } from "../visit.tsx";
import type { Words } from "../i18n/words.ts";

interface PostProps {
  visit: Visit;
  status: StatusJson;
  /** A line above the post, such as "Pinned". */
  label?: string;
  /** Whether the page is about this post. */
  isMain?: boolean;
}

/** A public post. A reblog is shown as its original, with the name of the account that boosted it. */
export function Post({ visit, status, label, isMain }: PostProps) {
  const { words } = visit;
  const shown = status.reblog ?? status;
  const above = status.reblog ? words.boostedBy(nameOf(status.account)) : label;
  return (
    <article class={isMain ? "post main" : "post"}>
      {above && (
        <p class="help">
          <Text text={above} emojis={status.account.emojis} />
        </p>
      )}
      <Author visit={visit} account={shown.account} />
      <Said visit={visit} status={shown}>
        {shown.quote && <Quote visit={visit} quote={shown.quote} />}
      </Said>
      <Facts visit={visit} status={shown} />
    </article>
  );
}

/** A list of posts in the order given. */
export function Posts({ visit, statuses }: { visit: Visit; statuses: readonly StatusJson[] }) {
  return (
    <>
      {statuses.map((status) => (
        <Post visit={visit} status={status} />
      ))}
    </>
  );
}

export function nameOf(account: AccountJson): string {
  return account.display_name || account.username;
}

/** The full handle, with the domain of local accounts too. */
export function handleOf(visit: Visit, account: AccountJson): string {
  return account.acct.includes("@") ? `@${account.acct}` : `@${account.acct}@${visit.ctx.config.handleDomain}`;
}

/** Formats a time in UTC, because the reader's time zone is unknown. */
function moment(words: Words, time: string): string {
  const options = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;
  return `${new Intl.DateTimeFormat(words.locale, options).format(new Date(time))} UTC`;
}

function Author({ visit, account }: { visit: Visit; account: AccountJson }) {
  return (
    <a class="author" href={visit.local(account.url)}>
      <img src={visit.local(account.avatar)} width="48" height="48" alt="" loading="lazy" />
      <span>
        <Text as="bdi" text={nameOf(account)} emojis={account.emojis} />
        <span>{handleOf(visit, account)}</span>
      </span>
    </a>
  );
}

/** An account in a list. */
export function Person({ visit, account }: { visit: Visit; account: AccountJson }) {
  return (
    <li>
      <a href={visit.local(account.url)}>
        <Text as="bdi" text={nameOf(account)} emojis={account.emojis} />
      </a>{" "}
      <span>{handleOf(visit, account)}</span>
    </li>
  );
}

type Shown = OriginalJson | QuotedJson;

interface SaidProps {
  visit: Visit;
  status: Shown;
  children?: ComponentChildren;
}

/** The content of a post, behind its content warning if it has one. */
function Said({ visit, status, children }: SaidProps) {
  const { spoiler_text, language, emojis } = status;
  const body = (
    <>
      <Html
        class={status.quote ? "prose said quotes" : "prose said"}
        html={status.content}
        emojis={emojis}
        lang={language}
      />
      {status.poll && <Poll visit={visit} poll={status.poll} lang={language} />}
      <Media visit={visit} status={status} />
      {status.card && status.media_attachments.length === 0 && !status.quote && (
        <Card visit={visit} card={status.card} />
      )}
      {children}
    </>
  );
  if (!spoiler_text) return body;
  return (
    <details>
      <Text as="summary" text={spoiler_text} emojis={emojis} lang={language} />
      {body}
    </details>
  );
}

/** Sensitive media must be opened by the user, unless they are behind a content warning, which was opened already. */
function Media({ visit, status }: { visit: Visit; status: Shown }) {
  const { media_attachments: media, sensitive, spoiler_text, language } = status;
  if (media.length === 0) return null;
  const shown = (
    <div class={media.length > 1 ? "media several" : "media"}>
      {media.map((attachment) => (
        <Attachment visit={visit} attachment={attachment} lang={language} />
      ))}
    </div>
  );
  if (!sensitive || spoiler_text) return shown;
  return (
    <details>
      <summary>{visit.words.sensitiveMedia}</summary>
      {shown}
    </details>
  );
}

interface AttachmentProps {
  visit: Visit;
  attachment: MediaJson;
  lang: string | null;
}

function Attachment({ visit, attachment, lang }: AttachmentProps) {
  const { type, meta, description } = attachment;
  const preview = visit.local(attachment.preview_url);
  const words = description ?? "";
  const attributes = { lang: lang ?? undefined, title: description ?? undefined };
  const { width, height } = meta.small;
  const picture = <img {...attributes} src={preview} alt={words} width={width} height={height} loading="lazy" />;
  // It can't be played before it is processed.
  if (attachment.url === null) return picture;
  const file = visit.local(attachment.url);
  const player = {
    ...attributes,
    "aria-label": words || undefined,
    src: file,
    controls: true,
    preload: "none",
  } as const;
  if (type === "audio") return <audio {...player} />;
  if (type === "video") return <video {...player} poster={preview} width={width} height={height} playsInline />;
  if (type === "gifv")
    return <video {...player} poster={preview} width={width} height={height} playsInline loop muted />;
  return <a href={file}>{picture}</a>;
}

function Poll({ visit, poll, lang }: { visit: Visit; poll: PollJson; lang: string | null }) {
  const { words } = visit;
  const voters = (poll.multiple && poll.voters_count) || poll.votes_count;
  const ends = poll.expires_at === null ? "" : words.pollUntil(moment(words, poll.expires_at));
  return (
    <div class="poll">
      <ul>
        {poll.options.map(({ title, votes_count }) => (
          <li>
            <Text text={title} emojis={poll.emojis} lang={lang} />
            {votes_count !== null && (
              <>
                <span>{share(words, votes_count, voters)}</span>
                <progress max={voters || 1} value={votes_count} aria-hidden="true" />
              </>
            )}
          </li>
        ))}
      </ul>
      <p class="help">
        {[words.votes(poll.votes_count), poll.expired ? words.pollOver : ends].filter(Boolean).join(" · ")}
      </p>
    </div>
  );
}

function share(words: Words, votes: number, voters: number): string {
  return new Intl.NumberFormat(words.locale, { style: "percent" }).format(voters === 0 ? 0 : votes / voters);
}

function Card({ visit, card }: { visit: Visit; card: CardJson }) {
  return (
    <a class="card" href={card.url} rel="nofollow noopener noreferrer" lang={card.language ?? undefined}>
      {card.image && <img src={visit.local(card.image)} alt={card.image_description} loading="lazy" />}
      <span>
        <small>{card.provider_name || hostOf(card.url)}</small>
        <Text as="strong" text={card.title || card.url} />
        {card.description && <Text text={card.description} />}
      </span>
    </a>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function Quote({ visit, quote }: { visit: Visit; quote: NonNullable<OriginalJson["quote"]> }) {
  const { quoted_status: quoted } = quote;
  if (!quoted) return <p class="quote help">{visit.words.quoteHidden}</p>;
  return (
    <blockquote class="quote">
      <Author visit={visit} account={quoted.account} />
      <Said visit={visit} status={quoted} />
      <p class="facts">
        <When visit={visit} status={quoted} />
      </p>
    </blockquote>
  );
}

/** The times when a post was written and edited, and its counts. */
function Facts({ visit, status }: { visit: Visit; status: OriginalJson }) {
  const { words } = visit;
  const { replies_count, reblogs_count, favourites_count } = status;
  return (
    <p class="facts">
      <When visit={visit} status={status} />
      {status.edited_at !== null && <span>{words.editedOn(moment(words, status.edited_at))}</span>}
      {replies_count > 0 && <span>{words.replies(replies_count)}</span>}
      {reblogs_count > 0 && <span>{words.boosts(reblogs_count)}</span>}
      {favourites_count > 0 && <span>{words.favourites(favourites_count)}</span>}
    </p>
  );
}

function When({ visit, status }: { visit: Visit; status: Shown }) {
  return (
    <a href={visit.local(status.url ?? status.uri)}>
      <time dateTime={status.created_at}>{moment(visit.words, status.created_at)}</time>
    </a>
  );
}
