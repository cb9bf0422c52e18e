CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE status_tags (
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  PRIMARY KEY (tag_id, status_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX status_tags_of_status ON status_tags (status_id);

CREATE TABLE tag_follows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, tag_id)
) STRICT;

CREATE INDEX tag_follows_of_tag ON tag_follows (tag_id);
CREATE INDEX tag_follows_of_account ON tag_follows (account_id, id);

-- `name` is spelled as the profile's owner spells it.
CREATE TABLE featured_tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  statuses_count INTEGER NOT NULL,
  last_status_at INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, tag_id)
) STRICT;

CREATE INDEX featured_tags_of_tag ON featured_tags (tag_id);
