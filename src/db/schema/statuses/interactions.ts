import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const favourites = sqliteTable("favourites", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  status_id: integer().notNull(),
  created_at: integer().notNull(),
  uri: text(),
  emoji: text(),
});

export const bookmarks = sqliteTable("bookmarks", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  status_id: integer().notNull(),
  created_at: integer().notNull(),
});

export const statusPins = sqliteTable("status_pins", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  status_id: integer().notNull(),
  created_at: integer().notNull(),
});

export const conversationMutes = sqliteTable(
  "conversation_mutes",
  {
    account_id: integer().notNull(),
    conversation_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.conversation_id] })],
);
