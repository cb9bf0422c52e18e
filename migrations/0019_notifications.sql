-- Small increasing ids, since a client keeps them in 32 bits.
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  from_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  status_id INTEGER REFERENCES statuses (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  -- The id of a report, severance event or warning, depending on the type.
  about_id INTEGER,
  -- Shared by notifications about the same subject within half a day; null if they are never grouped.
  group_key TEXT,
  -- 1 while the notification policy filters it.
  filtered INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX notifications_of_account ON notifications (account_id, id);
CREATE INDEX notifications_of_status ON notifications (status_id) WHERE status_id IS NOT NULL;
CREATE INDEX notifications_of_group ON notifications (account_id, group_key, id) WHERE group_key IS NOT NULL;
CREATE INDEX notifications_filtered ON notifications (account_id, from_account_id, id) WHERE filtered;
CREATE INDEX notifications_from_account ON notifications (from_account_id, account_id, id);

-- A request is deleted with its last filtered notification, whatever deletes that one.
CREATE TRIGGER notification_requests_emptied AFTER DELETE ON notifications WHEN old.filtered BEGIN
  DELETE FROM notification_requests
  WHERE account_id = old.account_id AND from_account_id = old.from_account_id AND NOT EXISTS (
    SELECT 1 FROM notifications
    WHERE account_id = old.account_id AND from_account_id = old.from_account_id AND filtered AND type IN ('mention', 'quote'));
END;

-- Senders of filtered notifications. Their count and the newest one are derived from notifications.
CREATE TABLE notification_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  from_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, from_account_id)
) STRICT;

CREATE INDEX notification_requests_of_account ON notification_requests (account_id, id);
CREATE INDEX notification_requests_from_account ON notification_requests (from_account_id);

-- Senders that the policy no longer filters.
CREATE TABLE notification_permissions (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  from_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, from_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_permissions_from_account ON notification_permissions (from_account_id);
