import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const accountDomainBlocks = sqliteTable("account_domain_blocks", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  domain: text().notNull(),
  created_at: integer().notNull(),
});

export const accountNotes = sqliteTable(
  "account_notes",
  {
    account_id: integer().notNull(),
    target_account_id: integer().notNull(),
    comment: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.target_account_id] })],
);

export const accountAliases = sqliteTable("account_aliases", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  alias_account_id: integer().notNull(),
  created_at: integer().notNull(),
});

export const endorsements = sqliteTable("endorsements", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  target_account_id: integer().notNull(),
  created_at: integer().notNull(),
});

export const suggestionDismissals = sqliteTable(
  "suggestion_dismissals",
  {
    account_id: integer().notNull(),
    target_account_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.target_account_id] })],
);

export const invitations = sqliteTable("invitations", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer().notNull(),
  code: text().notNull(),
  max_uses: integer(),
  uses: integer().notNull().default(0),
  expires_at: integer(),
  revoked_at: integer(),
  created_at: integer().notNull(),
});
