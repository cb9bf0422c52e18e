import type { ArchivedPost } from "../../core/transfer/imported-posts.ts";
import { CONTENT_TYPES, type ContentType } from "../../lib/text/formats.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import { escapeHtml } from "../../lib/text/html.ts";
import { audienceOf, PUBLIC, visibilityOf, type Audience } from "../read/audience.ts";
import { hasType, idOf, isJson, listOf, objectsOf, pastDateOf, stringOf, type Json } from "../read/json.ts";
import { storedPolicyOf } from "../read/interaction-policies.ts";
import { quotersIn } from "../read/quotes/policy.ts";
import type { RemotePoll } from "../read/poll.ts";
import { readStatus, type RemoteStatus } from "../read/status.ts";
import { namesOf, withResolvedFiles } from "./file-names.ts";
import { isEmpty, skipped, type ArchiveItem, type NamedFile } from "./items.ts";
import type { ArchiveOwner } from "./owner.ts";

/**
 * Reads an entry of `outbox.json` in an archive of Mastodon, Pleroma, Akkoma or Linnet: a Create with a post, an
 * Announce, or the post itself.
 */
export function readOutboxItem(item: unknown, owner: ArchiveOwner, now: number): ArchiveItem {
  if (!isJson(item)) return skipped("unsupported");
  if (hasType(item, "Announce")) return readBoost(item, owner, now);
  const object = hasType(item, "Create") ? item.object : item;
  if (!isJson(object)) return skipped("unsupported");
  const status = readStatus(withResolvedFiles(object), now, hasType(item, "Create") ? audienceOf(item) : null);
  if (!status) return skipped("unsupported");
  if (status.attributedTo !== (owner.uri ?? status.attributedTo)) return skipped("by another account");
  if (status.vote) return skipped("vote in a poll");
  const createdAt = status.published ?? pastDateOf(item.published, now);
  if (createdAt === null) return skipped("without a date");
  const post = postOf(object, status, owner, createdAt);
  const files = status.attachments.map(fileOf);
  return isEmpty(post, files.length) ? skipped("without content") : { type: "post", post, files };
}

function readBoost(item: Json, owner: ArchiveOwner, now: number): ArchiveItem {
  const [uri, of, createdAt] = [idOf(item), idOf(item.object), pastDateOf(item.published, now)];
  if (uri === null || of === null) return skipped("unsupported");
  if ((idOf(item.actor) ?? owner.uri) !== owner.uri) return skipped("by another account");
  if (createdAt === null) return skipped("without a date");
  return { type: "boost", uri, of, createdAt, visibility: visibilityFor(audienceOf(item), owner) };
}

function postOf(
  object: Json,
  status: RemoteStatus,
  owner: ArchiveOwner,
  createdAt: number,
): Omit<ArchivedPost, "files"> {
  const { poll } = status;
  const author = { uri: status.attributedTo, followers_url: owner.followers, following_url: owner.following };
  const source = sourceOf(object);
  return {
    uri: status.uri,
    visibility: visibilityFor(status, owner),
    localOnly: object.localOnly === true,
    content: status.contentHtml + (poll ? pollHtml(poll) : ""),
    text: source && source.text + (poll ? pollText(poll) : ""),
    contentType: source?.contentType ?? "text/plain",
    spoilerText: status.spoilerText,
    sensitive: status.sensitive,
    language: status.language,
    inReplyToUri: status.inReplyTo,
    quotedUri: status.quote?.uri ?? null,
    createdAt,
    editedAt: status.updated,
    mentions: status.mentions.map(({ href }) => href),
    tags: withAddresses(object, status),
    quoters: quotersIn(status.quotePolicy, author),
    policy: storedPolicyOf(status.policy, author),
  };
}

/** Without the profile, any collection of followers is the owner's. */
function visibilityFor(audience: Audience, { followers }: ArchiveOwner) {
  const named = [...audience.to, ...audience.cc].find((uri) => uri !== PUBLIC && uri.endsWith("/followers"));
  return visibilityOf(audience, followers ?? named ?? null);
}

/** A poll can't go on: its votes belong to the former server. */
function pollHtml({ options }: RemotePoll): string {
  return `<ul>${options.map(({ title, votes }) => `<li>${escapeHtml(title)}: ${votes}</li>`).join("")}</ul>`;
}

function pollText({ options }: RemotePoll): string {
  return `\n\n${options.map(({ title, votes }) => `- ${title}: ${votes}`).join("\n")}`;
}

const MAX_SOURCE = 100_000;

/** The text as its author typed it, if it is in a format that can be edited here. */
function sourceOf({ source }: Json): { text: string; contentType: ContentType } | null {
  if (!isJson(source) || typeof source.content !== "string") return null;
  const contentType = CONTENT_TYPES.find((type) => type === source.mediaType);
  return contentType === undefined ? null : { text: stringOf(source.content, MAX_SOURCE), contentType };
}

const MAX_TAGS = 2000;

function withAddresses(object: Json, { hashtags }: RemoteStatus): ArchivedPost["tags"] {
  const addresses = new Map(
    objectsOf(object.tag)
      .slice(0, MAX_TAGS)
      .filter((tag) => hasType(tag, "Hashtag"))
      .map((tag) => [
        normaliseHashtag(
          stringOf(tag.name, 250)
            .trim()
            .replace(/^[#＃]/, ""),
        ),
        idOf(tag.href),
      ]),
  );
  return hashtags.map((tag) => ({ ...tag, href: addresses.get(tag.name) ?? null }));
}

function fileOf({ url, description, focusX, focusY }: RemoteStatus["attachments"][number]): NamedFile {
  return { names: namesOf(url), description, focusX, focusY };
}

/** Reads an entry of `likes.json` or `bookmarks.json`: the address of a post. */
export function readAddress(item: unknown): string | null {
  return idOf(listOf(item)[0]);
}
