-- A row is a promise: written in the transaction that causes it, gone when kept.
-- A job with a key is there once at most. One that gave up stays, with its error and without a time to run.
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  key TEXT UNIQUE,
  payload TEXT NOT NULL,
  run_at INTEGER,
  leased INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX jobs_due ON jobs (run_at) WHERE run_at IS NOT NULL AND leased = 0;
