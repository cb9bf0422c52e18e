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

-- Statuses by members. The reply policy applies when the list is read, so that it can change.
CREATE TABLE list_timeline (
  list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  PRIMARY KEY (list_id, status_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX list_timeline_of_status ON list_timeline (status_id);
