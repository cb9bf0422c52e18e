import type { Context } from "../../context.ts";
import { tagUrl } from "../../core/addresses.ts";
import { mayFavourite, mayReblog, mayReply, OPEN_POLICY } from "../../core/interaction-policies.ts";
import { quotePermission } from "../../core/quotes/policy.ts";
import { activeFilters, filterMatches, type FilterSet, searchableWords } from "../../core/timelines/filter-matches.ts";
import { visibleAmong } from "../../core/visibility.ts";
import { idList } from "../../db/json.ts";
import type { statuses } from "../../db/schema/index.ts";
import { wordsWithShortcodes } from "../../lib/text/shortcodes.ts";
import { accountTexts, acctOf, type AccountJson } from "../accounts.ts";
import { STATUS_TEXTS, type StatusText } from "../cache.ts";
import { cardsByStatus, cardText, type CardJson } from "./cards.ts";
import { emojisJson, type EmojiJson } from "../emojis.ts";
import { type FilterResultJson, filterResultsText } from "./filters.ts";
import { mediaByStatus, type MediaJson } from "./media.ts";
import { optionsOf, ownVotes, POLL_COLUMNS, type PollColumns, type PollJson, pollText, renderPoll } from "./polls.ts";
import {
  contentWithQuote,
  type QuoteView,
  visibleQuote,
  type ShallowQuoteJson,
  shallowQuoteText,
  quoteViews,
} from "./quotes.ts";
import { type Permissions, type PolicyJson, policyText, showPolicy } from "./interaction-policies.ts";
import { members, timestamp } from "../json.ts";

/** Mastodon's Status (entities/Status). The viewer's own flags are omitted without a viewer. */
type PlainJson = ReturnType<typeof ownPart> &
  ReturnType<typeof sharedPart> &
  ReturnType<typeof restPart> &
  Partial<FlagsJson> & {
    account: AccountJson;
    card: CardJson | null;
    poll: PollJson | null;
    quote_approval: QuoteApprovalJson;
    interaction_policy: PolicyJson;
  };
/** A quoted status: its own quote has only an id. */
export type QuotedJson = PlainJson & { quote: ShallowQuoteJson | null; reblog: null };
export type OriginalJson = PlainJson & { quote: { state: string; quoted_status: QuotedJson | null } | null };
export type StatusJson = OriginalJson & { reblog: OriginalJson | null };

interface QuoteApprovalJson {
  automatic: string[];
  manual: string[];
  current_user: string;
}

/** Statuses in the order of the ids, for a viewer (0 for none). The caller has checked that the viewer may see them. */
export function showStatuses(ctx: Context, viewerId: number, ids: readonly number[]): StatusJson[] {
  return statusTexts(ctx, viewerId, ids).map((text) => JSON.parse(text) as StatusJson);
}

export function showStatus(ctx: Context, viewerId: number, id: number): StatusJson {
  return showStatuses(ctx, viewerId, [id])[0]!;
}

/**
 * The same as JSON text, for the most requested pages: combines cached text with the parts that depend on the viewer.
 * A fixed number of queries for any number of statuses.
 */
export function statusTexts(ctx: Context, viewerId: number, ids: readonly number[]): string[] {
  return textEntries(ctx, viewerId, ids).map(([, text]) => text);
}

/** The same by id, for statuses that several items refer to. */
export function statusTextsById(ctx: Context, viewerId: number, ids: Iterable<number>): Map<number, string> {
  return new Map(textEntries(ctx, viewerId, [...new Set(ids)]));
}

/** Skips ids that don't exist. */
function textEntries(ctx: Context, viewerId: number, ids: readonly number[]): [id: number, text: string][] {
  if (ids.length === 0) return [];
  const view = viewOf(ctx, viewerId, ids);
  return ids.flatMap((id): [number, string][] => {
    const own = view.pieces.get(id);
    const originalId = own?.reblogOfId ?? id;
    const original = view.pieces.get(originalId);
    if (!own || !original) return [];
    const viewed = viewedText(view, id, originalId, original);
    const text = joined(view, original, original, viewed, attachedText(view, original, quoteText), "null");
    // A reblog has no attachments of its own.
    return [[id, own === original ? text : joined(view, own, original, viewed, NOTHING_ATTACHED, text)]];
  });
}

