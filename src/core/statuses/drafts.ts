import type { Context } from "../../context.ts";
import { Refusal, validationFailed } from "../../errors.ts";
import { type ContentType, wordsOf } from "../../lib/text/formats.ts";
import { detectLanguage } from "../../lib/text/languages.ts";
import { countCharacters } from "../../lib/text/text.ts";
import { refuseMoved } from "../accounts.ts";
import { compose, type Composed, recompose, resolveMentions } from "./compose.ts";
import { checkMedia } from "../media/attachments.ts";
import { MAX_ATTACHMENTS } from "../media/limits.ts";
import { checkPoll, type PollDraft } from "./polls.ts";
import { type DefaultPolicies, type InteractionPolicy, requirePermission } from "../interaction-policies.ts";
import { type QuotePolicy, type StatusQuotePolicy } from "../quotes/policy.ts";
import { quotable, quotingVisibility } from "../quotes/quotable.ts";
import type { Quotable } from "../quotes/quotes.ts";
import { type StatusRow, type Visibility, visibleOriginal } from "../visibility.ts";

/** A status as requested by its author. Null stands for the author's default. */
export interface Draft {
  text: string;
  contentType: ContentType | null;
  spoilerText: string;
  sensitive: boolean | null;
  visibility: Visibility | null;
  /** Whether only users of this server may see it. Null stands for what its parent is. */
  localOnly: boolean | null;
  language: string | null;
  inReplyToId: number | null;
  mediaIds: number[];
  poll: PollDraft | null;
  quotedStatusId: number | null;
  quotePolicy: StatusQuotePolicy | null;
  /** Missing parts are as in the default for the visibility. */
  policy: Partial<InteractionPolicy>;
  /** The accounts that the text may mention; null for any. */
  allowedMentions: number[] | null;
}

/** Refuses a draft that mentions accounts beyond `allowedMentions`, which the error names as Mastodon's does. */
export class UnexpectedMentions extends Refusal {
  constructor(readonly accountIds: readonly number[]) {
    super("invalid", "Post would be sent to unexpected accounts");
  }
}

/** A validated draft with its defaults, mentions and hashtags. */
export interface CheckedDraft {
  username: string;
  text: string;
  contentType: ContentType;
  spoilerText: string;
  sensitive: boolean;
  visibility: Visibility;
  localOnly: boolean;
  language: string | null;
  mediaIds: number[];
  poll: PollDraft | null;
  parent: StatusRow | null;
  quoted: Quotable | null;
  quotePolicy: StatusQuotePolicy;
  policy: Partial<InteractionPolicy>;
  defaultPolicies: DefaultPolicies;
  composed: Composed;
}

/**
 * Detects the language of a draft if neither the draft nor the author's settings name one. Separate from
 * `checkDraft()`, because detection is asynchronous.
 */
export async function withLanguage(ctx: Context, accountId: number, draft: Draft): Promise<Draft> {
  const defaults = defaultsOf(ctx, accountId);
  if (draft.language !== null || defaults.hasLanguage) return draft;
  const words = wordsOf(draft.text, draft.contentType ?? defaults.contentType) || draft.spoilerText;
  return { ...draft, language: await detectLanguage(words) };
}

/** Asks other servers for the unknown accounts that a draft mentions, and writes the handles that they prefer. */
export async function withResolvedMentions(ctx: Context, draft: Draft): Promise<Draft> {
  const field = draft.text === "" ? "spoilerText" : "text";
  return { ...draft, [field]: await resolveMentions(ctx, draft[field]) };
}

/**
 * Validates a draft, fills in its defaults and renders its text. Call it before the transaction, and `recheckDraft()`
 * in it. `reservedFor` is the scheduled status that reserved the uploads; null for a status that is published at once.
 *
 * @throws Refusal with the reason
 */
export function checkDraft(
  ctx: Context,
  accountId: number,
  draft: Draft,
  reservedFor: number | null = null,
): CheckedDraft {
  refuseMoved(ctx.db, accountId);
  const parent = draft.inReplyToId === null ? null : parentOf(ctx, accountId, draft.inReplyToId);
  const isMeantHere = draft.localOnly ?? parent?.local_only === 1;
  const quoted = draft.quotedStatusId === null ? null : quotable(ctx, accountId, draft.quotedStatusId, isMeantHere);
  const defaults = defaultsOf(ctx, accountId);
  // A spoiler text without a text becomes the text, except on a quote. It is plain text.
  const isBare = draft.text.trim() === "" && quoted === null;
  const { text, spoilerText } = isBare ? { text: draft.spoilerText, spoilerText: "" } : draft;
  const contentType = isBare ? "text/plain" : (draft.contentType ?? defaults.contentType);
  const content = { text, spoilerText, mediaIds: draft.mediaIds, isQuote: quoted !== null, poll: draft.poll };
  // The length of a scheduled status was checked when it was scheduled.
  checkContent(content, reservedFor === null ? ctx.config.maxCharacters : Infinity);
  checkMedia(ctx, accountId, draft.mediaIds, { scheduledId: reservedFor });
  const composed = compose(ctx, text, contentType);
  checkRendered(content, composed);
  checkMentions(draft, composed);
  const wished = draft.visibility ?? defaults.privacy;
  const visibility = quoted
    ? quotingVisibility({ accountId, visibility: wished, mentions: composed.mentions }, quoted.status)
    : wished;
  return {
    username: defaults.username,
    text,
    contentType,
    spoilerText,
    sensitive: (draft.sensitive ?? defaults.sensitive) || draft.spoilerText !== "",
    visibility,
    localOnly: isMeantHere || quoted?.status.local_only === 1,
    language: draft.language ?? defaults.language,
    mediaIds: draft.mediaIds,
    poll: draft.poll,
    parent,
    quoted,
    quotePolicy: draft.quotePolicy ?? defaults.quotePolicy,
    policy: draft.policy,
    defaultPolicies: defaults.policies,
    composed,
  };
}

