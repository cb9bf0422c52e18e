import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
});
