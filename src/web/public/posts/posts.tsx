/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { CardJson } from "../../../entities/statuses/cards.ts";
import type { MediaJson } from "../../../entities/statuses/media.ts";
import type { PollJson } from "../../../entities/statuses/polls.ts";
import type { OriginalJson, QuotedJson, StatusJson } from "../../../entities/statuses/statuses.ts";
import { htmlToText } from "../../../lib/text/html.ts";
import { Html, Text } from "../../page/rich-text.tsx";
import type { PageRequest } from "../../page/page-request.tsx";
import { Icon, type IconName } from "../../page/icons.tsx";
import { actionTexts } from "../action-texts.ts";
import { Ballot, PollState } from "./ballot.tsx";
import { Time, TimeSentence } from "../../page/dates.tsx";
import { Filtered, strongestFilter, type FilterContext } from "./filtered.tsx";
import { Author, nameOf } from "../author.tsx";
import { linkedContent, postPath } from "../links.ts";
import { PostActions } from "./post-actions.tsx";
import type { Messages } from "../../i18n/messages.ts";
import type { Reading } from "../../../core/people/profile.ts";
import { publicTexts } from "../texts.ts";
import { parentsOf, ReplyLine, type Parents } from "./reply-line.tsx";
import { inThreads } from "./threads.ts";

interface PostProps {
  page: PageRequest;
  status: StatusJson;
  /** A line above the post, such as "Pinned". */
  label?: string;
  /** Whether the page is about this post. */
  isMain?: boolean;
  /** Whether a long post is shortened, with a link to the whole. */
  isFolded?: boolean;
  /** Whether it is shown without what users can do with it. */
  isPlain?: boolean;
  /** The viewer's filters for this context apply. */
  context?: FilterContext;
  /** The posts to which it and others reply. */
  parents?: Parents;
  /** The ids of posts above it that its reader has in view. */
  above?: readonly (string | undefined)[];
  /** Shown below the post. */
  children?: ComponentChildren;
}

/** A public post. A reblog is shown as its original, with the name of the account that boosted it. */
export function Post({ page, status, label, isMain, isFolded = false, isPlain, context, ...props }: PostProps) {
  const { messages } = page;
  const filter = strongestFilter(status, context);
  if (filter?.filter_action === "hide") return null;
  const original = status.reblog ?? status;
  const shown = filter?.filter_action === "blur" ? { ...original, sensitive: true } : original;
  // Without the viewer's own flags, nobody can say what the buttons do.
  const user = page.isOfUser() && !isPlain && original.favourited !== undefined ? page : null;
  const anchor = isMain ? "post" : `post-${status.id}`;
  const line = status.reblog ? messages.boostedBy(nameOf(status.account)) : label;
  const folded = isFolded && isLong(shown) && !shown.spoiler_text;
  const post = (
    <article class={isMain ? "post main h-entry" : "post h-entry"} id={anchor}>
      {line && (
        <p class="help">
          <Text text={line} emojis={status.account.emojis} />
        </p>
      )}
      {props.parents && <ReplyLine page={page} status={shown} parents={props.parents} above={props.above ?? []} />}
      <Author page={page} account={shown.account} />
      <PostContent page={page} status={shown} isFolded={folded} anchor={user ? anchor : undefined}>
        {shown.quote && <Quote page={page} quote={shown.quote} />}
      </PostContent>
      <PostDetails page={page} status={shown} hasCounts={!user} />
      {user && <PostActions page={user} status={shown} anchor={anchor} />}
      {props.children}
    </article>
  );
  return filter?.filter_action === "warn" ? <Filtered page={page} title={filter.title} children={post} /> : post;
}

interface PostsProps {
  page: PageRequest;
  statuses: readonly StatusJson[];
  context?: FilterContext;
  /** Known already, with those that the list replies to. */
  parents?: Parents;
  /** The id of the post above the list. */
  above?: string;
}

/** A list of posts in the order given. */
export function Posts({ page, statuses, context, parents = parentsOf(page, statuses), above }: PostsProps) {
  return (
    <>
      {statuses.map((status, at) => (
        <Post
          page={page}
          status={status}
          context={context}
          parents={parents}
          above={[above, statuses[at - 1]?.id]}
          isFolded
        />
      ))}
    </>
  );
}

