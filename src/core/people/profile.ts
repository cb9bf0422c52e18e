import { eq } from "drizzle-orm";
import type { Context } from "../../context.ts";
import { updateGiven } from "../../db/builder.ts";
import type { Reads } from "../../db/open.ts";
import { accounts, users } from "../../db/schema/index.ts";
import { refuseWhere, tooLong } from "../../errors.ts";
import type { ContentType } from "../../lib/text/formats.ts";
import { renderFieldValue, renderText } from "../../lib/text/text.ts";
import { knownMentions, renderOptions } from "../statuses/compose.ts";
import type { StoredField } from "../accounts.ts";
import { verifyLinksLater } from "../discovery/verified-links.ts";
import { deliver } from "../deliveries.ts";
import { authorizeAllFollows } from "./follows.ts";
import type { QuotePolicy } from "../quotes/policy.ts";
import type { ProfilePicture } from "../media/profile-pictures.ts";
import { discardFiles } from "../media/stored-files.ts";
import { MAX_DISPLAY_NAME } from "./users.ts";

/** Mastodon's limits; clients read them from the instance configuration. */
export const MAX_NOTE = 500;
export const MAX_FIELDS = 4;
export const MAX_FIELD_LENGTH = 255;
export const MAX_PICTURE_DESCRIPTION = 1500;

/** `direct` is allowed for single statuses only, not as a default. */
export const DEFAULT_PRIVACIES = ["public", "unlisted", "private"] as const;

/** Undefined properties stay unchanged. */
export interface ProfileChanges {
  displayName?: string;
  note?: string;
  fields?: { name: string; value: string }[];
  avatar?: ProfilePicture | null;
  header?: ProfilePicture | null;
  avatarDescription?: string;
  headerDescription?: string;
  locked?: boolean;
  bot?: boolean;
  discoverable?: boolean;
  indexable?: boolean;
  hideCollections?: boolean;
  attributionDomains?: string[];
  /** Which tabs apps show on the profile: media, also in replies, and featured content. */
  showMedia?: boolean;
  showMediaReplies?: boolean;
  showFeatured?: boolean;
  privacy?: (typeof DEFAULT_PRIVACIES)[number];
  sensitive?: boolean;
  language?: string | null;
  quotePolicy?: QuotePolicy;
  contentType?: ContentType;
  /** The language of the pages, and of all that is sent to the user; null lets the browser decide about the pages. */
  pageLanguage?: "en" | "de" | "fr" | null;
  /** For the times on the pages. */
  timeZone?: string;
  expandMedia?: ExpandMedia;
  expandSpoilers?: boolean;
}

/** Which media are open: those that aren't sensitive, all, or none. */
export const EXPAND_MEDIA = ["default", "show_all", "hide_all"] as const;
export type ExpandMedia = (typeof EXPAND_MEDIA)[number];

/** The parts that are open in the posts that a user reads. Apps have the same preferences. */
export interface Reading {
  expandMedia: ExpandMedia;
  /** Whether posts are open despite their content warnings. */
  expandSpoilers: boolean;
}

/** The preferences of a local account, or the defaults for 0, an anonymous visitor. */
export function readingOf(db: Reads, accountId: number): Reading {
  if (accountId === 0) return { expandMedia: "default", expandSpoilers: false };
  const row = db.get<{ expand_media: ExpandMedia; expand_spoilers: number }>(
    "SELECT expand_media, expand_spoilers FROM users WHERE account_id = +$accountId",
    { accountId },
  )!;
  return { expandMedia: row.expand_media, expandSpoilers: row.expand_spoilers === 1 };
}

/** Changes a local account and its user's preferences; all changes or none. */
export function updateProfile(ctx: Context, accountId: number, changes: ProfileChanges): void {
  checkProfile(changes);
  const account = accountColumns(ctx, changes);
  const user = {
    default_privacy: changes.privacy,
    default_sensitive: bit(changes.sensitive),
    default_language: changes.language,
    default_quote_policy: changes.quotePolicy,
    default_content_type: changes.contentType,
    page_language: changes.pageLanguage,
    locale: changes.pageLanguage ?? undefined,
    time_zone: changes.timeZone,
    expand_media: changes.expandMedia,
    expand_spoilers: bit(changes.expandSpoilers),
  };
  ctx.db.transaction((tx) => {
    const before = tx.get<typeof accounts.$inferSelect>("SELECT * FROM accounts WHERE id = +$accountId", {
      accountId,
    })!;
    const fields = changes.fields && keptVerification(storedFields(ctx, changes.fields), before);
    if (fields) account.fields = JSON.stringify(fields);
    const columns = { ...account, updated_at: ctx.clock.now() };
    updateGiven(tx, accounts, columns, eq(accounts.id, accountId));
    updateGiven(tx, users, user, eq(users.account_id, accountId));
    if (changesElsewhere(account, before)) deliver(ctx, tx, { type: "account.updated", accountId });
    if (fields && account.fields !== before.fields) verifyLinksLater(ctx, tx, accountId, fields);
    if (changes.locked === false) authorizeAllFollows(ctx, tx, accountId);
    if (changes.avatar !== undefined) discardFiles(ctx, tx, [before.avatar, before.avatar_static]);
    if (changes.header !== undefined) discardFiles(ctx, tx, [before.header, before.header_static]);
  });
}

