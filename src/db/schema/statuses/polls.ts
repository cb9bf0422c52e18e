import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const polls = sqliteTable("polls", {
  id: integer().primaryKey({ autoIncrement: true }),
  status_id: integer().notNull(),
  multiple: integer().notNull(),
  hide_totals: integer().notNull(),
  voters_count: integer(),
  expires_at: integer(),
  closed: integer().notNull().default(0),
});

export const pollOptions = sqliteTable(
  "poll_options",
  {
    poll_id: integer().notNull(),
    position: integer().notNull(),
    title: text().notNull(),
    votes_count: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.poll_id, table.position] })],
);

export const pollVotes = sqliteTable(
  "poll_votes",
  {
    poll_id: integer().notNull(),
    account_id: integer().notNull(),
    choice: integer().notNull(),
    created_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.poll_id, table.account_id, table.choice] })],
);