/** A list of posts with the latest first, where threads are in the order in which they were written. */
export function Threads({ page, statuses, context }: PostsProps) {
  const { thread } = page.texts(publicTexts);
  const parents = parentsOf(page, statuses);
  return (
    <>
      {inThreads(statuses).map((posts) =>
        posts.length === 1 ? (
          <Posts page={page} statuses={posts} context={context} parents={parents} />
        ) : (
          <div class="thread" role="group" aria-label={thread}>
            <Posts page={page} statuses={posts} context={context} parents={parents} />
          </div>
        ),
      )}
    </>
  );
}

/** Longer than about a screen of a phone, in characters and in lines. */
const [MANY_CHARACTERS, MANY_LINES] = [1000, 14];

function isLong({ content }: OriginalJson): boolean {
  if (content.length < MANY_LINES * 4) return false;
  const text = htmlToText(content);
  return text.length > MANY_CHARACTERS || text.split("\n").length > MANY_LINES;
}

type ShownStatus = OriginalJson | QuotedJson;

interface PostContentProps {
  page: PageRequest;
  status: ShownStatus;
  isFolded?: boolean;
  /** The id of the post's element, to which a vote leads back; none where users can't vote. */
  anchor?: string;
  children?: ComponentChildren;
}

/** The content of a post, behind its content warning if it has one. */
function PostContent({ page, status, isFolded, anchor, children }: PostContentProps) {
  const { spoiler_text, language, emojis } = status;
  const classes = ["prose content e-content", status.quote && "with-quote", isFolded && "folded"];
  const body = (
    <>
      <Html
        class={classes.filter(Boolean).join(" ")}
        html={linkedContent(page, status)}
        emojis={emojis}
        lang={language}
      />
      {isFolded && (
        <p>
          <a href={postPath(page, status)}>{page.texts(publicTexts).showMore}</a>
        </p>
      )}
      {status.poll && <PollOrBallot page={page} status={status} poll={status.poll} anchor={anchor} />}
      <Media page={page} status={status} />
      {status.card && status.media_attachments.length === 0 && !status.quote && <Card page={page} card={status.card} />}
      {children}
    </>
  );
  if (!spoiler_text) return body;
  return (
    <details open={page.reading.expandSpoilers}>
      <Text as="summary" class="p-summary" text={spoiler_text} emojis={emojis} lang={language} />
      {body}
    </details>
  );
}

function Media({ page, status }: { page: PageRequest; status: ShownStatus }) {
  const { media_attachments: media, sensitive, language } = status;
  if (media.length === 0) return null;
  const shown = (
    <div class={media.length > 1 ? "media gallery" : "media"}>
      {media.map((attachment) => (
        <Attachment page={page} attachment={attachment} lang={language} />
      ))}
    </div>
  );
  if (isMediaOpen(page.reading, status)) return shown;
  return (
    <details>
      <summary>{sensitive ? page.messages.sensitiveMedia : page.texts(publicTexts).showMedia}</summary>
      {shown}
    </details>
  );
}

/** By default, sensitive media are open only behind a content warning that the user has opened. */
function isMediaOpen({ expandMedia, expandSpoilers }: Reading, { sensitive, spoiler_text }: ShownStatus): boolean {
  if (expandMedia !== "default") return expandMedia === "show_all";
  return !sensitive || (spoiler_text !== "" && !expandSpoilers);
}

interface AttachmentProps {
  page: PageRequest;
  attachment: MediaJson;
  lang: string | null;
}

function Attachment({ page, attachment, lang }: AttachmentProps) {
  const { type, meta, description } = attachment;
  if (attachment.preview_url === null) return <OriginalLink attachment={attachment} lang={lang} />;
  const preview = page.local(attachment.preview_url);
  const alt = description ?? "";
  const attributes = { lang: lang ?? undefined, title: description ?? undefined };
  const { width, height } = meta.small ?? {};
  const isPortrait = width !== undefined && height !== undefined && height > width;
  const picture = (
    <img
      {...attributes}
      class={isPortrait ? "u-photo portrait" : "u-photo"}
      src={preview}
      alt={alt}
      width={width}
      height={height}
      loading="lazy"
    />
  );
  // It can't be played before it is processed.
  if (attachment.url === null) return picture;
  const file = page.local(attachment.url);
  const player = {
    ...attributes,
    "aria-label": alt || undefined,
    src: file,
    controls: true,
    preload: "none",
  } as const;
  if (type === "audio") return <audio class="u-audio" {...player} />;
  if (type === "video")
    return <video class="u-video" {...player} poster={preview} width={width} height={height} playsInline />;
  if (type === "gifv")
    return <video class="u-video" {...player} poster={preview} width={width} height={height} playsInline loop muted />;
  return <a href={file}>{picture}</a>;
}

