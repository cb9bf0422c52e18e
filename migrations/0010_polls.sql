CREATE TABLE polls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id INTEGER NOT NULL UNIQUE REFERENCES statuses (id) ON DELETE CASCADE,
  multiple INTEGER NOT NULL,
  hide_totals INTEGER NOT NULL,
  -- Null if another server doesn't tell it.
  voters_count INTEGER,
  -- Null without an end: some servers have such polls.
  expires_at INTEGER,
  -- 1 once the voters have been notified of the end.
  closed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE poll_options (
  poll_id INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  votes_count INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (poll_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE poll_votes (
  poll_id INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  choice INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (poll_id, account_id, choice)
) STRICT, WITHOUT ROWID;

CREATE INDEX poll_votes_of_account ON poll_votes (account_id);
