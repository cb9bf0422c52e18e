import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const reports = sqliteTable("reports", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer(),
  target_account_id: integer().notNull(),
  category: text({ enum: ["spam", "legal", "violation", "other"] }).notNull(),
  comment: text().notNull(),
  status_ids: text().notNull().default("[]"),
  rule_ids: text(),
  forwarded: integer().notNull().default(0),
  created_at: integer().notNull(),
  action_taken_at: integer(),
  action_taken_by_account_id: integer(),
  uri: text(),
});

export const accountWarnings = sqliteTable("account_warnings", {
  id: integer().primaryKey({ autoIncrement: true }),
  target_account_id: integer().notNull(),
  account_id: integer(),
  report_id: integer(),
  action: text({ enum: ["none", "disable", "sensitive", "silence", "suspend"] }).notNull(),
  text: text().notNull().default(""),
  status_ids: text(),
  created_at: integer().notNull(),
});

export const severanceEvents = sqliteTable("severance_events", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  type: text({ enum: ["domain_block", "user_domain_block", "account_suspension"] }).notNull(),
  target_name: text().notNull(),
  followers_count: integer().notNull(),
  following_count: integer().notNull(),
  created_at: integer().notNull(),
});

export const domainBlocks = sqliteTable("domain_blocks", {
  id: integer().primaryKey({ autoIncrement: true }),
  domain: text().notNull(),
  severity: text({ enum: ["noop", "silence", "suspend"] }).notNull(),
  reject_media: integer().notNull().default(0),
  reject_reports: integer().notNull().default(0),
  obfuscate: integer().notNull().default(0),
  public_comment: text().notNull().default(""),
  private_comment: text().notNull().default(""),
  created_at: integer().notNull(),
});

export const domainAllows = sqliteTable("domain_allows", {
  id: integer().primaryKey({ autoIncrement: true }),
  domain: text().notNull(),
  created_at: integer().notNull(),
});
