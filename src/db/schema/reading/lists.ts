import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const lists = sqliteTable("lists", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  title: text().notNull(),
  replies_policy: text({ enum: ["followed", "list", "none"] }).notNull(),
  exclusive: integer().notNull(),
  created_at: integer().notNull(),
});

export const listAccounts = sqliteTable("list_accounts", {
  id: integer().primaryKey({ autoIncrement: true }),
  list_id: integer().notNull(),
  account_id: integer().notNull(),
  follow_id: integer(),
  follow_request_id: integer(),
});

export const listTimeline = sqliteTable(
  "list_timeline",
  {
    list_id: integer().notNull(),
    status_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.list_id, table.status_id] })],
);
