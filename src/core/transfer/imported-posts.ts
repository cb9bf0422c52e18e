import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { type ContentType } from "../../lib/text/formats.ts";
import { sanitize } from "../../lib/sanitize.ts";
import { escapeHtml, htmlToText } from "../../lib/text/html.ts";
import { withoutQuoteFallback } from "../../lib/text/text.ts";
import { IS_APPROVED } from "../accounts.ts";
import { accountUrl, statusUri, statusUrl, tagUrl } from "../addresses.ts";
import type { TagName } from "../discovery/tags.ts";
import { type InteractionPolicy, isPermitted } from "../interaction-policies.ts";
import type { Quoters } from "../quotes/policy.ts";
import { statusWith } from "../quotes/quotes.ts";
import { compose } from "../statuses/compose.ts";
import { storeStatus } from "../statuses/storing.ts";
import { linkReplies } from "../statuses/threads.ts";
import { STATUS_COLUMNS, type StatusRow, type Visibility, visibleTo } from "../visibility.ts";
import { attachArchivedFiles, type ArchivedFile } from "./archived-files.ts";

/** A post from an archive. Its addresses are those of the server that it was on. */
export interface ArchivedPost {
  uri: string;
  visibility: Visibility;
  localOnly: boolean;
  /** Sanitised HTML; null if there is only the text. */
  content: string | null;
  /** As the author wrote it; null if the archive does not say. */
  text: string | null;
  /** The format of the text. */
  contentType: ContentType;
  spoilerText: string;
  sensitive: boolean;
  language: string | null;
  inReplyToUri: string | null;
  quotedUri: string | null;
  createdAt: number;
  editedAt: number | null;
  /** URIs of accounts. */
  mentions: readonly string[];
  tags: readonly (TagName & { href: string | null })[];
  quoters: Quoters;
  policy: InteractionPolicy;
  files: readonly ArchivedFile[];
}

/** The user who imports an archive, and the account that it is about. */
export interface Importer {
  id: number;
  username: string;
  /** The addresses of the account that the archive is about. */
  formerUris: readonly string[];
}

const IMPORTED = "SELECT status_id FROM imported_statuses WHERE account_id = +$accountId AND uri = +$uri";
const OWN = "SELECT id FROM statuses WHERE uri = +$uri AND account_id = +$accountId";

/** Whether a post of the archive is here: it was imported, perhaps deleted since, or was written here. */
export function isImported(db: Reads, accountId: number, uri: string): boolean {
  return db.get<{ status_id: number | null }>(IMPORTED, { accountId, uri }) !== null || isOwn(db, accountId, uri);
}

function isOwn(db: Reads, accountId: number, uri: string): boolean {
  return db.get<{ id: number }>(OWN, { accountId, uri }) !== null;
}

const NOTE = "INSERT INTO imported_statuses (account_id, uri, status_id) VALUES ($accountId, $uri, $statusId)";

/** Remembers that a post or boost was imported, in the transaction that stores it. */
export function noteImported(tx: Tx, accountId: number, uri: string, statusId: number): void {
  tx.run(NOTE, { accountId, uri, statusId });
}

/**
 * Stores a post at its former time: nobody is notified, no timeline gets it, and no other server learns of it. False if
 * it is here already.
 */
export function storeArchivedPost(ctx: Context, tx: Tx, importer: Importer, post: ArchivedPost): boolean {
  const { id: accountId, username } = importer;
  if (isImported(tx, accountId, post.uri)) return false;
  const createdAt = Math.min(post.createdAt, ctx.clock.now());
  const id = nextIdAt(ctx, tx, accountId, createdAt);
  const parent = post.inReplyToUri === null ? null : parentOf(tx, accountId, post.inReplyToUri);
  const quoted = post.quotedUri === null ? null : knownStatus(tx, accountId, post.quotedUri);
  const { content, tags } = contentHere(ctx, importer, post, quoted?.account_id === accountId);
  const stored = storeStatus(
    ctx,
    tx,
    {
      id,
      accountId,
      uri: statusUri(ctx, username, id),
      url: statusUrl(ctx, username, id),
      local: true,
      visibility: post.visibility,
      localOnly: post.localOnly || parent?.local_only === 1 || quoted?.local_only === 1,
      text: post.text ?? htmlToText(content),
      contentType: post.contentType,
      content,
      spoilerText: post.spoilerText,
      sensitive: post.sensitive,
      language: post.language,
      parent,
      inReplyToUri: parent ? null : post.inReplyToUri,
      createdAt,
      editedAt: post.editedAt,
      appId: null,
      mentions: mentionedAccounts(tx, importer, post.mentions),
      addressees: [],
      tags,
      // A preview would be fetched from the page.
      links: [],
      poll: null,
      // The consent of others belongs to the former post.
      quoted: quoted?.account_id === accountId ? { status: quoted, state: "accepted" } : null,
      quoters: post.quoters,
      policy: post.policy,
      originCounts: null,
      attachMedia:
        post.files.length > 0 ? (statusId) => attachArchivedFiles(tx, accountId, statusId, post.files) : null,
    },
    "imported",
  );
  noteImported(tx, accountId, post.uri, id);
  linkOwnReplies(ctx, tx, { ...stored, uri: post.uri });
  return true;
}

