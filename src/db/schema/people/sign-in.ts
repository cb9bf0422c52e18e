import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const sessions = sqliteTable("sessions", {
  id: integer().primaryKey({ autoIncrement: true }),
  session_hash: text().notNull(),
  user_id: integer().notNull(),
  created_at: integer().notNull(),
  expires_at: integer().notNull(),
  proved_at: integer().notNull(),
  last_used_at: integer(),
  address: text(),
  user_agent: text(),
});

export const pendingSignIns = sqliteTable("pending_sign_ins", {
  secret_hash: text().primaryKey(),
  user_id: integer().notNull(),
  expires_at: integer().notNull(),
});

export const newBrowsers = sqliteTable("new_browsers", {
  id: integer().primaryKey({ autoIncrement: true }),
  user_id: integer().notNull(),
  address: text().notNull(),
  user_agent: text().notNull(),
  created_at: integer().notNull(),
});

export const oneTimeCodes = sqliteTable("one_time_codes", {
  user_id: integer().primaryKey(),
  sealed_secret: text().notNull(),
  last_step: integer().notNull(),
  created_at: integer().notNull(),
});

export const recoveryCodes = sqliteTable("recovery_codes", {
  code_hash: text().primaryKey(),
  user_id: integer().notNull(),
  created_at: integer().notNull(),
});

export const passkeys = sqliteTable("passkeys", {
  id: integer().primaryKey({ autoIncrement: true }),
  user_id: integer().notNull(),
  credential_id: text().notNull(),
  public_key: text().notNull(),
  counter: integer().notNull(),
  transports: text().notNull(),
  name: text().notNull(),
  created_at: integer().notNull(),
  last_used_at: integer(),
});

export const usedChallenges = sqliteTable("used_challenges", {
  challenge_hash: text().primaryKey(),
  expires_at: integer().notNull(),
});

export const identities = sqliteTable("identities", {
  id: integer().primaryKey({ autoIncrement: true }),
  user_id: integer().notNull(),
  issuer: text().notNull(),
  subject: text().notNull(),
  label: text().notNull(),
  created_at: integer().notNull(),
  last_used_at: integer(),
});

export const providerAttempts = sqliteTable("provider_attempts", {
  state_hash: text().primaryKey(),
  provider: text().notNull(),
  browser_hash: text().notNull(),
  user_id: integer(),
  return_to: text().notNull(),
  expires_at: integer().notNull(),
});
