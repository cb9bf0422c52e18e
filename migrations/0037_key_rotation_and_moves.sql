-- When a key was replaced. It still signs what waited then.
ALTER TABLE account_keys ADD COLUMN retired_at INTEGER;
DROP INDEX account_keys_of_account;
CREATE UNIQUE INDEX account_keys_of_account ON account_keys (account_id) WHERE account_id IS NOT NULL AND retired_at IS NULL;

-- The replaced key that signs an activity; NULL for the account's current one.
ALTER TABLE outgoing_activities ADD COLUMN key_id INTEGER REFERENCES account_keys (id) ON DELETE SET NULL;
CREATE INDEX outgoing_activities_of_key ON outgoing_activities (key_id) WHERE key_id IS NOT NULL;

-- Keys that a remote account named until it replaced them.
CREATE TABLE retired_remote_keys (
  key_id TEXT NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  public_key TEXT NOT NULL,
  retired_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX retired_remote_keys_of_account ON retired_remote_keys (account_id);
CREATE INDEX retired_remote_keys_by_age ON retired_remote_keys (retired_at);

-- Other accounts of the same person: a local account says that it may be their successor.
CREATE TABLE account_aliases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  alias_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, alias_account_id)
) STRICT;

CREATE INDEX account_aliases_of_alias ON account_aliases (alias_account_id);

-- When an account last moved its followers to another one, also if that was cancelled later.
ALTER TABLE accounts ADD COLUMN moved_at INTEGER;