/** Media that this server doesn't show. */
function OriginalLink({ attachment: { url, description }, lang }: Pick<AttachmentProps, "attachment" | "lang">) {
  if (url === null) return null;
  return (
    <a href={url} rel="nofollow noopener noreferrer" lang={lang ?? undefined}>
      {description || hostOf(url)}
    </a>
  );
}

function PollOrBallot(props: { page: PageRequest; status: ShownStatus; poll: PollJson; anchor: string | undefined }) {
  const { page, status, poll, anchor } = props;
  const common = { poll, lang: status.language };
  return page.isOfUser() && anchor !== undefined && poll.voted === false && !poll.expired ? (
    <Ballot page={page} statusId={status.id} anchor={anchor} {...common} />
  ) : (
    <Poll page={page} {...common} />
  );
}

function Poll({ page, poll, lang }: { page: PageRequest; poll: PollJson; lang: string | null }) {
  const { messages } = page;
  const voters = (poll.multiple && poll.voters_count) || poll.votes_count;
  return (
    <div class="poll">
      <ul>
        {poll.options.map(({ title, votes_count }) => (
          <li>
            <Text text={title} emojis={poll.emojis} lang={lang} />
            {votes_count !== null && (
              <>
                <span>{share(messages, votes_count, voters)}</span>
                <progress max={voters || 1} value={votes_count} aria-hidden="true" />
              </>
            )}
          </li>
        ))}
      </ul>
      <PollState page={page} poll={poll} />
    </div>
  );
}

function share(messages: Messages, votes: number, voters: number): string {
  return new Intl.NumberFormat(messages.locale, { style: "percent" }).format(voters === 0 ? 0 : votes / voters);
}

function Card({ page, card }: { page: PageRequest; card: CardJson }) {
  return (
    <a class="card" href={card.url} rel="nofollow noopener noreferrer" lang={card.language ?? undefined}>
      {card.image && <img src={page.local(card.image)} alt={card.image_description} loading="lazy" />}
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

function Quote({ page, quote }: { page: PageRequest; quote: NonNullable<OriginalJson["quote"]> }) {
  const { quoted_status: quoted } = quote;
  if (!quoted) return <p class="quote help">{page.messages.quoteHidden}</p>;
  return (
    <blockquote class="quote u-quotation-of h-cite">
      <Author page={page} account={quoted.account} />
      <PostContent page={page} status={quoted} />
      <p class="details">
        <PostTime page={page} status={quoted} />
      </p>
    </blockquote>
  );
}

/** The times when a post was written and edited, and its counts. */
function PostDetails(props: { page: PageRequest; status: OriginalJson; hasCounts: boolean }) {
  const { page, status, hasCounts } = props;
  const { messages } = page;
  const { replies_count, reblogs_count, favourites_count } = status;
  return (
    <p class="details">
      <PostTime page={page} status={status} />
      <Readers page={page} status={status} />
      {status.edited_at !== null && (
        <span>
          <TimeSentence page={page} at={status.edited_at} text={messages.editedOn} class="dt-updated" />
        </span>
      )}
      {hasCounts && replies_count > 0 && <span>{messages.replies(replies_count)}</span>}
      {hasCounts && reblogs_count > 0 && <span>{messages.boosts(reblogs_count)}</span>}
      {hasCounts && favourites_count > 0 && <span>{messages.favourites(favourites_count)}</span>}
    </p>
  );
}

/** The audience of a post that is not for everyone. */
function Readers({ page, status }: { page: PageRequest; status: OriginalJson }) {
  const { isForFollowers, isForMentioned, isLocalOnly } = page.texts(actionTexts);
  const marks: [shown: boolean, icon: IconName, text: string][] = [
    [status.visibility === "private", "lock", isForFollowers],
    [status.visibility === "direct", "mail", isForMentioned],
    [status.local_only, "home", isLocalOnly],
  ];
  return (
    <>
      {marks.map(
        ([shown, icon, text]) =>
          shown && (
            <span class="mark">
              <Icon name={icon} /> {text}
            </span>
          ),
      )}
    </>
  );
}

function PostTime({ page, status }: { page: PageRequest; status: ShownStatus }) {
  return (
    <a class="u-url u-uid" href={postPath(page, status)}>
      <Time page={page} at={status.created_at} class="dt-published" />
    </a>
  );
}
