import { basename } from "node:path/posix";
import { OPEN_POLICY } from "../../core/interaction-policies.ts";
import { NO_QUOTERS } from "../../core/quotes/policy.ts";
import { localeOf } from "../../lib/text/languages.ts";
import { idOf, isJson, objectsOf, pastDateOf, stringOf, type Json } from "../read/json.ts";
import { descriptionOf, htmlOf, plainTextOf } from "../read/text.ts";
import { tagsOf } from "../read/tags.ts";
import { namesOf } from "./file-names.ts";
import { isEmpty, skipped, type ArchiveItem, type NamedFile } from "./items.ts";

const VISIBILITIES = ["public", "unlisted", "private", "direct"] as const;

/**
 * Reads an entry of `pixelfed-statuses.json`, which has the form of Mastodon's API. Pixelfed exports no pictures: they are
 * found if they are packed with the list.
 */
export function readPixelfedStatus(item: unknown, now: number): ArchiveItem {
  if (!isJson(item)) return skipped("unsupported");
  if (isJson(item.reblog)) return skipped("boost of an unknown post");
  const uri = idOf(item.uri) ?? idOf(item.url);
  const createdAt = pastDateOf(item.created_at, now);
  if (uri === null) return skipped("unsupported");
  if (createdAt === null) return skipped("without a date");
  const files = objectsOf(item.media_attachments).slice(0, 20).flatMap(fileOf);
  const post = {
    uri,
    visibility: VISIBILITIES.find((each) => each === item.visibility) ?? "private",
    localOnly: false,
    content: htmlOf(item.content, 100_000),
    text: null,
    contentType: "text/plain" as const,
    spoilerText: plainTextOf(item.spoiler_text, 10_000),
    sensitive: item.sensitive === true,
    language: typeof item.language === "string" ? localeOf(item.language.slice(0, 35)) : null,
    inReplyToUri: null,
    quotedUri: null,
    createdAt,
    editedAt: null,
    mentions: objectsOf(item.mentions).flatMap((mention) => idOf(mention.url) ?? []),
    tags: hashtagsOf(item),
    quoters: NO_QUOTERS,
    policy: OPEN_POLICY,
  };
  return isEmpty(post, files.length) ? skipped("without content") : { type: "post", post, files };
}

function hashtagsOf({ tags }: Json) {
  const found = objectsOf(tags).map(({ name, url }) => ({ type: "Hashtag", name, href: url }));
  const addresses = new Map(found.map(({ name, href }) => [stringOf(name, 250).toLowerCase(), idOf(href)]));
  return tagsOf({ tag: found }).hashtags.map((tag) => ({
    ...tag,
    href: addresses.get(tag.written.toLowerCase()) ?? null,
  }));
}

function fileOf(media: Json): NamedFile[] {
  const url = idOf(media.url);
  if (url === null) return [];
  const names = namesOf(url);
  return [
    {
      names: [...names, basename(names[0] ?? "")],
      description: descriptionOf({ name: media.description }) || null,
      focusX: 0,
      focusY: 0,
    },
  ];
}
