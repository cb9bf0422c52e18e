-- What is to become of notifications by people of a certain kind: 0 accept, 1 filter, 2 drop. The strictest holds.
ALTER TABLE users ADD COLUMN for_not_following INTEGER NOT NULL DEFAULT 0 CHECK (for_not_following IN (0, 1, 2));
ALTER TABLE users ADD COLUMN for_not_followers INTEGER NOT NULL DEFAULT 0 CHECK (for_not_followers IN (0, 1, 2));
ALTER TABLE users ADD COLUMN for_new_accounts INTEGER NOT NULL DEFAULT 0 CHECK (for_new_accounts IN (0, 1, 2));
ALTER TABLE users ADD COLUMN for_private_mentions INTEGER NOT NULL DEFAULT 0 CHECK (for_private_mentions IN (0, 1, 2));
ALTER TABLE users ADD COLUMN for_limited_accounts INTEGER NOT NULL DEFAULT 1 CHECK (for_limited_accounts IN (0, 1, 2));

-- What a notification speaks of besides a status, by its type: a report, an event, a warning.
ALTER TABLE notifications ADD COLUMN about_id INTEGER;
-- Shared by what happened to the same thing within half a day; null for what stands alone.
ALTER TABLE notifications ADD COLUMN group_key TEXT;
-- Held back by the policy, until its sender is let in.
ALTER TABLE notifications ADD COLUMN filtered INTEGER NOT NULL DEFAULT 0;

UPDATE notifications SET group_key = type || coalesce('-' || status_id, '') || '-' || (created_at / 43200000 * 12)
  WHERE type IN ('favourite', 'reblog', 'follow');

CREATE INDEX notifications_of_group ON notifications (account_id, group_key, id) WHERE group_key IS NOT NULL;
CREATE INDEX notifications_filtered ON notifications (account_id, from_account_id, id) WHERE filtered;
DROP INDEX notifications_from_account;
CREATE INDEX notifications_from_account ON notifications (from_account_id, account_id, id);

-- Somebody whose notifications are held back. How many there are, and the last of them, the notifications tell.
CREATE TABLE notification_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  from_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, from_account_id)
) STRICT;

CREATE INDEX notification_requests_of_account ON notification_requests (account_id, id);
CREATE INDEX notification_requests_from_account ON notification_requests (from_account_id);

-- Whoever makes a notification go, a request goes with the last one that it stands for.
CREATE TRIGGER notification_requests_emptied AFTER DELETE ON notifications WHEN old.filtered BEGIN
  DELETE FROM notification_requests
  WHERE account_id = old.account_id AND from_account_id = old.from_account_id AND NOT EXISTS (
    SELECT 1 FROM notifications
    WHERE account_id = old.account_id AND from_account_id = old.from_account_id AND filtered AND type IN ('mention', 'quote'));
END;

-- Whom the policy doesn't hold back any more.
CREATE TABLE notification_permissions (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  from_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, from_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_permissions_from_account ON notification_permissions (from_account_id);
