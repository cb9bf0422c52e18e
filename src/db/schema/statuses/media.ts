import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const mediaAttachments = sqliteTable("media_attachments", {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  status_id: integer(),
  position: integer().notNull().default(0),
  type: text({ enum: ["image", "gifv", "video", "audio", "unknown"] }).notNull(),
  content_type: text().notNull(),
  file: text(),
  file_size: integer().notNull(),
  width: integer().notNull(),
  height: integer().notNull(),
  small: text(),
  small_width: integer().notNull(),
  small_height: integer().notNull(),
  focus_x: real().notNull().default(0),
  focus_y: real().notNull().default(0),
  description: text(),
  blurhash: text(),
  created_at: integer().notNull(),
  state: text({ enum: ["processing", "ready", "failed"] })
    .notNull()
    .default("ready"),
  source: text(),
  tries: integer().notNull().default(0),
  duration: real(),
  frame_rate: text(),
  bitrate: integer(),
  colors: text(),
  has_thumbnail: integer().notNull().default(0),
  scheduled_status_id: integer(),
  remote_url: text(),
  preview_remote_url: text(),
});

export const remoteFiles = sqliteTable("remote_files", {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: text({ enum: ["attachments", "avatars", "headers", "emojis", "cards"] }).notNull(),
  owner_id: integer().notNull(),
  form: text({ enum: ["original", "preview"] }).notNull(),
  version: text().notNull(),
  file: text(),
  still: text(),
  bytes: integer().notNull(),
  used_at: integer().notNull(),
  failed_at: integer(),
});
