import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const filters = sqliteTable("filters", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  title: text().notNull(),
  context: text().notNull(),
  filter_action: text({ enum: ["warn", "hide", "blur"] }).notNull(),
  expires_at: integer(),
  created_at: integer().notNull(),
});

export const filterKeywords = sqliteTable("filter_keywords", {
  id: integer().primaryKey({ autoIncrement: true }),
  filter_id: integer().notNull(),
  keyword: text().notNull(),
  whole_word: integer().notNull(),
});

export const filterStatuses = sqliteTable("filter_statuses", {
  id: integer().primaryKey({ autoIncrement: true }),
  filter_id: integer().notNull(),
  status_id: integer().notNull(),
});
