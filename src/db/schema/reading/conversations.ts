import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const conversations = sqliteTable("conversations", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  thread_id: integer().notNull(),
  participants: text().notNull(),
  last_status_id: integer().notNull(),
  unread: integer().notNull(),
});

export const conversationStatuses = sqliteTable(
  "conversation_statuses",
  {
    conversation_id: integer().notNull(),
    status_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.conversation_id, table.status_id] })],
);
