import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const customEmojis = sqliteTable("custom_emojis", {
  id: integer().primaryKey({ autoIncrement: true }),
  shortcode: text().notNull(),
  domain: text(),
  image: text(),
  static_image: text(),
  category: text(),
  visible_in_picker: integer().notNull(),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  uri: text(),
  image_remote_url: text(),
  remote_updated_at: integer(),
});
