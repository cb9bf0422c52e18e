import { basename } from "node:path/posix";
import { OPEN_POLICY } from "../../core/interaction-policies.ts";
import { NO_QUOTERS } from "../../core/quotes/policy.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { localeOf } from "../../lib/text/languages.ts";
import { isJson, listOf, objectsOf, stringOf, type Json } from "../read/json.ts";
import { skipped, type ArchiveItem, type NamedFile } from "./items.ts";

/* `data/tweets.js` of an archive of Twitter (X). Numbers are strings there, and the text has the entities of HTML. */

const MAX_TEXT = 100_000;
/** Twitter's codes for texts that are in no language. */
const NO_LANGUAGE = /^(?:und|zxx|q..|art)$/;

/** Reads an entry of `data/tweets.js`. `folder` is that of the file. */
export function readTweet(item: unknown, folder: string, now: number): ArchiveItem {
  const tweet = isJson(item) && isJson(item.tweet) ? item.tweet : item;
  if (!isJson(tweet)) return skipped("unsupported");
  const id = idOf(tweet.id_str ?? tweet.id);
  const written = stringOf(tweet.full_text ?? tweet.text, MAX_TEXT);
  if (id === null) return skipped("unsupported");
  if (/^RT @\w+:/.test(written)) return skipped("boost of an unknown post");
  const createdAt = timeOf(tweet.created_at);
  if (createdAt === null) return skipped("without a date");
  const media = objectsOf(isJson(tweet.extended_entities) ? tweet.extended_entities.media : entities(tweet).media);
  const files = media.slice(0, 16).map((each) => fileOf(each, id, folder));
  const text = textOf(tweet, written, media);
  if (text === "" && files.length === 0) return skipped("without content");
  const parent = idOf(tweet.in_reply_to_status_id_str);
  const language = stringOf(tweet.lang, 16);
  return {
    type: "post",
    files,
    post: {
      uri: addressOf(id),
      visibility: "public",
      localOnly: false,
      content: null,
      text,
      contentType: "text/plain",
      spoilerText: "",
      sensitive: tweet.possibly_sensitive === true,
      language: language === "" || NO_LANGUAGE.test(language) ? null : localeOf(language),
      inReplyToUri: parent === null ? null : addressOf(parent),
      quotedUri: null,
      createdAt: Math.min(createdAt, now),
      editedAt: null,
      mentions: [],
      tags: [],
      quoters: NO_QUOTERS,
      policy: OPEN_POLICY,
    },
  };
}

/** Reads an entry of `data/protected-history.js`. */
export function readProtection(item: unknown): { at: number; isProtected: boolean } | null {
  const change = isJson(item) ? item.protectedHistory : null;
  if (!isJson(change)) return null;
  return {
    at: Date.parse(stringOf(change.protectedAt, 40)) || 0,
    isProtected: stringOf(change.action, 20).toLowerCase() === "protect",
  };
}

function idOf(value: unknown): string | null {
  const id = stringOf(value, 20);
  return /^\d+$/.test(id) ? id : null;
}

function addressOf(id: string): string {
  return `https://twitter.com/i/status/${id}`;
}

function entities({ entities: found }: Json): Json {
  return isJson(found) ? found : {};
}

/** A time such as `Wed Oct 10 20:19:24 +0000 2018`. */
function timeOf(value: unknown): number | null {
  const [, month, day, time, zone, year] =
    /^\w{3} (\w{3}) (\d{2}) (\d{2}:\d{2}:\d{2}) ([+-]\d{4}) (\d{4})$/.exec(stringOf(value, 40)) ?? [];
  const at = Date.parse(`${day} ${month} ${year} ${time} ${zone}`);
  return Number.isNaN(at) ? null : at;
}

/** Twitter shortens addresses. Those of the media are no part of the text. */
function textOf(tweet: Json, written: string, media: readonly Json[]): string {
  const long = new Map(objectsOf(entities(tweet).urls).map(({ url, expanded_url: to }) => [url, stringOf(to, 2048)]));
  for (const { url } of media) long.set(url, "");
  const text = htmlToText(written.replaceAll("<", "&lt;")).replace(
    /https:\/\/t\.co\/\w+/g,
    (url) => long.get(url) ?? url,
  );
  // These names belong to nobody here.
  return text.replace(/(?<![\w@./])@(\w{1,15})(?![\w@])/g, "@$1@twitter.com").trim();
}

function fileOf(media: Json, id: string, folder: string): NamedFile {
  const variants = isJson(media.video_info) ? objectsOf(media.video_info.variants) : [];
  const best = variants
    .filter(({ content_type: type }) => type === "video/mp4")
    .toSorted((one, other) => Number(other.bitrate) - Number(one.bitrate));
  const urls = [...best.map(({ url }) => url), media.media_url_https, media.media_url];
  const names = listOf(urls).flatMap((url) => {
    const path = URL.parse(stringOf(url, 2048))?.pathname;
    if (path === undefined) return [];
    return ["tweets_media", "tweet_media"].map((place) => `${folder}${place}/${id}-${basename(path)}`);
  });
  return { names, description: null, focusX: 0, focusY: 0 };
}
