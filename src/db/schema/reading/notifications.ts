import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const notifications = sqliteTable("notifications", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  type: text({
    enum: [
      "mention",
      "status",
      "reblog",
      "follow",
      "follow_request",
      "favourite",
      "poll",
      "update",
      "admin.sign_up",
      "admin.report",
      "severed_relationships",
      "moderation_warning",
      "quote",
      "quoted_update",
      "linnet.sign_in",
    ],
  }).notNull(),
  from_account_id: integer().notNull(),
  status_id: integer(),
  created_at: integer().notNull(),
  about_id: integer(),
  group_key: text(),
  filtered: integer().notNull().default(0),
});

export const notificationRequests = sqliteTable("notification_requests", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  from_account_id: integer().notNull(),
  created_at: integer().notNull(),
});

export const notificationPermissions = sqliteTable(
  "notification_permissions",
  {
    account_id: integer().notNull(),
    from_account_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.from_account_id] })],
);
