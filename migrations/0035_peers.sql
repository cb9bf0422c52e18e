-- When a host last sent something, to the minute, and when a delivery last reached it, to the hour.
ALTER TABLE hosts ADD COLUMN last_received_at INTEGER;
ALTER TABLE hosts ADD COLUMN last_reached_at INTEGER;
-- Its software as its NodeInfo names it, such as `mastodon 4.5.0`, and when it was last asked for that.
ALTER TABLE hosts ADD COLUMN software TEXT;
ALTER TABLE hosts ADD COLUMN software_checked_at INTEGER NOT NULL DEFAULT 0;

CREATE INDEX hosts_by_software_check ON hosts (software_checked_at) WHERE down_since IS NULL;

-- Follows that local accounts have sent to other servers: how often they were delivered, the last failure since, and the
-- answer. A follow without an answer is in follow_requests, too.
CREATE TABLE sent_follows (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  uri TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  delivered_at INTEGER,
  problem TEXT,
  answer TEXT CHECK (answer IN ('accepted', 'rejected')),
  answered_at INTEGER,
  PRIMARY KEY (account_id, target_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sent_follows_of_target ON sent_follows (target_account_id);
CREATE INDEX sent_follows_by_age ON sent_follows (created_at);

INSERT INTO sent_follows (account_id, target_account_id, uri, created_at)
SELECT r.account_id, r.target_account_id, r.uri, r.created_at
FROM follow_requests r JOIN accounts a ON a.id = r.account_id WHERE a.domain IS NULL AND r.uri IS NOT NULL;

-- Those are sent again in a day, unless they are answered by then.
INSERT INTO jobs (kind, key, payload, run_at, created_at)
SELECT 'follow.resend', 'follow.resend ' || uri, json_object('uri', uri), (unixepoch() + 86400) * 1000, unixepoch() * 1000
FROM sent_follows;

-- The follow that an activity asks for: what becomes of it is recorded.
ALTER TABLE outgoing_activities ADD COLUMN follow_uri TEXT;
