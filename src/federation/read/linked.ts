import { sanitize } from "../../lib/sanitize.ts";
import { escapeHtml, htmlToText } from "../../lib/text/html.ts";
import { linkHtml } from "../../lib/text/text.ts";
import { isBookPost, ratingOf, quoteOf, bookOf } from "./books.ts";
import { eventLines } from "./event.ts";
import { addressOf, hasType, isBlank, objectsOf, stringOf, typesOf, type Json } from "./json.ts";
import { pageUrlOf } from "./links.ts";
import { nameOf, plainTextOf, translationOf } from "./text.ts";

/*
 * Objects that are longer than posts, or something else: they are shown by their title, the beginning of their text and
 * a link to their page.
 */

/** Shown without their text: it describes the file or the event, and may be Markdown. */
const TITLED = new Set(["Image", "Audio", "Video", "Event"]);
const TEXTS = new Set(["Article", "Page"]);

/** Types that servers send with `content` and `url`, or may send so, and that are no posts. */
const NO_POSTS = new Set(
  (
    "Person Service Group Organization Application " +
    "Accept Add Announce AnnounceRequest Arrive Block Create Delete Dislike EmojiReact Flag Follow Ignore Invite Join Leave Like LikeRequest Listen " +
    "Move Offer QuoteRequest Read Reject Remove ReplyRequest TentativeAccept TentativeReject Travel Undo Update View " +
    "Collection OrderedCollection CollectionPage OrderedCollectionPage Tombstone Relationship Profile Place Story " +
    "Link Mention Hashtag Emoji PropertyValue"
  ).split(" "),
);

/** Whether an object is shown by its title and a link. One of an unknown type needs `content` and `url`. */
export function isLinked(json: Json): boolean {
  const types = typesOf(json);
  if (isBookPost(json) || types.some((type) => TITLED.has(type) || TEXTS.has(type))) return true;
  const isPost = types.length > 0 && !types.some((type) => NO_POSTS.has(type));
  // Activities have an object, and accounts an inbox.
  if (!isPost || json.object !== undefined || json.inbox !== undefined) return false;
  return !isBlank(translationOf(json, "content").text) && pageUrlOf(json.url) !== null;
}

/** Whether the summary of an object is a content warning, as in posts. */
export function hasWarning(json: Json): boolean {
  return isBookPost(json);
}

/** In characters of the text, without tags. */
const MAX_EXCERPT_LENGTH = 2000;
const MAX_SUMMARY_LENGTH = 10_000;

export function linkedHtml(json: Json, url: string): string {
  const excerpt = typesOf(json).some((type) => TITLED.has(type)) ? "" : excerptOf(json);
  const texts = [
    nameOf(translationOf(json, "name").text),
    summaryOf(json, excerpt),
    ...eventLines(json),
    ratingOf(json),
  ];
  const paragraphs = texts.filter((text) => text !== "").map((text) => paragraph(lines(text)));
  const quote = quoteOf(json);
  const links = [linkOf(json), bookOf(json) ?? url].filter((link) => link !== null);
  return [
    ...paragraphs,
    quote === "" ? "" : `<blockquote>${paragraph(lines(quote))}</blockquote>`,
    excerpt,
    ...[...new Set(links)].map((link) => paragraph(linkHtml(link, "nofollow noopener"))),
  ].join("");
}

function paragraph(html: string): string {
  return `<p>${html}</p>`;
}

function lines(text: string): string {
  return escapeHtml(text).replaceAll("\n", "<br />");
}

const HTML = /^\s*text\/html\s*(?:;|$)/i;

/** The beginning of the text, in paragraphs. */
function excerptOf(json: Json): string {
  const { text } = translationOf(json, "content");
  const mediaType = stringOf(json.mediaType, 100);
  const html = mediaType === "" || HTML.test(mediaType) ? text : lines(text);
  // The block makes a paragraph of text that has none.
  return sanitize(`<div>${html}</div>`, { maxTextLength: MAX_EXCERPT_LENGTH });
}

/** Blogs without a summary send the beginning of the text instead, which would be shown twice. */
function summaryOf(json: Json, excerpt: string): string {
  if (hasWarning(json)) return "";
  const summary = plainTextOf(translationOf(json, "summary").text, MAX_SUMMARY_LENGTH);
  return comparable(htmlToText(excerpt)).startsWith(comparable(summary)) ? "" : summary;
}

function comparable(text: string): string {
  return text.replace(/\s+/g, " ").replace(/ ?(?:\[…\]|\[\.\.\.\]|…|\.\.\.)$/, "");
}

const MAX_ATTACHMENTS = 100;

/** The page that a Page of Lemmy recommends. */
function linkOf(json: Json): string | null {
  if (!hasType(json, "Page")) return null;
  const link = objectsOf(json.attachment)
    .slice(0, MAX_ATTACHMENTS)
    .find((each) => hasType(each, "Link"));
  return link === undefined ? null : addressOf(link.href);
}
