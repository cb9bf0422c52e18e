import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const pushSubscriptions = sqliteTable("push_subscriptions", {
  id: integer().primaryKey({ autoIncrement: true }),
  token_id: integer().notNull(),
  account_id: integer().notNull(),
  sealed_token: text().notNull(),
  endpoint: text().notNull(),
  p256dh: text().notNull(),
  auth: text().notNull(),
  standard: integer().notNull(),
  alerts: text().notNull(),
  policy: text({ enum: ["all", "followed", "follower", "none"] }).notNull(),
  created_at: integer().notNull(),
});
