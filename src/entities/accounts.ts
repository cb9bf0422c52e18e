import type { Context } from "../context.ts";
import type { StoredField } from "../core/accounts.ts";
import { idList } from "../db/json.ts";
import type { accounts } from "../db/schema/index.ts";
import { wordsWithShortcodes } from "../lib/text/shortcodes.ts";
import { ACCOUNT_TEXTS } from "./cache.ts";
import { emojisJson } from "./emojis.ts";
import { timestamp } from "./json.ts";
import { rejectsMedia } from "../core/remote-media/rejected-media.ts";
import { remotePictureUrl } from "../core/remote-media/remote-names.ts";
import { mediaUrl, missingPictureUrl } from "../core/addresses.ts";

type AccountRow = Omit<
  typeof accounts.$inferSelect,
  | "note"
  | "attribution_domains"
  | "sensitized_at"
  | "updated_at"
  | "deleted_at"
  | "gone_at"
  | "moved_at"
  | "origin_followers_count"
  | "origin_following_count"
  | "origin_statuses_count"
>;

/** This server knows only some of a remote account's followers and statuses, and the other server may be outdated. */
const ACCOUNTS = `
  SELECT a.id, a.username, a.domain, a.display_name, a.note_html, a.fields, a.uri, a.url,
    a.avatar, a.avatar_static, a.avatar_remote_url, a.avatar_description,
    a.header, a.header_static, a.header_remote_url, a.header_description,
    a.locked, a.bot, a.discoverable, a.indexable, a.hide_collections,
    max(a.followers_count, coalesce(a.origin_followers_count, 0)) AS followers_count,
    max(a.following_count, coalesce(a.origin_following_count, 0)) AS following_count,
    max(a.statuses_count, coalesce(a.origin_statuses_count, 0)) AS statuses_count,
    a.last_status_at, a.created_at, a.actor_type, a.memorial, a.moved_to_id,
    a.show_media, a.show_media_replies, a.show_featured, a.suspended_at, a.silenced_at
  FROM accounts a WHERE a.id IN (SELECT value FROM json_each($ids))`;

/** Mastodon's Account (entities/Account), in the order of the ids; one query for any number of them. */
export function showAccounts(ctx: Context, ids: readonly number[]): AccountJson[] {
  const texts = accountTexts(ctx, ids);
  return ids.flatMap((id) => {
    const text = texts.get(id);
    return text === undefined ? [] : (JSON.parse(text) as AccountJson);
  });
}

export function showAccount(ctx: Context, id: number): AccountJson {
  return showAccounts(ctx, [id])[0]!;
}

/** Accounts as JSON text by id; only those that aren't cached are read and rendered. */
export function accountTexts(ctx: Context, ids: Iterable<number>): Map<number, string> {
  return ctx.caches.of(ACCOUNT_TEXTS).getMany(ids, (missing) => {
    const rows = ctx.db.all<AccountRow>(ACCOUNTS, { ids: idList(missing) });
    const successors = successorsOf(ctx, rows);
    return rows.map((row) => {
      const moved = row.moved_to_id === null ? undefined : successors.get(row.moved_to_id);
      return [row.id, JSON.stringify({ ...accountJson(ctx, row), ...(moved && { moved }) })];
    });
  });
}

/** The accounts to which these have moved, by id. Their own successors aren't shown, as in Mastodon. */
function successorsOf(ctx: Context, rows: readonly AccountRow[]): Map<number, SingleAccountJson> {
  const ids = rows.map(({ moved_to_id }) => moved_to_id).filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const successors = ctx.db.all<AccountRow>(ACCOUNTS, { ids: idList(ids) });
  return new Map(successors.map((row) => [row.id, accountJson(ctx, row)]));
}

type SingleAccountJson = ReturnType<typeof accountJson>;

/** `moved` is the account to which it has moved. */
export type AccountJson = SingleAccountJson & { moved?: SingleAccountJson };

/** As in Mastodon, suspended accounts are shown without their profile. */
const BLANK_PROFILE = {
  display_name: "",
  note_html: "",
  fields: "[]",
  avatar: null,
  avatar_static: null,
  avatar_remote_url: null,
  avatar_description: "",
  header: null,
  header_static: null,
  header_remote_url: null,
  header_description: "",
  locked: 0,
  bot: 0,
  discoverable: 0,
  indexable: 0,
  actor_type: "Person",
} satisfies Partial<AccountRow>;

