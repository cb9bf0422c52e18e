-- `context` is a JSON array of words.
CREATE TABLE filters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  context TEXT NOT NULL,
  filter_action TEXT NOT NULL CHECK (filter_action IN ('warn', 'hide', 'blur')),
  expires_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX filters_of_account ON filters (account_id);

CREATE TABLE filter_keywords (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  filter_id INTEGER NOT NULL REFERENCES filters (id) ON DELETE CASCADE,
  keyword TEXT NOT NULL,
  whole_word INTEGER NOT NULL
) STRICT;

CREATE INDEX filter_keywords_of_filter ON filter_keywords (filter_id);

CREATE TABLE filter_statuses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  filter_id INTEGER NOT NULL REFERENCES filters (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  UNIQUE (filter_id, status_id)
) STRICT;

CREATE INDEX filter_statuses_of_status ON filter_statuses (status_id);
