import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const tagFollows = sqliteTable("tag_follows", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  tag_id: integer().notNull(),
  created_at: integer().notNull(),
});

export const featuredTags = sqliteTable("featured_tags", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  tag_id: integer().notNull(),
  name: text().notNull(),
  statuses_count: integer().notNull(),
  last_status_at: integer(),
  created_at: integer().notNull(),
});
