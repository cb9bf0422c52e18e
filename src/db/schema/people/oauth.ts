import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const oauthApps = sqliteTable("oauth_apps", {
  id: integer().primaryKey({ autoIncrement: true }),
  client_id: text().notNull(),
  client_secret_hash: text().notNull(),
  name: text().notNull(),
  website: text(),
  redirect_uris: text().notNull(),
  scopes: text().notNull(),
  created_at: integer().notNull(),
});

export const oauthTokens = sqliteTable("oauth_tokens", {
  id: integer().primaryKey({ autoIncrement: true }),
  token_hash: text().notNull(),
  app_id: integer().notNull(),
  user_id: integer(),
  scopes: text().notNull(),
  created_at: integer().notNull(),
  last_used_at: integer(),
  expires_at: integer(),
  last_address: text(),
  user_agent: text(),
});

export const oauthCodes = sqliteTable("oauth_codes", {
  code_hash: text().primaryKey(),
  app_id: integer().notNull(),
  user_id: integer().notNull(),
  redirect_uri: text().notNull(),
  scopes: text().notNull(),
  code_challenge: text(),
  token_id: integer(),
  used_at: integer(),
  expires_at: integer().notNull(),
});

export const emailTokens = sqliteTable("email_tokens", {
  token_hash: text().primaryKey(),
  user_id: integer().notNull(),
  purpose: text({ enum: ["confirm", "password_reset", "sign_in"] }).notNull(),
  email: text().notNull(),
  created_at: integer().notNull(),
  expires_at: integer().notNull(),
});

export const serverState = sqliteTable("server_state", {
  name: text().primaryKey(),
  value: text().notNull(),
});
