CREATE TABLE blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, target_account_id)
) STRICT;

CREATE INDEX blocks_of_target ON blocks (target_account_id);
CREATE INDEX blocks_of_account ON blocks (account_id, id);

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
CREATE INDEX mutes_of_account ON mutes (account_id, id);

-- Domains that one user blocks for themselves.
CREATE TABLE account_domain_blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, domain)
) STRICT;

CREATE INDEX account_domain_blocks_of_account ON account_domain_blocks (account_id, id);