export function statusText(ctx: Context, viewerId: number, id: number): string {
  return statusTexts(ctx, viewerId, [id])[0]!;
}

/**
 * The status in the response to an undo or a deletion. If the viewer may no longer see it, it has its author, its ids
 * and the viewer's flags, but none of its content.
 */
export function showStatusOrStub(ctx: Context, viewerId: number, id: number): StatusJson {
  const status = showStatus(ctx, viewerId, id);
  return visibleAmong(ctx, viewerId, [id]).length > 0 ? status : statusStub(status);
}

function statusStub<Status extends OriginalJson & { reblog: OriginalJson | null }>(status: Status): Status {
  return {
    ...status,
    in_reply_to_id: null,
    in_reply_to_account_id: null,
    edited_at: null,
    sensitive: false,
    spoiler_text: "",
    language: null,
    replies_count: 0,
    reblogs_count: 0,
    favourites_count: 0,
    quotes_count: 0,
    content: "",
    filtered: [],
    quote_approval: { automatic: [], manual: [], current_user: "denied" },
    interaction_policy: showPolicy(OPEN_POLICY, status.visibility),
    ...(status.application && { application: null }),
    media_attachments: [],
    mentions: [],
    tags: [],
    emojis: [],
    card: null,
    poll: null,
    quote: null,
    reblog: status.reblog && statusStub({ ...status.reblog, reblog: null }),
  };
}

/** The data needed to show statuses to a viewer. */
interface View {
  ctx: Context;
  viewerId: number;
  /** For the requested statuses, the originals of reblogs, and the statuses that these quote. */
  pieces: ReadonlyMap<number, StatusText>;
  accounts: ReadonlyMap<number, string>;
  flags: ReadonlyMap<number, FlagsText>;
  filters: FilterSet | null;
  votes: ReadonlyMap<number, string>;
  quoted: QuoteView;
}

function viewOf(ctx: Context, viewerId: number, ids: readonly number[]): View {
  const pieces = piecesOf(ctx, ids);
  const originals = new Set(ids.map((id) => pieces.get(id)?.reblogOfId ?? id));
  const quoted = quotedBy(pieces, originals);
  const withQuoted = quoted.size === 0 ? pieces : new Map([...pieces, ...piecesOf(ctx, [...quoted])]);
  const named = quotedBy(withQuoted, quoted);
  const polls = [...withQuoted.values()].flatMap(({ poll }) => poll?.id ?? []);
  return {
    ctx,
    viewerId,
    pieces: withQuoted,
    accounts: accountTexts(ctx, accountIdsOf(withQuoted.values())),
    flags: viewerId ? flagsOf(ctx, viewerId, new Set([...originals, ...quoted])) : new Map(),
    filters: viewerId ? activeFilters(ctx, viewerId) : null,
    votes: ownVotes(ctx, viewerId, polls),
    quoted: quoteViews(ctx, viewerId, new Set([...quoted, ...named])),
  };
}

function quotedBy(pieces: ReadonlyMap<number, StatusText>, ids: Iterable<number>): Set<number> {
  return new Set([...ids].flatMap((id) => pieces.get(id)?.quote?.quotedId ?? []));
}

/** The JSON members that depend on the viewer: flags and filter results, unless there is no viewer; quote permission. */
function viewedText(view: View, id: number, originalId: number, original: StatusText): string {
  const flags = view.flags.get(originalId);
  const permission = flags?.permission ?? "denied";
  const quoting = `"quote_approval":{${original.quoteApproval},"current_user":"${permission}"}`;
  const policy = policyText(original.policy, original.visibility, flags?.permissions);
  const approval = `${quoting},"interaction_policy":${policy}`;
  if (!flags || !view.filters) return approval;
  const matches = filterMatches(view.filters, id, originalId, original);
  return `${flags.text},"filtered":${filterResultsText(matches)},${approval}`;
}

function joined(
  view: View,
  own: StatusText,
  original: StatusText,
  viewed: string,
  attached: string,
  reblog: string,
): string {
  const account = view.accounts.get(own.accountId)!;
  const shared = (original.accountId === view.viewerId && original.sharedWithAuthor) || original.shared;
  return `{${own.own},${shared},${viewed},"account":${account},${attached},"reblog":${reblog}}`;
}

