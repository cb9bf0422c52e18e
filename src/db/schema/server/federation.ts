import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const remoteAccounts = sqliteTable("remote_accounts", {
  account_id: integer().primaryKey(),
  inbox_url: text().notNull(),
  shared_inbox_url: text(),
  outbox_url: text(),
  followers_url: text(),
  following_url: text(),
  featured_url: text(),
  fetched_at: integer().notNull(),
  key_checked_at: integer(),
  featured_tags_url: text(),
});

export const remoteKeys = sqliteTable(
  "remote_keys",
  {
    key_id: text().notNull(),
    account_id: integer().notNull(),
    public_key: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.key_id, table.account_id] })],
);

export const accountKeys = sqliteTable("account_keys", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer(),
  public_key: text().notNull(),
  private_key: text().notNull(),
  created_at: integer().notNull(),
  retired_at: integer(),
});

export const retiredRemoteKeys = sqliteTable(
  "retired_remote_keys",
  {
    key_id: text().notNull(),
    account_id: integer().notNull(),
    public_key: text().notNull(),
    retired_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.key_id, table.account_id] })],
);

export const tombstones = sqliteTable(
  "tombstones",
  {
    uri: text().notNull(),
    deleted_by: integer().notNull(),
    created_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.uri, table.deleted_by] })],
);

export const hosts = sqliteTable("hosts", {
  domain: text().primaryKey(),
  signature: text({ enum: ["cavage", "rfc9421"] })
    .notNull()
    .default("cavage"),
  down_since: integer(),
  failures: integer().notNull().default(0),
  next_attempt_at: integer(),
  last_used_at: integer(),
  failed_at: integer(),
  last_received_at: integer(),
  last_reached_at: integer(),
  software: text(),
  software_checked_at: integer().notNull().default(0),
  problem: text(),
});

export const incomingActivities = sqliteTable("incoming_activities", {
  id: integer().primaryKey({ autoIncrement: true }),
  host: text().notNull(),
  sender: text().notNull(),
  uri: text().notNull(),
  body: text().notNull(),
  run_at: integer().notNull(),
  attempts: integer().notNull().default(0),
  type: text(),
  subject: text(),
});

export const incomingTotals = sqliteTable("incoming_totals", {
  host: text().primaryKey(),
  activities: integer().notNull(),
  bytes: integer().notNull(),
});

export const outgoingActivities = sqliteTable("outgoing_activities", {
  id: integer().primaryKey({ autoIncrement: true }),
  account_id: integer(),
  body: text().notNull(),
  status_uri: text(),
  created_at: integer().notNull(),
  follow_uri: text(),
  key_id: integer(),
  syncs_followers: integer().notNull().default(0),
});

export const sentFollows = sqliteTable(
  "sent_follows",
  {
    account_id: integer().notNull(),
    target_account_id: integer().notNull(),
    uri: text().notNull().unique(),
    created_at: integer().notNull(),
    deliveries: integer().notNull().default(0),
    delivered_at: integer(),
    problem: text(),
    answer: text({ enum: ["accepted", "rejected"] }),
    answered_at: integer(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.target_account_id] })],
);

export const deliverySlices = sqliteTable("delivery_slices", {
  id: integer().primaryKey({ autoIncrement: true }),
  activity_id: integer().notNull(),
  inboxes: text().notNull(),
});

export const deliveries = sqliteTable("deliveries", {
  id: integer().primaryKey({ autoIncrement: true }),
  activity_id: integer().notNull(),
  inbox: text().notNull(),
  problem: text(),
});

export const statusDeliveries = sqliteTable("status_deliveries", {
  activity_id: integer().primaryKey(),
  status_id: integer().notNull(),
  is_edit: integer().notNull(),
  created_at: integer().notNull(),
  servers: integer().notNull().default(0),
  refused: integer().notNull().default(0),
  last_host: text(),
});

export const refusedDeliveries = sqliteTable(
  "refused_deliveries",
  {
    activity_id: integer().notNull(),
    host: text().notNull(),
    response: text().notNull(),
    created_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.activity_id, table.host] })],
);

export const missingInboxes = sqliteTable("missing_inboxes", {
  url: text().primaryKey(),
  since: integer().notNull(),
});

export const relays = sqliteTable("relays", {
  id: integer().primaryKey({ autoIncrement: true }),
  address: text().notNull().unique(),
  kind: text({ enum: ["mastodon", "litepub"] }).notNull(),
  inbox: text().notNull(),
  account_uri: text(),
  follow_uri: text().notNull().unique(),
  state: text({ enum: ["pending", "accepted", "refused"] })
    .notNull()
    .default("pending"),
  paused_at: integer(),
  created_at: integer().notNull(),
});

export const relayCounts = sqliteTable(
  "relay_counts",
  {
    relay_id: integer().notNull(),
    since: integer().notNull(),
    posts: integer().notNull().default(0),
    missing: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.relay_id, table.since] })],
);

export const fetches = sqliteTable("fetches", {
  subject: text().primaryKey(),
  due_at: integer().notNull(),
});
