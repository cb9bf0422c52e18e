import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const rules = sqliteTable("rules", {
  id: integer().primaryKey({ autoIncrement: true }),
  text: text().notNull(),
  hint: text().notNull(),
  position: integer().notNull(),
  /** JSON: `{"de": {"text": …, "hint": …}}`. */
  translations: text().notNull(),
  created_at: integer().notNull(),
  deleted_at: integer(),
});
