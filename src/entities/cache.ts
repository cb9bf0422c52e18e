import type { InteractionPolicy } from "../core/interaction-policies.ts";
import type { Visibility } from "../core/visibility.ts";
import { EMOJI_COLUMNS } from "../core/media/emojis.ts";
import { REJECTION_COLUMNS } from "../core/remote-media/rejected-media.ts";
import { type CacheSpec, everyEntry, ownRow, partRows, referencedRows } from "../db/row-cache.ts";
import {
  accounts,
  customEmojis,
  domainBlocks,
  links,
  mediaAttachments,
  mentions,
  oauthApps,
  pollOptions,
  polls,
  previewCards,
  quotes,
  statuses,
  statusLinks,
  statusTags,
  tags,
} from "../db/schema/index.ts";

/*
 * The entity cache: the JSON texts of statuses and accounts by id, without anything that depends on the viewer. It is read
 * with `ctx.caches.of(STATUS_TEXTS)`.
 */

/** A status as JSON text, in parts that make up the status, its reblogs and its quotes. */
export interface StatusText {
  accountId: number;
  reblogOfId: number | null;
  /** Null for a status without a quote. */
  quote: QuoteText | null;
  poll: PollText | null;
  /** Members in which a reblog differs from its original: ids, dates, visibility. */
  own: string;
  /** Members in which a reblog equals its original: content, language, counters. */
  shared: string;
  /** `shared` for the author, if a moderator marked their media as sensitive for all other viewers; otherwise null. */
  sharedWithAuthor: string | null;
  /** The quote policy: members of an object that also has a member for the viewer. */
  quoteApproval: string;
  policy: InteractionPolicy;
  visibility: Visibility;
  /** Attachments, mentions, tags and the like. */
  rest: string;
  card: CardText | null;
  /** The folded text in which filters look for keywords. It is slow: only for viewers with filters. */
  words(): string;
}

/** A preview card as JSON text without its braces, and the parts that depend on the viewer. */
export interface CardText {
  members: string;
  /** The author's name and address, also without braces; null if there is none. */
  author: string | null;
  /** The author's account, if it confirms the attribution. */
  authorId: number | null;
  /** A local account that the page names as its author, but that does not confirm it. */
  claimedId: number | null;
}

/** A status's quote. Whether the quoted status is shown depends on the viewer. */
export interface QuoteText {
  state: string;
  /** Null once the quoted status is deleted. */
  quotedId: number | null;
}

/** A poll's members as JSON text, while it is open and once it has ended: vote counts may be hidden until then. */
export interface PollText {
  id: number;
  /** Milliseconds since 1970; null if it never expires. */
  expiresAt: number | null;
  open: string;
  over: string;
}

/** Both texts contain emoji. Which ones is not recorded, since emoji rarely change. */
const EMOJIS = partRows(customEmojis, EMOJI_COLUMNS, everyEntry);

/** Both contain media. */
const REJECTIONS = partRows(domainBlocks, REJECTION_COLUMNS, everyEntry);

/** About 2 KiB each. */
export const STATUS_TEXTS: CacheSpec<number, StatusText> = {
  name: "statuses",
  max: 2000,
  dependsOn: [
    ownRow(
      statuses,
      [
        "account_id",
        "uri",
        "url",
        "local",
        "visibility",
        "content",
        "spoiler_text",
        "sensitive",
        "language",
        "in_reply_to_id",
        "in_reply_to_account_id",
        "reblog_of_id",
        "app_id",
        "has_media",
        "replies_count",
        "reblogs_count",
        "favourites_count",
        "origin_reblogs_count",
        "origin_favourites_count",
        "origin_replies_count",
        "quotes_count",
        "quote_automatic",
        "quote_manual",
        "can_favourite",
        "can_reply",
        "can_reblog",
        "created_at",
        "edited_at",
        "local_only",
      ],
      { key: "id", preload: true },
    ),
    partRows(
      mediaAttachments,
      [
        "account_id",
        "position",
        "type",
        "state",
        "file",
        "small",
        "width",
        "height",
        "small_width",
        "small_height",
        "focus_x",
        "focus_y",
        "duration",
        "frame_rate",
        "bitrate",
        "colors",
        "description",
        "blurhash",
        "remote_url",
        "preview_remote_url",
      ],
      "status_id",
    ),
    partRows(mentions, ["account_id", "silent"], "status_id"),
    partRows(statusTags, ["tag_id"], "status_id"),
    partRows(polls, ["multiple", "hide_totals", "voters_count", "expires_at"], "status_id"),
    partRows(
      pollOptions,
      ["poll_id", "position", "title", "votes_count"],
      (row) => `SELECT status_id AS key FROM polls WHERE id = ${row}.poll_id`,
    ),
    partRows(quotes, ["quoted_status_id", "state"], "status_id"),
    partRows(statusLinks, ["link_id"], "status_id"),
    referencedRows(
      links,
      ["url", "card_id"],
      (row) => `SELECT status_id AS key FROM status_links WHERE link_id = ${row}.id`,
    ),
    referencedRows(
      previewCards,
      [
        "url",
        "type",
        "title",
        "description",
        "language",
        "author_name",
        "author_url",
        "creator_account_id",
        "provider_name",
        "provider_url",
        "html",
        "width",
        "height",
        "embed_url",
        "image_remote_url",
        "image_description",
        "blurhash",
        "published_at",
      ],
      (row) =>
        `SELECT s.status_id AS key FROM links l JOIN status_links s ON s.link_id = l.id WHERE l.card_id = ${row}.id`,
    ),
    // The quoted status: the text of the quoting one begins with a link to it.
    referencedRows(
      statuses,
      ["url"],
      (row) => `SELECT status_id AS key FROM quotes WHERE quoted_status_id = ${row}.id`,
    ),
    // The author, the mentioned accounts, and the author of the linked page.
    referencedRows(accounts, ["username", "domain", "url", "sensitized_at", "attribution_domains"], everyEntry),
    referencedRows(tags, ["name"], everyEntry),
    referencedRows(oauthApps, ["name", "website"], everyEntry),
    EMOJIS,
    REJECTIONS,
  ],
};

const SHOWN = [
  "username",
  "domain",
  "display_name",
  "note_html",
  "fields",
  "uri",
  "url",
  "avatar",
  "avatar_static",
  "avatar_remote_url",
  "avatar_description",
  "header",
  "header_static",
  "header_remote_url",
  "header_description",
  "locked",
  "bot",
  "discoverable",
  "indexable",
  "hide_collections",
  "followers_count",
  "following_count",
  "statuses_count",
  "last_status_at",
  "created_at",
  "show_media",
  "show_media_replies",
  "show_featured",
  "suspended_at",
  "silenced_at",
  "actor_type",
  "memorial",
  "origin_followers_count",
  "origin_following_count",
  "origin_statuses_count",
] as const;

/** An Account as JSON text. */
export const ACCOUNT_TEXTS: CacheSpec<number, string> = {
  name: "accounts",
  max: 1000,
  dependsOn: [
    ownRow(accounts, [...SHOWN, "moved_to_id"], { key: "id" }),
    // The account to which it has moved.
    referencedRows(accounts, SHOWN, (row) => `SELECT id AS key FROM accounts WHERE moved_to_id = ${row}.id`),
    EMOJIS,
    REJECTIONS,
  ],
};
