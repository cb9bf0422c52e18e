CREATE TABLE scheduled_statuses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  app_id INTEGER REFERENCES oauth_apps (id) ON DELETE SET NULL,
  draft TEXT NOT NULL,
  scheduled_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX scheduled_statuses_of_account ON scheduled_statuses (account_id, scheduled_at);
CREATE INDEX scheduled_statuses_of_app ON scheduled_statuses (app_id) WHERE app_id IS NOT NULL;

CREATE TABLE idempotency_keys (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  status_id INTEGER REFERENCES statuses (id) ON DELETE CASCADE,
  scheduled_status_id INTEGER REFERENCES scheduled_statuses (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key),
  CHECK ((status_id IS NULL) <> (scheduled_status_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_of_status ON idempotency_keys (status_id) WHERE status_id IS NOT NULL;
CREATE INDEX idempotency_keys_of_scheduled ON idempotency_keys (scheduled_status_id) WHERE scheduled_status_id IS NOT NULL;
