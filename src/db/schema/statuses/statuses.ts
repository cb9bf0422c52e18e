import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const statuses = sqliteTable("statuses", {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  uri: text().notNull(),
  url: text().notNull(),
  local: integer().notNull(),
  visibility: text({ enum: ["public", "unlisted", "private", "direct"] }).notNull(),
  text: text().notNull().default(""),
  content: text().notNull().default(""),
  spoiler_text: text().notNull().default(""),
  sensitive: integer().notNull().default(0),
  language: text(),
  conversation_id: integer().notNull(),
  in_reply_to_id: integer(),
  in_reply_to_account_id: integer(),
  reblog_of_id: integer(),
  app_id: integer(),
  has_media: integer().notNull().default(0),
  replies_count: integer().notNull().default(0),
  reblogs_count: integer().notNull().default(0),
  favourites_count: integer().notNull().default(0),
  created_at: integer().notNull(),
  edited_at: integer(),
  quote_automatic: text().notNull().default("[]"),
  quote_manual: text().notNull().default("[]"),
  quotes_count: integer().notNull().default(0),
  in_reply_to_uri: text(),
  origin_favourites_count: integer(),
  origin_reblogs_count: integer(),
  origin_replies_count: integer(),
  relayed: integer().notNull().default(0),
  content_type: text({ enum: ["text/plain", "text/markdown", "text/html"] })
    .notNull()
    .default("text/plain"),
  local_only: integer().notNull().default(0),
  can_favourite: text(),
  can_reply: text(),
  can_reblog: text(),
});

export const statusEdits = sqliteTable("status_edits", {
  id: integer().primaryKey({ autoIncrement: true }),
  status_id: integer().notNull(),
  content: text().notNull(),
  spoiler_text: text().notNull(),
  sensitive: integer().notNull(),
  media: text().notNull(),
  created_at: integer().notNull(),
  poll_options: text(),
});

export const quotes = sqliteTable("quotes", {
  id: integer().primaryKey({ autoIncrement: true }),
  status_id: integer().notNull(),
  quoted_status_id: integer(),
  state: text({ enum: ["pending", "accepted", "rejected", "revoked", "deleted"] }).notNull(),
  created_at: integer().notNull(),
  authorization_uri: text(),
  request_uri: text(),
});

export const scheduledStatuses = sqliteTable("scheduled_statuses", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  app_id: integer(),
  draft: text().notNull(),
  scheduled_at: integer().notNull(),
  created_at: integer().notNull(),
});

export const automaticDeletions = sqliteTable("automatic_deletions", {
  account_id: integer().primaryKey(),
  enabled: integer().notNull(),
  min_age_days: integer().notNull(),
  keep_direct: integer().notNull(),
  keep_pinned: integer().notNull(),
  keep_polls: integer().notNull(),
  keep_media: integer().notNull(),
  keep_favourited: integer().notNull(),
  keep_bookmarked: integer().notNull(),
  min_favourites: integer(),
  min_reblogs: integer(),
});

export const mentions = sqliteTable(
  "mentions",
  {
    status_id: integer().notNull(),
    account_id: integer().notNull(),
    silent: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.status_id, table.account_id] })],
);

export const tags = sqliteTable("tags", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  display_name: text().notNull(),
  created_at: integer().notNull(),
});

export const statusTags = sqliteTable(
  "status_tags",
  {
    tag_id: integer().notNull(),
    status_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tag_id, table.status_id] })],
);

export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    account_id: integer().notNull(),
    key: text().notNull(),
    status_id: integer(),
    scheduled_status_id: integer(),
    created_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.key] })],
);
