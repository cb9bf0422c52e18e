CREATE TABLE lists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  replies_policy TEXT NOT NULL CHECK (replies_policy IN ('followed', 'list', 'none')),
  exclusive INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX lists_of_account ON lists (account_id);

-- A membership stands and falls with the follow it rests on, or the request for one; one's own rests on nothing.
CREATE TABLE list_accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  follow_id INTEGER REFERENCES follows (id) ON DELETE CASCADE,
  follow_request_id INTEGER REFERENCES follow_requests (id) ON DELETE CASCADE,
  UNIQUE (list_id, account_id)
) STRICT;

CREATE INDEX list_accounts_of_list ON list_accounts (list_id, id);
CREATE INDEX list_accounts_of_account ON list_accounts (account_id);
CREATE INDEX list_accounts_of_follow ON list_accounts (follow_id) WHERE follow_id IS NOT NULL;
CREATE INDEX list_accounts_of_request ON list_accounts (follow_request_id) WHERE follow_request_id IS NOT NULL;

-- What members have written. Which replies are shown is decided when the list is read, so that its policy can change.
CREATE TABLE list_timeline (
  list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  PRIMARY KEY (list_id, status_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX list_timeline_of_status ON list_timeline (status_id);

CREATE TABLE tag_follows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, tag_id)
) STRICT;

CREATE INDEX tag_follows_of_tag ON tag_follows (tag_id);
CREATE INDEX tag_follows_of_account ON tag_follows (account_id, id);

-- name is how the owner of the profile writes it.
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

-- context is a JSON array of words.
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
