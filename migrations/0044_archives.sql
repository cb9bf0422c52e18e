-- The posts that a user brought from an archive, by their addresses there. A row without a status is one that the user
-- has deleted since.
CREATE TABLE imported_statuses (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  uri TEXT NOT NULL,
  status_id INTEGER REFERENCES statuses (id) ON DELETE SET NULL,
  PRIMARY KEY (account_id, uri)
) WITHOUT ROWID;
CREATE INDEX imported_statuses_of_status ON imported_statuses (status_id) WHERE status_id IS NOT NULL;

-- Files of an archive that wait for their post, by their names there: an import that was interrupted finds them again.
CREATE TABLE imported_media (
  media_id INTEGER PRIMARY KEY REFERENCES media_attachments (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  UNIQUE (account_id, name)
);
