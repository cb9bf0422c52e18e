import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const importedStatuses = sqliteTable(
  "imported_statuses",
  {
    account_id: integer().notNull(),
    uri: text().notNull(),
    status_id: integer(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.uri] })],
);

export const importedMedia = sqliteTable("imported_media", {
  media_id: integer().primaryKey(),
  account_id: integer().notNull(),
  name: text().notNull(),
});
