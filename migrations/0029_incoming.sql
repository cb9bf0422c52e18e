ALTER TABLE incoming_activities DROP COLUMN received_at;
-- Only of activities that wait for another attempt: their type, and the URI of their object.
ALTER TABLE incoming_activities ADD COLUMN type TEXT;
ALTER TABLE incoming_activities ADD COLUMN subject TEXT;

CREATE INDEX incoming_activities_about ON incoming_activities (sender, subject) WHERE subject IS NOT NULL;

-- Rebuilt, because several accounts may claim to have deleted a status that is unknown here. `deleted_by` is the account
-- that claims it; 0 if the status was stored, and deleted by its author.
CREATE TABLE new_tombstones (
  uri TEXT NOT NULL,
  deleted_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uri, deleted_by)
) STRICT, WITHOUT ROWID;

INSERT INTO new_tombstones SELECT uri, 0, created_at FROM tombstones;
DROP TABLE tombstones;
ALTER TABLE new_tombstones RENAME TO tombstones;

CREATE INDEX tombstones_by_age ON tombstones (created_at);

-- The owner of a remote account has died, as its server says.
ALTER TABLE accounts ADD COLUMN memorial INTEGER NOT NULL DEFAULT 0;

-- The keys of remote accounts, in SPKI PEM. An account may have several.
CREATE TABLE remote_keys (
  key_id TEXT NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  public_key TEXT NOT NULL,
  PRIMARY KEY (key_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX remote_keys_of_account ON remote_keys (account_id);

INSERT INTO remote_keys
SELECT key_id, account_id, public_key FROM remote_accounts WHERE key_id IS NOT NULL AND public_key IS NOT NULL;
DROP INDEX remote_accounts_key;
ALTER TABLE remote_accounts DROP COLUMN key_id;
ALTER TABLE remote_accounts DROP COLUMN public_key;
