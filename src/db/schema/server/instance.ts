import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

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

export const pages = sqliteTable("pages", {
  name: text({ enum: ["extended_description", "privacy_policy"] }).primaryKey(),
  text: text().notNull(),
  updated_at: integer().notNull(),
});

export const termsOfService = sqliteTable("terms_of_service", {
  effective_date: text().primaryKey(),
  text: text().notNull(),
  published_at: integer().notNull(),
});

export const weeklyLogins = sqliteTable(
  "weekly_logins",
  {
    week: integer().notNull(),
    user_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.week, table.user_id] })],
);
