-- The deliveries of a local status, and of its latest edit: to how many servers they go, and how many refused. The other
-- servers have accepted it, unless a delivery still waits: so an accepted delivery needs no write.
CREATE TABLE status_deliveries (
  -- The row in outgoing_activities, which is removed when nothing waits.
  activity_id INTEGER PRIMARY KEY,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  is_edit INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  servers INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  -- The last host that `servers` counts. Inboxes are counted in order, so only this one may come again.
  last_host TEXT,
  UNIQUE (status_id, is_edit)
) STRICT;

-- The servers that refused a status, for 30 days.
CREATE TABLE refused_deliveries (
  activity_id INTEGER NOT NULL REFERENCES status_deliveries (activity_id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  response TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (activity_id, host)
) STRICT, WITHOUT ROWID;

CREATE INDEX refused_deliveries_by_age ON refused_deliveries (created_at);

-- Why a host is down, and why a delivery waits although its host isn't.
ALTER TABLE hosts ADD COLUMN problem TEXT;
ALTER TABLE deliveries ADD COLUMN problem TEXT;
