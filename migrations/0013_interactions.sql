CREATE TABLE favourites (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, status_id)
) STRICT;

CREATE INDEX favourites_of_account ON favourites (account_id, id);
CREATE INDEX favourites_of_status ON favourites (status_id, id);

CREATE TABLE bookmarks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, status_id)
) STRICT;

CREATE INDEX bookmarks_of_account ON bookmarks (account_id, id);
CREATE INDEX bookmarks_of_status ON bookmarks (status_id);

CREATE TABLE status_pins (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL UNIQUE REFERENCES statuses (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX status_pins_of_account ON status_pins (account_id, id);
