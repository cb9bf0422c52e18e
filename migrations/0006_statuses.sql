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
  edited_at INTEGER,
  -- The quote policy: lists of "public", "followers", "following" and "unsupported_policy" that may quote at once or after
  -- approval.
  quote_automatic TEXT NOT NULL DEFAULT '[]',
  quote_manual TEXT NOT NULL DEFAULT '[]',
  quotes_count INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX statuses_of_account ON statuses (account_id, id);
CREATE INDEX statuses_replies ON statuses (in_reply_to_id) WHERE in_reply_to_id IS NOT NULL;
CREATE UNIQUE INDEX statuses_reblogs ON statuses (reblog_of_id, account_id) WHERE reblog_of_id IS NOT NULL;

-- The public timelines: original posts and self-replies. SQLite uses the index only if the query repeats this condition.
CREATE INDEX statuses_public ON statuses (id)
  WHERE visibility = 'public' AND reblog_of_id IS NULL AND (in_reply_to_account_id IS NULL OR in_reply_to_account_id = account_id);

CREATE INDEX statuses_public_by_origin ON statuses (local, id)
  WHERE visibility = 'public' AND reblog_of_id IS NULL AND (in_reply_to_account_id IS NULL OR in_reply_to_account_id = account_id);

CREATE INDEX statuses_public_media ON statuses (id)
  WHERE visibility = 'public' AND reblog_of_id IS NULL AND (in_reply_to_account_id IS NULL OR in_reply_to_account_id = account_id)
    AND has_media = 1;
CREATE INDEX statuses_media_of_account ON statuses (account_id, id) WHERE has_media = 1;

-- Statuses that may trend. The query repeats this condition.
CREATE INDEX statuses_noticed ON statuses (id)
  WHERE visibility = 'public' AND reblog_of_id IS NULL AND favourites_count + reblogs_count > 1;

CREATE TABLE status_edits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  content TEXT NOT NULL,
  spoiler_text TEXT NOT NULL,
  sensitive INTEGER NOT NULL,
  media TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- JSON list of the version's poll options; null without a poll.
  poll_options TEXT
) STRICT;

CREATE INDEX status_edits_of_status ON status_edits (status_id, id);

CREATE TABLE mentions (
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- 1 if the account may see the status without being named in it: the quoted author.
  silent INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (status_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX mentions_of_account ON mentions (account_id, status_id);
