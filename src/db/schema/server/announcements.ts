import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const announcements = sqliteTable("announcements", {
  id: integer().primaryKey({ autoIncrement: true }),
  text: text().notNull(),
  published_at: integer().notNull(),
  starts_at: integer(),
  ends_at: integer(),
  all_day: integer().notNull(),
  version: integer().notNull().default(1),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
});

export const announcementDismissals = sqliteTable(
  "announcement_dismissals",
  {
    announcement_id: integer().notNull(),
    account_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.announcement_id, table.account_id] })],
);

export const announcementReactions = sqliteTable("announcement_reactions", {
  id: integer().primaryKey({ autoIncrement: true }),
  announcement_id: integer().notNull(),
  name: text().notNull(),
  account_id: integer().notNull(),
  custom_emoji_id: integer(),
  created_at: integer().notNull(),
});
