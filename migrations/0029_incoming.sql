ALTER TABLE incoming_activities DROP COLUMN received_at;
-- Only of activities that wait for another attempt: their type, and the URI of their object.
ALTER TABLE incoming_activities ADD COLUMN type TEXT;
ALTER TABLE incoming_activities ADD COLUMN subject TEXT;

CREATE INDEX incoming_activities_about ON incoming_activities (sender, subject) WHERE subject IS NOT NULL;

-- Rebuilt, because several accounts may claim to have deleted a status that is unknown here. `deleted_by` is the account
-- that claims it; 0 if the status was stored, and deleted by its author.
CREATE TABLE new_tombstones (
  uri TEXT NOT NULL,
  deleted_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uri, deleted_by)
) STRICT, WITHOUT ROWID;

INSERT INTO new_tombstones SELECT uri, 0, created_at FROM tombstones;
DROP TABLE tombstones;
ALTER TABLE new_tombstones RENAME TO tombstones;

CREATE INDEX tombstones_by_age ON tombstones (created_at);

-- The owner of a remote account has died, as its server says.
ALTER TABLE accounts ADD COLUMN memorial INTEGER NOT NULL DEFAULT 0;
