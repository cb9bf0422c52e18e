-- What is removed keeps its row: reports name it.
CREATE TABLE rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  text TEXT NOT NULL,
  hint TEXT NOT NULL DEFAULT '',
  position INTEGER NOT NULL,
  translations TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
