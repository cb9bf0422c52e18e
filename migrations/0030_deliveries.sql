-- The inboxes of an activity whose deliveries are not written yet, in slices: a JSON list each.
CREATE TABLE delivery_slices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  activity_id INTEGER NOT NULL REFERENCES outgoing_activities (id) ON DELETE CASCADE,
  inboxes TEXT NOT NULL
) STRICT;

CREATE INDEX delivery_slices_of_activity ON delivery_slices (activity_id);
