CREATE TABLE home_timeline (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, status_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX home_timeline_of_status ON home_timeline (status_id);

CREATE TABLE markers (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  timeline TEXT NOT NULL CHECK (timeline IN ('home', 'notifications')),
  last_read_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, timeline)
) STRICT, WITHOUT ROWID;

-- Small increasing ids: a client keeps them in 32 bits.
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  from_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  status_id INTEGER REFERENCES statuses (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX notifications_of_account ON notifications (account_id, id);
CREATE INDEX notifications_from_account ON notifications (from_account_id);
CREATE INDEX notifications_of_status ON notifications (status_id) WHERE status_id IS NOT NULL;
