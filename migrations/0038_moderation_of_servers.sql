-- Rebuilt, because a report may be by the server itself: then it has no account. `uri` is the name that another server
-- gave to a report which it sent.
CREATE TABLE new_reports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  category TEXT NOT NULL CHECK (category IN ('spam', 'legal', 'violation', 'other')),
  comment TEXT NOT NULL,
  status_ids TEXT NOT NULL DEFAULT '[]',
  rule_ids TEXT,
  forwarded INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  action_taken_at INTEGER,
  action_taken_by_account_id INTEGER REFERENCES accounts (id) ON DELETE SET NULL,
  uri TEXT
) STRICT;

INSERT INTO new_reports SELECT *, NULL FROM reports;
DROP TABLE reports;
ALTER TABLE new_reports RENAME TO reports;

CREATE INDEX reports_by_account ON reports (account_id, id);
CREATE INDEX reports_of_target ON reports (target_account_id, id);
CREATE INDEX reports_open ON reports (id) WHERE action_taken_at IS NULL;
CREATE INDEX reports_handled_by ON reports (action_taken_by_account_id) WHERE action_taken_by_account_id IS NOT NULL;
CREATE UNIQUE INDEX reports_received ON reports (uri) WHERE uri IS NOT NULL;
