import type { TagName } from "../../core/discovery/tags.ts";
import { attachmentsOf, type RemoteAttachment } from "./attachments.ts";
import { audienceOf, type Audience, PUBLIC } from "./audience.ts";
import { hasType, idOf, isBlank, objectsOf, pastDateOf, totalOf, type Json } from "./json.ts";
import { hasWarning, isLinked, linkedHtml } from "./linked.ts";
import { pageUrlOf } from "./links.ts";
import { pollOf, type RemotePoll } from "./poll.ts";
import { type PolicyRead, policyOf } from "./interaction-policies.ts";
import { quotePolicyOf, type QuotePolicyRead } from "./quotes/policy.ts";
import { quoteOf, type QuoteRead } from "./quotes/quote.ts";
import { tagsOf, type RemoteEmoji, type RemoteMention } from "./tags.ts";
import { htmlOf, rawNameOf, translationOf, warningOf, type Translation } from "./text.ts";

export interface RemoteStatus extends Audience {
  uri: string;
  /** Its page, or its URI. It is only shown: it may be on any server, even one that denies it. */
  url: string;
  /** The URI of its author. */
  attributedTo: string;
  contentHtml: string;
  language: string | null;
  /** Plain text. */
  spoilerText: string;
  sensitive: boolean;
  /** The URI of the group in which it was posted (FEP-1b12). */
  group: string | null;
  /** The URI of the status that it replies to. */
  inReplyTo: string | null;
  /** Null if its server gives no valid time. Never in the future. */
  published: number | null;
  /** When it was edited; null if it was not. Never in the future. */
  updated: number | null;
  mentions: RemoteMention[];
  hashtags: TagName[];
  emojis: RemoteEmoji[];
  attachments: RemoteAttachment[];
  poll: RemotePoll | null;
  quote: QuoteRead | null;
  quotePolicy: QuotePolicyRead;
  policy: PolicyRead;
  /** The totals that its server reports. */
  likes: number | null;
  shares: number | null;
  repliesCount: number | null;
  /** Set if it is a vote in the poll `inReplyTo`; then it is no post. */
  vote: { option: string } | null;
}

const MAX_CONTENT_LENGTH = 100_000;
const MAX_SUMMARY_LENGTH = 10_000;

/**
 * Reads a status. Null if it is none, or if its id or author is missing. A property of the audience that it lacks is
 * taken from `activity`, which carries it.
 */
export function readStatus(json: Json, now: number, activity: Audience | null = null): RemoteStatus | null {
  const isQuestion = hasType(json, "Question");
  const isPost = isQuestion || (hasType(json, "Note") && !hasWarning(json));
  const uri = idOf(json);
  const attributedTo = authorOf(json);
  if (uri === null || attributedTo === null) return null;
  if (!isPost && !isLinked(json)) return null;

  const url = pageUrlOf(json.url) ?? uri;
  const content = translationOf(json, "content");
  const summary = translationOf(json, "summary");
  const published = pastDateOf(json.published, now);
  return {
    uri,
    url,
    attributedTo,
    ...audienceOf(json, activity),
    contentHtml: isPost ? htmlOf(content.text, MAX_CONTENT_LENGTH) : linkedHtml(json, url),
    language: content.language ?? summary.language ?? translationOf(json, "name").language,
    spoilerText: isPost || hasWarning(json) ? warningOf(summary.text, MAX_SUMMARY_LENGTH) : "",
    sensitive: json.sensitive === true || json.sensitive === "true",
    group: groupOf(json),
    inReplyTo: idOf(json.inReplyTo),
    published,
    updated: editTime(json, published, now),
    ...tagsOf(json),
    attachments: attachmentsOf(json),
    poll: isQuestion ? pollOf(json, now) : null,
    quote: quoteOf(json),
    quotePolicy: quotePolicyOf(json),
    policy: policyOf(json),
    likes: totalOf(json.likes),
    shares: totalOf(json.shares),
    repliesCount: totalOf(json.replies),
    vote: isVote(json, content) ? { option: rawNameOf(json.name) } : null,
  };
}

/** Some servers repeat the Public collection there. */
function groupOf(json: Json): string | null {
  const audience = idOf(json.audience);
  return audience === PUBLIC ? null : audience;
}

/** The account, of several authors: PeerTube also names the channel, which reblogs the video. */
function authorOf(json: Json): string | null {
  const account = objectsOf(json.attributedTo).find((author) => hasType(author, "Person"));
  return idOf(account) ?? idOf(json.attributedTo);
}

/** Some servers send `updated` with every post, with the time of `published`. */
function editTime(json: Json, published: number | null, now: number): number | null {
  const updated = pastDateOf(json.updated, now);
  return updated !== null && (published === null || updated > published) ? updated : null;
}

/** Servers send each vote as a Note that names the option. */
function isVote(json: Json, content: Translation): boolean {
  return hasType(json, "Note") && !isBlank(json.name) && isBlank(content.text) && idOf(json.inReplyTo) !== null;
}
