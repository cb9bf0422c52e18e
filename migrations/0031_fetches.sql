-- What a job has fetched or will fetch from another server, and when that may be done again.
CREATE TABLE fetches (
  -- The kind of the job and an id, as in the job's key.
  subject TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX fetches_by_time ON fetches (due_at);

-- The total that the origin of a remote status reports.
ALTER TABLE statuses ADD COLUMN origin_replies_count INTEGER;