/**
 * Checks a draft again in the transaction that stores it. Since `checkDraft()`, another request or process may have
 * deleted the author, deleted the status to reply to or to quote or hidden it from them (by a block, for example),
 * attached the uploads to another status, or deleted or suspended a mentioned account. The text and the author's
 * defaults stay as they were.
 *
 * @throws Refusal with the reason
 */
export function recheckDraft(
  ctx: Context,
  accountId: number,
  draft: CheckedDraft,
  reservedFor: number | null = null,
): CheckedDraft {
  const parent = draft.parent && parentOf(ctx, accountId, draft.parent.id);
  const quoted = draft.quoted && quotable(ctx, accountId, draft.quoted.status.id, draft.localOnly);
  checkMedia(ctx, accountId, draft.mediaIds, { scheduledId: reservedFor });
  const { username } = defaultsOf(ctx, accountId);
  const composed = recompose(ctx, draft.text, draft.contentType, draft.composed);
  const visibility = quoted
    ? quotingVisibility({ accountId, visibility: draft.visibility, mentions: composed.mentions }, quoted.status)
    : draft.visibility;
  return { ...draft, username, parent, quoted, composed, visibility };
}

function checkMentions({ allowedMentions }: Draft, { mentions }: Composed): void {
  if (!allowedMentions) return;
  const unexpected = mentions.filter((id) => !allowedMentions.includes(id));
  if (unexpected.length > 0) throw new UnexpectedMentions(unexpected);
}

interface Content {
  text: string;
  spoilerText: string;
  mediaIds: readonly number[];
  isQuote: boolean;
  poll: PollDraft | null;
}

/** Checks what a status must have, how long it may be (including the spoiler text), and what can't be combined. */
export function checkContent(content: Content, maxCharacters: number): void {
  const { text, mediaIds, poll } = content;
  if (text.trim() === "" && needsText(content)) throw blank();
  checkCharacters(content, maxCharacters);
  if (mediaIds.length > MAX_ATTACHMENTS) {
    throw validationFailed(`Cannot attach more than ${MAX_ATTACHMENTS} files`);
  }
  if (!poll) return;
  if (mediaIds.length > 0) throw validationFailed("Cannot attach files to a post with a poll");
  checkPoll(poll);
}

/** Checks the length of a draft that replaces a scheduled one. */
export function checkLength({ config }: Context, draft: Draft): void {
  checkCharacters(draft, config.maxCharacters);
}

function checkCharacters({ text, spoilerText }: Pick<Content, "text" | "spoilerText">, most: number): void {
  if (countCharacters(text, spoilerText) > most) throw validationFailed(`Text character limit of ${most} exceeded`);
}

function needsText({ mediaIds, isQuote }: Content): boolean {
  return mediaIds.length === 0 && !isQuote;
}

/** Refuses a status of which nothing is left, such as one of scripts. */
export function checkRendered(content: Content, composed: Composed): void {
  if (composed.content === "" && needsText(content)) throw blank();
}

function blank(): Refusal {
  return validationFailed("Text can't be blank");
}

function parentOf(ctx: Context, accountId: number, id: number): StatusRow {
  const parent = visibleParent(ctx, accountId, id);
  requirePermission(ctx.db, "reply", accountId, parent.id);
  return parent;
}

function visibleParent(ctx: Context, accountId: number, id: number): StatusRow {
  try {
    return visibleOriginal(ctx, accountId, id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal("not_found", "The post you are trying to reply to does not appear to exist.");
  }
}

interface Defaults {
  username: string;
  privacy: Visibility;
  sensitive: boolean;
  language: string;
  /** Whether the user chose the language; otherwise it is their locale. */
  hasLanguage: boolean;
  quotePolicy: QuotePolicy;
  contentType: ContentType;
  policies: DefaultPolicies;
}

/** @throws Refusal if the account was deleted while a request of its user was in progress */
export function defaultsOf(ctx: Context, accountId: number): Defaults {
  const row = ctx.db.get<{
    username: string;
    default_privacy: Visibility;
    default_sensitive: number;
    default_language: string | null;
    default_quote_policy: QuotePolicy;
    default_content_type: ContentType;
    default_policies: string;
    locale: string;
  }>(
    `SELECT a.username, u.default_privacy, u.default_sensitive, u.default_language, u.default_quote_policy,
       u.default_content_type, u.default_policies, u.locale
     FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.account_id = +$accountId`,
    { accountId },
  );
  if (!row) throw new Refusal("unauthorized", "The access token is invalid");
  return {
    username: row.username,
    privacy: row.default_privacy,
    sensitive: row.default_sensitive === 1,
    language: row.default_language ?? row.locale,
    hasLanguage: row.default_language !== null,
    quotePolicy: row.default_quote_policy,
    contentType: row.default_content_type,
    policies: JSON.parse(row.default_policies) as DefaultPolicies,
  };
}
