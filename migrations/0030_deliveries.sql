-- The inboxes of an activity whose deliveries are not written yet, in slices: a JSON list each.
CREATE TABLE delivery_slices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  activity_id INTEGER NOT NULL REFERENCES outgoing_activities (id) ON DELETE CASCADE,
  inboxes TEXT NOT NULL
) STRICT;

CREATE INDEX delivery_slices_of_activity ON delivery_slices (activity_id);

-- The key of a job that sends to an inbox now begins with the host, so that a host's jobs are found by it.
UPDATE jobs SET key = 'delivery.send ' || host || ' ' || (payload ->> 'inbox')
WHERE kind = 'delivery.send' AND key IS NOT NULL;

-- When the last of a host's `failures` was counted.
ALTER TABLE hosts ADD COLUMN failed_at INTEGER;