const WAITS = "SELECT id, account_id FROM statuses WHERE in_reply_to_uri = +$uri";

/**
 * Connects posts of the same archive that were stored before the post they reply to. Only if nobody else waits for it:
 * the post that others reply to is that of the former server.
 */
function linkOwnReplies(
  ctx: Context,
  tx: Tx,
  stored: Pick<StatusRow, "id" | "account_id" | "uri" | "conversation_id">,
) {
  const waiting = tx.all<{ id: number; account_id: number }>(WAITS, { uri: stored.uri });
  if (waiting.length > 0 && waiting.every(({ account_id }) => account_id === stored.account_id)) {
    linkReplies(ctx, tx, stored);
  }
}

const KNOWN = `
  SELECT ${STATUS_COLUMNS} FROM statuses s
  WHERE s.uri = +$uri AND s.reblog_of_id IS NULL AND ${visibleTo()}`;

const LATEST = "SELECT max(id) AS id FROM statuses WHERE account_id = +$accountId AND id >= +$from AND id < +$to";
/** As many as a millisecond has. */
const SAME_TIME = 4096;

/** A free id for a post of a time. Archives often give seconds, so posts of the same time keep their order. */
function nextIdAt(ctx: Context, tx: Tx, accountId: number, createdAt: number): number {
  let id = Math.max(1, ctx.ids.firstAt(createdAt));
  // More posts of one time than it has ids continue in the next millisecond, and so on.
  for (let from = id, isFull = true; isFull; from += SAME_TIME) {
    const latest = tx.get<{ id: number | null }>(LATEST, { accountId, from, to: from + SAME_TIME })?.id ?? null;
    id = latest === null ? from : latest + 1;
    isFull = id === from + SAME_TIME;
  }
  while (tx.get("SELECT 1 FROM statuses WHERE id = +$id", { id })) id += 1;
  return ctx.ids.use(id);
}

/** The status here with an address that the archive names: an imported one, or any that the user may see. */
export function knownStatus(db: Reads, accountId: number, uri: string): StatusRow | null {
  const imported = db.get<{ status_id: number | null }>(IMPORTED, { accountId, uri });
  if (imported) return statusWith(db, imported.status_id);
  return db.get<StatusRow>(KNOWN, { uri, viewer: accountId });
}

/** A reply that the author of its parent does not allow is no part of the thread. */
function parentOf(db: Reads, accountId: number, uri: string): StatusRow | null {
  const parent = knownStatus(db, accountId, uri);
  return parent && isPermitted(db, "reply", accountId, parent.id) ? parent : null;
}

const ACCOUNT = `SELECT a.id FROM accounts a WHERE a.uri = +$uri AND ${IS_APPROVED} AND a.suspended_at IS NULL`;

/** Accounts that are unknown here stay text with a link. */
function mentionedAccounts(db: Reads, { id, formerUris }: Importer, uris: readonly string[]): number[] {
  const ids = uris.map((uri) =>
    formerUris.includes(uri) ? id : (db.get<{ id: number }>(ACCOUNT, { uri })?.id ?? null),
  );
  return [...new Set(ids)].filter((each) => each !== null);
}

/** The content as this server would write it, if the archive has only the text, or if that says the same. */
function contentHere(ctx: Context, importer: Importer, post: ArchivedPost, hasQuote: boolean) {
  // Formats may take long for hostile texts that are longer than posts may be here; plain text doesn't.
  const isLong = post.text !== null && post.text.length > ctx.config.maxCharacters;
  const composed = post.text === null ? null : compose(ctx, post.text, isLong ? "text/plain" : post.contentType);
  if (post.content === null) return composed ?? { content: "", tags: post.tags };
  const sent = hasQuote ? withoutQuoteFallback(post.content) : post.content;
  const content = withLocalLinks(ctx, importer, sent, post.tags);
  const isSame = composed !== null && sanitize(composed.content) === content;
  return { content: isSame ? composed.content : content, tags: post.tags };
}

/** Hashtags and mentions of the user lead to this server. */
function withLocalLinks(
  ctx: Context,
  { username, formerUris }: Importer,
  content: string,
  tags: ArchivedPost["tags"],
): string {
  const links = new Map(formerUris.map((uri) => [escapeHtml(uri), accountUrl(ctx, username)]));
  for (const { name, href } of tags) if (href !== null) links.set(escapeHtml(href), tagUrl(ctx, name));
  return content.replace(/(?<=<a [^<>]*href=")[^"]*(?=")/g, (written) => {
    const url = links.get(written);
    return url === undefined ? written : escapeHtml(url);
  });
}
