CREATE TABLE reports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  category TEXT NOT NULL CHECK (category IN ('spam', 'legal', 'violation', 'other')),
  comment TEXT NOT NULL,
  status_ids TEXT NOT NULL DEFAULT '[]',
  rule_ids TEXT,
  forwarded INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  action_taken_at INTEGER,
  action_taken_by_account_id INTEGER REFERENCES accounts (id) ON DELETE SET NULL
) STRICT;

CREATE INDEX reports_by_account ON reports (account_id, id);
CREATE INDEX reports_of_target ON reports (target_account_id, id);
CREATE INDEX reports_open ON reports (id) WHERE action_taken_at IS NULL;
CREATE INDEX reports_handled_by ON reports (action_taken_by_account_id) WHERE action_taken_by_account_id IS NOT NULL;

-- Moderation of an account, with the text for its user. No moderator is named for a decision on the command line.
CREATE TABLE account_warnings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  account_id INTEGER REFERENCES accounts (id) ON DELETE SET NULL,
  report_id INTEGER REFERENCES reports (id) ON DELETE SET NULL,
  action TEXT NOT NULL CHECK (action IN ('none', 'disable', 'sensitive', 'silence', 'suspend')),
  text TEXT NOT NULL DEFAULT '',
  status_ids TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX account_warnings_of_target ON account_warnings (target_account_id, id);
CREATE INDEX account_warnings_by_account ON account_warnings (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX account_warnings_of_report ON account_warnings (report_id) WHERE report_id IS NOT NULL;

-- Followers and followed accounts that a local user lost at once, and the cause.
CREATE TABLE severance_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  type TEXT NOT NULL CHECK (type IN ('domain_block', 'user_domain_block', 'account_suspension')),
  target_name TEXT NOT NULL,
  followers_count INTEGER NOT NULL,
  following_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX severance_events_of_account ON severance_events (account_id);

-- Rules for a domain and its subdomains, for all users.
CREATE TABLE domain_blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  domain TEXT NOT NULL UNIQUE,
  severity TEXT NOT NULL CHECK (severity IN ('noop', 'silence', 'suspend')),
  reject_media INTEGER NOT NULL DEFAULT 0,
  reject_reports INTEGER NOT NULL DEFAULT 0,
  obfuscate INTEGER NOT NULL DEFAULT 0,
  public_comment TEXT NOT NULL DEFAULT '',
  private_comment TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) STRICT;

-- The allowlist of limited federation.
CREATE TABLE domain_allows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  domain TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;
