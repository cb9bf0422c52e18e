-- What the owner has written about the server, as Markdown.
CREATE TABLE pages (
  name TEXT PRIMARY KEY CHECK (name IN ('extended_description', 'privacy_policy')),
  text TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One for each day (YYYY-MM-DD) from which they hold.
CREATE TABLE terms_of_service (
  effective_date TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  published_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- To the hour, more or less.
ALTER TABLE oauth_tokens ADD COLUMN last_used_at INTEGER;
CREATE INDEX sessions_of_user ON sessions (user_id);

-- Who was here in which week, for counts. A week is told by its first moment.
CREATE TABLE weekly_logins (
  week INTEGER NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (week, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX weekly_logins_of_user ON weekly_logins (user_id);
