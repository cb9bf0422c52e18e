import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const accounts = sqliteTable("accounts", {
  id: integer().primaryKey(),
  username: text().notNull(),
  domain: text(),
  display_name: text().notNull().default(""),
  note: text().notNull().default(""),
  note_html: text().notNull().default(""),
  fields: text().notNull().default("[]"),
  uri: text().notNull(),
  url: text().notNull(),
  avatar: text(),
  avatar_static: text(),
  avatar_description: text().notNull().default(""),
  header: text(),
  header_static: text(),
  header_description: text().notNull().default(""),
  locked: integer().notNull().default(0),
  bot: integer().notNull().default(0),
  discoverable: integer().notNull().default(0),
  indexable: integer().notNull().default(0),
  hide_collections: integer().notNull().default(0),
  attribution_domains: text().notNull().default("[]"),
  followers_count: integer().notNull().default(0),
  following_count: integer().notNull().default(0),
  statuses_count: integer().notNull().default(0),
  last_status_at: integer(),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  show_media: integer().notNull().default(1),
  show_media_replies: integer().notNull().default(1),
  show_featured: integer().notNull().default(1),
  suspended_at: integer(),
  silenced_at: integer(),
  sensitized_at: integer(),
  deleted_at: integer(),
  actor_type: text().notNull().default("Person"),
  gone_at: integer(),
  moved_to_id: integer(),
  origin_followers_count: integer(),
  origin_following_count: integer(),
  origin_statuses_count: integer(),
  avatar_remote_url: text(),
  header_remote_url: text(),
  memorial: integer().notNull().default(0),
  moved_at: integer(),
});

export const users = sqliteTable("users", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  email: text(),
  password_hash: text().notNull(),
  role: text({ enum: ["owner", "admin", "moderator", "user"] }).notNull(),
  locale: text().notNull().default("en"),
  default_privacy: text().notNull().default("public"),
  default_sensitive: integer().notNull().default(0),
  default_language: text(),
  created_at: integer().notNull(),
  approved: integer().notNull().default(1),
  reason: text(),
  default_quote_policy: text({ enum: ["public", "followers", "nobody"] })
    .notNull()
    .default("public"),
  for_not_following: integer().notNull().default(0),
  for_not_followers: integer().notNull().default(0),
  for_new_accounts: integer().notNull().default(0),
  for_private_mentions: integer().notNull().default(0),
  for_limited_accounts: integer().notNull().default(1),
  disabled: integer().notNull().default(0),
  default_content_type: text({ enum: ["text/plain", "text/markdown", "text/html"] })
    .notNull()
    .default("text/plain"),
  default_policies: text().notNull().default("{}"),
  passkey_handle: text(),
  signed_in_at: integer(),
  unconfirmed_email: text(),
  page_language: text({ enum: ["en", "de", "fr"] }),
  invitation_id: integer(),
  time_zone: text(),
  expand_media: text({ enum: ["default", "show_all", "hide_all"] })
    .notNull()
    .default("default"),
  expand_spoilers: integer().notNull().default(0),
});

export const follows = sqliteTable("follows", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  target_account_id: integer().notNull(),
  show_reblogs: integer().notNull().default(1),
  notify: integer().notNull().default(0),
  languages: text(),
  created_at: integer().notNull(),
  uri: text(),
});

export const followRequests = sqliteTable("follow_requests", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  target_account_id: integer().notNull(),
  show_reblogs: integer().notNull().default(1),
  notify: integer().notNull().default(0),
  languages: text(),
  created_at: integer().notNull(),
  uri: text(),
});

export const blocks = sqliteTable("blocks", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  target_account_id: integer().notNull(),
  created_at: integer().notNull(),
  uri: text(),
});

export const mutes = sqliteTable("mutes", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  target_account_id: integer().notNull(),
  hide_notifications: integer().notNull().default(1),
  expires_at: integer(),
  created_at: integer().notNull(),
});