function attachedText(view: View, piece: StatusText, quote: (view: View, piece: StatusText) => string): string {
  const viewer = { viewerId: view.viewerId, isAuthor: piece.accountId === view.viewerId };
  const poll = piece.poll === null ? "null" : pollText(view.ctx, viewer, piece.poll, view.votes);
  const card = cardText(piece.card, view.accounts, view.viewerId);
  return `${piece.rest},"card":${card},"poll":${poll},"quote":${quote(view, piece)}`;
}

/** Mastodon's Quote (entities/Quote): one level deep. */
function quoteText(view: View, { quote }: StatusText): string {
  if (!quote) return "null";
  const { state, id } = visibleQuote(quote, view.quoted);
  const piece = id === null ? undefined : view.pieces.get(id);
  return `{"state":"${state}","quoted_status":${piece ? quotedText(view, id!, piece) : "null"}}`;
}

/** A quoted status; its own quote has only an id. */
function quotedText(view: View, id: number, piece: StatusText): string {
  const named = (view: View, { quote }: StatusText) => shallowQuoteText(quote, view.quoted);
  return joined(view, piece, piece, viewedText(view, id, id, piece), attachedText(view, piece, named), "null");
}

interface StatusRow extends Omit<
  typeof statuses.$inferSelect,
  "text" | "content_type" | "conversation_id" | "app_id" | "in_reply_to_uri" | "relayed"
> {
  /** The author's. */
  domain: string | null;
  sensitized_at: number | null;
  app_name: string | null;
  app_website: string | null;
  quote_state: string | null;
  quoted_status_id: number | null;
  quoted_url: string | null;
}

type Row = StatusRow & (PollColumns | Record<keyof PollColumns, null>);

/** The requested statuses, the originals of reblogs, and the statuses that these quote. */
const STATUSES = `
  WITH asked (id) AS (SELECT value FROM json_each($ids)),
  shown (id) AS (
    SELECT id FROM asked
    UNION SELECT s.reblog_of_id FROM asked JOIN statuses s USING (id) WHERE s.reblog_of_id IS NOT NULL
    UNION SELECT q.quoted_status_id FROM asked JOIN statuses s USING (id) JOIN quotes q ON q.status_id IN (s.id, s.reblog_of_id)
      WHERE q.quoted_status_id IS NOT NULL)
  SELECT s.id, s.account_id, s.uri, s.url, s.visibility, s.content, s.spoiler_text, s.sensitive, s.language,
    s.in_reply_to_id, s.in_reply_to_account_id, s.reblog_of_id, s.has_media, s.replies_count, s.reblogs_count,
    s.favourites_count, s.origin_reblogs_count, s.origin_favourites_count, s.origin_replies_count, s.quotes_count, s.quote_automatic, s.quote_manual, s.can_favourite, s.can_reply, s.can_reblog, s.created_at, s.edited_at, s.local, s.local_only,
    author.domain, author.sensitized_at, app.name AS app_name, app.website AS app_website,
    q.state AS quote_state, q.quoted_status_id, quoted.url AS quoted_url, ${POLL_COLUMNS}
  FROM shown JOIN statuses s USING (id) JOIN accounts author ON author.id = s.account_id
  LEFT JOIN oauth_apps app ON app.id = s.app_id
  LEFT JOIN quotes q ON q.status_id = s.id
  LEFT JOIN statuses quoted ON quoted.id = q.quoted_status_id
  LEFT JOIN polls p ON p.status_id = s.id`;

const MENTIONS = `
  SELECT m.status_id, a.id, a.username, a.domain, a.url
  FROM mentions m JOIN accounts a ON a.id = m.account_id
  WHERE m.status_id IN (SELECT value FROM json_each($originals)) AND NOT m.silent`;

const TAGS = `
  SELECT st.status_id, t.name FROM status_tags st JOIN tags t ON t.id = st.tag_id
  WHERE st.status_id IN (SELECT value FROM json_each($originals)) ORDER BY st.status_id, t.id`;

/** The authors of the statuses and of the pages that they link to. */
function accountIdsOf(pieces: Iterable<StatusText>): number[] {
  const ids: number[] = [];
  for (const { accountId, card } of pieces) {
    ids.push(accountId);
    if (card?.authorId) ids.push(card.authorId);
  }
  return ids;
}