/** Columns that only this server uses. */
const ONLY_HERE: ReadonlySet<string> = new Set([
  "note",
  "hide_collections",
  "show_media",
  "show_media_replies",
  "show_featured",
]);

/** Whether a profile changes that other servers show. */
function changesElsewhere(
  columns: Partial<typeof accounts.$inferInsert>,
  before: typeof accounts.$inferSelect,
): boolean {
  const names = Object.keys(columns) as (keyof typeof before)[];
  return names.some((name) => {
    const value = columns[name];
    return value !== undefined && value !== before[name] && !ONLY_HERE.has(name);
  });
}

function accountColumns(ctx: Context, changes: ProfileChanges): Partial<typeof accounts.$inferInsert> {
  const { avatar, header, note } = changes;
  return {
    display_name: changes.displayName,
    note,
    note_html: note === undefined ? undefined : renderText(note, renderOptions(ctx, knownMentions(ctx, note))),
    avatar: avatar === undefined ? undefined : (avatar?.file ?? null),
    avatar_static: avatar === undefined ? undefined : (avatar?.still ?? null),
    avatar_description: avatar === null ? "" : changes.avatarDescription,
    header: header === undefined ? undefined : (header?.file ?? null),
    header_static: header === undefined ? undefined : (header?.still ?? null),
    header_description: header === null ? "" : changes.headerDescription,
    locked: bit(changes.locked),
    bot: bit(changes.bot),
    actor_type: changes.bot === undefined ? undefined : changes.bot ? "Service" : "Person",
    discoverable: bit(changes.discoverable),
    indexable: bit(changes.indexable),
    hide_collections: bit(changes.hideCollections),
    show_media: bit(changes.showMedia),
    show_media_replies: bit(changes.showMediaReplies),
    show_featured: bit(changes.showFeatured),
    attribution_domains: changes.attributionDomains && JSON.stringify(changes.attributionDomains),
  };
}

function storedFields(ctx: Context, fields: readonly { name: string; value: string }[]): StoredField[] {
  return fields.map(({ name, value }) => ({
    name,
    value,
    html: renderFieldValue(value, renderOptions(ctx, knownMentions(ctx, value))),
    verified_at: null,
  }));
}

/** A link stays verified as long as it is the same. */
function keptVerification(fields: readonly StoredField[], before: { fields: string }): StoredField[] {
  const old = JSON.parse(before.fields) as StoredField[];
  return fields.map((field) => {
    const verifiedAt = old.find(({ value }) => value === field.value)?.verified_at ?? null;
    return { ...field, verified_at: verifiedAt };
  });
}

function bit(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : value ? 1 : 0;
}

/** @throws Refusal with all problems, if something is too long or there are too many fields */
export function checkProfile(changes: ProfileChanges): void {
  const { fields = [] } = changes;
  refuseWhere([
    tooLong("Display name", changes.displayName, MAX_DISPLAY_NAME),
    tooLong("Note", changes.note, MAX_NOTE),
    tooLong("Avatar description", changes.avatarDescription, MAX_PICTURE_DESCRIPTION),
    tooLong("Header description", changes.headerDescription, MAX_PICTURE_DESCRIPTION),
    ...fields.flatMap(({ name, value }): [boolean, string][] => [
      tooLong("Profile field name", name, MAX_FIELD_LENGTH),
      tooLong("Profile field value", value, MAX_FIELD_LENGTH),
      [name === "" && value !== "", "Profile field name can't be blank"],
    ]),
    [fields.length > MAX_FIELDS, `Profile can have at most ${MAX_FIELDS} fields`],
  ]);
}
