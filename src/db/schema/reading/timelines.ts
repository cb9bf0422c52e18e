import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const homeTimeline = sqliteTable(
  "home_timeline",
  {
    account_id: integer().notNull(),
    status_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.status_id] })],
);

export const markers = sqliteTable(
  "markers",
  {
    account_id: integer().notNull(),
    timeline: text({ enum: ["home", "notifications"] }).notNull(),
    last_read_id: integer().notNull(),
    version: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.timeline] })],
);

export const homeFeeds = sqliteTable("home_feeds", {
  user_id: integer().primaryKey(),
  key_hash: text().notNull(),
  created_at: integer().notNull(),
});
