CREATE TABLE oauth_apps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  client_id TEXT NOT NULL UNIQUE,
  client_secret_hash TEXT NOT NULL,
  name TEXT NOT NULL,
  website TEXT,
  redirect_uris TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE oauth_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_hash TEXT NOT NULL UNIQUE,
  app_id INTEGER NOT NULL REFERENCES oauth_apps (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Accurate to about an hour.
  last_used_at INTEGER,
  -- Null for a token that does not expire.
  expires_at INTEGER
) STRICT;

CREATE INDEX oauth_tokens_of_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_of_app ON oauth_tokens (app_id);
CREATE INDEX oauth_tokens_expiring ON oauth_tokens (expires_at) WHERE expires_at IS NOT NULL;

-- A used code is kept until it expires: using it twice means that it was stolen, and revokes its token.
CREATE TABLE oauth_codes (
  code_hash TEXT PRIMARY KEY,
  app_id INTEGER NOT NULL REFERENCES oauth_apps (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL,
  code_challenge TEXT,
  token_id INTEGER REFERENCES oauth_tokens (id) ON DELETE SET NULL,
  used_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_codes_expiring ON oauth_codes (expires_at);

CREATE TABLE sessions (
  session_hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_expiring ON sessions (expires_at);
CREATE INDEX sessions_of_user ON sessions (user_id);
