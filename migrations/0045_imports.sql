-- What a user's files add to their account, with its progress. Of each kind, one runs at a time.
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('follows', 'lists', 'mutes', 'blocks', 'domain_blocks', 'bookmarks', 'filters', 'archive')),
  mode TEXT NOT NULL CHECK (mode IN ('merge', 'replace')),
  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'cancelled', 'failed')),
  file_name TEXT NOT NULL,
  -- Null until the file is counted.
  total INTEGER,
  -- `failed` is not part of `done`.
  done INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  -- Why the whole import has failed.
  error TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE INDEX imports_of_account ON imports (account_id, id);
CREATE UNIQUE INDEX imports_running ON imports (account_id, kind) WHERE state = 'running';
CREATE INDEX imports_ended ON imports (ended_at) WHERE ended_at IS NOT NULL;

-- The rows of a CSV file. They are removed with the import, some weeks after its end.
CREATE TABLE import_rows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  -- A JSON list of the cells, in the order of the kind's columns.
  cells TEXT NOT NULL,
  -- When it is tried next; null once it has ended.
  due_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- The id of what the row names, in the table of the kind: a replacement keeps it.
  target_id INTEGER,
  -- Why the row has failed.
  error TEXT
) STRICT;

CREATE INDEX import_rows_of_import ON import_rows (import_id, id);
CREATE INDEX import_rows_due ON import_rows (import_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX import_rows_of_target ON import_rows (import_id, target_id) WHERE target_id IS NOT NULL;
CREATE INDEX import_rows_failed ON import_rows (import_id, id) WHERE error IS NOT NULL;