/** The pieces of at least the requested statuses and their originals; only those that aren't cached are read. */
function piecesOf(ctx: Context, ids: readonly number[]): Map<number, StatusText> {
  return ctx.caches.of(STATUS_TEXTS).getMany(
    ids,
    (missing) => render(ctx, missing),
    ({ reblogOfId }) => reblogOfId,
  );
}

function render(ctx: Context, ids: Iterable<number>): [number, StatusText][] {
  const rows = ctx.db.all<Row>(STATUSES, { ids: idList(ids) });
  const originals = idList(rows.filter((row) => row.reblog_of_id === null).map((row) => row.id));
  const media = mediaByStatus(
    ctx,
    rows.filter((row) => row.has_media === 1).map((row) => row.id),
  );
  const mentions = grouped(ctx.db.all<MentionRow>(MENTIONS, { originals }), mentionJson);
  const tags = grouped(ctx.db.all<{ status_id: number; name: string }>(TAGS, { originals }), ({ name }) =>
    tagJson(ctx, name),
  );
  const cards = cardsByStatus(ctx, originals);
  return rows.map((row) => [
    row.id,
    {
      accountId: row.account_id,
      reblogOfId: row.reblog_of_id,
      quote: row.quote_state === null ? null : { state: row.quote_state, quotedId: row.quoted_status_id },
      poll: row.poll_id === null ? null : renderPoll(ctx, row.domain, row),
      own: members(ownPart(row)),
      ...sharedTexts(row, emojisJson(ctx, row.domain, textsOf(row))),
      quoteApproval: `"automatic":${row.quote_automatic},"manual":${row.quote_manual}`,
      policy: { canFavourite: row.can_favourite, canReply: row.can_reply, canReblog: row.can_reblog },
      visibility: row.visibility,
      rest: members(restPart(row, media.get(row.id) ?? [], mentions.get(row.id) ?? [], tags.get(row.id) ?? [])),
      card: cards.get(row.id) ?? null,
      words: wordsOf(row, media.get(row.id) ?? []),
    },
  ]);
}

/** Holds only the texts, not the whole row, as long as the status is cached. */
function wordsOf(row: Row, media: readonly MediaJson[]): StatusText["words"] {
  const { spoiler_text, content } = row;
  const choices = choicesOf(row);
  const descriptions = media.map(({ description }) => description ?? "");
  return () => searchableWords({ spoiler_text, content }, choices, descriptions);
}

/** The texts that may contain emoji. */
function textsOf(row: Row): string[] {
  return [row.spoiler_text, wordsWithShortcodes(row.content), ...choicesOf(row)];
}

function choicesOf({ poll_options }: Row): string[] {
  return poll_options === null ? [] : optionsOf(poll_options).map(([title]) => title);
}

function ownPart(row: StatusRow) {
  return {
    id: String(row.id),
    created_at: timestamp(row.created_at),
    in_reply_to_id: idOrNull(row.in_reply_to_id),
    // 0 is the unknown author of an unknown status.
    in_reply_to_account_id: idOrNull(row.in_reply_to_account_id || null),
    visibility: row.visibility,
    local_only: row.local_only === 1,
    uri: row.uri,
    url: row.url,
    edited_at: timestamp(row.edited_at),
  };
}

/** If a moderator has marked the author's media as sensitive, the status is sensitive for all but the author. */
function sharedTexts(row: StatusRow, emojis: EmojiJson[]): Pick<StatusText, "shared" | "sharedWithAuthor"> {
  const own = sharedPart(row, emojis);
  if (row.sensitized_at === null) return { shared: members(own), sharedWithAuthor: null };
  return { shared: members({ ...own, sensitive: true }), sharedWithAuthor: members(own) };
}

function sharedPart(row: StatusRow, emojis: EmojiJson[]) {
  return {
    sensitive: row.sensitive === 1,
    spoiler_text: row.spoiler_text,
    language: row.language,
    replies_count: Math.max(row.replies_count, row.origin_replies_count ?? 0),
    reblogs_count: Math.max(row.reblogs_count, row.origin_reblogs_count ?? 0),
    favourites_count: Math.max(row.favourites_count, row.origin_favourites_count ?? 0),
    quotes_count: row.quotes_count,
    content: contentWithQuote(row),
    emojis,
  };
}

