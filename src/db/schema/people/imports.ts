import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const imports = sqliteTable("imports", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  kind: text({
    enum: ["follows", "lists", "mutes", "blocks", "domain_blocks", "bookmarks", "filters", "archive"],
  }).notNull(),
  mode: text({ enum: ["merge", "replace"] }).notNull(),
  state: text({ enum: ["running", "finished", "cancelled", "failed"] }).notNull(),
  file_name: text().notNull(),
  total: integer(),
  done: integer().notNull().default(0),
  failed: integer().notNull().default(0),
  error: text(),
  created_at: integer().notNull(),
  ended_at: integer(),
  for_followers: integer().notNull().default(0),
});

export const importRows = sqliteTable("import_rows", {
  id: integer().primaryKey({ autoIncrement: true }),
  import_id: integer().notNull(),
  cells: text().notNull(),
  due_at: integer(),
  attempts: integer().notNull().default(0),
  target_id: integer(),
  error: text(),
});
