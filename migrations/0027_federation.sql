-- Person, Service (a bot), Group, Organization or Application. `gone_at` is when its server said that it was deleted.
ALTER TABLE accounts ADD COLUMN actor_type TEXT NOT NULL DEFAULT 'Person';
ALTER TABLE accounts ADD COLUMN gone_at INTEGER;
ALTER TABLE accounts ADD COLUMN moved_to_id INTEGER REFERENCES accounts (id) ON DELETE SET NULL;
-- The totals that a remote account's own server reports; null if it reports none.
ALTER TABLE accounts ADD COLUMN origin_followers_count INTEGER;
ALTER TABLE accounts ADD COLUMN origin_following_count INTEGER;
ALTER TABLE accounts ADD COLUMN origin_statuses_count INTEGER;

CREATE INDEX accounts_by_url ON accounts (url) WHERE domain IS NOT NULL;
CREATE INDEX accounts_moved_to ON accounts (moved_to_id) WHERE moved_to_id IS NOT NULL;

-- One row for each remote account: the addresses and the key that only federation uses.
CREATE TABLE remote_accounts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  inbox_url TEXT NOT NULL,
  shared_inbox_url TEXT,
  outbox_url TEXT,
  followers_url TEXT,
  following_url TEXT,
  featured_url TEXT,
  -- The key in SPKI PEM. Null if the server has not been asked for it yet, or has none.
  key_id TEXT,
  public_key TEXT,
  fetched_at INTEGER NOT NULL,
  -- When the key was last fetched again because a signature had failed.
  key_checked_at INTEGER
) STRICT;

CREATE INDEX remote_accounts_key ON remote_accounts (key_id) WHERE key_id IS NOT NULL;

-- The key pairs of local accounts and, without an account, of the server. They are in the database, so that a backup
-- carries the identity. PEM: SPKI and PKCS #8.
CREATE TABLE account_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
  public_key TEXT NOT NULL,
  private_key TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX account_keys_of_account ON account_keys (account_id) WHERE account_id IS NOT NULL;
CREATE UNIQUE INDEX account_keys_of_server ON account_keys (account_id IS NULL) WHERE account_id IS NULL;

-- The URI under which another server knows the follow, block or favourite, if one does.
ALTER TABLE follows ADD COLUMN uri TEXT;
ALTER TABLE follow_requests ADD COLUMN uri TEXT;
ALTER TABLE blocks ADD COLUMN uri TEXT;
ALTER TABLE favourites ADD COLUMN uri TEXT;
CREATE UNIQUE INDEX follows_by_uri ON follows (uri) WHERE uri IS NOT NULL;
CREATE UNIQUE INDEX follow_requests_by_uri ON follow_requests (uri) WHERE uri IS NOT NULL;
CREATE UNIQUE INDEX blocks_by_uri ON blocks (uri) WHERE uri IS NOT NULL;
CREATE UNIQUE INDEX favourites_by_uri ON favourites (uri) WHERE uri IS NOT NULL;

-- Only while the parent is unknown: a parent that arrives later finds its replies with it.
ALTER TABLE statuses ADD COLUMN in_reply_to_uri TEXT;
-- The totals that a remote status's own server reports; null if it reports none.
ALTER TABLE statuses ADD COLUMN origin_favourites_count INTEGER;
ALTER TABLE statuses ADD COLUMN origin_reblogs_count INTEGER;

CREATE INDEX statuses_waiting_for_parent ON statuses (in_reply_to_uri) WHERE in_reply_to_uri IS NOT NULL;
-- Users paste URLs. Most remote statuses have one that differs from the URI.
CREATE INDEX statuses_by_url ON statuses (url) WHERE local = 0 AND url <> uri;
-- To merge conversations.
CREATE INDEX statuses_of_conversation ON statuses (conversation_id) WHERE conversation_id <> id;

-- URIs of deleted statuses: a local one answers 410, and a remote one must not come back.
CREATE TABLE tombstones (
  uri TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstones_by_age ON tombstones (created_at);

-- Other servers by the host of their addresses. While `down_since` is set, one delivery at a time probes the host.
CREATE TABLE hosts (
  domain TEXT PRIMARY KEY,
  signature TEXT NOT NULL DEFAULT 'cavage' CHECK (signature IN ('cavage', 'rfc9421')),
  down_since INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  -- To the day.
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX hosts_by_use ON hosts (last_used_at);

-- Verified activities of other servers that wait to be processed. `sender` is the URI of the account that signed.
CREATE TABLE incoming_activities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  host TEXT NOT NULL,
  sender TEXT NOT NULL,
  uri TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX incoming_activities_uri ON incoming_activities (uri);
CREATE INDEX incoming_activities_of_host ON incoming_activities (host, id, run_at);

-- How much waits from each host and, with the host '', in total: checked before anything is accepted.
CREATE TABLE incoming_totals (
  host TEXT PRIMARY KEY,
  activities INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER incoming_activities_added AFTER INSERT ON incoming_activities BEGIN
  INSERT INTO incoming_totals (host, activities, bytes)
  VALUES (new.host, 1, octet_length(new.body)), ('', 1, octet_length(new.body))
  ON CONFLICT (host) DO UPDATE SET activities = activities + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER incoming_activities_removed AFTER DELETE ON incoming_activities BEGIN
  UPDATE incoming_totals SET activities = activities - 1, bytes = bytes - octet_length(old.body)
  WHERE host IN (old.host, '');
  DELETE FROM incoming_totals WHERE host = old.host AND activities = 0;
END;

-- One copy of each activity, however many servers get it. `status_uri` is the status that it creates or changes: if that
-- is deleted first, the activity is not sent any more.
CREATE TABLE outgoing_activities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
  body TEXT NOT NULL,
  status_uri TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX outgoing_activities_of_account ON outgoing_activities (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX outgoing_activities_of_status ON outgoing_activities (status_uri) WHERE status_uri IS NOT NULL;

-- One row for each activity and inbox until it is delivered.
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  activity_id INTEGER NOT NULL REFERENCES outgoing_activities (id) ON DELETE CASCADE,
  inbox TEXT NOT NULL
) STRICT;

CREATE INDEX deliveries_to_inbox ON deliveries (inbox, id);
CREATE INDEX deliveries_of_activity ON deliveries (activity_id);

-- Inboxes that answered 404, since when. After a week, they are forgotten.
CREATE TABLE missing_inboxes (
  url TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX missing_inboxes_by_age ON missing_inboxes (since);
