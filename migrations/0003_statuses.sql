CREATE TABLE statuses (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  uri TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  local INTEGER NOT NULL,
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'unlisted', 'private', 'direct')),
  text TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL DEFAULT '',
  spoiler_text TEXT NOT NULL DEFAULT '',
  sensitive INTEGER NOT NULL DEFAULT 0,
  language TEXT,
  conversation_id INTEGER NOT NULL,
  in_reply_to_id INTEGER REFERENCES statuses (id) ON DELETE SET NULL,
  in_reply_to_account_id INTEGER,
  reblog_of_id INTEGER REFERENCES statuses (id) ON DELETE CASCADE,
  app_id INTEGER REFERENCES oauth_apps (id) ON DELETE SET NULL,
  has_media INTEGER NOT NULL DEFAULT 0,
  replies_count INTEGER NOT NULL DEFAULT 0,
  reblogs_count INTEGER NOT NULL DEFAULT 0,
  favourites_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  edited_at INTEGER
) STRICT;

CREATE INDEX statuses_of_account ON statuses (account_id, id);
CREATE INDEX statuses_replies ON statuses (in_reply_to_id) WHERE in_reply_to_id IS NOT NULL;
CREATE UNIQUE INDEX statuses_reblogs ON statuses (reblog_of_id, account_id) WHERE reblog_of_id IS NOT NULL;

-- The public timelines: originals, and replies to oneself. The queries repeat these words, or SQLite leaves the index aside.
CREATE INDEX statuses_public ON statuses (id)
  WHERE visibility = 'public' AND reblog_of_id IS NULL AND (in_reply_to_account_id IS NULL OR in_reply_to_account_id = account_id);
CREATE INDEX statuses_public_by_origin ON statuses (local, id)
  WHERE visibility = 'public' AND reblog_of_id IS NULL AND (in_reply_to_account_id IS NULL OR in_reply_to_account_id = account_id);

CREATE INDEX statuses_public_media ON statuses (id)
  WHERE visibility = 'public' AND reblog_of_id IS NULL AND (in_reply_to_account_id IS NULL OR in_reply_to_account_id = account_id)
    AND has_media = 1;
CREATE INDEX statuses_media_of_account ON statuses (account_id, id) WHERE has_media = 1;

CREATE TABLE status_edits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  content TEXT NOT NULL,
  spoiler_text TEXT NOT NULL,
  sensitive INTEGER NOT NULL,
  media TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX status_edits_of_status ON status_edits (status_id, id);

CREATE TABLE mentions (
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (status_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX mentions_of_account ON mentions (account_id, status_id);

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

-- The same key within an hour gives the same status again, also after a crash between commit and answer.
CREATE TABLE idempotency_keys (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_of_status ON idempotency_keys (status_id);
