-- The server's own state, such as its address, its keys and the setup link.
CREATE TABLE server_state (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A removed rule keeps its row, since reports name it.
CREATE TABLE rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  text TEXT NOT NULL,
  hint TEXT NOT NULL DEFAULT '',
  position INTEGER NOT NULL,
  translations TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;

-- The owner's texts about the server, as Markdown.
CREATE TABLE pages (
  name TEXT PRIMARY KEY CHECK (name IN ('extended_description', 'privacy_policy')),
  text TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One version per effective date (YYYY-MM-DD).
CREATE TABLE terms_of_service (
  effective_date TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  published_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Active users by week, for counts. A week is named by its first millisecond.
CREATE TABLE weekly_logins (
  week INTEGER NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (week, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX weekly_logins_of_user ON weekly_logins (user_id);
