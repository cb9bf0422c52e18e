import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { filtersOf, filterStatusesOf, keywordsOf } from "../timelines/filters.ts";
import { type CsvKind, FORMATS } from "./csv-kinds.ts";

/** A file of Mastodon's export. */
interface ExportFile {
  name: string;
  type: string;
  text: string;
}

/** Writes what a user has of one kind, in Mastodon's format. */
export async function exportCsv(ctx: Context, accountId: number, kind: CsvKind): Promise<ExportFile> {
  const { fileName: name, columns, hasHeader } = FORMATS[kind];
  if (kind === "filters") return { name, type: "application/json", text: filtersJson(ctx.db, accountId) };
  const { stringify } = await import("csv-stringify/sync");
  const rows = rowsOf(ctx, accountId, kind);
  return { name, type: "text/csv; charset=utf-8", text: stringify(hasHeader ? [columns, ...rows] : rows) };
}

const ADDRESS = "a.username || '@' || coalesce(a.domain, $ownDomain) AS address";
const FOLLOWS = `
  SELECT ${ADDRESS}, f.show_reblogs, f.notify, f.languages
  FROM follows f JOIN accounts a ON a.id = f.target_account_id WHERE f.account_id = +$accountId ORDER BY f.id DESC`;
const LISTS = `
  SELECT l.title, ${ADDRESS}
  FROM lists l JOIN list_accounts m ON m.list_id = l.id JOIN accounts a ON a.id = m.account_id
  WHERE l.account_id = +$accountId ORDER BY l.id, m.id`;
const MUTES = `
  SELECT ${ADDRESS}, m.hide_notifications
  FROM mutes m JOIN accounts a ON a.id = m.target_account_id
  WHERE m.account_id = +$accountId AND (m.expires_at IS NULL OR m.expires_at > +$now) ORDER BY m.id DESC`;
const BLOCKS = `
  SELECT ${ADDRESS} FROM blocks b JOIN accounts a ON a.id = b.target_account_id
  WHERE b.account_id = +$accountId ORDER BY b.id DESC`;
const DOMAIN_BLOCKS = "SELECT domain FROM account_domain_blocks WHERE account_id = +$accountId ORDER BY id";
const BOOKMARKS = `
  SELECT s.uri FROM bookmarks b JOIN statuses s ON s.id = b.status_id
  WHERE b.account_id = +$accountId ORDER BY b.id DESC`;

interface FollowRow {
  address: string;
  show_reblogs: number;
  notify: number;
  languages: string | null;
}

function rowsOf({ db, clock, config }: Context, accountId: number, kind: Exclude<CsvKind, "filters">): string[][] {
  const own = { accountId, ownDomain: config.handleDomain };
  const yes = (value: number) => String(value === 1);
  switch (kind) {
    case "follows":
      return db.all<FollowRow>(FOLLOWS, own).map(({ address, show_reblogs, notify, languages }) => {
        const codes = languages === null ? [] : (JSON.parse(languages) as string[]);
        return [address, yes(show_reblogs), yes(notify), codes.join(", ")];
      });
    case "lists":
      return db.all<{ title: string; address: string }>(LISTS, own).map(({ title, address }) => [title, address]);
    case "mutes":
      return db
        .all<{ address: string; hide_notifications: number }>(MUTES, { ...own, now: clock.now() })
        .map(({ address, hide_notifications }) => [address, yes(hide_notifications)]);
    case "blocks":
      return db.all<{ address: string }>(BLOCKS, own).map(({ address }) => [address]);
    case "domain_blocks":
      return db.all<{ domain: string }>(DOMAIN_BLOCKS, { accountId }).map(({ domain }) => [domain]);
    case "bookmarks":
      return db.all<{ uri: string }>(BOOKMARKS, { accountId }).map(({ uri }) => [uri]);
  }
}

const STATUS_URI = "SELECT uri FROM statuses WHERE id = +$id";

/** Keywords have a structure, so Mastodon has no CSV file of filters. */
function filtersJson(db: Reads, accountId: number): string {
  const keywords = Map.groupBy(keywordsOf(db, accountId, null), ({ filter_id }) => filter_id);
  const statuses = Map.groupBy(filterStatusesOf(db, accountId, null), ({ filter_id }) => filter_id);
  const filters = filtersOf(db, accountId).map(({ id, title, context, filter_action, expires_at }) => {
    const time = expires_at === null ? null : new Date(expires_at).toISOString();
    return {
      title,
      // Mastodon writes the time under one name and reads it under another.
      expire_at: time,
      expires_at: time,
      context: JSON.parse(context) as string[],
      action: filter_action,
      keywords_attributes: (keywords.get(id) ?? []).map(({ keyword, whole_word }) => ({
        keyword,
        whole_word: whole_word === 1,
      })),
      statuses: (statuses.get(id) ?? []).map(
        ({ status_id }) => db.get<{ uri: string }>(STATUS_URI, { id: status_id })!.uri,
      ),
    };
  });
  return JSON.stringify({ custom_filters: filters });
}

const COUNTS = `
  SELECT
    (SELECT count(*) FROM follows WHERE account_id = +$accountId) AS follows,
    (SELECT count(*) FROM lists l JOIN list_accounts m ON m.list_id = l.id WHERE l.account_id = +$accountId) AS lists,
    (SELECT count(*) FROM mutes WHERE account_id = +$accountId) AS mutes,
    (SELECT count(*) FROM blocks WHERE account_id = +$accountId) AS blocks,
    (SELECT count(*) FROM account_domain_blocks WHERE account_id = +$accountId) AS domain_blocks,
    (SELECT count(*) FROM bookmarks WHERE account_id = +$accountId) AS bookmarks,
    (SELECT count(*) FROM filters WHERE account_id = +$accountId) AS filters`;

type ExportCounts = Record<CsvKind, number>;

/** How many rows each file has. */
export function exportCounts(db: Reads, accountId: number): ExportCounts {
  return db.get<ExportCounts>(COUNTS, { accountId })!;
}
