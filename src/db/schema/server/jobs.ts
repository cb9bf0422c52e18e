import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const jobs = sqliteTable("jobs", {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: text().notNull(),
  key: text(),
  payload: text().notNull(),
  run_at: integer(),
  leased: integer().notNull().default(0),
  attempts: integer().notNull().default(0),
  error: text(),
  created_at: integer().notNull(),
  lane: text().notNull().default("main"),
  host: text().notNull().default(""),
});

export const jobTurns = sqliteTable(
  "job_turns",
  { lane: text().notNull(), host: text().notNull(), at: integer().notNull() },
  (table) => [primaryKey({ columns: [table.lane, table.host] })],
);
