CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  username TEXT NOT NULL,
  domain TEXT,
  display_name TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  note_html TEXT NOT NULL DEFAULT '',
  fields TEXT NOT NULL DEFAULT '[]',
  uri TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  avatar TEXT,
  avatar_static TEXT,
  avatar_description TEXT NOT NULL DEFAULT '',
  header TEXT,
  header_static TEXT,
  header_description TEXT NOT NULL DEFAULT '',
  locked INTEGER NOT NULL DEFAULT 0,
  bot INTEGER NOT NULL DEFAULT 0,
  discoverable INTEGER NOT NULL DEFAULT 0,
  indexable INTEGER NOT NULL DEFAULT 0,
  hide_collections INTEGER NOT NULL DEFAULT 0,
  attribution_domains TEXT NOT NULL DEFAULT '[]',
  followers_count INTEGER NOT NULL DEFAULT 0,
  following_count INTEGER NOT NULL DEFAULT 0,
  statuses_count INTEGER NOT NULL DEFAULT 0,
  last_status_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- One local account per name whatever its case; a remote one per name and domain.
CREATE UNIQUE INDEX accounts_handle ON accounts (lower(username), coalesce(domain, ''));

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT,
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'moderator', 'user')),
  locale TEXT NOT NULL DEFAULT 'en',
  default_privacy TEXT NOT NULL DEFAULT 'public',
  default_sensitive INTEGER NOT NULL DEFAULT 0,
  default_language TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE email IS NOT NULL;

CREATE TABLE follows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  show_reblogs INTEGER NOT NULL DEFAULT 1,
  notify INTEGER NOT NULL DEFAULT 0,
  languages TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, target_account_id)
) STRICT;

CREATE INDEX follows_of_target ON follows (target_account_id, id);
CREATE INDEX follows_of_account ON follows (account_id, id);

CREATE TABLE follow_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  show_reblogs INTEGER NOT NULL DEFAULT 1,
  notify INTEGER NOT NULL DEFAULT 0,
  languages TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, target_account_id)
) STRICT;

CREATE INDEX follow_requests_of_target ON follow_requests (target_account_id, id);

CREATE TABLE blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, target_account_id)
) STRICT;

CREATE INDEX blocks_of_target ON blocks (target_account_id);

CREATE TABLE mutes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  hide_notifications INTEGER NOT NULL DEFAULT 1,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, target_account_id)
) STRICT;

CREATE INDEX mutes_of_target ON mutes (target_account_id);
