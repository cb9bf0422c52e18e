import type { Context } from "../../context.ts";
import { accountUri, accountUrl, mediaUrl } from "../../core/addresses.ts";
import { aliasUris } from "../../core/people/aliases.ts";
import { findKey } from "../../core/people/account-keys.ts";
import type { accounts } from "../../db/schema/index.ts";
import type { StoredField } from "../../core/accounts.ts";
import { typeOfFile } from "../../lib/media/media-types.ts";
import { wordsWithShortcodes } from "../../lib/text/shortcodes.ts";
import { accountPartUrl, keyIdOf, serverActorName, serverActorUri, sharedInboxUrl } from "../addresses.ts";
import type { Json, JsonObject } from "../documents.ts";
import { dateTime } from "./dates.ts";
import { emojiTags } from "./emojis.ts";

type ActorRow = Pick<
  typeof accounts.$inferSelect,
  | "id"
  | "username"
  | "display_name"
  | "note_html"
  | "fields"
  | "avatar"
  | "avatar_description"
  | "header"
  | "header_description"
  | "locked"
  | "bot"
  | "discoverable"
  | "indexable"
  | "attribution_domains"
  | "created_at"
> & { moved_to: string | null };

const ACTOR = `
  SELECT a.id, a.username, a.display_name, a.note_html, a.fields, a.avatar, a.avatar_description, a.header,
    a.header_description, a.locked, a.bot, a.discoverable, a.indexable, a.attribution_domains, a.created_at,
    m.uri AS moved_to
  FROM accounts a LEFT JOIN accounts m ON m.id = a.moved_to_id WHERE a.id = +$accountId AND a.domain IS NULL`;

/** A local account as an actor (ActivityPub, section 4; https://docs.joinmastodon.org/spec/activitypub/#profile). */
export function actorDocument(ctx: Context, accountId: number): JsonObject {
  const row = ctx.db.get<ActorRow>(ACTOR, { accountId })!;
  const { username } = row;
  const fields = JSON.parse(row.fields) as StoredField[];
  const texts = [
    row.display_name,
    wordsWithShortcodes(row.note_html),
    ...fields.flatMap(({ name, html }) => [name, wordsWithShortcodes(html)]),
  ];
  return {
    id: accountUri(ctx, username),
    type: row.bot === 1 ? "Service" : "Person",
    preferredUsername: username,
    name: row.display_name || username,
    summary: row.note_html,
    url: accountUrl(ctx, username),
    published: dateTime(row.created_at),
    manuallyApprovesFollowers: row.locked === 1,
    discoverable: row.discoverable === 1,
    indexable: row.indexable === 1,
    inbox: accountPartUrl(ctx, username, "inbox"),
    outbox: accountPartUrl(ctx, username, "outbox"),
    followers: accountPartUrl(ctx, username, "followers"),
    following: accountPartUrl(ctx, username, "following"),
    featured: accountPartUrl(ctx, username, "collections/featured"),
    featuredTags: accountPartUrl(ctx, username, "collections/tags"),
    endpoints: { sharedInbox: sharedInboxUrl(ctx) },
    publicKey: publicKey(ctx, row.id, username),
    attachment: fields.map(({ name, html }) => ({ type: "PropertyValue", name, value: html })),
    tag: emojiTags(ctx, texts),
    attributionDomains: JSON.parse(row.attribution_domains) as string[],
    alsoKnownAs: aliasUris(ctx.db, row.id),
    ...(row.moved_to !== null && { movedTo: row.moved_to }),
    ...(row.avatar !== null && { icon: picture(ctx, row.avatar, row.avatar_description) }),
    ...(row.header !== null && { image: picture(ctx, row.header, row.header_description) }),
  };
}

/** The part of an account that is needed to check its signatures. */
export function keyDocument(ctx: Context, accountId: number): JsonObject {
  const { id, type, preferredUsername, inbox, endpoints, publicKey } = actorDocument(ctx, accountId);
  return { id, type, preferredUsername, inbox, endpoints, publicKey };
}

/** The account that stands for the server itself: it signs fetches, and everyone may read it without a signature. */
export function serverActorDocument(ctx: Context): JsonObject {
  const uri = serverActorUri(ctx);
  return {
    id: uri,
    type: "Application",
    preferredUsername: serverActorName(ctx),
    name: ctx.config.title,
    url: `${ctx.config.origin}/about`,
    manuallyApprovesFollowers: true,
    inbox: sharedInboxUrl(ctx),
    outbox: `${uri}/outbox`,
    endpoints: { sharedInbox: sharedInboxUrl(ctx) },
    publicKey: publicKey(ctx, null, null),
  };
}

function publicKey(ctx: Context, accountId: number | null, username: string | null): Json {
  return {
    id: keyIdOf(ctx, username),
    owner: username === null ? serverActorUri(ctx) : accountUri(ctx, username),
    publicKeyPem: findKey(ctx.db, accountId)?.publicKey,
  };
}

function picture(ctx: Context, file: string, description: string): JsonObject {
  const summary = description === "" ? {} : { summary: description, name: description };
  return { type: "Image", mediaType: typeOfFile(file), url: mediaUrl(ctx, file), ...summary };
}
