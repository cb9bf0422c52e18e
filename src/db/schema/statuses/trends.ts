import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const trendUses = sqliteTable(
  "trend_uses",
  {
    kind: text({ enum: ["tag", "link"] }).notNull(),
    subject_id: integer().notNull(),
    day: integer().notNull(),
    account_id: integer().notNull(),
    uses: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject_id, table.day, table.account_id] })],
);

export const trendDays = sqliteTable(
  "trend_days",
  {
    kind: text({ enum: ["tag", "link"] }).notNull(),
    subject_id: integer().notNull(),
    day: integer().notNull(),
    uses: integer().notNull(),
    accounts: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject_id, table.day] })],
);

export const trends = sqliteTable(
  "trends",
  {
    kind: text({ enum: ["tag", "status", "link"] }).notNull(),
    subject_id: integer().notNull(),
    score: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject_id] })],
);

export const trendReviews = sqliteTable(
  "trend_reviews",
  {
    kind: text({ enum: ["tag", "status", "link"] }).notNull(),
    subject_id: integer().notNull(),
    approved: integer().notNull(),
    reviewed_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject_id] })],
);