function accountJson(ctx: Context, account: AccountRow) {
  const row = account.suspended_at === null ? account : { ...account, ...BLANK_PROFILE };
  const [avatar, avatarStatic] = pictureUrls(ctx, "avatars", row, [
    row.avatar,
    row.avatar_static,
    row.avatar_remote_url,
  ]);
  const [header, headerStatic] = pictureUrls(ctx, "headers", row, [
    row.header,
    row.header_static,
    row.header_remote_url,
  ]);
  const fields = row.fields === "[]" ? [] : (JSON.parse(row.fields) as StoredField[]);
  return {
    id: String(row.id),
    username: row.username,
    acct: acctOf(row),
    display_name: row.display_name,
    locked: row.locked === 1,
    bot: row.bot === 1,
    discoverable: row.discoverable === 1,
    indexable: row.indexable === 1,
    group: row.actor_type === "Group",
    // Only the day, as in Mastodon.
    created_at: `${timestamp(row.created_at).slice(0, 10)}T00:00:00.000Z`,
    note: row.note_html,
    url: row.url,
    uri: row.uri,
    avatar,
    avatar_static: avatarStatic,
    avatar_description: row.avatar_description,
    header,
    header_static: headerStatic,
    header_description: row.header_description,
    followers_count: row.followers_count,
    following_count: row.following_count,
    statuses_count: row.statuses_count,
    last_status_at: timestamp(row.last_status_at)?.slice(0, 10) ?? null,
    hide_collections: row.hide_collections === 1,
    noindex: row.indexable === 0,
    show_media: row.show_media === 1,
    show_media_replies: row.show_media_replies === 1,
    show_featured: row.show_featured === 1,
    emojis: emojisJson(ctx, row.domain, [wordsWithShortcodes(row.note_html), row.display_name, ...wordsOf(fields)]),
    roles: [],
    fields: fieldsJson(fields),
    ...(row.suspended_at !== null && { suspended: true }),
    ...(row.silenced_at !== null && { limited: true }),
    ...(row.memorial === 1 && { memorial: true }),
  };
}

type Text = string | null;

/** The URLs of an avatar or a header: as it is, and without its animation. */
function pictureUrls(
  ctx: Context,
  kind: "avatars" | "headers",
  { id, domain }: Pick<AccountRow, "id" | "domain">,
  [file, still, remoteUrl]: [file: Text, still: Text, remoteUrl: Text],
): [string, string] {
  if (file !== null) return [mediaUrl(ctx, file), mediaUrl(ctx, still ?? file)];
  if (remoteUrl !== null && !rejectsMedia(ctx, domain)) {
    return [
      remotePictureUrl(ctx, kind, id, remoteUrl, "original"),
      remotePictureUrl(ctx, kind, id, remoteUrl, "static"),
    ];
  }
  const missing = missingPictureUrl(ctx, kind);
  return [missing, missing];
}

/** The account's handle as seen from this server: remote accounts include their domain. */
export function acctOf({ username, domain }: { username: string; domain: string | null }): string {
  return domain === null ? username : `${username}@${domain}`;
}

function wordsOf(fields: readonly StoredField[]): string[] {
  return fields.flatMap(({ name, html }) => [name, wordsWithShortcodes(html)]);
}

function fieldsJson(fields: readonly StoredField[]) {
  return fields.map((field) => ({
    name: field.name,
    value: field.html,
    verified_at: timestamp(field.verified_at),
  }));
}

interface SourceRow {
  note: string;
  fields: string;
  discoverable: number;
  indexable: number;
  hide_collections: number;
  attribution_domains: string;
  default_privacy: string;
  default_sensitive: number;
  default_language: string | null;
  default_quote_policy: string;
  default_content_type: string;
  role: string;
  follow_requests_count: number;
}

/** The account with the fields that only its owner sees (entities/Account#CredentialAccount). */
export function showCredentialAccount(ctx: Context, accountId: number) {
  const row = ctx.db.get<SourceRow>(
    `SELECT a.note, a.fields, a.discoverable, a.indexable, a.hide_collections, a.attribution_domains,
       u.default_privacy, u.default_sensitive, u.default_language, u.default_quote_policy, u.default_content_type,
       u.role,
       (SELECT count(*) FROM follow_requests WHERE target_account_id = a.id) AS follow_requests_count
     FROM accounts a JOIN users u ON u.account_id = a.id WHERE a.id = +$accountId`,
    { accountId },
  )!;
  return {
    ...showAccount(ctx, accountId),
    source: {
      privacy: row.default_privacy,
      sensitive: row.default_sensitive === 1,
      language: row.default_language,
      quote_policy: row.default_quote_policy,
      status_content_type: row.default_content_type,
      note: row.note,
      fields: (JSON.parse(row.fields) as StoredField[]).map(({ name, value, verified_at }) => ({
        name,
        value,
        verified_at: timestamp(verified_at),
      })),
      follow_requests_count: row.follow_requests_count,
      discoverable: row.discoverable === 1,
      indexable: row.indexable === 1,
      hide_collections: row.hide_collections === 1,
      attribution_domains: JSON.parse(row.attribution_domains) as string[],
    },
    role: roleJson(row.role),
  };
}

/** Permission bits from Mastodon's documentation (entities/Role). */
const ROLES: Record<string, { id: string; name: string; permissions: number }> = {
  owner: { id: "3", name: "Owner", permissions: 0x1 },
  admin: { id: "2", name: "Admin", permissions: 0xf_fffe & ~0x1 },
  moderator: { id: "1", name: "Moderator", permissions: 0x10 | 0x400 | 0x4 | 0x8 },
  user: { id: "-99", name: "", permissions: 0x0 },
};

function roleJson(role: string) {
  const { id, name, permissions } = ROLES[role] ?? ROLES.user!;
  return { id, name, permissions: String(permissions), color: "", highlighted: id !== "-99" };
}