function restPart(
  row: Pick<StatusRow, "local" | "app_name" | "app_website">,
  media_attachments: MediaJson[],
  mentions: MentionJson[],
  tags: TagJson[],
) {
  const application = row.app_name === null ? null : { name: row.app_name, website: row.app_website };
  return {
    ...(row.local ? { application } : null),
    media_attachments,
    mentions,
    tags,
  };
}

const NO_APP = { local: 0, app_name: null, app_website: null };
const NOTHING_ATTACHED = `${members(restPart(NO_APP, [], [], []))},"card":null,"poll":null,"quote":null`;

interface FlagsRow extends Permissions {
  id: number;
  own: number;
  favourited: number;
  reblogged: number;
  muted: number;
  bookmarked: number;
  pinned: number;
  quote_permission: string;
}

const FLAGS = `
  SELECT s.id, s.account_id = +$viewer AS own,
    EXISTS (SELECT 1 FROM favourites WHERE account_id = +$viewer AND status_id = s.id) AS favourited,
    EXISTS (SELECT 1 FROM statuses WHERE reblog_of_id = s.id AND account_id = +$viewer) AS reblogged,
    EXISTS (SELECT 1 FROM conversation_mutes WHERE account_id = +$viewer AND conversation_id = s.conversation_id) AS muted,
    EXISTS (SELECT 1 FROM bookmarks WHERE account_id = +$viewer AND status_id = s.id) AS bookmarked,
    s.account_id = +$viewer AND EXISTS (SELECT 1 FROM status_pins WHERE status_id = s.id) AS pinned,
    ${quotePermission("+$viewer")} AS quote_permission,
    ${mayFavourite("+$viewer")} AS may_favourite, ${mayReply("+$viewer")} AS may_reply,
    ${mayReblog("+$viewer")} AND (s.visibility IN ('public', 'unlisted')
      OR s.visibility = 'private' AND s.account_id = +$viewer) AS may_reblog
  FROM json_each($ids) j JOIN statuses s ON s.id = j.value`;

interface FlagsJson {
  favourited: boolean;
  reblogged: boolean;
  muted: boolean;
  bookmarked: boolean;
  /** Only on the viewer's own statuses. */
  pinned?: boolean;
  filtered: FilterResultJson[];
}

interface FlagsText {
  /** The viewer's flags, as JSON members. */
  text: string;
  /** Whether the viewer may quote the status. */
  permission: string;
  permissions: Permissions;
}

function flagsOf(ctx: Context, viewerId: number, ids: Iterable<number>): Map<number, FlagsText> {
  const rows = ctx.db.all<FlagsRow>(FLAGS, { ids: idList(ids), viewer: viewerId });
  return new Map(
    rows.map((row) => [row.id, { text: flagsText(row), permission: row.quote_permission, permissions: row }]),
  );
}

function flagsText(row: FlagsRow): string {
  const pinned = row.own ? `,"pinned":${row.pinned === 1}` : "";
  const done = `"favourited":${row.favourited === 1},"reblogged":${row.reblogged === 1},"muted":${row.muted === 1}`;
  return `${done},"bookmarked":${row.bookmarked === 1}${pinned}`;
}

interface MentionRow {
  status_id: number;
  id: number;
  username: string;
  domain: string | null;
  url: string;
}

type MentionJson = ReturnType<typeof mentionJson>;
type TagJson = ReturnType<typeof tagJson>;

function mentionJson(row: MentionRow) {
  return { id: String(row.id), username: row.username, url: row.url, acct: acctOf(row) };
}

function tagJson(ctx: Context, name: string) {
  return { name, url: tagUrl(ctx, name) };
}

function grouped<Row extends { status_id: number }, Item>(rows: readonly Row[], show: (row: Row) => Item) {
  const groups = new Map<number, Item[]>();
  for (const row of rows) {
    const group = groups.get(row.status_id);
    if (group) group.push(show(row));
    else groups.set(row.status_id, [show(row)]);
  }
  return groups;
}

function idOrNull(id: number | null): string | null {
  return id === null ? null : String(id);
}
