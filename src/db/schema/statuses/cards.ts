import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const previewCards = sqliteTable("preview_cards", {
  id: integer().primaryKey({ autoIncrement: true }),
  url: text().notNull(),
  type: text({ enum: ["link", "photo", "video"] }).notNull(),
  title: text().notNull(),
  description: text().notNull(),
  language: text(),
  author_name: text().notNull(),
  author_url: text().notNull(),
  creator_account_id: integer(),
  provider_name: text().notNull(),
  provider_url: text().notNull(),
  html: text().notNull(),
  width: integer().notNull(),
  height: integer().notNull(),
  embed_url: text().notNull(),
  image_remote_url: text(),
  image_description: text().notNull(),
  blurhash: text(),
  published_at: integer(),
  updated_at: integer().notNull(),
});

export const links = sqliteTable("links", {
  id: integer().primaryKey({ autoIncrement: true }),
  url: text().notNull(),
  card_id: integer(),
  statuses_count: integer().notNull().default(0),
  fetched_at: integer(),
});

export const statusLinks = sqliteTable("status_links", {
  status_id: integer().primaryKey(),
  link_id: integer().notNull(),
});
